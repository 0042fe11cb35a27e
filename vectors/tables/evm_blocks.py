"""Loops that reach each decision of a machine which translates code that is executed often to blocks. The expectations are
those of `reference.py`, which translates nothing.

A block is straight-line code from a jump destination on, across jumps to known places, up to a jump that depends on the run
or an instruction that does more than compute. What decides, and where it is decided otherwise:

| decision                                                         | cases here                            |
|------------------------------------------------------------------|---------------------------------------|
| entering: the items that the block takes are there               | takes                                 |
| entering: there is room for what it adds for a while             | grows                                 |
| entering: the guard (an assertion) holds                         | asserts                               |
| entering, and each repetition: the gas suffices                  | pays                                  |
| a block that repeats itself; the last turn                       | pays, asserts ("JUMPI back")          |
| going on: always, by a condition, to a computed place, plainly   | grows, takes, pays                    |
| a computed place: it is the item on top, and no other            | stale                                 |
| a computed place: small, in the code, a block, a JUMPDEST        | goes wrong                            |
| a computed place: the gas for the jump suffices                  | pays ("computed JUMP")                |
| an instruction that ends a block: the run ends there, or goes on | plain                                 |
| worth it: so many instructions before one that ends the block    | plain                                 |
| the most blocks and the most steps of a program                  | many                                  |
| the longest block, and the most jumps in it                      | long                                  |
| a JUMPI: its condition is one of an assertion, and which         | asserts                               |
| a JUMPI: how the condition was made, and that it is kept         | conditions                            |
| a JUMPI back to the start of the block: each kind of condition   | repeats                               |
| operands that are constants: all, some, none; priced ones        | folds                                 |
| deep items: more than were noted at first                        | deep                                  |
| where a result goes: its place is free, or is read later         | places                                |
| copies at the end: a chain, a cycle, two cycles, too many        | places                                |
| ADD in place: the constant left or right, small or not, or moved | folds                                 |
| constants: known, new, and no slot left, also after moves        | runs out                              |
| priced instructions whose result nothing needs                   | folds                                 |

Not reached by vectors: slots for temporary results that run out, and a block that takes and adds more than 1024 items, which
no block of 200 instructions can;
a JUMP to a constant place that is no destination, before which the first round halts; and what the runner decides: its budget
of instructions and of work, and instructions that it wants to see one by one.
"""
from tables.evm_assembler import Code, asm, listing, push
from tables.evm_loops import EFFECTS, GAS, OWN, ROUNDS, case, counted, stored
from tables.reference import Run

UNDEFINED = b"\xfe"
# The number of rounds that are counted on the stack and end long after the code is hot.
MANY = 1000


def ran(code, gas=GAS):
    """The run of the reference, and whether it ended without a halt."""
    run = Run(code, EFFECTS, OWN, {OWN: {"balance": 1000, "nonce": 7, "code": b"", "storage": {}}}, gas, b"", {0x30: OWN})
    return run, run.execute()


# How a round ends: the code goes back to "loop" if the item on top is not 0, and falls through otherwise. Each leaves the
# items as they are. `before` is where "loop" is.


def back_branch(code):
    code.add(asm("DUP1")).jump_if("loop")


def back_branch_of_not(code):
    code.add(asm("DUP1 ISZERO")).jump_if("end").jump("loop").mark("end")


def back_to(code):
    """Over more jumps than a block follows."""
    for n in range(6):
        code.jump(f"hop {n}").mark(f"hop {n}")
    back_branch(code)


def back_jump(code):
    """By a computed JUMP: to "loop", or to "end" if the item is 0."""
    code.push_mark("loop").push_mark("loop").push_mark("end").add(asm("SUB DUP3 ISZERO MUL ADD JUMP")).mark("end")


def back_plain(code):
    """With an instruction that no block contains."""
    code.add(asm("GAS POP"))
    back_branch(code)


def back_assert(code):
    """With an assertion on the item on top, which holds."""
    code.add(push(MANY + 5000), asm("DUP2 LT")).jump_if("sound").add(UNDEFINED).mark("sound")
    back_branch(code)


ENDS = {"JUMPI back": back_branch, "JUMPI out and JUMP back": back_branch_of_not, "many JUMPs and a JUMPI back": back_to,
        "computed JUMP": back_jump, "GAS and a JUMPI back": back_plain, "assertion and a JUMPI back": back_assert}
LESS = asm("1 SWAP1 SUB")


def last_turn(make, low, high):
    """The most rounds that do not halt, from `low` to less than `high`."""
    assert ran(make(low))[1] and not ran(make(high))[1]
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if ran(make(middle))[1] else (low, middle)
    return low


def grows(cases):
    """The last turn of a loop that leaves an item more each round has room for all that it adds for a while, or lacks one."""
    for name, end in ENDS.items():
        for what, extra in (("no more", b""), ("three copies for a while", asm("DUP1 DUP1 DUP1 POP POP POP")),
                            ("the places of instructions for a while", asm("PC PC PC PC POP POP POP POP"))):

            def make(rounds):
                code = Code().add(push(rounds)).mark("loop").add(LESS, asm("DUP1"), extra)
                end(code)
                return code.bytes()

            rounds = last_turn(make, 1000, 1030)
            cases[f"{name}, {what}: 1024 items in the last turn"] = case(
                f"{rounds} rounds that leave an item each and take {what}, each ended by {name}: 1024 items at most", make(rounds))
            cases[f"{name}, {what}: 1025 items in the last turn"] = case(
                f"{rounds + 1} rounds that leave an item each and take {what}, each ended by {name}: one needs 1025; the run halts",
                make(rounds + 1))
    for height in (1020, 1021, 1022, 1023, 1024):
        # All rounds have the same height: the counter in so many items.
        code = Code().mark("fill").add(asm("9"), asm("0 MLOAD 1 ADD DUP1 0 MSTORE"), push(height - 2), 0x11).jump_if("fill")
        code.add(asm("3"), push(MANY)).mark("loop").add(asm("SWAP1 ISZERO SWAP1"), LESS)
        back_branch(code)
        cases[f"a loop on {height} items"] = case(
            f"{MANY} rounds on {height} items, of which each takes 2 more for a while" + (
                "; the run halts" if height > 1022 else ""), code.bytes())


def takes(cases):
    """The last turn of a loop that takes an item each round finds one, or one too few."""
    for name, end in ENDS.items():

        def make(rounds):
            code = Code().mark("fill").add(asm("9"), asm("0 MLOAD 1 ADD DUP1 0 MSTORE"), push(900), 0x11).jump_if("fill")
            code.add(push(rounds)).mark("loop").add(asm("SWAP2 ADD SWAP1"), LESS)
            end(code)
            return code.bytes()

        rounds = last_turn(make, 890, 910)
        cases[f"{name}: the last items"] = case(
            f"{rounds} rounds of ADD on 900 items, each ended by {name}: the last one finds what it takes", make(rounds))
        cases[f"{name}: an item too few"] = case(
            f"{rounds + 1} rounds of ADD on 900 items, each ended by {name}: the last one lacks an item; the run halts",
            make(rounds + 1))


def pays(cases):
    """Gas that just suffices for the last turn, or lacks a little of it."""
    for name, end in ENDS.items():
        code = Code().add(asm("7"), push(MANY)).mark("loop").add(asm("SWAP1 3 ADD SWAP1"), LESS)
        end(code)
        code = code.bytes()
        spent = GAS - ran(code)[0].gas
        for less in (0, 1, 2, 3, 8, 10, 11, 13, 20, 40, 41):
            cases[f"{name}: {less} gas less"] = case(
                f"{MANY} rounds, each ended by {name}, with {less} gas less than they need" + ("; the run halts" if less else ""),
                code, spent - less)


# Assertions: a JUMPI over an undefined code.


def asserts(cases):
    """Assertions in a loop that fail late, at once or never. The counter is on top, 1000 at first, and one less each round."""
    conditions = {
        "100 < n": asm("DUP1 100 LT"), "n > 100": asm("100 DUP2 GT"), "not n < 101": asm("101 DUP2 LT ISZERO"),
        "not 101 > n": asm("DUP1 101 GT ISZERO"), "not n = 100": asm("DUP1 100 EQ ISZERO"),
        "not not not n = 100": asm("DUP1 100 EQ ISZERO ISZERO ISZERO"), "n xor 100": asm("DUP1 100 XOR"),
        "n - 100": asm("100 DUP2 SUB"), "not not (n - 100)": asm("100 DUP2 SUB ISZERO ISZERO"),
        "100 slt n": asm("DUP1 100 SLT"),
    }
    for code_name, undefined in (("0xfe", b"\xfe"), ("0x0c", b"\x0c"), ("0xef", b"\xef")):
        for name, condition in conditions.items():
            if code_name != "0xfe" and name not in ("100 < n", "n xor 100"):
                continue
            code = Code().add(push(MANY)).mark("loop").add(condition).jump_if("sound").add(undefined).mark("sound").add(LESS)
            back_branch(code)
            cases[f"{name}, or {code_name}"] = case(
                f"{MANY} rounds, n counts down to 0, each asserts that {name}; when n is 100, code {code_name} halts", code.bytes())
    # The assertion is on an item of its own, in the first place of the block and in the last; or on the new number.
    for fails_at in (0, 1, 2, 5, MANY - 601, MANY - 1):
        for name, order in (("before", (0, 1)), ("after", (1, 0))):
            code = Code().add(push(MANY)).mark("loop")
            for part in order:
                if part:
                    code.add(LESS)
                else:
                    code.add(push(fails_at), asm("DUP2 EQ ISZERO")).jump_if("sound").add(UNDEFINED).mark("sound")
            back_branch(code)
            found = case(f"An assertion {name} the counter is taken down, that it is not {fails_at}", code.bytes())
            text = "it fails in the end; the run halts" if "post" not in found else "it never fails"
            found["_info"]["comment"] = f"An assertion, {name} n is taken down from {MANY} to 0, that n is not {fails_at}: {text}"
            cases[f"n is not {fails_at}, {name} n is taken down"] = found
    # Two assertions: the same one twice, and different ones of which one fails.
    for name, first, second in (
            ("the same assertion twice, which holds", asm("DUP1 ISZERO ISZERO"), asm("DUP1 ISZERO ISZERO")),
            ("the same assertion twice, which fails", asm("DUP1 100 LT"), asm("DUP1 100 LT")),
            ("two assertions, and the first fails", asm("DUP1 100 LT"), asm("DUP1")),
            ("two assertions, and the second fails", asm("DUP1"), asm("DUP1 100 LT")),
            ("an assertion on an item and one on a result, which fails", asm("DUP1"), asm("DUP1 DUP1 MUL 10000 LT")),
            ("an assertion on an item, which fails, and one on a result", asm("DUP1 100 LT"), asm("DUP1 DUP1 MUL"))):
        code = Code().add(push(MANY)).mark("loop")
        for n, condition in enumerate((first, second)):
            code.add(condition).jump_if(f"sound {n}").add(UNDEFINED).mark(f"sound {n}")
        code.add(LESS)
        back_branch(code)
        cases[name] = case(f"{MANY} rounds with {name}", code.bytes())
    # What is asserted changes before the assertion, or after it.
    for name, before, after in (("is swapped up", asm("SWAP1"), asm("SWAP1")), ("is added to", asm("SWAP1 1 ADD SWAP1"), b""),
                                ("is replaced", asm("SWAP1 POP 5 SWAP1"), b"")):
        code = Code().add(asm("7"), push(MANY)).mark("loop").add(before, asm("DUP2")).jump_if("sound").add(UNDEFINED)
        code.mark("sound").add(after, LESS)
        back_branch(code)
        cases[f"an assertion on an item that {name}"] = case(f"{MANY} rounds with an assertion on an item that {name}", code.bytes())
    # The assertion is on items that no round changes before the last but 100th, or on ones that none changes.
    for name, condition in (("x is 0", asm("DUP2 ISZERO")), ("x = y", asm("DUP3 DUP3 EQ")), ("not y < x", asm("DUP2 DUP4 LT ISZERO"))):
        for when, change in (("never fails", b""), ("fails when n is 100", asm("DUP1 100 EQ SWAP2 POP"))):
            code = Code().add(asm("0 0"), push(MANY)).mark("loop").add(condition).jump_if("sound").add(UNDEFINED).mark("sound")
            code.add(LESS, change)
            back_branch(code)
            cases[f"{name}, which {when}"] = case(
                f"{MANY} rounds, n counts down to 0, each asserts that {name}, which {when}; x and y are 0 at first", code.bytes())
    # An assertion that fails leaves gas and effects of the rounds before alone: here the run goes on behind it.
    for name, end in (("STOP", b"\x00"), ("PUSH1 5, PUSH1 7, SSTORE", asm("5 7 SSTORE STOP")), ("the end of the code", b"")):
        code = Code().add(push(MANY)).mark("loop").add(LESS).jump("test").mark("sound")
        back_branch(code)
        code.add(asm("STOP")).mark("test").add(asm("DUP1 100 LT")).jump_if("sound").add(end)
        cases[f"a JUMPI before {name} is no assertion"] = case(
            f"{MANY} rounds with a JUMPI before {name}, which is reached when the counter is 100", code.bytes())


def conditions(cases):
    """A JUMPI that leaves the loop, decided by items that the block changes before it jumps."""
    tests = {"n": asm("DUP1"), "not n": asm("DUP1 ISZERO"), "n < x": asm("DUP2 DUP2 LT"), "n > x": asm("DUP2 DUP2 GT"),
             "n = x": asm("DUP2 DUP2 EQ"), "not not n = x": asm("DUP2 DUP2 EQ ISZERO ISZERO"), "not n < x": asm("DUP2 DUP2 LT ISZERO"),
             "n & 256": asm("256 DUP2 AND"), "1": asm("1"), "0": asm("0"), "1 < 2": asm("2 1 LT"), "x < x": asm("DUP2 DUP1 LT")}
    changes = {"nothing changes": b"", "x and n change places and back": asm("SWAP1 SWAP2 SWAP1 SWAP1 SWAP2 SWAP1"),
               "x is replaced": asm("SWAP2 POP 300 SWAP1"), "n is replaced": asm("SWAP1 DUP1 ADD 3 SWAP1 SUB SWAP1"),
               "both are sums": asm("SWAP1 1 ADD SWAP2 2 ADD SWAP2 SWAP1")}
    for test_name, test in tests.items():
        for change_name, change in changes.items():
            # [counter, x, n]: the condition is on top when the others change.
            def body(code):
                code.add(test, change).jump_if("met").add(asm("SWAP1 5 ADD SWAP1")).mark("met").add(asm("3 ADD"))

            cases[f"if {test_name}, and then {change_name}"] = case(
                f"{ROUNDS} rounds of a JUMPI if {test_name}, before which {change_name}",
                counted(body, 2, words=[400, 0]))


def repeats(cases):
    """A JUMPI back to the start, decided by each kind of condition. The counter is on top, 0 at first, and one more each round."""
    for name, condition in (("n & 2048 is 0", asm("DUP1 2048 AND ISZERO")), ("n & 2048 = 0", asm("0 DUP2 2048 AND EQ")),
                            ("not n DIV 2048 = 1", asm("1 2048 DUP3 DIV EQ ISZERO")), ("n < 2000", asm("2000 DUP2 LT")),
                            ("2000 > n", asm("DUP1 2000 GT")), ("not 2000 < n", asm("DUP1 2000 LT ISZERO")),
                            ("not n = 2000", asm("DUP1 2000 EQ ISZERO")), ("n xor 2000", asm("DUP1 2000 XOR"))):
        code = Code().add(asm("0")).mark("loop").add(asm("1 ADD"), condition).jump_if("loop").add(asm("0 SSTORE"))
        cases[f"while {name}"] = case(f"Rounds as long as {name}, n counts up from 0; then n is stored", code.bytes())


def stale(cases):
    """A computed JUMP goes where the item on top says. Above it, where items were, and below it are other destinations."""
    def targets(code):
        for n in range(3):
            code.mark(f"target {n}").add(push(3**n), asm("ADD")).jump("next")
        code.mark("next")

    def target(code, plus):
        """Pushes "target" of the round, n below it, plus a number, modulo 3. All targets are equally long."""
        code.add(asm("3 DUP3"), push(plus), asm("ADD MOD")).push_mark("target 1").push_mark("target 0").add(0x90, 0x03)
        code.add(asm("MUL")).push_mark("target 0").add(asm("ADD"))

    # Each of the three is itself jumped to often.
    rounds = 3 * ROUNDS + 80
    for place in ("above", "two above", "below"):
        for plain in (False, True):

            def body(code):
                # [n, sum]
                if place == "below":
                    target(code, 1)
                    # [n, sum, other]: n is now the third item.
                    code.add(asm("3 DUP4 MOD")).push_mark("target 1").push_mark("target 0").add(0x90, 0x03)
                    code.add(asm("MUL")).push_mark("target 0").add(asm("ADD")).add(asm("MSIZE POP") if plain else b"")
                    # The other one is dropped at the target by an ADD of it that is taken back.
                    code.add(0x56)
                    for n in range(3):
                        code.mark(f"target {n}").add(asm("POP"), push(3**n), asm("ADD")).jump("next")
                    code.mark("next")
                    return
                target(code, 1)
                if place == "two above":
                    code.add(asm("DUP1"))
                code.add(asm("DUP2 ISZERO ISZERO ISZERO") if plain else asm("DUP2")).jump_if("over").mark("over")
                code.add(asm("POP") * (2 if place == "two above" else 1), asm("GAS POP") if plain else b"")
                target(code, 0)
                code.add(0x56)
                targets(code)

            cases[f"{place} the top, {'with a plain instruction' if plain else 'in blocks'}"] = case(
                f"{rounds} rounds of a JUMP to one of three places; {place} the item on top is another of them",
                counted(body, 1, rounds))


def goes_wrong(cases):
    """A computed JUMP that goes to a wrong place after many rounds."""
    for name, wrong in (("one place further", 1), ("one place back", -1), ("beyond the code", 2**15), ("2^32 too far", 2**32),
                        ("2^64 too far", 2**64), ("2^255 too far", 2**255), ("behind the last byte", None)):
        for late in (620, 639):

            def body(code):
                off = 600 if wrong is None else wrong
                # Rounds count down from 640.
                code.push_mark("place").add(asm("DUP3"), push(ROUNDS - late), 0x14, push(off % 2**256), 0x02, 0x01, 0x56)
                code.mark("place").add(asm("1 ADD"))

            cases[f"{name} in round {late}"] = case(
                f"A computed JUMP goes {name} in round {late} of {ROUNDS}; the run halts", counted(body, 1))
    # To a JUMPDEST that was no target before, and to one that is data of a PUSH.
    for name, data in (("a new JUMPDEST", False), ("a byte 0x5b that is data", True)):

        def body(code):
            code.push_mark("place").push_mark("other", 1 if data else 0).push_mark("place").add(0x90, 0x03)
            code.add(asm("DUP4"), push(3), 0x14, 0x02, 0x01, 0x56).mark("place").add(asm("1 ADD")).jump("over")
            if data:
                # The mark is a JUMPDEST before PUSH1: the byte after that is data.
                code.marks["other"] = len(code.code)
                code.add(b"\x60\x5b\x50")
            else:
                code.mark("other").add(asm("100 ADD"))
            code.mark("over")

        cases[f"to {name} in the last rounds"] = case(
            f"A computed JUMP goes to {name} in the third last round" + ("; the run halts" if data else ""), counted(body, 1))


def plain(cases):
    """Instructions that no block contains, after computations of several lengths: going on after them, and ending there."""
    for count in (0, 1, 4, 5, 9, 10, 11, 12, 20):
        for name, effect in (("GAS", asm("GAS ADD")), ("SLOAD", asm("99 SLOAD ADD")), ("MSTORE", asm("DUP1 32 MSTORE"))):

            def body(code):
                code.add(b"\x15" * count, effect)

            cases[f"{name} after {count} instructions"] = case(
                f"{ROUNDS} rounds of {count} ISZERO and {name}", counted(body, 1))
    for name, ending in (("STOP", asm("STOP")), ("RETURN", b"\x60\x00\x60\x00\xf3"), ("an undefined code", UNDEFINED),
                         ("ADD with too few items", b"\x01" * 8), ("the end of the code", None)):
        for late in (620, 639):
            # The counter is on top; in one round the loop is left for good.
            code = Code().add(asm("7"), push(ROUNDS)).mark("loop").add(asm("SWAP1"), b"\x15" * 24, asm("SWAP1"), LESS)
            code.add(push(ROUNDS - late), asm("DUP2 EQ")).jump_if("end").jump("loop").mark("end").add(asm("5 6 SSTORE"))
            code.add(ending or b"")
            cases[f"{name} in round {late}"] = case(f"A loop that is left for {name} in round {late}", code.bytes())
    halts_plainly(cases)
    # A block that would begin at a jump to a computed place.
    for name, condition in (("JUMP", b""), ("JUMPI", asm("1"))):

        def body(code):
            code.add(b"\x15" * 12, condition).push_mark("next").add(asm(f"5 32 MSTORE {name}"))
            code.add(asm("STOP")).mark("next").add(asm("3 ADD"))

        cases[f"{name} right behind an MSTORE"] = case(
            f"{ROUNDS} rounds in which a {name} to a place that was pushed before an MSTORE is right behind that",
            counted(body, 1))


def halts_plainly(cases):
    """After computations, an instruction that no block contains halts in a late round."""
    for late in (620, 639):

        def reads(code):
            code.add(b"\x15" * 24, push(ROUNDS - late), asm("DUP3 EQ"), push(2**200), asm("MUL MLOAD ADD"))

        def jumps(code):
            code.add(b"\x15" * 24, asm("1")).push_mark("place").add(push(ROUNDS - late), asm("DUP5 EQ ADD JUMPI")).mark("place")

        for name, body in (("MLOAD from 2^200", reads), ("a computed JUMPI that goes one place further", jumps)):
            cases[f"{name} in round {late}"] = case(
                f"{ROUNDS} rounds of 24 ISZERO, with {name} in round {late}; the run halts", counted(body, 1))
    code = Code().add(asm("7"), push(MANY)).mark("loop").add(asm("SWAP1"), b"\x15" * 24, asm("99 SLOAD ADD SWAP1"), LESS)
    back_branch(code)
    code = code.bytes()
    spent = GAS - ran(code)[0].gas
    # What comes after the last SLOAD costs 31 gas, and SLOAD 50.
    for less in (0, 31, 32, 56, 80, 81, 82):
        cases[f"SLOAD: {less} gas less"] = case(
            f"{MANY} rounds of 24 ISZERO and SLOAD, with {less} gas less than they need" + ("; the run halts" if less else ""),
            code, spent - less)


def many(cases):
    """A JUMPI goes to so many places in turn, and to each often, that there are more blocks than there may be, 4096, or more
    steps, 65536."""
    for count, length in ((4110, 0), (400, 170)):
        rounds = 600 + 5 * count
        size = 7
        # [n, sum, number]: each place has a number, of which there are fewer than there is room for.
        code = Code().add(push(rounds), asm("0 0")).mark("loop").add(asm("ADD"), b"\x19" * length, asm("SWAP1"), LESS, asm("SWAP1 DUP2"))
        code.add(push(count), asm("DUP4 MOD"), push(size), asm("MUL")).push_mark("place 0").add(asm("ADD JUMPI"))
        stored(code, 2).add(asm("STOP"))
        for n in range(count):
            code.mark(f"place {n}").add(b"\x60", n % 251).jump("loop")
        assert code.marks["place 1"] - code.marks["place 0"] == size
        cases[f"{count} places, and {length} instructions before each"] = case(
            f"{rounds} rounds that go to {count} places in turn, each time after {length} NOT and a sum", code.bytes())


def long(cases):
    """Blocks as long as they may be, and longer; as many jumps as they may have, and more."""
    for count in (190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 202, 250, 399, 400, 401, 600):
        half = count // 2

        def body(code):
            code.add(b"".join(push(n + 1) + b"\x01" for n in range(half)), b"\x15" * (count % 2))

        cases[f"{count} instructions"] = case(f"{ROUNDS} rounds of {count} instructions without a jump", counted(body, 1))
    for count in range(1, 8):
        for name, jump in (("JUMP", lambda code, n: code.jump(f"hop {n}")),
                           ("JUMPI that always jumps", lambda code, n: code.add(asm("1")).jump_if(f"hop {n}"))):

            def body(code):
                for n in range(count):
                    jump(code, n)
                    code.add(asm("STOP")).mark(f"hop {n}").add(push(n + 2), asm("ADD"))

            cases[f"{count} {name}"] = case(f"{ROUNDS} rounds with {count} {name}, and sums behind each", counted(body, 1))
    # The end of the longest block in a JUMPI, and in a computed JUMP.
    for count in (194, 195, 196, 197, 198, 199, 200, 201):
        code = Code().add(asm("7"), push(ROUNDS)).mark("loop").add(asm("SWAP1"), b"\x15" * count, asm("SWAP1"), LESS)
        back_jump(code)
        cases[f"{count} instructions before a computed JUMP"] = case(
            f"{ROUNDS} rounds of {count} ISZERO and a computed JUMP", code.bytes())


def folds(cases):
    """Operands that are constants: all of them, some, and none."""
    words = [3, 2**64 - 1, 2**64, 2**128 + 1, 2**256 - 1]
    for word in words:
        for name, body in (("constant + x", push(word) + asm("ADD")), ("x + constant", push(word) + asm("SWAP1 ADD")),
                           ("constant + x, which moves", push(word) + asm("DUP2 ADD SWAP1 POP")),
                           ("x + constant, under another", asm("SWAP1") + push(word) + asm("ADD SWAP1")),
                           ("x + constant, of a copy", asm("DUP1") + push(word) + asm("ADD ADD"))):
            height = 2 if "another" in name else 1
            cases[f"{name} 0x{word:x}"] = case(
                f"{ROUNDS} rounds of {name}, which is {word:#x}: {listing(body)}", counted(lambda code: code.add(body), height))
    for name, body in (
            ("EXP of two constants", push(3) + push(5) + asm("EXP ADD")),
            ("EXP of a constant to x", asm("DUP1 3 EXP ADD")),
            ("EXP of x to a constant", push(300) + asm("DUP2 EXP ADD")),
            ("EXP of x to x, which is dropped", asm("DUP1 DUP2 EXP POP 1 ADD")),
            ("EXP of constants, which is dropped", push(2**200) + push(5) + asm("EXP POP 1 ADD")),
            ("EXP to 0", asm("0 DUP2 EXP ADD")), ("EXP to 2^255", push(2**255) + asm("DUP2 EXP ADD")),
            ("a sum of results that nothing needs", asm("DUP1 DUP1 ADD DUP1 MUL POP 1 ADD")),
            ("DIV by a constant 0", asm("0 DUP2 DIV ADD 1 ADD")),
            ("ADDMOD of three constants", push(7) + push(2**256 - 1) + push(2**255) + asm("ADDMOD ADD")),
            ("a sum of constants that is a destination", None)):
        if body is None:
            def body_of(code):
                code.push_mark("there", -1).add(asm("1 ADD JUMP STOP")).mark("there").add(asm("1 ADD"))
        else:
            def body_of(code, body=body):
                code.add(body)
        cases[name] = case(f"{ROUNDS} rounds of {name}", counted(body_of, 1))
    # The exponents grow by a byte, so that what is paid in advance is given back in part.
    for bits in (7, 8, 15, 16, 63, 64, 255):
        body = push(max(0, 2**bits - 320)) + asm("DUP3 ADD 3 EXP ADD")
        cases[f"EXP to about 2^{bits}"] = case(f"{ROUNDS} rounds of EXP to exponents next to 2^{bits}",
                                               counted(lambda code: code.add(body), 1))


def deep(cases):
    """Blocks that reach as many items as are noted at once, and more."""
    for count in (15, 16, 30, 31, 32, 33, 34, 47, 48, 63, 64, 65, 96, 97):
        # Adds up so many items from the top, and puts copies in their places; the counter is in memory.
        code = Code()
        for n in range(count + 5):
            code.add(push(1000 + n))
        code.mark("loop").add(b"\x01" * count, b"\x80" * count, asm("0 MLOAD 1 ADD DUP1 0 MSTORE"), push(ROUNDS), 0x11)
        code.jump_if("loop")
        cases[f"a sum of {count + 1} items"] = case(f"{ROUNDS} rounds that add up {count + 1} items", stored(code, 6).bytes())
    for count in (17, 31, 32, 33):
        code = Code()
        for n in range(count + 20):
            code.add(push(1000 + n))
        # Drops items, then changes one that is deeper than those that were known.
        code.mark("loop").add(b"\x50" * count, b"\x9f\x80\x01\x9f", b"".join(push(n) for n in range(count)))
        code.add(asm("0 MLOAD 1 ADD DUP1 0 MSTORE"), push(ROUNDS), 0x11).jump_if("loop")
        cases[f"an item {count + 16} deep"] = case(
            f"{ROUNDS} rounds that drop {count} items and double the one that is then 17th", stored(code, count + 20).bytes())


def places(cases):
    """Where results go: places that are free, that are read later, and items that change places at the end of a round."""
    for name, body, height in (
            ("a result in the place of its operand", asm("DUP1 MUL"), 1),
            ("a result in a place that is read later", asm("DUP2 DUP2 ADD SWAP2 DUP2 MUL SWAP1 POP"), 2),
            ("a result that is kept twice", asm("DUP2 DUP2 ADD DUP1 SWAP3 POP SWAP1 POP"), 2),
            ("a result in the place of an item that stays elsewhere", asm("DUP1 DUP3 ADD SWAP2 POP SWAP1"), 2),
            ("a chain of copies", asm("SWAP3 POP DUP3 SWAP1 SWAP3 SWAP2 SWAP1"), 4),
            ("a cycle of two", asm("SWAP1"), 2), ("a cycle of three", asm("SWAP1 SWAP2"), 3),
            ("two cycles of two", asm("SWAP1 SWAP2 SWAP3 SWAP2 SWAP1 SWAP3"), 4),
            ("two cycles of three", asm("SWAP1 SWAP2 SWAP3 SWAP4 SWAP3 SWAP5 SWAP3"), 6),
            ("a cycle and a chain", asm("SWAP1 SWAP3 POP DUP3"), 4),
            ("a cycle with a result in it", asm("SWAP1 DUP1 ADD SWAP2"), 3),
            ("a cycle of 14", asm("SWAP13 SWAP12 SWAP11 SWAP10 SWAP9 SWAP8 SWAP7 SWAP6 SWAP5 SWAP4 SWAP3 SWAP2 SWAP1"), 14),
            ("a constant that is swapped down", asm("SWAP2 POP 9 SWAP1 SWAP2 SWAP1"), 3)):
        for more, extra in (("", b""), (", and a sum", asm("DUP1 ADD"))):
            cases[name + more] = case(f"{ROUNDS} rounds with {name}{more}: {listing(body + extra)}",
                                      counted(lambda code: code.add(body, extra), height))
    for count in (15, 30, 31, 32, 33, 34, 35, 40):
        # Each item goes one place down, the last one up; in memory it is counted how often.
        body = b"\x50" * count + b"".join(push(2**64 + n) for n in range(count))
        code = Code()
        for n in range(count + 3):
            code.add(push(n))
        code.mark("loop").add(body, asm("0 MLOAD 1 ADD DUP1 0 MSTORE"), push(ROUNDS), 0x11).jump_if("loop")
        cases[f"{count} copies of constants"] = case(f"{ROUNDS} rounds that put {count} constants in place of items",
                                                     stored(code, count + 3).bytes())


def runs_out(cases):
    """Programs with about as many constants as there is room for, 768: the last blocks that need new ones need the room.
    The first 600 rounds leave out what is long: a part of it becomes a block after a few rounds more."""
    short, all_rounds = 605, 760
    for count in (700, 758, 760, 761, 762, 763, 764, 765, 766, 768, 800):
        for name, last in (("a sum", lambda n: push(n) + asm("ADD")),
                           ("a swap and a sum", lambda n: asm("SWAP1") + push(n) + asm("ADD SWAP1")),
                           ("swaps, and a constant in place of an item",
                            lambda n: asm("SWAP1 SWAP2 POP") + push(n) + asm("SWAP1 DUP1 ADD SWAP2 SWAP1"))):
            code = Code().add(push(all_rounds), asm("1 2 3")).mark("loop")
            code.add(push(all_rounds - short), asm("DUP5 GT")).jump_if("last")
            for start in range(0, count, 64):
                constants = range(start, min(start + 64, count))
                code.add(b"".join(push(2**70 + k) + asm("XOR") for k in constants))
                # A JUMPI ends each block.
                code.add(asm("DUP1 1 AND")).jump_if(f"part {start}").add(asm("5 ADD")).mark(f"part {start}")
            code.add(last(2**80 + 1), last(2**80 + 2), asm("DUP1 1 AND")).jump_if("last").add(asm("5 ADD"))
            code.mark("last").add(asm("1 DUP5 SUB SWAP4 POP DUP4")).jump_if("loop")
            cases[f"{count} constants, then {name}"] = case(f"A loop with {count} constants, and then {name}",
                                                            stored(code, 4).bytes())


def files():
    for make in (grows, takes, pays, asserts, conditions, repeats, stale, goes_wrong, plain, many, long, folds, deep, places, runs_out):
        cases = {}
        make(cases)
        for found in cases.values():
            said = found["_info"]
            if "post" not in found and "halts" not in said["comment"]:
                said["comment"] = said["comment"].rstrip(".") + "; the run halts"
        yield f"evm/tables/blocks-{make.__name__.replace('_', '-')}.json", cases
