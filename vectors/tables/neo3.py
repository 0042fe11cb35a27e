"""N3: what each instruction does with numbers next to the boundaries, with other items, and with too few of them."""
from tables.neo import THREE, fits, item, item_of_three, quotient, remainder

NULL = {"type": "Null"}
WIDE = [2**64, 2**64 + 1, -2**64, 2**128 + 1]
# Numbers that a machine with a mistake in the width, the sign or zero takes for each other.
EDGES = [0, 1, -1, 2, -2, 2**64, 2**64 + 1, -2**64 - 1, 2**128]


def push(value):
    """What pushes the value: the shortest instruction for an Integer, PUSHDATA1 for bytes."""
    if value is None:
        return ["PUSHNULL"]
    if isinstance(value, bool):
        return ["PUSHT" if value else "PUSHF"]
    if isinstance(value, bytes):
        return ["PUSHDATA1", "0x" + bytes([len(value)]).hex() + value.hex()]
    if -1 <= value <= 16:
        return [f"PUSH{value}" if value >= 0 else "PUSHM1"]
    size = next(size for size in (1, 2, 4, 8, 16, 32) if -2**(8 * size - 1) <= value < 2**(8 * size - 1))
    return [f"PUSHINT{8 * size}", "0x" + value.to_bytes(size, "little", signed=True).hex()]


def code(*parts):
    """A script of mnemonics, hex digits, lists of both, and values to push."""
    script = []
    for part in parts:
        script += part if isinstance(part, list) else [part] if isinstance(part, str) else push(part)
    return script


def encoded(number):
    """The bytes of an Integer: as few as possible, none for 0."""
    size = 0 if number == 0 else (number if number > 0 else -number - 1).bit_length() // 8 + 1
    return number.to_bytes(size, "little", signed=True)


def data(kind, value):
    return {"type": kind, "value": "0x" + value.hex() if value else ""}


def shown(value):
    """The item of a value, in a result."""
    if value is None:
        return NULL
    return data("ByteString", value) if isinstance(value, bytes) else item(value)


def array(*values, kind="Array"):
    return {"type": kind, "value": [it if isinstance(it, dict) else shown(it) for it in values]}


def halts(name, script, *results):
    """A test with these results, the top one first."""
    stack = [it if isinstance(it, dict) else shown(it) for it in results]
    return test(name, script, {"state": "HALT", "resultStack": stack})


def faults(name, script, message=None):
    return test(name, script, {"state": "FAULT"} | ({"exceptionMessage": message} if message else {}))


def test(name, script, result):
    return {"name": name, "script": script, "steps": [{"actions": ["Execute"], "result": result}]}


def text(values):
    return ", ".join(value.hex() or "no bytes" if isinstance(value, bytes) else str(value) for value in values)


# Jumps.

CONDITIONS = {"JMPIF": lambda a: a != 0, "JMPIFNOT": lambda a: a == 0}
COMPARISONS = {"JMPEQ": lambda a, b: a == b, "JMPNE": lambda a, b: a != b, "JMPGT": lambda a, b: a > b,
               "JMPGE": lambda a, b: a >= b, "JMPLT": lambda a, b: a < b, "JMPLE": lambda a, b: a <= b}


def branch(name):
    """Code that pushes 1 if the instruction jumps and 0 if not."""
    target = "0x05" if not name.endswith("_L") else "0x08000000"
    return [name, target, "PUSH0", "JMP", "0x03", "PUSH1", "NOP"]


def jumps():
    tests = []
    for short in [*CONDITIONS, *COMPARISONS]:
        count = 1 if short in CONDITIONS else 2
        meaning = CONDITIONS.get(short) or COMPARISONS[short]
        for name in (short, short + "_L"):
            for first in EDGES:
                operands = [(first, other) for other in EDGES][:len(EDGES) if count == 2 else 1]
                script = [code(*values[:count], branch(name)) for values in operands]
                results = [int(meaning(*values[:count])) for values in operands]
                what = f"{first} and other numbers" if count == 2 else str(first)
                tests.append(halts(f"{name} with {what}", code(*script), *reversed(results)))
            for found in range(count):
                tests.append(faults(f"{name} takes {count} and finds {found}", code(*[0] * found, branch(name))))
                tests.append(faults(f"{name} takes {count} and finds {found}, not 0", code(*[5] * found, branch(name))))
            for target in (-100, 100):
                operand = target.to_bytes(1 if name == short else 4, "little", signed=True).hex()
                for values in ((0, 0), (1, 0), (0, 1)):
                    jumping = meaning(*values[:count])
                    script = code(*values[:count], [name, "0x" + operand])
                    where = f"{name} to {target}, outside the script, with {text(values[:count])}"
                    tests.append(faults(where, script) if jumping else halts(where, script))
    return tests


# Truth values and comparisons.

TRUTH = {"BOOLAND": lambda a, b: bool(a) and bool(b), "BOOLOR": lambda a, b: bool(a) or bool(b),
         "EQUAL": lambda a, b: a == b, "NOTEQUAL": lambda a, b: a != b,
         "NUMEQUAL": lambda a, b: a == b, "NUMNOTEQUAL": lambda a, b: a != b,
         "LT": lambda a, b: a < b, "LE": lambda a, b: a <= b, "GT": lambda a, b: a > b, "GE": lambda a, b: a >= b,
         "MIN": min, "MAX": max}
UNARY = {"NOT": lambda a: a == 0, "NZ": lambda a: a != 0, "SIGN": lambda a: (a > 0) - (a < 0), "ABS": abs,
         "ISNULL": lambda a: False, "SIZE": lambda a: len(encoded(a)), "SQRT": None}


def root(number):
    low, high = 0, 1 << 128
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle * middle <= number else (low, middle)
    return low


def truths():
    tests = []
    for name, meaning in TRUTH.items():
        for a in EDGES:
            tests.append(halts(f"{name} of {a} and other numbers", code(*[code(a, b, name) for b in EDGES]),
                               *[meaning(a, b) for b in reversed(EDGES)]))
        for a, b in ((1, True), (True, 1), (b"\x01", 1), (None, 0)):
            if name in ("EQUAL", "NOTEQUAL"):
                tests.append(halts(f"{name} of {a} and {b}, of other types", code(a, b, name), name == "NOTEQUAL"))
    for name, meaning in UNARY.items():
        values = [*EDGES, 127, 128, -128, -129, 2**255 - 1, -2**254]
        values = [it for it in values if it >= 0] if name == "SQRT" else values
        for value in values:
            result = root(value) if name == "SQRT" else meaning(value)
            tests.append(halts(f"{name} of {value}", code(value, name), result))
    for value in (-1, -2**64, -2**255):
        tests.append(faults(f"SQRT of {value}", code(value, "SQRT")))
    for value in (*EDGES, True, False, b"", b"\x00", b"\x01", None):
        script = code(value, "ASSERT", 7)
        truth = any(value) if isinstance(value, bytes) else bool(value)
        called = f"ASSERT of {text([value])}"
        tests.append(halts(called, script, 7) if truth else
                     faults(called, script, "ASSERT is executed with false result."))
    return tests


# Three numbers.

def power(a, e, m):
    result = 1
    for _ in range(e):
        result *= a
    return remainder(result, m)


def inverse(a, m):
    return next(it for it in range(m) if a * it % m == 1 % m)


def triples():
    tests = []
    some = [0, 1, -1, 3, -3, 2**64 + 1, -2**64 - 1]
    for x in some:
        pairs = [(low, high) for low in some for high in some]
        tests.append(halts(f"WITHIN of {x} and other limits", code(*[code(x, *pair, "WITHIN") for pair in pairs]),
                           *[low <= x < high for low, high in reversed(pairs)]))
        for m in (1, -1, 3, -3, 7, 2**64 + 13, -2**64 - 13, 2**130):
            tests.append(halts(f"MODMUL of {x} and other numbers modulo {m}",
                               code(*[code(x, b, m, "MODMUL") for b in [*some, m]]),
                               *[remainder(x * b, m) for b in reversed([*some, m])]))
            exponents = [0, 1, 2, 3, 5]
            tests.append(halts(f"MODPOW of {x} to small exponents modulo {m}",
                               code(*[code(x, e, m, "MODPOW") for e in exponents]),
                               *[power(x, e, m) for e in reversed(exponents)]))
        tests.append(faults(f"MODMUL of {x} and 2 modulo 0", code(x, 2, 0, "MODMUL")))
        tests.append(faults(f"MODPOW of {x} to 2 modulo 0", code(x, 2, 0, "MODPOW")))
    for a, m in ((3, 7), (2, 5), (10, 17)):
        tests.append(halts(f"MODPOW of {a} to -1 modulo {m} is the inverse", code(a, -1, m, "MODPOW"), inverse(a, m)))
    for a, m in ((0, 7), (-3, 7), (3, 1), (3, -7), (4, 8)):
        tests.append(faults(f"MODPOW of {a} to -1 modulo {m} does not exist", code(a, -1, m, "MODPOW")))
    tests.append(faults("MODPOW to -2", code(3, -2, 7, "MODPOW")))
    tests.append(halts("MODPOW of equal exponent and modulus", code(4, 3, 3, "MODPOW"), 1))
    for x in (*some, 2**127, -2**254):
        for e in (0, 1, 2, 255, 256):
            for name, result in (("POW", x**e), ("SHL", x << e), ("SHR", x >> e)):
                script = code(x, e, name)
                tests.append(halts(f"{name} of {x} and {e}", script, result) if fits(result) else
                             faults(f"{name} of {x} and {e} has more than 32 bytes", script))
    for name in ("POW", "SHL", "SHR"):
        for e in (-1, 257, 2**31, 2**32, *WIDE):
            tests.append(faults(f"{name} by {e}", code(1, e, name)))
    for a in (5, -5, 2**70 + 3, -2**70 - 3):
        for b in (3, -3, 2**65 + 1, -2**65 - 1):
            tests.append(halts(f"DIV and MOD of {a} and {b}", code(a, b, "DIV", a, b, "MOD"),
                               remainder(a, b), quotient(a, b)))
        for name in ("DIV", "MOD"):
            tests.append(faults(f"{name} of {a} and 0", code(a, 0, name), "Attempted to divide by zero."))
    return tests


# The stack.

ITEMS = [-2**200, 2**130 + 3, 0, -5, True, b"abc", None]


def deep():
    """XDROP, PICK, ROLL and REVERSEN: numbers that say which item, on items of all kinds."""
    tests = []
    below = code(*reversed(ITEMS))
    count = len(ITEMS)
    for n in range(count):
        rolled = [ITEMS[n], *ITEMS[:n], *ITEMS[n + 1:]]
        tests.append(halts(f"XDROP {n} of {count}", below + code(n, "XDROP"), *ITEMS[:n], *ITEMS[n + 1:]))
        tests.append(halts(f"PICK {n} of {count}", below + code(n, "PICK"), ITEMS[n], *ITEMS))
        tests.append(halts(f"ROLL {n} of {count}", below + code(n, "ROLL"), *rolled))
    for n in range(count + 1):
        tests.append(halts(f"REVERSEN {n} of {count}", below + code(n, "REVERSEN"), *ITEMS[:n][::-1], *ITEMS[n:]))
    for name in ("XDROP", "PICK", "ROLL", "REVERSEN"):
        for n in (-1, count + 1, 2**31, 2**32, *WIDE):
            tests.append(faults(f"{name} {n} of {count}", below + code(n, name)))
        if name != "REVERSEN":
            tests.append(faults(f"{name} {count} of {count}", below + code(count, name)))
        tests.append(faults(f"{name} on an empty stack", code(name)))
        tests.append(faults(f"{name} of Null", below + code(None, name)))
    tests.append(halts("CLEAR", below + code("CLEAR")))
    tests.append(halts("DEPTH", below + code("DEPTH"), count, *ITEMS))
    return tests


# How the stack is arranged: how many items each takes, and what it leaves of them, the top one first.
MOVES = {
    "DROP": (1, lambda a: []), "NIP": (2, lambda a, b: [a]), "DUP": (1, lambda a: [a, a]),
    "OVER": (2, lambda a, b: [b, a, b]), "TUCK": (2, lambda a, b: [a, b, a]), "SWAP": (2, lambda a, b: [b, a]),
    "ROT": (3, lambda a, b, c: [c, a, b]), "REVERSE3": (3, lambda a, b, c: [c, b, a]),
    "REVERSE4": (4, lambda a, b, c, d: [d, c, b, a]),
}


def moves():
    """Each of them on as few items as it takes."""
    tests = []
    for name, (takes, meaning) in MOVES.items():
        for values in ([-2**200 - n for n in range(4)], [2**130 + n for n in range(4)], [2**64 + n for n in range(4)],
                       [0] * 4, [True, False, b"ab", None], [b"", b"\x00", b"0123456789", False]):
            taken = values[:takes]
            tests.append(halts(f"{name} of {text(taken)}", code(*reversed(taken), name), *meaning(*taken)))
        for count in range(takes):
            tests.append(faults(f"{name} takes {takes} items and finds {count}", code(*[1] * count, name)))
        # Every result that is the Array is the same one: what is appended to one is in all.
        for place in range(takes):
            items = ["array" if n == place else n for n in range(takes)]
            left = meaning(*items)
            if "array" not in left:
                continue
            changed = array(9)
            script = code("NEWARRAY0", "INITSSLOT", "0x01", "STSFLD0", *["LDSFLD0" if it == "array" else it
                                                                       for it in reversed(items)], name)
            first = left.index("array")
            tests.append(halts(f"{name} moves an Array, item {place}, and does not copy it",
                               script + code("LDSFLD0", 9, "APPEND"), *[changed if it == "array" else it for it in left]))
            tests.append(halts(f"What {name} leaves of an Array, item {place}, is the Array",
                               script + code(first, "PICK", 9, "APPEND", "CLEAR", "LDSFLD0"), changed))
    return tests


# Kinds of variables: what makes nine of them.
SLOTS = {"SFLD": ["INITSSLOT", "0x09"], "LOC": ["INITSLOT", "0x0900"],
         "ARG": ["PUSH0"] * 9 + ["INITSLOT", "0x0009"]}


def slots():
    """Each store, with all variables loaded after it; each load, of an Array."""
    tests = []
    for kind, make in SLOTS.items():
        first = 0 if kind == "ARG" else None
        loads = [f"LD{kind}{n}" for n in range(7)] + [f"LD{kind}", "0x07", f"LD{kind}", "0x08"]
        for number in range(9):
            operand = [] if number < 7 else [f"0x{number:02x}"]
            name = f"ST{kind}{number}" if number < 7 else f"ST{kind}"
            load = f"LD{kind}{number}" if number < 7 else f"LD{kind}"
            called = f"{name} {number}" if operand else name
            for value in (-2**200, 2**130, 2**64, 0, True, b"0123456789"):
                stack = [value if n == number else first for n in reversed(range(9))]
                tests.append(halts(f"{called} stores {text([value])} and changes no other variable",
                                   make + code(value, [name, *operand], loads), *stack))
            tests.append(faults(f"{called} on an empty stack", make + [name, *operand]))
            store, again = [name, *operand], [load, *operand]
            tests.append(halts(f"{called} and {load} move an Array and do not copy it",
                               make + code("NEWARRAY0", store, again, 7, "APPEND", again), array(7)))
            tests.append(halts(f"An Array that {called} has stored is the one that stays on the stack",
                               make + code("NEWARRAY0", "DUP", store, "DUP", 7, "APPEND", again), array(7), array(7)))
            few = {"SFLD": ["INITSSLOT", f"0x{number:02x}"], "LOC": ["INITSLOT", f"0x{number:02x}00"],
                   "ARG": ["PUSH0"] * number + ["INITSLOT", f"0x00{number:02x}"]}[kind] if number else []
            for operation in (store, again):
                tests.append(faults(f"{operation[0]} {number} of {number} variables", code(few, 1, operation)))
    return tests


# Bytes.

BYTES = [2**200, -2**200, -1, 0, 255, 2**64, True, b"", b"0123456789abcdef", b"\x00" * 12]


def bytes_of(value):
    return value if isinstance(value, bytes) else bytes([value]) if isinstance(value, bool) else encoded(value)


def splices():
    tests = []
    for a in BYTES:
        whole = bytes_of(a)
        for b in BYTES:
            tests.append(halts(f"CAT of {text([a])} and {text([b])}", code(a, b, "CAT"),
                               data("Buffer", whole + bytes_of(b))))
        for n in range(len(whole) + 2):
            for name, part in (("LEFT", whole[:n]), ("RIGHT", whole[len(whole) - n:])):
                called, script = f"{name} of {n} bytes of {text([a])}", code(a, n, name)
                tests.append(halts(called, script, data("Buffer", part)) if n <= len(whole) else
                             faults(called, script))
        for start, n in ((0, 0), (0, 1), (1, 0), (0, 9), (1, 9), (3, 12), (5, 1), (2, 2), (1, 1), (12, 1)):
            called, script = f"SUBSTR of {n} bytes from {start} of {text([a])}", code(a, start, n, "SUBSTR")
            tests.append(halts(called, script, data("Buffer", whole[start:start + n])) if start + n <= len(whole) else
                         faults(called, script))
    for n in (-1, 2**31, *WIDE):
        tests.append(faults(f"LEFT of {n} bytes", code(b"ab", n, "LEFT")))
        tests.append(faults(f"RIGHT of {n} bytes", code(b"ab", n, "RIGHT")))
        tests.append(faults(f"SUBSTR of {n} bytes", code(b"ab", 0, n, "SUBSTR")))
        tests.append(faults(f"SUBSTR from {n}", code(b"ab", n, 1, "SUBSTR")))
        tests.append(faults(f"NEWBUFFER of {n} bytes", code(n, "NEWBUFFER")))
    for n in (0, 1, 2, 9, 12):
        tests.append(halts(f"NEWBUFFER of {n} bytes", code(n, "NEWBUFFER"), data("Buffer", bytes(n))))
    for to, start, n in ((0, 0, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1), (2, 3, 4), (0, 0, 10), (1, 1, 9)):
        source = b"0123456789"
        result = bytes(to) + source[start:start + n] + bytes(10 - to - n)
        make = code(10, "NEWBUFFER", "INITSSLOT", "0x01", "STSFLD0", "LDSFLD0")
        tests.append(halts(f"MEMCPY of {n} bytes from {start} to {to}, with nothing else on the stack",
                           make + code(to, source, start, n, "MEMCPY", "LDSFLD0"), data("Buffer", result)))
    for which, value in [(which, value) for which in (0, 2, 3) for value in (-1, 11, 2**31, *WIDE)]:
        values = [0, b"0123456789", 0, 1]
        values[which] = value
        tests.append(faults(f"MEMCPY to {values[0]}, from {values[2]}, {values[3]} bytes",
                            code(10, "NEWBUFFER", *values, "MEMCPY")))
    for source in (2**200, -2**200, -1, 2**64, True):
        whole = bytes_of(source)
        tests.append(halts(f"MEMCPY of the bytes of {source}",
                           code(40, "NEWBUFFER", "DUP", 0, source, 0, len(whole), "MEMCPY"),
                           data("Buffer", whole + bytes(40 - len(whole)))))
    tests.append(faults("MEMCPY of a byte of Integer 0, which has none", code(1, "NEWBUFFER", 0, 0, 0, 1, "MEMCPY")))
    for count in range(5):
        tests.append(faults(f"MEMCPY finds {count} of 5", code(*[code(1, "NEWBUFFER"), 0, b"ab", 0][:count], "MEMCPY")))
    return tests


# Compounds.

KEYS = [0, 1, -1, 2**64, 2**64 + 1, -2**64 - 1, 2**128 + 1, True, b"", b"\x01", b"0123456789", b"01234567"]


def compounds():
    tests = []
    for n in (0, 1, 3):
        nulls = array(*[None] * n)
        tests.append(halts(f"NEWARRAY of {n}", code(n, "NEWARRAY"), nulls))
        tests.append(halts(f"NEWSTRUCT of {n}", code(n, "NEWSTRUCT"), array(*[None] * n, kind="Struct")))
        for kind, fill in ((0x20, False), (0x21, 0), (0x28, b""), (0x00, None), (0x40, None)):
            tests.append(halts(f"NEWARRAY_T of {n} of type {kind:02x}", code(n, ["NEWARRAY_T", f"0x{kind:02x}"]),
                               array(*[fill] * n)))
        values = [2**200, -3, b"x"][:n]
        for name, kind in (("PACK", "Array"), ("PACKSTRUCT", "Struct")):
            tests.append(halts(f"{name} of {n}", code(*values, n, name), array(*reversed(values), kind=kind)))
            tests.append(halts(f"{name} of {n} of 4", code(8, *values, n, name), array(*reversed(values), kind=kind), 8))
        tests.append(halts(f"UNPACK of {n}", code(*values, n, "PACK", "UNPACK"), n, *reversed(values)))
    for name in ("NEWARRAY", "NEWSTRUCT", "PACK", "PACKSTRUCT", "PACKMAP"):
        for n in (-1, 3, 2**31, *WIDE):
            if n != 3 or name.startswith("PACK"):
                tests.append(faults(f"{name} of {n} with 2 items", code(1, 2, n, name)))
    for n in (-1, 2**31, *WIDE):
        tests.append(faults(f"NEWARRAY_T of {n}", code(n, ["NEWARRAY_T", "0x21"])))
    tests.append(halts("PACKMAP of 0", code(0, "PACKMAP"), {"type": "Map", "value": {}}))
    for key in KEYS:
        name = "0x" + bytes_of(key).hex() if bytes_of(key) else ""
        whole = {"type": "Map", "value": {name: item(5)}}
        made = code("NEWMAP", "DUP", key, 5, "SETITEM")
        tests.append(halts(f"PACKMAP with key {text([key])}", code(5, key, 1, "PACKMAP", "KEYS"), array(key)))
        tests.append(halts(f"SETITEM of key {text([key])}", made, whole))
        tests.append(halts(f"KEYS with key {text([key])}", made + ["KEYS"], array(key)))
        for other in KEYS:
            same = type(key) is type(other) and key == other
            called = f"{text([other])} in a Map with key {text([key])}"
            tests.append(halts(f"HASKEY of {called}", made + code(other, "HASKEY"), same))
            tests.append(halts(f"REMOVE of {called}", made + code("DUP", other, "REMOVE"),
                               {"type": "Map", "value": {} if same else {name: item(5)}}))
            script = made + code(other, "PICKITEM")
            tests.append(halts(f"PICKITEM of {called}", script, 5) if same else faults(f"PICKITEM of {called}", script))
    for n in (0, 1, 2, 3, -1, 2**31, *WIDE):
        for kind in ("Array", "Struct"):
            made = code(*reversed(THREE), 3, "PACK" if kind == "Array" else "PACKSTRUCT")
            for name, script, result in item_of_three(n, kind, code, array):
                called = f"{name} of item {n} of 3 of {kind}"
                tests.append(halts(called, made + script, *result) if result else faults(called, made + script))
            called, script = f"HASKEY of {n} of 3 of {kind}", made + code(n, "HASKEY")
            tests.append(halts(called, script, 0 <= n < 3) if 0 <= n < 131070 else faults(called, script))
    for value in (2**200, -2**200, 2**64, 0, 1, True, b"", b"0123456789ab"):
        whole = bytes_of(value)
        for n in (0, 1, 7, 8, 9, 11, 12, 25):
            called, script = f"PICKITEM of byte {n} of {text([value])}", code(value, n, "PICKITEM")
            tests.append(halts(called, script, whole[n]) if n < len(whole) else faults(called, script))
            if isinstance(value, bytes):
                tests.append(halts(f"HASKEY of {n} of {text([value])}", code(value, n, "HASKEY"), n < len(whole)))
    buffer = code(b"0123456789ab", ["CONVERT", "0x30"], "INITSSLOT", "0x01", "STSFLD0", "LDSFLD0")
    for n in (0, 7, 8, 11):
        for value in (0, 1, 255, -1, -128):
            changed = b"0123456789ab"[:n] + bytes([value % 256]) + b"0123456789ab"[n + 1:]
            tests.append(halts(f"SETITEM of byte {n} of a Buffer to {value}", buffer + code(n, value, "SETITEM", "LDSFLD0"),
                               data("Buffer", changed)))
        tests.append(halts(f"PICKITEM of byte {n} of a Buffer", buffer + code(n, "PICKITEM"), b"0123456789ab"[n]))
        tests.append(halts(f"HASKEY of byte {n} of a Buffer", buffer + code(n, "HASKEY"), True))
    for value in (256, -129, 2**64):
        tests.append(faults(f"SETITEM of a byte of a Buffer to {value}", buffer + code(0, value, "SETITEM")))
    tests.append(halts("REVERSEITEMS of a Buffer of 12 bytes", buffer + code("REVERSEITEMS", "LDSFLD0"),
                       data("Buffer", b"ba9876543210")))
    for make in ("NEWARRAY0", "NEWSTRUCT0", "NEWMAP"):
        tests.append(halts(f"EQUAL and NOTEQUAL of what {make} made and itself",
                           code(make, "DUP", "DUP", "EQUAL", "SWAP", "DUP", "NOTEQUAL"), False, True))
    for value in (2**200, -2**200, 2**64, 0, 1, True, None, b"0123456789"):
        tests.append(halts(f"APPEND of {text([value])}", code("NEWARRAY0", "DUP", value, "APPEND"), array(value)))
        tests.append(halts(f"SETITEM of {text([value])}", code(1, "NEWARRAY", "DUP", 0, value, "SETITEM"), array(value)))
        tests.append(halts(f"POPITEM of {text([value])}", code(value, 1, "PACK", "POPITEM"), value))
        tests.append(halts(f"PICKITEM of {text([value])}", code(value, 1, "PACK", 0, "PICKITEM"), value))
        tests.append(halts(f"VALUES of {text([value])}", code(value, 1, "PACK", "VALUES"), array(value)))
        tests.append(halts(f"THROW of {text([value])}, which is caught", thrower(value), value))
    for name in ("REVERSEITEMS", "CLEARITEMS"):
        tests.append(halts(f"{name} with nothing else on the stack", code(1, 2, 2, "PACK", name)))
    tests.append(halts("PICKITEM of the same bytes as the key", code(b"\x00", b"\x00", "PICKITEM"), 0))
    tests.append(halts("HASKEY of the same bytes as the key", code(b"\x00", b"\x00", "HASKEY"), True))
    # What would be there if a missing operand were 0.
    one = code(6, 1, "PACK")
    for name, made in (("PICKITEM", [one]), ("HASKEY", [one]), ("REMOVE", [one]), ("SETITEM", [one, 0]),
                       ("SETITEM", [one]), ("APPEND", [one])):
        tests.append(faults(f"{name} with only an Array" + (" and 0" if len(made) > 1 else ""), code(*made, name)))
    return tests


def length(script):
    return sum(len(part) // 2 - 1 if part.startswith("0x") else 1 for part in script)


def caught(script):
    """The script in a try statement, which ends the program with what is thrown."""
    return code(["TRY", f"0x{3 + length(script):02x}00"], script)


def thrower(value):
    """Code that throws the value and catches it."""
    return caught(code(value, "THROW"))


# Pushes, and the limit of references.

MOST = 2048


def pushes():
    """Everything that pushes: its value, and the 2048th and 2049th reference."""
    constants = [([f"PUSH{n}"], n) for n in range(17)] + [(["PUSHM1"], -1), (["PUSHT"], True), (["PUSHF"], False),
                                                          (["PUSHNULL"], None)]
    for size in (1, 2, 4, 8, 16, 32):
        for value in (-2**(8 * size - 1), 2**(8 * size - 1) - 1, 0, -1, 1, 2**(8 * size - 2) + 5):
            digits = value.to_bytes(size, "little", signed=True).hex()
            constants.append(([f"PUSHINT{8 * size}", "0x" + digits], value))
    for size in (1, 2, 4):
        for value in (b"", b"abc", b"0123456789abcdef", bytes(range(200))):
            constants.append(([f"PUSHDATA{size}", "0x" + len(value).to_bytes(size, "little").hex() + value.hex()], value))
    tests = [halts(f"{script[0]} pushes {text([value])}", script, value) for script, value in constants]
    tests.append(halts("PUSHA", ["NOP", "PUSHA", "0x04000000", "NOP"], {"type": "Pointer", "value": 5}))
    # DEPTH JMPIF PUSH5 PUSHA CALLA RET, and what the call at the beginning does.
    tests.append(halts("CALLA of the beginning of the script",
                       ["DEPTH", "JMPIF", "0x0a", "PUSH5", "PUSHA", "0xfcffffff", "CALLA", "RET", "PUSH7", "RET"], 7, 5))
    # Each leaves so many references more.
    rows = {script[0]: (script, 1) for script, _ in constants}
    rows |= {name: ([name], 1) for name in ("DEPTH", "DUP", "OVER", "NEWARRAY0", "NEWSTRUCT0", "NEWMAP", "TUCK")}
    rows |= {"PUSHA": (["PUSHA", "0x00000000"], 1), "INITSSLOT": (["INITSSLOT", "0x03"], 3),
             "INITSLOT": (["INITSLOT", "0x0300"], 3), "LDSFLD": (["INITSSLOT", "0x01", "LDSFLD0"], 2),
             "NEWARRAY": (["PUSH3", "NEWARRAY"], 4), "NEWSTRUCT": (["PUSH3", "NEWSTRUCT"], 4)}
    for name, (script, references) in rows.items():
        for most in (MOST, MOST + 1):
            # An Array is one reference and each of its items one more.
            nulls = most - references - 1 - 2
            filled = code(nulls, "NEWARRAY", 1, 1, script)
            called = f"{name} to {most} references"
            tests.append(halts(called, filled + ["CLEAR"]) if most == MOST else
                         faults(called, filled, "MaxStackSize exceed: 2049/2048"))
    return tests


# What is shared and what is copied.

def sharing():
    """Array or Struct that goes into something, then gets an item; whether the item is there, too."""
    tests = []
    for kind, make in (("Array", "NEWARRAY0"), ("Struct", "NEWSTRUCT0")):
        start = code("INITSSLOT", "0x01", make, "STSFLD0")
        grow = code("LDSFLD0", 9, "APPEND")
        shared, empty = array(9, kind=kind), array(kind=kind)
        stored = empty if kind == "Struct" else shared
        for name, script, result in (
                ("APPEND", code("NEWARRAY0", "DUP", "LDSFLD0", "APPEND", grow), array(stored)),
                ("SETITEM", code(1, "NEWARRAY", "DUP", 0, "LDSFLD0", "SETITEM", grow), array(stored)),
                ("VALUES", code("LDSFLD0", 1, "PACK", "VALUES", grow), array(stored)),
                ("PACK", code("LDSFLD0", 1, "PACK", grow), array(shared)),
                ("PACKSTRUCT", code("LDSFLD0", 1, "PACKSTRUCT", grow), array(shared, kind="Struct")),
                ("UNPACK", code("LDSFLD0", 1, "PACK", "UNPACK", "DROP", grow), shared),
                ("PICKITEM", code("LDSFLD0", 1, "PACK", 0, "PICKITEM", grow), shared),
                ("POPITEM", code("LDSFLD0", 1, "PACK", "POPITEM", grow), shared),
                ("CONVERT to its own type", code("LDSFLD0", ["CONVERT", "0x40" if kind == "Array" else "0x41"], grow),
                 shared),
                ("CONVERT to the other type", code("LDSFLD0", ["CONVERT", "0x41" if kind == "Array" else "0x40"], grow),
                 array(kind="Struct" if kind == "Array" else "Array")),
                ("PICK", code("LDSFLD0", 1, 1, "PICK", grow), None), ("THROW", None, shared)):
            if name == "PICK":
                tests.append(halts(f"PICK shares the {kind}", start + script, shared, 1, shared))
            elif name == "THROW":
                tests.append(halts(f"THROW shares the {kind}",
                                   start + code(["TRY", "0x0500"], "LDSFLD0", "THROW", grow), shared))
            else:
                tests.append(halts(f"{name}: whether the {kind} is the same", start + script, result))
        tests.append(halts(f"A {kind} in a Map", start + code("NEWMAP", "DUP", 1, "LDSFLD0", "SETITEM", grow),
                           {"type": "Map", "value": {"0x01": stored}}))
        for name, script in (("REVERSEITEMS", code(1, "APPEND", "LDSFLD0", 2, "APPEND", "LDSFLD0", "REVERSEITEMS")),
                             ("CLEARITEMS", code(1, "APPEND", "LDSFLD0", "CLEARITEMS")),
                             ("REMOVE", code(1, "APPEND", "LDSFLD0", 0, "REMOVE")),
                             ("POPITEM", code(1, "APPEND", "LDSFLD0", "POPITEM", "DROP")),
                             ("APPEND", code(1, "APPEND"))):
            left = array(2, 1, kind=kind) if name == "REVERSEITEMS" else array(1, kind=kind) if name == "APPEND" else empty
            tests.append(halts(f"{name} changes the {kind} itself", start + code("LDSFLD0", script, "LDSFLD0"), left))
        tests.append(halts(f"KEYS of a {kind} in a Map does not change it",
                           start + code("NEWMAP", "DUP", 1, "LDSFLD0", "SETITEM", "KEYS"), array(1)))
    return tests


# Failures with their texts, and those that a script can catch.

def failures():
    tests = []
    accented = int.from_bytes("\u00e9".encode(), "little", signed=True)
    for message in (b"why", b"", b"0123456789", 65, 2**64, 0, accented):
        said = bytes_of(message).decode()
        tests.append(faults(f"ABORTMSG with {text([message])}", code(message, "ABORTMSG"),
                            f"ABORTMSG is executed. Reason: {said}"))
        for value in (False, 0):
            tests.append(faults(f"ASSERTMSG of {value} with {text([message])}", code(value, message, "ASSERTMSG"),
                                f"ASSERTMSG is executed with false result. Reason: {said}"))
        for value in (True, 1, -1, *WIDE):
            tests.append(halts(f"ASSERTMSG of {value} with {text([message])}",
                               code(value, message, "ASSERTMSG", 3), 3))
    for message in (-1, 0x80, -2**64):
        tests.append(faults(f"ABORTMSG with {message}, which is not UTF-8", code(message, "ABORTMSG")))
        tests.append(faults(f"ASSERTMSG with {message}, which is not UTF-8", code(True, message, "ASSERTMSG")))
    tests.append(faults("ASSERTMSG with only one item", code(True, "ASSERTMSG")))
    one, entry = code(6, 1, "PACK"), code("NEWMAP")
    for name, script, why in (
            ("PICKITEM of an Array", code(one, 1, "PICKITEM"), "The index of VMArray is out of range, 1/[0, 1)."),
            ("SETITEM of an Array", code(one, -1, 5, "SETITEM"), "The index of VMArray is out of range, -1/[0, 1)."),
            ("PICKITEM of a Buffer", code(2, "NEWBUFFER", 2, "PICKITEM"), "The index of Buffer is out of range, 2/[0, 2)."),
            ("SETITEM of a Buffer", code(2, "NEWBUFFER", 2, 5, "SETITEM"),
             "The index of Buffer is out of range, 2/[0, 2)."),
            ("PICKITEM of a ByteString", code(b"ab", 2, "PICKITEM"), "The index of PrimitiveType is out of range, 2/[0, 2)."),
            ("PICKITEM of a Map", code(entry, 3, "PICKITEM"), "Key 3 not found in Map.")):
        tests.append(halts(f"{name} outside can be caught", caught(script), why.encode()))
        tests.append(faults(f"{name} outside, not caught", script, f"An unhandled exception was thrown. {why}"))
    for name, script in (
            ("DIV by 0", code(1, 0, "DIV")), ("ABORT", code("ABORT")), ("ASSERT of false", code(False, "ASSERT")),
            ("ABORTMSG", code(b"x", "ABORTMSG")), ("REMOVE outside", code(one, 1, "REMOVE")),
            ("POPITEM of an empty Array", code("NEWARRAY0", "POPITEM")), ("DROP of nothing", code("DROP")),
            ("a shift of 257", code(1, 257, "SHL")), ("CONVERT of an Array to Integer", code(one, ["CONVERT", "0x21"])),
            ("a token", ["CALLT", "0x0000"])):
        tests.append(faults(f"{name} cannot be caught", caught(script)))
    return tests


# Which operand a failure is about.

TWO_NUMBERS = {name: branch(name) for short in COMPARISONS for name in (short, short + "_L")}
TWO_NUMBERS |= {name: [name] for name in ("AND", "OR", "XOR", "ADD", "SUB", "MUL", "DIV", "MOD", "NUMEQUAL", "NUMNOTEQUAL", "MIN", "MAX")}


def messages():
    """Two operands that are both wrong: the upper one is converted first, and the text is about it."""
    tests = []
    for name, operation in TWO_NUMBERS.items():
        for lower, upper in ((33, 34), (34, 33)):
            tests.append(faults(f"{name} of {lower} bytes and of {upper} bytes on top, none of them a number",
                                code(b"\x01" * lower, b"\x01" * upper, operation),
                                f"Can not convert ByteString to an integer, MaxSize of Integer is exceeded: {upper}/32."))
    for name in ("REMOVE", "HASKEY"):
        for kind, value in (("Integer", 5), ("Boolean", True)):
            tests.append(faults(f"{name} of a ByteString from the {kind} {value}", code(value, b"ab", name),
                                f"Invalid type for {name}: {kind}"))
    return tests


# What fails for Integer 0, too, and how many items it takes.
FAILS_FOR_ZERO = {"CALLA": 1, "ASSERT": 1, "DIV": 2, "MOD": 2, "MODMUL": 3, "MODPOW": 3, "UNPACK": 1, "KEYS": 1, "VALUES": 1,
                  "REVERSEITEMS": 1, "CLEARITEMS": 1, "POPITEM": 1, "ABORTMSG": 1}


def too_few():
    """The text says that items are missing, and not what is wrong with Integer 0 in their place. It is vmconf's own: none of the
    engine is known."""
    return [faults(f"{name} takes {takes} items and finds {found}", code(*[5] * found, name), "Too few items on the stack.")
            for name, takes in FAILS_FOR_ZERO.items() for found in range(takes)]


def files():
    for name, make in (("jumps", jumps), ("truths", truths), ("triples", triples), ("deep", deep), ("moves", moves),
                       ("variables", slots), ("bytes", splices), ("compounds", compounds), ("sharing", sharing),
                       ("pushes", pushes),
                       ("failures", failures), ("messages", messages)):
        yield f"neo3/tables/{name}.json", {"category": "Tables", "name": name.capitalize(), "tests": make()}
    yield "neo3/own-messages/too-few-items.json", {"category": "Tables", "name": "Too few items", "tests": too_few()}
