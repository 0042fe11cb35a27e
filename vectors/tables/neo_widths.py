"""NeoVM 2.x and N3: numbers and bytes where a machine changes how it holds them. Numbers: next to the ends of 32 and 64
bits and of 32 bytes, each pushed in as few bytes as hold it. Bytes: lengths that fit a word or two, an item, and more.
Some results are compared with their own bytes by the machine, too, so that one which is held in two ways is noticed."""
from math import isqrt

from tables import neo, neo2, neo3
from tables.neo import fits

# Boundaries, and how far from them the numbers are.
AT_64_BITS = [-2**63 - 1, -2**63, -2**63 + 1, -1, 0, 1, 2, 2**31, 2**32, 3037000500, 2**62, 2**63 - 1, 2**63, 2**64]
AT_32_BYTES = [-2**255, -2**255 + 1, -2**128, -1, 1, 2, 2**127, 2**254, 2**255 - 1]
AT_128_BITS = [-2**128 - 1, -2**128, -2**127 - 1, -2**127, -2**64 - 1, -2**64, -1, 1, 2**64, 2**64 + 1, 2**127 - 1, 2**127,
               2**128 - 1, 2**128]
PLACES = {"64 bits": AT_64_BITS, "128 bits": AT_128_BITS, "32 bytes": AT_32_BYTES}
LENGTHS = [0, 1, 7, 8, 9, 14, 15, 16, 17, 22, 23, 24, 30, 31, 32, 33, 63, 64, 65]
MORE_LENGTHS = [127, 128, 255, 256, 257]


def named(number):
    """A number as a power of two and a rest, if that is short."""
    for bits in (31, 32, 62, 63, 64, 127, 128, 254, 255):
        for power, sign in ((2**bits, ""), (-2**bits, "-")):
            rest = number - power
            if abs(rest) <= 2:
                return f"{sign}2^{bits}" + (f" {'+' if rest > 0 else '-'} {abs(rest)}" if rest else "")
    return str(number)


class Two:
    """NeoVM 2.x, with a number as its bytes or as an Integer; a result is compared by EQUAL with its bytes."""
    machine, column, code, halts = "neo2", 1, staticmethod(neo2.code), staticmethod(neo2.halts)
    unbounded = ("NEGATE", "ABS", "INVERT", "DIV")

    def __init__(self, form):
        self.form = form

    def push(self, number):
        if self.form == "Integers":
            # INVERT twice makes an Integer of bytes.
            return neo2.code([neo2.encoded(number)], "INVERT", "INVERT")
        padding = b"\xff" if number < 0 else b"\0"
        return neo2.code([neo2.encoded(number) + padding * (3 if self.form == "bytes of which 3 more are signs" else 0)])

    def own(self, number):
        return neo2.code([neo2.encoded(number)])

    def overflow(self, name, script, at, *stack):
        return neo2.faults(name, script, at, *stack)


class Three:
    """N3, with a number as a PUSHINT or as a ByteString; a result is compared by EQUAL with the shortest PUSHINT."""
    machine, column, code, halts = "neo3", 0, staticmethod(neo3.code), staticmethod(neo3.halts)
    unbounded = ()

    def __init__(self, form):
        self.form = form

    def push(self, number):
        if self.form == "Integers":
            return neo3.push(number)
        return neo3.push(neo3.encoded(number) if self.form == "bytes" else number.to_bytes(32, "little", signed=True))

    def own(self, number):
        return neo3.push(number)

    def overflow(self, name, script, _at, *_stack):
        return neo3.faults(name, script)


FORMS = {"neo2": [Two(form) for form in ("bytes", "Integers", "bytes of which 3 more are signs")],
         "neo3": [Three(form) for form in ("Integers", "bytes", "bytes, 32 of each")]}


def spelled(it, name, row):
    """The instruction of a row of both machines in this one."""
    return bytes([row[1]]) if it.machine == "neo2" else [name]


def result_and_comparison(it, script, result):
    """Code that leaves the result, and above it whether it is its own bytes; and what that leaves, the top one first."""
    if isinstance(result, bool):
        return script, [result]
    return script + it.code("DUP") + it.own(result) + it.code("EQUAL"), [True, result]


def result_alone(_it, script, result):
    return script, [result]


def many(it, name, programs, leaves=result_and_comparison):
    """One test of several programs, each with its result."""
    script, left = it.code(), []
    for program, result in programs:
        code, results = leaves(it, program, result)
        script, left = script + code, results + left
    return it.halts(name, script, *left)


def is_allowed(it, name, result):
    return isinstance(result, bool) or fits(result) or name in it.unbounded


def unary(it, place, numbers):
    for name, row in neo.NEO_UNARY.items():
        code = spelled(it, name, row)
        done = [(it.push(a), row[2](a)) for a in numbers]
        programs = [(pushed + code, result) for pushed, result in done if is_allowed(it, name, result)]
        yield many(it, f"{name} of numbers next to {place}, as {it.form}", programs)


def binary(it, place, numbers):
    for name, row in neo.NEO_BINARY.items():
        code = spelled(it, name, row)
        for a in numbers:
            others = [b for b in numbers if not (name in ("DIV", "MOD") and b == 0)]
            done = [(b, row[2](a, b)) for b in others]
            programs = [(it.push(a) + it.push(b) + code, result) for b, result in done if is_allowed(it, name, result)]
            if programs:
                yield many(it, f"{name} of {named(a)} and numbers next to {place}, as {it.form}", programs, result_alone)


def shifts(it, numbers):
    for name, meaning in (("SHL", lambda a, n: a << n), ("SHR", lambda a, n: a >> n)):
        for a in numbers:
            done = [(n, meaning(a, n)) for n in (0, 1, 31, 32, 62, 63, 64, 65, 128, 255, 256)]
            programs = [(it.push(a) + it.code(n, name), result) for n, result in done if fits(result)]
            yield many(it, f"{name} of {named(a)} by bits next to words, as {it.form}", programs)


def others(it, place, numbers):
    """What only reads its numbers, or only one machine has."""
    for x in numbers:
        pairs = [(low, high) for low in (numbers[0], x - 1, x, x + 1) for high in (x - 1, x, x + 1, numbers[-1])
                 if fits(low) and fits(high)]
        programs = [(it.push(x) + it.push(low) + it.push(high) + it.code("WITHIN"), low <= x < high) for low, high in pairs]
        yield many(it, f"WITHIN of {named(x)} and limits next to it, at {place}, as {it.form}", programs)
    if it.machine == "neo2":
        return
    roots = [(it.push(a) + it.code("SQRT"), isqrt(a)) for a in numbers if a >= 0]
    yield many(it, f"SQRT of numbers next to {place}, as {it.form}", roots)
    for a in numbers[::2]:
        powers = [(it.push(a) + it.code(n, "POW"), a**n) for n in (0, 1, 2, 3, 4) if fits(a**n)]
        yield many(it, f"POW of {named(a)}, as {it.form}", powers)
        for m in (1, -2**63, 2**63 - 1, 2**64 + 1, -2**255):
            done = [(it.push(a) + it.push(b) + it.push(m) + it.code("MODMUL"), neo.remainder(a * b, m)) for b in numbers]
            yield many(it, f"MODMUL of {named(a)} and numbers next to {place} modulo {named(m)}, as {it.form}", done,
                       result_alone)


def jumps(it, place, numbers):
    """Jumps that compare, of N3."""
    if it.machine == "neo2":
        return
    for name, meaning in neo3.COMPARISONS.items():
        for a in numbers:
            programs = [(it.push(a) + it.push(b) + neo3.branch(name), int(meaning(a, b))) for b in numbers]
            yield it.halts(f"{name} with {named(a)} and numbers next to {place}, as {it.form}",
                           it.code(*[script for script, _ in programs]), *[result for _, result in reversed(programs)])


# What results may not be: a number of more than 32 bytes.
BEYOND = [("INC", (2**255 - 1,)), ("DEC", (-2**255,)), ("ADD", (2**255 - 1, 1)), ("ADD", (1, 2**255 - 1)),
          ("ADD", (-2**255, -1)), ("ADD", (2**254, 2**254)), ("SUB", (-2**255, 1)), ("SUB", (2**255 - 1, -1)),
          ("SUB", (0, -2**255)), ("MUL", (2**254, 2)), ("MUL", (-2**255, -1)), ("MUL", (2**128, 2**127)),
          ("MUL", (-2**128, 2**128)), ("SHL", (2**254, 1)), ("SHL", (1, 255)), ("SHL", (-1, 256)), ("SHL", (-2**255, 1))]
ONLY_N3 = [("NEGATE", (-2**255,)), ("ABS", (-2**255,)), ("DIV", (-2**255, -1)), ("POW", (2, 255)), ("POW", (-2, 256)),
           ("POW", (2**128, 2))]
# What these instructions of 2.x may not have as an operand: a number of more than 32 bytes.
BOUNDED = {"INC": 1, "DEC": 1, "ADD": 2, "SUB": 2, "MUL": 2, "DIV": 2, "MOD": 2}


def beyond(it):
    for name, values in BEYOND + (ONLY_N3 if it.machine == "neo3" else []):
        pushes = it.code()
        for value in values:
            # The count of a shift is a number like others.
            pushes += it.push(value)
        called = " and ".join(map(named, values))
        yield it.overflow(f"{name} of {called} has more than 32 bytes, as {it.form}", pushes + it.code(name), len(pushes))
    if it.machine == "neo3":
        return
    for name, takes in BOUNDED.items():
        for long in (2**255, -2**255 - 1):
            for below in range(takes):
                values = [long if n == below else 1 for n in reversed(range(takes))]
                pushes = b"".join(map(it.push, values))
                shown = it.form == "Integers"
                # The operands are taken one at a time, the top one first.
                left = [] if below else [values[0] if shown else [pushes[1:1 + pushes[0]]]] * (takes - 1)
                yield it.overflow(f"{name} with operand {below} {named(long)}, of 33 bytes, as {it.form}",
                                  pushes + it.code(name), len(pushes), *left)


def beyond_unbounded(it):
    """Results of more than 32 bytes, which 2.x allows here."""
    for name, values, result in (("NEGATE", [-2**255], 2**255), ("ABS", [-2**255], 2**255), ("INVERT", [2**255], -2**255 - 1),
                                 ("DIV", [-2**255, -1], 2**255), ("NEGATE", [2**255], -2**255)):
        script = b"".join(map(it.push, values)) + it.code(name)
        yield many(it, f"{name} of {' and '.join(map(named, values))} may have 33 bytes, as {it.form}", [(script, result)])


def numbers(machine):
    tests = []
    for it in FORMS[machine]:
        for place, values in PLACES.items():
            tests += unary(it, place, values)
            # All pairs once, and for the other forms where 64 bits end. What is next to 128 bits is in `neo.py`.
            if values is not AT_128_BITS and (it is FORMS[machine][0] or values is AT_64_BITS and it is FORMS[machine][1]):
                tests += binary(it, place, values)
        if it is not FORMS[machine][2]:
            tests += shifts(it, AT_64_BITS[::2])
            tests += others(it, "64 bits", AT_64_BITS)
        tests += beyond(it)
    if machine == "neo2":
        tests += beyond_unbounded(FORMS[machine][1])
    tests += jumps(FORMS[machine][0], "64 bits", AT_64_BITS)
    return tests


def series(length, last=0):
    """Bytes that differ, and from those of another `last` only in the last one."""
    return (bytes(1 + n % 250 for n in range(length))[:-1] + bytes([last]))[:length]


def bytes_of_2():
    tests = []
    for length in LENGTHS + MORE_LENGTHS:
        push = pushed_2
        one, other = series(length), series(length, 7)
        tests.append(neo2.halts(f"EQUAL of {length} bytes and the same", push(one) + push(one) + neo2.code("EQUAL"), True))
        if length:
            tests.append(neo2.halts(f"EQUAL of {length} bytes and others in the last byte",
                                    push(one) + push(other) + neo2.code("EQUAL"), False))
        tests.append(neo2.halts(f"SIZE of {length} bytes", push(one) + neo2.code("SIZE"), length))
        tests.append(neo2.halts(f"{length} bytes are true if one is not 0 or if there are more than 32",
                                push(bytes(length)) + neo2.code("NOT"), length <= 32))
        if length <= 65:
            tests.append(neo2.halts(f"A Map with a key of {length} bytes and one that differs in the last byte",
                                    neo2.code("NEWMAP", "DUP") + push(one) + neo2.code(5, "SETITEM", "DUP") + push(other) +
                                    neo2.code("HASKEY", "SWAP") + push(one) + neo2.code("PICKITEM"), 5, length == 0))
            for more in (0, 1, 8, 24):
                tests.append(neo2.halts(f"CAT of {length} and {more} bytes",
                                        push(one) + push(series(more, 9)) + neo2.code("CAT"), [one + series(more, 9)]))
            for name in ("LEFT", "RIGHT"):
                part = one[:-1] if name == "LEFT" else one[1:]
                if length:
                    tests.append(neo2.halts(f"{name} of {length - 1} of {length} bytes",
                                            push(one) + neo2.code(length - 1, name), [part]))
    return tests


def pushed_2(value):
    """The shortest instruction that pushes these bytes."""
    size = len(value)
    if size <= 75:
        return neo2.raw(value)
    prefix, code_ = next((n, c) for n, c in ((1, 0x4c), (2, 0x4d), (4, 0x4e)) if size < 256**n)
    return bytes([code_]) + size.to_bytes(prefix, "little") + value


def pushed_3(value):
    """The shortest PUSHDATA."""
    size = len(value)
    prefix, name = next((n, f"PUSHDATA{n}") for n in (1, 2, 4) if size < 256**n)
    return [name, "0x" + size.to_bytes(prefix, "little").hex() + value.hex()]


def bytes_of_3():
    tests, push = [], pushed_3
    for length in LENGTHS + MORE_LENGTHS:
        one, other = series(length), series(length, 7)
        tests.append(neo3.halts(f"EQUAL of {length} bytes and the same", push(one) + push(one) + neo3.code("EQUAL"), True))
        if length:
            tests.append(neo3.halts(f"EQUAL of {length} bytes and others in the last byte",
                                    push(one) + push(other) + neo3.code("EQUAL"), False))
        tests.append(neo3.halts(f"SIZE of {length} bytes", push(one) + neo3.code("SIZE"), length))
        script = push(bytes(length)) + neo3.code("NOT")
        tests.append(neo3.halts(f"{length} zero bytes are false", script, True) if length <= 32 else
                     neo3.faults(f"{length} zero bytes are neither true nor false", script))
        key = neo3.code("NEWMAP", "DUP") + push(one) + neo3.code(5, "SETITEM", "DUP")
        if length <= 64:
            tests.append(neo3.halts(f"A Map with a key of {length} bytes and one that differs in the last byte",
                                    key + push(other) + neo3.code("HASKEY", "SWAP") + push(one) + neo3.code("PICKITEM"),
                                    5, length == 0))
        else:
            tests.append(neo3.faults(f"A Map with a key of {length} bytes", key))
        if length <= 65:
            for more in (0, 1, 8, 24):
                tests.append(neo3.halts(f"CAT of {length} and {more} bytes",
                                        push(one) + push(series(more, 9)) + neo3.code("CAT"),
                                        neo3.data("Buffer", one + series(more, 9))))
            for name in ("LEFT", "RIGHT"):
                part = one[:-1] if name == "LEFT" else one[1:]
                if length:
                    tests.append(neo3.halts(f"{name} of {length - 1} of {length} bytes",
                                            push(one) + neo3.code(length - 1, name), neo3.data("Buffer", part)))
    return tests


# Indices, counts and shifts, each of them 1, as bytes of several lengths: a word, more than that, and more than a number
# may have. What an instruction takes, the deepest first, with ONE in place of the number, and what it leaves, the top one
# first.
ONE = object()
ONES_LENGTHS = (1, 2, 7, 8, 9, 16, 17, 31, 32, 33)
ONES_OF_BOTH = [("PICK", [7, 8, ONE], [7, 8, 7]), ("ROLL", [7, 8, ONE], [7, 8]), ("XDROP", [7, 8, ONE], [8]),
                ("SHL", [7, ONE], [14]), ("SHR", [7, ONE], [3]), ("ADD", [7, ONE], [8]), ("SUB", [ONE, 7], [-6]),
                ("MUL", [-7, ONE], [-7]), ("DIV", [-7, ONE], [-7]), ("MOD", [ONE, 7], [1]), ("INC", [ONE], [2]),
                ("NEGATE", [ONE], [-1]), ("ABS", [ONE], [1]), ("SIGN", [ONE], [1]), ("NZ", [ONE], [True]),
                ("NUMEQUAL", [1, ONE], [True]), ("MIN", [2, ONE], [1]), ("MAX", [ONE, 0], [1]), ("WITHIN", [ONE, 0, 2], [True]),
                ("AND", [3, ONE], [1]), ("INVERT", [ONE], [-2])]


def ones_of_2():
    """2.x takes bytes of any length as a number; those that may have 32 bytes are about the number, not its bytes."""
    tests, code = [], neo2.code
    array = ["NEWARRAY", "DUP", 0, 5, "SETITEM", "DUP", 1, 6, "SETITEM"]
    rows = [*ONES_OF_BOTH, ("XSWAP", [7, 8, ONE], [7, 8]), ("XTUCK", [7, 8, ONE], [8, 8, 7]), ("LEFT", [[b"ab"], ONE], [[b"a"]]),
            ("RIGHT", [[b"ab"], ONE], [[b"b"]]), ("SUBSTR", [[b"abc"], ONE, ONE], [[b"b"]]),
            ("NEWARRAY", [ONE], [neo2.array(False)]), ("NEWSTRUCT", [ONE], [neo2.array(False, kind="Struct")]),
            ("PACK", [7, 8, ONE], [neo2.array(8), 7]), ("PICKITEM", [2, *array, ONE], [6]), ("HASKEY", [2, *array, ONE], [True])]
    for length in (*ONES_LENGTHS, 40):
        for name, operands, left in rows:
            script = code(*[[number_of(length)] if it is ONE else it for it in operands], name)
            tests.append(neo2.halts(f"{name} with 1 of {length} bytes", script, *left))
    return tests


def ones_of_3():
    """N3 takes bytes as a number if there are at most 32."""
    tests, code = [], neo3.code
    array = code(6, 5, 2, "PACK")
    rows = [*ONES_OF_BOTH, ("REVERSEN", [7, 8, ONE], [8, 7]), ("LEFT", [b"ab", ONE], [neo3.data("Buffer", b"a")]),
            ("RIGHT", [b"ab", ONE], [neo3.data("Buffer", b"b")]), ("SUBSTR", [b"abc", ONE, ONE], [neo3.data("Buffer", b"b")]),
            ("NEWARRAY", [ONE], [neo3.array(None)]), ("NEWSTRUCT", [ONE], [neo3.array(None, kind="Struct")]),
            ("NEWBUFFER", [ONE], [neo3.data("Buffer", bytes(1))]), ("PACK", [7, 8, ONE], [neo3.array(8), 7]),
            ("PACKSTRUCT", [7, 8, ONE], [neo3.array(8, kind="Struct"), 7]), ("PICKITEM", [array, ONE], [6]),
            ("HASKEY", [array, ONE], [True]), ("POW", [7, ONE], [7]), ("SQRT", [ONE], [1]), ("MODMUL", [7, ONE, 5], [2]),
            ("MODPOW", [7, ONE, 5], [2])]
    for length in ONES_LENGTHS:
        for name, operands, left in rows:
            script = code(*[number_of(length) if it is ONE else it for it in operands], name)
            called = f"{name} with 1 of {length} bytes"
            tests.append(neo3.halts(called, script, *left) if length <= 32 else neo3.faults(called, script))
        for value in (1, -1, 2**62, -2**63):
            if -2**(8 * length - 1) <= value < 2**(8 * length - 1):
                bytes_ = value.to_bytes(length, "little", signed=True)
                for kind, before in (("ByteString", code(bytes_)), ("Buffer", code(bytes_, ["CONVERT", "0x30"]))):
                    script, called = before + ["CONVERT", "0x21"], f"CONVERT of {named(value)} of {length} bytes of a {kind} to Integer"
                    script, result = result_and_comparison(FORMS["neo3"][0], script, value)
                    tests.append(neo3.halts(called, script, *result) if length <= 32 else neo3.faults(called, script))
    return tests


def number_of(length):
    """1 as so many bytes."""
    return (1).to_bytes(length, "little")


def distances_of_2():
    """Jumps so far that the operand needs its sign or its second byte."""
    tests = []
    for name, before in (("JMP", b""), ("JMPIF", b"\x51"), ("JMPIFNOT", b"\x00")):
        for distance in (127, 128, 129, 255, 256, 257):
            # Over a THROW and NOPs to PUSH7.
            script = before + neo2.code(name, distance.to_bytes(2, "little"), "THROW", b"\x61" * (distance - 4), 7)
            tests.append(neo2.halts(f"{name} forward by {distance}", script, 7))
            # JMP over PUSH7 and RET to the operand; the jump itself goes back to PUSH7.
            at = 3 + distance - len(before)
            script = neo2.code("JMP", at.to_bytes(2, "little"), 7, "RET", b"\x61" * (at - 5), before,
                               name, (-distance).to_bytes(2, "little", signed=True))
            tests.append(neo2.halts(f"{name} back by {distance}", script, 7))
    for distance in (127, 128, 255, 256):
        script = neo2.code("CALL", distance.to_bytes(2, "little"), "RET", b"\x61" * (distance - 4), 7)
        tests.append(neo2.halts(f"CALL forward by {distance}", script, 7))
    tests.append(far_jumps_of_2())
    return tests


def far_jumps_of_2():
    """All jumps by nearly 32767 bytes forward, each with a JMP back."""
    rows = [("JMP", b""), ("JMPIF", b"\x51"), ("JMPIFNOT", b"\x00"), ("CALL", b"")]
    # Operand, jump and THROW, but for CALL; then what the jump comes back to.
    starts, at = [], 0
    for name, before in rows:
        starts.append(at + len(before))
        at += len(before) + 3 + (name != "CALL")
    # The end of the program, then NOPs, then for each jump PUSHn and a JMP back, or RET.
    sea = 32767 - 40
    targets = [at + 1 + sea + 4 * n for n in range(len(rows))]
    script = b""
    for (name, before), start, target in zip(rows, starts, targets):
        script += before + neo2.code(name, (target - start).to_bytes(2, "little")) + (b"" if name == "CALL" else b"\xf0")
    script += b"\x66" + b"\x61" * sea
    for n, ((name, _), start) in enumerate(zip(rows, starts)):
        back = start + 4 - len(script) - 1
        script += neo2.code(n + 1) + (b"\x66" if name == "CALL" else neo2.code("JMP", back.to_bytes(2, "little", signed=True)))
    return neo2.halts("Jumps forward and back by more than 32700", script, *reversed(range(1, len(rows) + 1)))


SHORT = [("JMP", []), ("JMPIF", [True]), ("JMPIFNOT", [False]), ("JMPEQ", [1, 1]), ("JMPNE", [1, 2]), ("JMPGT", [2, 1]),
         ("JMPGE", [1, 1]), ("JMPLT", [1, 2]), ("JMPLE", [1, 1]), ("CALL", [])]


def distances_of_3():
    """Jumps and calls to the ends of the short operand, and so far with the long one that it needs its bytes and sign."""
    tests = []
    for short, values in SHORT:
        for name, size, forward, back in ((short, 1, (126, 127), (126, 127, 128)),
                                          (short + "_L", 4, (127, 128, 255, 256), (128, 129, 256))):
            for distance in forward:
                script = neo3.code(*values) + [name, "0x" + distance.to_bytes(size, "little").hex()]
                over = distance - 1 - size - 1
                script += ["RET" if short == "CALL" else "ABORT", "0x" + "21" * over, "PUSH7"]
                tests.append(neo3.halts(f"{name} forward by {distance}", script, 7))
            for distance in back:
                before = neo3.code(*values)
                # JMP_L over PUSH7 RET to the operands; the jump itself goes back to PUSH7.
                at = 5 + distance
                script = ["JMP_L", "0x" + (at - neo3.length(before)).to_bytes(4, "little").hex(), "PUSH7", "RET"]
                script += ["0x" + "21" * (at - neo3.length(before) - 7), *before]
                script += [name, "0x" + (-distance).to_bytes(size, "little", signed=True).hex()]
                tests.append(neo3.halts(f"{name} back by {distance}", script, 7))
    for size in (1, 2, 4, 8, 16, 32):
        for value in (0, 1, -1, 127, -128, 2**31 - 1, -2**31, 2**63 - 1, -2**63, 2**63, -2**63 - 1):
            if -2**(8 * size - 1) <= value < 2**(8 * size - 1):
                script = [f"PUSHINT{8 * size}", "0x" + value.to_bytes(size, "little", signed=True).hex()]
                script, left = result_and_comparison(FORMS["neo3"][0], script, value)
                tests.append(neo3.halts(f"PUSHINT{8 * size} of {named(value)} is the number that fewer bytes push",
                                        script, *left))
    tests.append(far_jumps_of_3())
    return tests


def far_jumps_of_3():
    """All long jumps by more than 65536 bytes forward, each with a JMP_L back."""
    def jump(name, distance):
        return [name + "_L", "0x" + distance.to_bytes(4, "little", signed=True).hex()]

    starts, at = [], 0
    for name, values in SHORT:
        starts.append(at + len(neo3.code(*values)))
        at += len(neo3.code(*values)) + 5 + (name != "CALL")
    sea = 65536
    targets = [at + 1 + sea + 6 * n for n in range(len(SHORT))]
    script = []
    for (name, values), start, target in zip(SHORT, starts, targets):
        script += neo3.code(*values) + jump(name, target - start) + ([] if name == "CALL" else ["ABORT"])
    script += ["RET", "0x" + "21" * sea]
    for n, ((name, _), start, target) in enumerate(zip(SHORT, starts, targets)):
        script += neo3.code(n + 1) + (["RET"] if name == "CALL" else jump("JMP", start + 6 - target - 1))
    return neo3.halts("Long jumps forward and back by more than 65536", script, *reversed(range(1, len(SHORT) + 1)))


def files():
    for machine, lengths, ones, distances in (("neo2", bytes_of_2, ones_of_2, distances_of_2),
                                              ("neo3", bytes_of_3, ones_of_3, distances_of_3)):
        for name, tests in (("widths-of-numbers", numbers(machine)), ("lengths-of-bytes", lengths()), ("lengths-of-one", ones()),
                            ("distances", distances())):
            yield f"{machine}/tables/{name}.json", {"category": "Tables", "name": name.replace("-", " ").capitalize(),
                                                    "tests": tests}
