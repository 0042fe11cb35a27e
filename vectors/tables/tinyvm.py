"""TinyVM: every instruction that computes, on pairs of words next to the boundaries; root and power of every sign."""
from tables.numbers import quotient, remainder

EDGES = [0, 1, 2, 3, 15, 16, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xff00, 0xfffe, 0xffff]
WORD = 1 << 16


def signed(word):
    return word - WORD if word >= 0x8000 else word


def shift(word, by, left=False):
    return (word << by if left else word >> by) if by < 16 else 0


BINARY = {
    "add": (0x60, lambda a, b: a + b), "sub": (0x61, lambda a, b: a - b), "mul": (0x62, lambda a, b: a * b),
    "mulh": (0x63, lambda a, b: a * b >> 16), "divu": (0x64, lambda a, b: a // b if b else 0xffff),
    "divs": (0x65, lambda a, b: quotient(signed(a), signed(b)) if b else 0x7fff),
    "modu": (0x66, lambda a, b: a % b if b else 0), "mods": (0x67, lambda a, b: remainder(signed(a), signed(b)) if b else 0),
    "and": (0x68, lambda a, b: a & b), "or": (0x69, lambda a, b: a | b), "xor": (0x6a, lambda a, b: a ^ b),
    "sl": (0x6b, lambda a, b: shift(a, b, left=True)), "srl": (0x6c, shift),
    "sra": (0x6d, lambda a, b: signed(a) >> min(b, 15)),
}
UNARY = {"decr": (0x58, lambda a: a - 1), "incr": (0x59, lambda a: a + 1), "not": (0x5a, lambda a: ~a),
         "popcnt": (0x5b, lambda a: a.bit_count()), "clz": (0x5c, lambda a: 16 - a.bit_length()),
         "ctz": (0x5d, lambda a: (a & -a).bit_length() - 1 if a else 16), "mov": (0x5f, lambda a: a)}
for bits in range(16):
    def compare(a, b, bits=bits):
        a, b = (signed(a), signed(b)) if bits & 1 else (a, b)
        return bool(bits & 8 and a < b or bits & 4 and a == b or bits & 2 and a > b)
    BINARY[f"comparison {bits}"] = (0x80 + bits, compare)


def power(a, n):
    a, n = signed(a), signed(n)
    if n >= 0:
        result = 1 if n == 0 else a ** n if abs(a) < 2 or n < 16 else 2**20 * (-1 if a < 0 and n % 2 else 1)
    elif a == 0:
        result = 2**20
    elif abs(a) == 1:
        result = a ** (n % 2) if a < 0 else 1
    else:
        result = {(2, -1): 1, (-2, -1): -1}.get((a, n), 0)
    return max(-0x8000, min(0x7fff, result))


def root(a, n):
    a, n = signed(a), signed(n)
    if n == 0:
        return 1
    if a < 0:
        return 0 if n % 2 == 0 else -positive(-a, n)
    return min(positive(a, n), 0x7fff)


def positive(a, n):
    """The root of a number that is not negative, rounded."""
    if n < 0:
        return 0x8000 if a == 0 else int(n < -16 or a <= 2**-n)
    if a == 0:
        return 0
    if n >= 26:
        return 1
    result = 1
    while (2 * result + 1) ** n <= a * 2**n:
        result += 1
    return result


def test(name, words, registers, after, features=(), data=()):
    """A test that ends with a yield after all of its words, with these words of data."""
    after = [value % WORD for value in after]
    code = " ".join(f"{word:04X}" for word in (*words, 0x102a))
    case = {"name": name, "instructions": code, "registers": registers,
            "expect": {"stop": "yield", "value": after[0], "time": len(words) + 1, "exact": True,
                       "registers": {f"r{n}": value for n, value in enumerate(after)}}}
    if data:
        case["expect"]["data"] = {str(address): value for address, value in data}
    return case | ({"features": list(features)} if features else {})


def rounds(name, code, meaning, operands, features=()):
    """Eight pairs of registers at a time; the result replaces the right one."""
    tests = []
    for start in range(0, len(operands), 8):
        part = operands[start:start + 8]
        registers = [word for pair in part for word in pair]
        after = [word for a, b in part for word in (a, int(meaning(a, b)))]
        words = [code << 8 | 2 * n << 4 | 2 * n + 1 for n in range(len(part))]
        tests.append(test(f"{name} of pairs from {part[0][0]:#x} and {part[0][1]:#x} on", words, registers, after, features))
    return tests


def numbers():
    tests = []
    every = [(a, b) for a in EDGES for b in EDGES]
    for name, (code, meaning) in BINARY.items():
        tests += rounds(name, code, meaning, every)
    for name, (code, meaning) in UNARY.items():
        tests += rounds(name, code, lambda a, b, meaning=meaning: meaning(a), [(word, 0x5555) for word in EDGES])
    some = [0, 1, 2, 3, 7, 0x10, 0x7fff, 0x8000, 0x8001, 0xfff8, 0xfffd, 0xfffe, 0xffff]
    degrees = [0, 1, 2, 3, 4, 15, 16, 17, 25, 26, 0x7fff, 0x8000, 0x8001, 0xffe0, 0xfff0, 0xfffd, 0xfffe, 0xffff]
    every = [(a, b) for a in some for b in degrees]
    tests += rounds("exp", 0x6e, power, every, ["expRoot"])
    # What the text leaves open is apart: degree 0, and even degrees of negative numbers.
    tests += rounds("root", 0x6f, root, [(a, b) for a, b in every if b and (a < 0x8000 or b % 2)], ["expRoot"])
    return tests


def moves():
    """Loads, stores, high bytes and jumps of every word."""
    tests = []
    for word in EDGES:
        # lw r4 and lhi r4 with the bytes, then store at r1, overwrite, load.
        tests.append(test(f"store of {word:#x} over another word, and load", [0x2012, 0x2013, 0x2115], [7, 9, 0x1234, word],
                          [7, 9, 0x1234, word, 0, word], data=[(9, word)]))
        tests.append(test(f"load and store at {word:#x}", [0x2012, 0x2115], [3, word, 0x4321], [3, word, 0x4321, 0, 0, 0x4321],
                          data=[(word, 0x4321)]))
        for high in (0, 1, 0x80, 0xff):
            tests.append(test(f"lhi of {high:#x} keeps the low byte of {word:#x}", [0x4100 | high], [0, word],
                              [0, high << 8 | word & 0xff]))
        for name, first, target in ((f"jhi 0x200 of {word:#x}", 0xc102, 0x200 | word & 0xff),
                                    (f"jr of {word:#x} and 3", 0xb103, (word + 3) % WORD),
                                    (f"jr of {word:#x} and -3", 0xb1fd, (word - 3) % WORD)):
            if target:
                case = test(name, [first], [5, word], [5, word])
                case["instructions"] = {"0": [first], str(target): [0x102a]}
                tests.append(case)
        case = test(f"b of {word:#x}", [0x9100], [5, word, 0, 0], [5, word, 1 if word == 0 else 0])
        # The branch leaves out an increment.
        case["instructions"] = "9100 5922 102A"
        case["expect"]["time"] = 3 if word == 0 else 2
        tests.append(case)
    return tests


def times():
    """`time` after loops, up to its highest bits."""
    tests = []
    for rounds_, nops, steps in ((300, 0, 1000), (0x4001, 0, 40000), (0x7fff, 1, 70000), (0x8000, 0, 70000),
                                 (0x8000, 1, 70000), (0xffff, 0, 140000)):
        # decr r4, back until it is 0, then the time.
        time = 2 * rounds_ + nops
        case = {"name": f"time after {time} instructions",
                "instructions": ["decr r4", "b r4 -1", *["nop"] * nops, "time", "yield"],
                "registers": {"r4": rounds_}, "steps": steps,
                "expect": {"stop": "yield", "value": 0, "time": time + 2, "exact": True,
                           "registers": {"r0": 0, "r1": 0, "r2": time >> 16, "r3": time % WORD, "r4": 0}}}
        tests.append(case)
    return tests


def roots():
    """What the text leaves open: degree 0 gives 1, as in its example, and an even root of a negative number 0."""
    numbers_ = [0, 1, 2, 7, 0x1234, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff]
    even = [2, 4, 16, 32, 0x7ffe, 0x8000, 0xffe0, 0xfffc, 0xfffe]
    operands = [(a, 0) for a in numbers_] + [(a, n) for a in numbers_ if a >= 0x8000 for n in even]
    return rounds("root", 0x6f, root, operands, ["expRoot"])


def long_runs():
    """More instructions than a machine may execute at once, and steps that are used up between powers."""
    # 9 times 65536 times decr and b.
    loop = ["lw r6, 9", "decr r4", "b r4 -1", "decr r6", "b r6 -3", "lw r0, 77", "yield"]
    inner = 9 * 2 * WORD + 9 * 2
    report = ["lw r12, 0", "lw r13, 1", "sw r12, r13", "incr r12", "lw r13, 0x650D", "sw r12, r13", "incr r12",
              "lw r13, 0x4585", "sw r12, r13", "lw r0, 2", "lw r1, 1", "yield"]
    driver = ["lw r0, 1", "yield", *report]
    limit = 0x123456
    limited = [f"lw r2, {limit >> 16}", f"lw r3, {limit & 0xff}", f"lhi r3, {limit >> 8 & 0xff}", "lw r0, 8", "yield",
               "lw r0, 1", "yield", "mov r10, r0", *report]
    tests = [{"name": f"a testee that does not end, with a limit of {limit}", "driver": limited, "testee": ["incr r1", "j -1"],
              "budget": 2 * limit,
              "expect": {"outcome": "completed", "results": ["pass"], "rating": "pass", "testeeInstructions": limit,
                         "driver": {"registers": {"r10": 1}}}},
             {"name": f"a testee of {inner + 3} instructions", "driver": driver, "testee": loop, "budget": 2 * inner,
              "expect": {"outcome": "completed", "results": ["pass"], "rating": "pass", "testeeInstructions": inner + 3}},
             {"name": f"{inner + 3} instructions of one machine", "instructions": loop, "steps": 2 * inner,
              "expect": {"stop": "yield", "value": 77, "time": inner + 3, "registers": {"r0": 77, "r4": 0, "r6": 0}}}]
    for steps in range(1, 6):
        # exp of r1 and r2, root of r1 and r3, again and again.
        tests.append({"name": f"{steps} steps of exp and root", "steps": steps,
                      "instructions": "6E12 6F13 6E12 6F13 6E12 6F13 102A",
                      "registers": {"r1": 3, "r2": 0, "r3": 1}, "features": ["expRoot"],
                      "expect": {"stop": "limit", "time": steps, "pc": steps}})
    return tests


def places():
    """Each instruction as the last one before an address whose low or high byte, or all of it, begins anew."""
    registers = [0x1234, 0xfedc, 0x00ff, 0x8001]
    r0, r1, r2, r3 = registers
    # Words, and what they change among the registers.
    rows = [("yield", 0x102a, {}), ("cpuid", 0x102b, {0: 0, 1: 0, 2: 0, 3: 0}), ("debug", 0x102c, {}),
            ("time", 0x102d, {0: 0, 1: 0, 2: 0, 3: 0}), ("sw r1, r2", 0x2012, {}), ("lw r1, r0", 0x2101, {1: 0}),
            ("lw r3, -2", 0x33fe, {3: 0xfffe}), ("lhi r2, 0x80", 0x4280, {2: 0x80ff}), ("b of 0", 0x9480, {})]
    for name, (code, meaning) in UNARY.items():
        rows.append((f"{name} r3, r1", code << 8 | 0x13, {3: meaning(r1) % WORD}))
    for name, (code, meaning) in BINARY.items():
        rows.append((f"{name} of r1 and r2", code << 8 | 0x12, {2: int(meaning(r1, r2)) % WORD}))
    tests = []
    for at in (0x00ff, 0x7fff, 0xfffe, 0xffff):
        after = (at + 1) % WORD
        for name, word, changed in rows:
            left = {f"r{n}": value for n, value in enumerate([*registers, 0])} | {f"r{n}": it for n, it in changed.items()}
            stop = {"stop": "yield", "value": left["r0"], "time": 1 if word == 0x102a else 2,
                    "pc": (after + (word != 0x102a)) % WORD, "exact": True, "registers": left}
            if name.startswith("sw"):
                stop["data"] = {str(r1): r2}
            tests.append({"name": f"{name} at {at:#x}, and the next instruction at {after:#x}", "registers": registers,
                          "instructions": {str(at): [word], str(after): [0x102a]}, "pc": at, "expect": stop})
        for name, word, to in (("b forward", 0x9100, at + 2), ("b far forward", 0x917f, at + 129), ("b back", 0x9180, at - 1),
                               ("b far back", 0x91ff, at - 128), ("j forward", 0xa000, at + 2),
                               ("j far forward", 0xa7ff, at + 2049), ("j back", 0xa800, at - 1),
                               ("j far back", 0xafff, at - 2048)):
            to %= WORD
            tests.append({"name": f"{name}, from {at:#x} to {to:#x}", "registers": registers, "pc": at,
                          "instructions": {str(at): [word], str(to): [0x102a]},
                          "expect": {"stop": "yield", "value": r0, "time": 2, "pc": (to + 1) % WORD, "exact": True,
                                     "registers": {f"r{n}": value for n, value in enumerate(registers)}}})
    for address in (0, 0xff, 0x100, 0x7fff, 0x8000, 0xfffe, 0xffff):
        tests.append({"name": f"lwi of the word at {address:#x}", "registers": [5, address, 6], "pc": 0x4000,
                      "instructions": {str(address): [0xabcd], "16384": [0x2212, 0x102a]},
                      "expect": {"stop": "yield", "value": 5, "time": 2, "exact": True,
                                 "registers": {"r0": 5, "r1": address, "r2": 0xabcd}}})
    return tests


def with_itself():
    """Each binary instruction of a register and itself, on words next to the boundaries."""
    tests = []
    for name, (code, meaning) in BINARY.items():
        if not name.startswith("comparison"):
            after = [int(meaning(a, a)) % WORD for a in EDGES]
            tests.append(test(f"{name} of a register and itself, on words next to the boundaries",
                              [code << 8 | n << 4 | n for n in range(len(EDGES))], EDGES, after))
        else:
            # The right operand is then 0.
            after = [int(meaning(a, 0)) % WORD for a in EDGES]
            tests.append(test(f"{name} of a register and itself, which compares words with 0",
                              [code << 8 | n << 4 | n for n in range(len(EDGES))], EDGES, after))
    return tests


def files():
    for name, make in (("numbers", numbers), ("moves", moves), ("time", times), ("roots", roots), ("long-runs", long_runs),
                       ("places", places), ("with-itself", with_itself)):
        yield f"tinyvm/tables/{name}.json", {"machine": "tinyvm", "name": f"tables: {name}", "tests": make()}
