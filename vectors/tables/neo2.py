"""NeoVM 2.x: moves, comparisons, bytes and compounds next to the boundaries, and the count of items at its limit."""
import hashlib

from tables.neo import THREE, fits, item, item_of_three, quotient, remainder

NAMES = {"PUSHM1": 0x4f, "NOP": 0x61, "JMP": 0x62, "JMPIF": 0x63, "JMPIFNOT": 0x64, "CALL": 0x65, "RET": 0x66,
         "SYSCALL": 0x68, "DUPFROMALTSTACK": 0x6a, "TOALTSTACK": 0x6b, "FROMALTSTACK": 0x6c, "XDROP": 0x6d,
         "XSWAP": 0x72, "XTUCK": 0x73, "DEPTH": 0x74, "DROP": 0x75, "DUP": 0x76, "NIP": 0x77, "OVER": 0x78,
         "PICK": 0x79, "ROLL": 0x7a, "ROT": 0x7b, "SWAP": 0x7c, "TUCK": 0x7d, "CAT": 0x7e, "SUBSTR": 0x7f,
         "LEFT": 0x80, "RIGHT": 0x81, "SIZE": 0x82, "INVERT": 0x83, "AND": 0x84, "OR": 0x85, "XOR": 0x86,
         "EQUAL": 0x87, "INC": 0x8b, "DEC": 0x8c, "SIGN": 0x8d, "NEGATE": 0x8f, "ABS": 0x90, "NOT": 0x91, "NZ": 0x92,
         "ADD": 0x93, "SUB": 0x94, "MUL": 0x95, "DIV": 0x96, "MOD": 0x97, "SHL": 0x98, "SHR": 0x99, "BOOLAND": 0x9a,
         "BOOLOR": 0x9b, "NUMEQUAL": 0x9c, "NUMNOTEQUAL": 0x9e, "LT": 0x9f, "GT": 0xa0, "LTE": 0xa1, "GTE": 0xa2,
         "MIN": 0xa3, "MAX": 0xa4, "WITHIN": 0xa5, "SHA1": 0xa7, "SHA256": 0xa8, "HASH160": 0xa9, "HASH256": 0xaa,
         "CHECKSIG": 0xac, "VERIFY": 0xad, "CHECKMULTISIG": 0xae, "ARRAYSIZE": 0xc0, "PACK": 0xc1, "UNPACK": 0xc2,
         "PICKITEM": 0xc3, "SETITEM": 0xc4, "NEWARRAY": 0xc5, "NEWSTRUCT": 0xc6, "NEWMAP": 0xc7, "APPEND": 0xc8,
         "REVERSE": 0xc9, "REMOVE": 0xca, "HASKEY": 0xcb, "KEYS": 0xcc, "VALUES": 0xcd, "CALL_I": 0xe0,
         "CALL_E": 0xe1, "CALL_ED": 0xe2, "CALL_ET": 0xe3, "CALL_EDT": 0xe4, "THROW": 0xf0, "THROWIFNOT": 0xf1}
CODES = {code: name for name, code in NAMES.items()} | {0: "PUSH0", 1: "PUSHBYTES1", 75: "PUSHBYTES75", 0x4c: "PUSHDATA1",
                                                        0x4d: "PUSHDATA2", 0x4e: "PUSHDATA4", 0x67: "APPCALL",
                                                        0x69: "TAILCALL"} | {0x50 + n: f"PUSH{n}" for n in range(1, 17)}
WIDE = [2**64, 2**64 + 1, -2**64, 2**128 + 1]
EDGES = [0, 1, -1, 2, -2, 2**64, 2**64 + 1, -2**64 - 1, 2**128]


def encoded(number):
    """The bytes of an Integer: as few as possible, one for 0."""
    return number.to_bytes((number if number >= 0 else -number - 1).bit_length() // 8 + 1, "little", signed=True)


def raw(value):
    """What pushes these bytes."""
    return bytes([len(value)]) + value


def integer(number):
    """What pushes an Integer, and not its bytes."""
    if number == -1:
        return b"\x4f"
    if 1 <= number <= 16:
        return bytes([0x50 + number])
    if number == 0:
        return b"\x51\x8c"  # PUSH1 DEC
    return raw(encoded(number)) + b"\x00\x93"  # PUSH0 ADD


def code(*parts):
    """A script of mnemonics, bytes of a script, and values: Integers, truth values, and bytes in lists."""
    script = b""
    for part in parts:
        if isinstance(part, str):
            script += bytes([NAMES[part]])
        elif isinstance(part, bool):
            script += b"\x00\x91" if part else b"\x51\x91"  # NOT of PUSH0 or PUSH1
        elif isinstance(part, int):
            script += integer(part)
        elif isinstance(part, list):
            script += raw(part[0])
        else:
            script += part
    return script


def bytes_of(value):
    """The bytes of a value: true is 01, false is nothing."""
    return value[0] if isinstance(value, list) else (b"\x01" if value else b"") if isinstance(value, bool) else encoded(value)


def shown(value):
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        return {"type": "ByteArray", "value": "0x" + value[0].hex()}
    return item(value)


def array(*values, kind="Array"):
    return {"type": kind, "value": [shown(value) for value in values]}


def called(values):
    return ", ".join((it[0].hex() or "no bytes") if isinstance(it, list) else str(it) for it in values)


def halts(name, script, *results, **more):
    """A test with these results, the top one first."""
    return test(name, script, {"state": "Halt", "resultStack": list(map(shown, results))}, **more)


def faults(name, script, at, *stack, **more):
    """A test that faults in its only frame, at this place, with this evaluation stack, the top item first."""
    return test(name, script, {"state": "Fault", "invocationStack": [frame(script, at, *stack)]}, **more)


def frame(script, at, *stack):
    digest = hashlib.new("ripemd160", hashlib.sha256(script).digest()).hexdigest()
    following = script[at] if at < len(script) else NAMES["RET"]
    shows = {"scriptHash": "0x" + digest, "instructionPointer": at,
             "nextInstruction": CODES.get(following, str(following))}
    return shows | ({"evaluationStack": list(map(shown, stack))} if stack else {})


def test(name, script, result, **more):
    return {"name": name, "script": "0x" + script.hex(), **more, "steps": [{"actions": ["Execute"], "result": result}]}


# How the stack is arranged: how many items each takes, and what it leaves of them, the top one first.
MOVES = {
    "DROP": (1, lambda a: []), "DUP": (1, lambda a: [a, a]), "NIP": (2, lambda a, b: [a]),
    "OVER": (2, lambda a, b: [b, a, b]), "TUCK": (2, lambda a, b: [a, b, a]), "SWAP": (2, lambda a, b: [b, a]),
    "ROT": (3, lambda a, b, c: [c, a, b]),
}
KINDS = [[-2**200 - n for n in range(4)], [2**130 + n for n in range(4)], [2**64 + n for n in range(4)], [0] * 4,
         [-1, -2, -3, -4], [True, False, [b"ab"], [b"0123456789"]], [[b""], [b"\x00"], True, False]]


def moves():
    tests = []
    for name, (takes, meaning) in MOVES.items():
        for values in KINDS:
            taken = values[:takes]
            tests.append(halts(f"{name} of {called(taken)}", code(*reversed(taken), name), *meaning(*taken)))
        for count in range(takes):
            left = [] if name == "DROP" else [1] * count
            tests.append(faults(f"{name} takes {takes} items and finds {count}", code(*[1] * count, name), count, *left))
        for place in range(takes):
            items = ["array" if n == place else n + 1 for n in range(takes)]
            left = meaning(*items)
            if "array" in left:
                changed = array(9)
                script = b"".join(code("DUPFROMALTSTACK") if it == "array" else code(it) for it in reversed(items))
                start = code(b"\x00", "NEWARRAY", "TOALTSTACK", script, name)
                tests.append(halts(f"{name} moves an Array, item {place}, and does not copy it",
                                   start + code("DUPFROMALTSTACK", 9, "APPEND"),
                                   *[changed if it == "array" else it for it in left]))
                index = left.index("array")
                rest = code(*["DROP"] * index, 9, "APPEND", "FROMALTSTACK")
                tests.append(halts(f"What {name} leaves of an Array, item {place}, is the Array", start + rest,
                                   changed, *[changed if it == "array" else it for it in left[index + 1:]]))
    return tests + deep() + alternative()


ITEMS = [-2**200, 2**130 + 3, 0, -5, True, [b"abc"], [b"0123456789"]]


def deep():
    """XDROP, XSWAP, XTUCK, PICK and ROLL: numbers that say which item, on items of all kinds."""
    tests = []
    below = code(*reversed(ITEMS))
    count = len(ITEMS)
    for n in range(count):
        swapped = list(ITEMS)
        swapped[0], swapped[n] = swapped[n], swapped[0]
        for name, left in (("XDROP", ITEMS[:n] + ITEMS[n + 1:]), ("XSWAP", swapped), ("PICK", [ITEMS[n], *ITEMS]),
                           ("ROLL", [ITEMS[n], *ITEMS[:n], *ITEMS[n + 1:]]),
                           ("XTUCK", [*ITEMS[:n], ITEMS[0], *ITEMS[n:]])):
            if n or name != "XTUCK":
                tests.append(halts(f"{name} {n} of {count}", below + code(n, name), *left))
    tests.append(halts(f"XTUCK {count} of {count}", below + code(count, "XTUCK"), *ITEMS, ITEMS[0]))
    for name in ("XDROP", "XSWAP", "XTUCK", "PICK", "ROLL"):
        for n in (-1, 2**31, *WIDE) + ((0,) if name == "XTUCK" else ()):
            script = below + code(n, name)
            tests.append(faults(f"{name} {n} of {count}", script, len(script) - 1, *ITEMS))
        tests.append(faults(f"{name} on an empty stack", code(name), 0))
    for value in (2, 3, -7, 2**200):
        # Only the two items that it always takes.
        tests.append(halts(f"XTUCK 1 of {value} alone", code(value, 1, "XTUCK"), value, value))
        tests.append(halts(f"PICK 0 of {value} alone", code(value, 0, "PICK"), value, value))
        tests.append(halts(f"ROLL 0 of {value} alone", code(value, 0, "ROLL"), value))
        tests.append(halts(f"XDROP 0 of {value} alone", code(value, 0, "XDROP")))
    for name, left in (("XDROP", [5]), ("XTUCK", [0, 0, 5]), ("PICK", [5, 0, 5])):
        tests.append(halts(f"{name} 1 below 0", code(5, 0, 1, name), *([0] if name == "XDROP" else left)))
    tests.append(halts("DEPTH", below + code("DEPTH"), count, *ITEMS))
    return tests


def alternative():
    tests = []
    for value in (2**200, -2**200, -1, 0, 1, 2**64, True, [b"0123456789"], [b""]):
        tests.append(halts(f"{called([value])} goes to the alt stack and back", code(value, "TOALTSTACK", "FROMALTSTACK"),
                           value))
        tests.append(halts(f"DUPFROMALTSTACK of {called([value])} with another item below it",
                           code(5, "TOALTSTACK", value, "TOALTSTACK", "DUPFROMALTSTACK", "FROMALTSTACK", "FROMALTSTACK"),
                           5, value, value))
    start = code(b"\x00", "NEWARRAY", "DUP", "TOALTSTACK")
    tests.append(halts("An Array on the alt stack is not copied", start + code(9, "APPEND", "FROMALTSTACK"), array(9)))
    tests.append(halts("An Array of DUPFROMALTSTACK is not copied",
                       start + code("DROP", "DUPFROMALTSTACK", 9, "APPEND", "FROMALTSTACK"), array(9)))
    tests.append(halts("An Array of FROMALTSTACK is not copied",
                       start + code("FROMALTSTACK", 9, "APPEND"), array(9)))
    for name in ("TOALTSTACK", "FROMALTSTACK", "DUPFROMALTSTACK"):
        tests.append(faults(f"{name} of nothing", code(name), 0))
    return tests


TRUTH = {"BOOLAND": lambda a, b: bool(a) and bool(b), "BOOLOR": lambda a, b: bool(a) or bool(b),
         "EQUAL": lambda a, b: a == b, "NUMEQUAL": lambda a, b: a == b, "NUMNOTEQUAL": lambda a, b: a != b,
         "LT": lambda a, b: a < b, "LTE": lambda a, b: a <= b, "GT": lambda a, b: a > b, "GTE": lambda a, b: a >= b,
         "MIN": min, "MAX": max, "AND": lambda a, b: a & b, "OR": lambda a, b: a | b, "XOR": lambda a, b: a ^ b,
         "ADD": lambda a, b: a + b, "SUB": lambda a, b: a - b, "MUL": lambda a, b: a * b}
UNARY = {"NOT": lambda a: a == 0, "NZ": lambda a: a != 0, "SIGN": lambda a: (a > 0) - (a < 0), "ABS": abs,
         "NEGATE": lambda a: -a, "INVERT": lambda a: ~a, "INC": lambda a: a + 1, "DEC": lambda a: a - 1,
         "SIZE": lambda a: len(encoded(a)), "ARRAYSIZE": lambda a: len(encoded(a))}


def truths():
    tests = []
    for name, meaning in TRUTH.items():
        for a in EDGES:
            others = [b for b in EDGES if fits(meaning(a, b))]
            tests.append(halts(f"{name} of {a} and other Integers", code(*[code(a, b, name) for b in others]),
                               *[meaning(a, b) for b in reversed(others)]))
    for name, meaning in UNARY.items():
        for value in (*EDGES, 127, 128, -128, -129, 2**254, -2**254):
            tests.append(halts(f"{name} of {value}", code(value, name), meaning(value)))
    for a, b in ((0, False), (0, [b""]), (False, [b""]), (1, True), ([b"\x01"], 1), ([b"\x00"], 0), ([b"\x01\x00"], 1)):
        same = bytes_of(a) == bytes_of(b)
        tests.append(halts(f"EQUAL of {called([a])} and {called([b])} is by their bytes", code(a, b, "EQUAL"), same))
    some = [0, 1, -1, 3, -3, 2**64 + 1, -2**64 - 1]
    for x in some:
        pairs = [(low, high) for low in some for high in some]
        tests.append(halts(f"WITHIN of {x} and other limits", code(*[code(x, *pair, "WITHIN") for pair in pairs]),
                           *[low <= x < high for low, high in reversed(pairs)]))
        for e in (0, 1, -1, 2, 100, -100):
            shifted = x << e if e >= 0 else x >> -e
            back = x << -e if e < 0 else x >> e
            tests.append(halts(f"SHL and SHR of {x} by {e}", code(x, e, "SHL", x, e, "SHR"), back, shifted))
    for a in (5, -5, 0, 1, 2**70 + 3, -2**70 - 3):
        for b in (3, -3, 1, -1, 2**65 + 1, -2**65 - 1):
            tests.append(halts(f"DIV and MOD of {a} and {b}", code(a, b, "DIV", a, b, "MOD"),
                               remainder(a, b), quotient(a, b)))
        for name in ("DIV", "MOD"):
            script = code(a, 0, name)
            tests.append(faults(f"{name} of {a} and 0", script, len(script) - 1))
    for name in ("SHL", "SHR"):
        for e in (257, -257, 2**31, *WIDE):
            script = code(7, e, name)
            tests.append(faults(f"{name} by {e}", script, len(script) - 1, 7))
        tests.append(halts(f"{name} of 0 by 0", code(0, 0, name), 0))
        tests.append(halts(f"{name} of 1 by 1", code(1, 1, name), 2 if name == "SHL" else 0))
    for name in ("JMPIF", "JMPIFNOT"):
        for value in (*EDGES, True, False, [b""], [b"\x00"], [b"\x80"]):
            truth = any(value[0]) if isinstance(value, list) else bool(value)
            jumps = truth == (name == "JMPIF")
            tests.append(halts(f"{name} of {called([value])}",
                               code(value, name, b"\x07\x00", 2, "JMP", b"\x04\x00", 1), 1 if jumps else 2))
    for value in (*EDGES, True, False, [b""], [b"\x00"]):
        truth = any(value[0]) if isinstance(value, list) else bool(value)
        script = code(value, "THROWIFNOT", 3)
        tests.append(halts(f"THROWIFNOT of {called([value])}", script, 3) if truth else
                     faults(f"THROWIFNOT of {called([value])}", script, len(script) - 2))
    for name in (*TRUTH, *UNARY, "SHL", "SHR", "JMPIF", "JMPIFNOT", "THROWIFNOT", "DIV", "MOD", "WITHIN"):
        needs = 1 if name in UNARY or name[:2] in ("JM", "TH") else 3 if name == "WITHIN" else 2
        for count in range(needs):
            script = code(*[2] * count, name) + (b"\x03\x00" if name.startswith("JMP") else b"")
            tests.append(faults(f"{name} takes {needs} items and finds {count}", script, count))
    return tests


BYTES = [2**200, -2**200, -1, 0, 255, 2**64, True, False, [b""], [b"0123456789abcdef"], [b"\x00" * 12]]


def ripemd(value):
    return hashlib.new("ripemd160", value).digest()


def sha256(value):
    return hashlib.sha256(value).digest()


HASHES = {"SHA1": lambda a: hashlib.sha1(a).digest(), "SHA256": sha256, "HASH160": lambda a: ripemd(sha256(a)),
          "HASH256": lambda a: sha256(sha256(a))}


def splices():
    tests = []
    for a in BYTES:
        whole = bytes_of(a)
        for b in BYTES:
            tests.append(halts(f"CAT of {called([a, b])}", code(a, b, "CAT"), [whole + bytes_of(b)]))
        for n in range(len(whole) + 2):
            tests.append(halts(f"LEFT of {n} bytes of {called([a])}", code(a, n, "LEFT"), [whole[:n]]))
            script = code(a, n, "RIGHT")
            tests.append(halts(f"RIGHT of {n} bytes of {called([a])}", script, [whole[len(whole) - n:]])
                         if n <= len(whole) else
                         faults(f"RIGHT of {n} bytes of {called([a])}", script, len(script) - 1))
        for start, n in ((0, 0), (0, 1), (1, 0), (0, 9), (1, 9), (3, 12), (5, 1), (2, 2), (1, 1), (12, 1)):
            tests.append(halts(f"SUBSTR of {n} bytes from {start} of {called([a])}", code(a, start, n, "SUBSTR"),
                               [whole[start:start + n]]))
        for name, meaning in HASHES.items():
            tests.append(halts(f"{name} of {called([a])}", code(a, name), [meaning(whole)]))
    for n in (-1, 2**31, *WIDE):
        for name in ("LEFT", "RIGHT"):
            script = code([b"ab"], n, name)
            tests.append(faults(f"{name} of {n} bytes", script, len(script) - 1, [b"ab"]))
        script = code([b"ab"], 1, n, "SUBSTR")
        tests.append(faults(f"SUBSTR of {n} bytes", script, len(script) - 1, 1, [b"ab"]))
        script = code([b"ab"], n, 1, "SUBSTR")
        tests.append(faults(f"SUBSTR from {n}", script, len(script) - 1, [b"ab"]))
    for name, needs in (("CAT", 2), ("LEFT", 2), ("RIGHT", 2), ("SUBSTR", 3), *[(name, 1) for name in HASHES]):
        for count in range(needs):
            tests.append(faults(f"{name} takes {needs} items and finds {count}", code(*[1] * count, name), count))
    return tests


KEYS = [0, 1, -1, 2**64, 2**64 + 1, -2**64 - 1, 2**128 + 1, True, False, [b""], [b"\x01"], [b"0123456789"], [b"01234567"]]


def entry(key, value):
    return {"type": "Map", "value": {"0x" + bytes_of(key).hex() if bytes_of(key) else "": shown(value)}}


def compounds():
    tests = []
    for n in (0, 1, 3):
        for name, kind in (("NEWARRAY", "Array"), ("NEWSTRUCT", "Struct")):
            tests.append(halts(f"{name} of {n}", code(n, name), array(*[False] * n, kind=kind)))
        values = [2**200, -3, [b"x"]][:n]
        tests.append(halts(f"PACK of {n}", code(*values, n, "PACK"), array(*reversed(values))))
        tests.append(halts(f"PACK of {n}, with one more below", code(8, *values, n, "PACK"), array(*reversed(values)), 8))
        tests.append(halts(f"UNPACK of {n}", code(*values, n, "PACK", "UNPACK"), n, *reversed(values)))
    for name in ("NEWARRAY", "NEWSTRUCT", "PACK"):
        for n in (-1, 1025, 2**31, *WIDE):
            script = code(4, 5, n, name)
            tests.append(faults(f"{name} of {n}", script, len(script) - 1, 5, 4))
    for key in KEYS:
        made = code("NEWMAP", "DUP", key, 5, "SETITEM")
        tests.append(halts(f"SETITEM of key {called([key])}", code("NEWMAP", "TOALTSTACK", "DUPFROMALTSTACK", key, 5,
                                                                  "SETITEM", "FROMALTSTACK"), entry(key, 5)))
        tests.append(halts(f"KEYS with key {called([key])}", made + code("KEYS"), array(key)))
        for other in KEYS:
            same = bytes_of(key) == bytes_of(other)
            what = f"{called([other])} in a Map with key {called([key])}"
            tests.append(halts(f"HASKEY of {what}", made + code(other, "HASKEY"), same))
            tests.append(halts(f"REMOVE of {what}", made + code("DUP", other, "REMOVE"),
                               {"type": "Map", "value": {}} if same else entry(key, 5)))
            script = made + code(other, "PICKITEM")
            tests.append(halts(f"PICKITEM of {what}", script, 5) if same else
                         faults(f"PICKITEM of {what}", script, len(script) - 1))
    for n in (0, 1, 2, 3, -1, 2**31, *WIDE):
        for kind in ("Array", "Struct"):
            made = code(*reversed(THREE), 3, "PACK", *(["NEWSTRUCT"] if kind == "Struct" else []))
            for name, script, result in item_of_three(n, kind, code, array):
                what, script = f"{name} of item {n} of 3 of {kind}", made + script
                kept = [] if name == "PICKITEM" else [array(*THREE, kind=kind)]
                tests.append(halts(what, script, *result) if result else faults(what, script, len(script) - 1, *kept))
            if 0 <= n < 2**31:
                tests.append(halts(f"HASKEY of {n} of 3 of {kind}", made + code(n, "HASKEY"), 0 <= n < 3))
            else:
                script = made + code(n, "HASKEY")
                tests.append(faults(f"HASKEY of {n} of 3 of {kind}", script, len(script) - 1))
    for value in (2**200, -2**200, 2**64, -1, 0, 1, True, [b"0123456789"]):
        tests.append(halts(f"APPEND of {called([value])}", code(b"\x00", "NEWARRAY", "DUP", value, "APPEND"), array(value)))
        tests.append(halts(f"SETITEM of {called([value])}", code(1, "NEWARRAY", "DUP", 0, value, "SETITEM"), array(value)))
        tests.append(halts(f"PICKITEM of {called([value])}", code(value, 1, "PACK", 0, "PICKITEM"), value))
        tests.append(halts(f"VALUES of {called([value])}", code(value, 1, "PACK", "VALUES"), array(value)))
    one = code(6, 1, "PACK")
    for name, more in (("PICKITEM", 0), ("HASKEY", 0), ("REMOVE", 0), ("APPEND", 0), ("SETITEM", 0), ("SETITEM", 1)):
        script = code(one, *[0] * more, name)
        # A missing operand is noticed after those above it are popped; a compound is no key.
        tests.append(faults(f"{name} with only an Array" + (" and 0" if more else ""), script, len(script) - 1))
    # The key is taken first, and may not be an Array; what is below it stays.
    none = code(b"\x00", "NEWARRAY")
    for value in (0, -1, -2**200, 2**64 + 5, [b"0123456789"], True):
        for name in ("PICKITEM", "REMOVE", "HASKEY", "CHECKSIG", "VERIFY", "CHECKMULTISIG"):
            script = code(3, value, none, name)
            tests.append(faults(f"{name} with an Array on {called([value])}", script, len(script) - 1, value, 3))
        script = code(3, value, none, 4, "SETITEM")
        tests.append(faults(f"SETITEM with an Array as key on {called([value])}", script, len(script) - 1, value, 3))
        script = code(value, 3, none, "VERIFY")
        tests.append(faults(f"VERIFY with an Array as key and message {called([value])}", script, len(script) - 1, 3, value))
    for name in ("PACK", "UNPACK", "NEWARRAY", "NEWSTRUCT", "REVERSE", "KEYS", "VALUES", "ARRAYSIZE", "APPEND"):
        tests.append(faults(f"{name} of nothing", code(name), 0))
    return tests + sharing()


def sharing():
    """Array or Struct that goes into something, then gets an item; whether the item is there, too."""
    tests = []
    for kind, make in (("Array", "NEWARRAY"), ("Struct", "NEWSTRUCT")):
        start = code(b"\x00", make, "TOALTSTACK")
        it, grow = "DUPFROMALTSTACK", code("DUPFROMALTSTACK", 9, "APPEND")
        shared, empty = array(9, kind=kind), array(kind=kind)
        stored = empty if kind == "Struct" else shared
        other = "NEWSTRUCT" if kind == "Array" else "NEWARRAY"
        for name, script, result in (
                ("APPEND", code(b"\x00", "NEWARRAY", "DUP", it, "APPEND", grow), array(stored)),
                ("SETITEM", code(1, "NEWARRAY", "DUP", 0, it, "SETITEM", grow), array(stored)),
                ("VALUES", code(it, 1, "PACK", "VALUES", grow), array(stored)),
                ("PACK", code(it, 1, "PACK", grow), array(shared)),
                ("UNPACK", code(it, 1, "PACK", "UNPACK", "DROP", grow), shared),
                ("PICKITEM", code(it, 1, "PACK", 0, "PICKITEM", grow), shared),
                (f"{make} of its own kind", code(it, make, grow), shared),
                (f"{other} of the other kind", code(it, other, grow), array(kind="Struct" if kind == "Array" else "Array")),
                ("SETITEM in a Map", code("NEWMAP", "DUP", 1, it, "SETITEM", grow), entry(1, stored)),
                ("REVERSE", code(grow, it, 8, "APPEND", it, "REVERSE", it), array(8, 9, kind=kind)),
                ("REMOVE", code(grow, it, 0, "REMOVE", it), empty)):
            tests.append(halts(f"{name}: whether the {kind} is the same", start + script, result))
        pick = start + code(it, 1, 1, "PICK", grow)
        tests.append(halts(f"PICK shares the {kind}", pick, shared, 1, shared))
        for name, script in (("ROLL", code(it, 1, 1, "ROLL")), ("XSWAP", code(it, 1, 1, "XSWAP"))):
            tests.append(halts(f"{name} shares the {kind}", start + script + grow, shared, 1))
        tests.append(halts(f"XTUCK shares the {kind}", start + code(1, it, 1, "XTUCK", grow), shared, shared, 1))
    return tests


def digest(script):
    return ripemd(sha256(script))


def value_of(name, push):
    """What a push leaves."""
    if name == "NEWMAP":
        return {"type": "Map", "value": {}}
    if name == "PUSHM1" or name.startswith("PUSH") and name[4:].isdigit() and name != "PUSH0":
        return -1 if name == "PUSHM1" else int(name[4:])
    return [push[{"PUSHDATA1": 2, "PUSHDATA2": 3, "PUSHDATA4": 5}.get(name, 1):]]


def isolated():
    """Scripts that are called with stacks of their own."""
    tests = []
    # A hash that ends with a negative byte, so that it is a negative Integer.
    callee = next(script for n in range(256) if digest(script := raw(bytes([n])) + b"\x61" * 60)[-1] > 127)
    table = [{"script": "0x" + callee.hex()}]
    hashed, left = digest(callee), [callee[1:2]]
    tests.append(halts("CALL_ED of a hash that is a negative Integer",
                       code([hashed], b"\x00", "ADD", "CALL_ED", b"\x01\x00"), left, scriptTable=table))
    for name, operand in (("CALL_ET", hashed), ("CALL_EDT", b"")):
        before = code([hashed], b"\x00", "ADD") if name == "CALL_EDT" else b""
        script = code("CALL_I", b"\x01\x00\x04\x00", "RET", before, name, b"\x01\x00", operand, 3)
        tests.append(halts(f"{name} replaces the frame that CALL_I made", script, left, scriptTable=table))
    for name, operand in (("CALL_E", hashed), ("CALL_ET", hashed)):
        script = code(name, b"\x01\x00", operand)
        tests.append(faults(f"{name} without a table", script, 0))
    tests.append(faults("CALL_ED without a table does not take the hash", code([hashed], "CALL_ED", b"\x01\x00"), 21,
                        [hashed]))
    tests.append(faults("CALL_ED of a hash that is not there, after it took it",
                        code([bytes(20)], "CALL_ED", b"\x01\x00"), 21, scriptTable=[]))
    # CALL_I to a DROP, with one argument less than it takes: the items below belong to the caller.
    script = code(7, "CALL_I", b"\x00\x00\x04\x00", "RET", "DROP")
    test = faults("A callee does not reach below its arguments", script, 6, 7)
    test["steps"][0]["result"]["invocationStack"] = [frame(script, 7), frame(script, 6, 7)]
    tests.append(test)
    same = [b"\x05" * 33]
    tests.append(halts("CHECKSIG of a key that is the signature", code(same, same, "CHECKSIG"), False, message="0x01"))
    tests.append(halts("VERIFY of a key that is the signature", code([b"m"], same, same, "VERIFY"), False))
    tests.append(halts("CHECKMULTISIG of 1 key, which is 1", code(same, 1, 1, 1, "CHECKMULTISIG"), False, message="0x01"))
    for n in (0, -1, *WIDE):
        script = code(same, 1, same, n, "CHECKMULTISIG")
        tests.append(faults(f"CHECKMULTISIG of {n} keys", script, len(script) - 1, same, 1, same, message="0x01"))
        script = code(same, n, same, 1, "CHECKMULTISIG")
        tests.append(faults(f"CHECKMULTISIG of {n} signatures", script, len(script) - 1, same, message="0x01"))
    return tests


# The count of items.

MOST = 2048


def counted():
    """Each instruction that changes the estimate exactly, once with 2048 items after it and one more push."""
    pushes = [("PUSH0", b"\x00")]
    pushes += [(f"PUSHBYTES{n}", raw(b"\x07" * n)) for n in range(1, 76)]
    pushes += [("PUSHDATA1", b"\x4c\x01\x07"), ("PUSHDATA2", b"\x4d\x01\x00\x07"), ("PUSHDATA4", b"\x4e\x01\x00\x00\x00\x07")]
    pushes += [("PUSHM1", b"\x4f"), *[(f"PUSH{n}", bytes([0x50 + n])) for n in range(1, 17)]]
    # What comes first and how many items that leaves, the instruction, by how much it changes the number, and
    # whether items are on the alt stack.
    rows = [(name, b"", 0, push, 1) for name, push in pushes]
    rows += [("NOP", b"", 0, code("NOP"), 0), ("JMP", b"", 0, code("JMP", b"\x03\x00"), 0),
             ("DEPTH", b"", 0, code("DEPTH"), 1), ("DUP", b"\x51", 1, code("DUP"), 1),
             ("OVER", b"\x51\x52", 2, code("OVER"), 1), ("TUCK", b"\x51\x52", 2, code("TUCK"), 1),
             ("SWAP", b"\x51\x52", 2, code("SWAP"), 0), ("ROT", b"\x51\x52\x53", 3, code("ROT"), 0),
             ("NEWMAP", b"", 0, code("NEWMAP"), 1), ("PICK", b"\x51\x51", 2, code("PICK"), 0),
             ("ROLL", b"\x51\x52\x51", 3, code("ROLL"), -1), ("XSWAP", b"\x51\x52\x51", 3, code("XSWAP"), -1),
             ("DUPFROMALTSTACK", code(1, "TOALTSTACK"), 1, code("DUPFROMALTSTACK", "FROMALTSTACK"), 1)]
    tests = []
    thousand = code(raw(b"\xe8\x03"), "NEWARRAY")
    for name, before, items, operation, change in rows:
        fill = MOST - 1 - 2 * 1001 - items - change
        script = code(thousand * 2, b"\x51" * fill, before, operation, b"\x51")
        depth = 2 + fill + items + change + 1
        tests.append(halts(f"{name} and a push to 2048 items", script + code("DROP") * depth))
    # A frame that CALL_ET replaces takes its items with it, and the estimate does not notice: the fault comes early.
    for name, push in [*pushes, ("NEWMAP", code("NEWMAP")), ("DEPTH", code("DEPTH"))]:
        called_script = push * 2
        hashed = digest(called_script)
        inside = code(thousand * 2, b"\x51" * (MOST - 1 - 2 * 1001), "CALL_ET", b"\x00\x00", hashed)
        script = code("CALL_I", b"\x00\x00\x03\x00", inside)
        left = value_of(name, push)
        # One pushed the 2048th item, the next one fails and leaves its item.
        second = [1 if name == "DEPTH" else left, 0 if name == "DEPTH" else left]
        test = faults(f"{name} as item 2049 of an estimate that is too high", script, 5, scriptTable=[
            {"script": "0x" + called_script.hex()}])
        test["steps"][0]["result"]["invocationStack"].insert(0, frame(called_script, len(push), *second))
        tests.append(test)
    fill = MOST - 1 - 2 * 1001
    # CALL of a push and RET.
    script = code(thousand * 2, b"\x51" * fill, "JMP", b"\x05\x00", b"\x51", "RET", "CALL", b"\xfe\xff")
    tests.append(halts("CALL and a push to 2048 items", script + code("DROP") * (2 + fill + 1)))
    return tests


def pushes():
    """Every way to push bytes, with all of them checked."""
    tests = []
    for n in range(1, 76):
        for fill in (bytes(range(1, n + 1)), bytes(n), b"\xff" * n):
            what = "zeros" if not any(fill) else "ff" if fill[0] == 0xff else "1 and so on"
            tests.append(halts(f"PUSHBYTES{n} of {what}", raw(fill), [fill]))
        tests.append(faults(f"PUSHBYTES{n} with a byte too few", raw(bytes(n))[:-1], 0))
    for size, prefix in ((1, 1), (2, 1), (75, 1), (76, 1), (255, 1), (1, 2), (256, 2), (300, 2), (1, 4), (257, 4)):
        value = bytes(n % 251 for n in range(size))
        length = size.to_bytes(prefix, "little")
        script = bytes([{1: 0x4c, 2: 0x4d, 4: 0x4e}[prefix]]) + length + value
        tests.append(halts(f"PUSHDATA{prefix} of {size} bytes", script, [value]))
        tests.append(faults(f"PUSHDATA{prefix} of {size} bytes with one too few", script[:-1], 0))
    for prefix, start in ((1, 0x4c), (2, 0x4d), (4, 0x4e)):
        tests.append(faults(f"PUSHDATA{prefix} of no bytes", bytes([start]) + bytes(prefix) + b"\x51", 0))
        tests.append(faults(f"PUSHDATA{prefix} with a length of a byte too few", bytes([start]) + bytes(prefix - 1), 0))
    tests.append(faults("PUSHDATA4 of -1 bytes", b"\x4e\xff\xff\xff\xff\x51", 0))
    return tests


def files():
    for name, make in (("moves", moves), ("truths", truths), ("bytes", splices), ("compounds", compounds),
                       ("count", counted), ("isolated", isolated), ("pushes", pushes)):
        yield f"neo2/tables/{name}.json", {"category": "Tables", "name": name.capitalize(), "tests": make()}
