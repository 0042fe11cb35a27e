"""Loops of the Ethereum Virtual Machine that go round some hundred times: machines that translate what is executed often
must do what they did before. The expectations are those of `reference.py`."""
import random
from collections import Counter

from tables import evm
from tables.evm_assembler import BY_NAME, NAMES, Code, asm, listing, push
from tables.evm_programs import EFFECTS
from tables.reference import Run

GAS = 1_000_000_000
ROUNDS = 640
OWN = int(evm.OWN, 16)
WIDE = [
    2**64 - 1,
    2**64 + 3,
    2**127 + 5,
    2**128 - 3,
    2**128 + 2**64 + 7,
    2**192 + 2**191 + 5,
    2**255 - 11,
    2**255 + 13,
    2**256 - 300,
    2**256 - 1,
]


def case(comment, code, gas=GAS):
    run = Run(
        code, EFFECTS, OWN, {OWN: {"balance": 1000, "nonce": 7, "code": b"", "storage": {}}}, gas, b"", {0x30: OWN}
    )
    ended = run.execute()
    found = evm.evm_case(comment, code, run.gas if ended else None, sorted(run.accounts[OWN]["storage"].items()))
    found["exec"]["gas"] = evm.even(gas)
    return found


def stored(code, height):
    """Stores all items, the top one under key 0."""
    for key in range(height):
        code.add(push(key), 0x55)
    return code


def loop(body, height, rounds=ROUNDS, words=None):
    """Items, then rounds of the body, which leaves as many items as it finds; the items are stored. The counter is in
    memory."""
    code = Code()
    for n in range(height):
        code.add(push(((words or WIDE)[n % len(words or WIDE)] + n % 7) % 2**256))
    code.mark("loop")
    body(code)
    # mem[0] += 1, and again while it is less than `rounds`.
    code.add(asm("0 MLOAD 1 ADD DUP1 0 MSTORE"), push(rounds), 0x11).jump_if("loop")
    return stored(code, height).bytes()


def counted(body, height, rounds=ROUNDS, words=None, test=b""):
    """As `loop`, with the counter below the items of the body on the stack, at most 15: it counts down to 0. All is one
    block if the body is. `test` comes before the JUMPI."""
    code = Code().add(push(rounds))
    for n in range(height):
        code.add(push(((words or WIDE)[n % len(words or WIDE)] + n % 7) % 2**256))
    code.mark("loop")
    body(code)
    # Takes the counter up, less 1, and a copy back down.
    code.add(asm("1"), 0x80 + height + 1, 0x03, 0x90 + height, 0x50, 0x80 + height, test).jump_if("loop")
    return stored(code, height + 1).bytes()


ARITHMETIC = [
    0x01,
    0x02,
    0x03,
    0x04,
    0x05,
    0x06,
    0x07,
    0x08,
    0x09,
    0x0B,
    0x10,
    0x11,
    0x12,
    0x13,
    0x14,
    0x15,
    0x16,
    0x17,
    0x18,
    0x19,
    0x1A,
]


def instructions(rng, count, height):
    """About so many instructions that only compute, leaving `height` items and using none below them."""
    code, now = b"", height
    while len(code) < count or now != height:
        kind = rng.random()
        if now > height + 10 or len(code) >= count and now > height:
            kind = 0.5 if now > height + 2 or rng.random() < 0.7 else 0.95
        if kind < 0.15:
            code, now = (
                code + push(rng.choice([0, 1, 2, 3, 31, 255, 256, rng.getrandbits(64), rng.getrandbits(256), *WIDE])),
                now + 1,
            )
        elif kind < 0.3 and now:
            code, now = code + bytes([0x80 + rng.randrange(min(now, 16))]), now + 1
        elif kind < 0.42 and now > 1:
            code += bytes([0x90 + rng.randrange(min(now - 1, 16))])
        elif kind < 0.9:
            op = rng.choice(ARITHMETIC if rng.random() < 0.5 else [0x01, 0x02, 0x03, 0x18])
            pops = EFFECTS[op][0]
            if now >= pops:
                code, now = code + bytes([op]), now - pops + 1
        elif kind < 0.93:
            code, now = code + asm("PC"), now + 1
        elif now:
            code, now = code + asm("POP"), now - 1
        if len(code) >= count and now < height:
            code, now = code + bytes([0x80 + rng.randrange(min(now, 16))] if now else asm("PC")), now + 1
    return code


def operations_of(code):
    """The mnemonics of the code, without what is pushed."""
    return [word for word in listing(code).split() if word in BY_NAME]


def most_of(code):
    """Which instructions of the code that compute are most frequent."""
    counts = Counter(word for word in operations_of(code) if BY_NAME[word] in EFFECTS)
    most = sorted(counts, key=lambda word: (-counts[word], word))
    return ", ".join(most[:4]) + (" and others" if len(most) > 4 else "") if most else "moves only"


def mixed(cases):
    for seed in range(40):
        rng = random.Random(seed)
        height = rng.choice([1, 2, 3, 4, 6, 9, 12])
        body = instructions(rng, rng.choice([4, 8, 15, 30, 60, 150]), height)
        make = counted if seed % 3 else loop
        place = "on the stack" if seed % 3 else "in memory"
        cases[f"{len(operations_of(body))} instructions on {height} items, counted {place}: {most_of(body)}"] = case(
            f"{ROUNDS} rounds, counted {place}, of: {listing(body)}", make(lambda code: code.add(body), height)
        )


def operations(cases):
    """Each instruction that computes, on items that change from round to round, and with constants in each place."""
    for op, (pops, _, _) in EFFECTS.items():
        name = NAMES[op]
        for place in range(-1, pops):
            # The other operands are copies of the accumulator, the result is added to it.
            body = b""
            for n in reversed(range(pops)):
                body += push([3, 29, 2**130 + 1][n]) if n == place else bytes([0x80 + (pops - 1 - n)])
            body += bytes([op, 0x01])
            what = "items of the stack" if place < 0 else f"a constant as operand {place}"
            cases[f"{name.lower()} with {what}"] = case(
                f"{ROUNDS} rounds of {name} with {what}, added up: {listing(body)}",
                counted(lambda code: code.add(body), 1),
            )
        everything = b"".join(push(word) for word in (9, 2**200 + 77, 30)[-pops:]) + bytes([op, 0x01])
        cases[f"{name.lower()} of constants"] = case(
            f"{ROUNDS} rounds of {name} of constants, added up: {listing(everything)}",
            counted(lambda code: code.add(everything), 1),
        )
    for what, body in (
        ("the round", asm("DUP2 DUP2 EXP ADD")),
        ("a constant", asm("259 DUP2 EXP ADD")),
        ("constants", asm("259 5 EXP ADD")),
        ("the round, and drops it", asm("DUP2 DUP2 EXP POP")),
        ("the accumulator, of several lengths", asm("DUP1 DUP3 100 MOD 2 EXP EXP POP 1 ADD")),
    ):
        cases[f"exp of {what}"] = case(
            f"{ROUNDS} rounds of EXP with the exponent {what}: {listing(body)}", counted(lambda code: code.add(body), 1)
        )


def sums(cases):
    """Additions of a constant in place, over the boundaries of halves and words."""
    for boundary in (2**64, 2**128, 2**128 - 2**70, 2**256, 2**255):
        for by in (1, 2**63, 2**64 - 1, 2**64, 2**128 - 1):
            # It is passed in one of the last rounds.
            start = (boundary - 620 * by) % 2**256
            for order, body in (("x + constant", push(by) + asm("ADD")), ("constant + x", push(by) + asm("SWAP1 ADD"))):
                cases[f"{order} over 0x{boundary:x}, by 0x{by:x}"] = case(
                    f"{ROUNDS} rounds of {order}, from {start:#x} by {by:#x}",
                    counted(lambda code: code.add(body), 1, words=[start]),
                )
    for name, op in (("SUB", 0x03), ("MUL", 0x02), ("XOR", 0x18)):
        for order, body in (
            ("x, constant", push(5) + asm("SWAP1") + bytes([op])),
            ("constant, x", push(5) + bytes([op])),
        ):
            cases[f"{name.lower()} of {order}"] = case(
                f"{ROUNDS} rounds of {name} of {order}", counted(lambda code: code.add(body), 1)
            )


def shuffles(cases):
    """Items that change places, more or fewer, with and without work between."""
    for seed in range(30):
        rng = random.Random(100 + seed)
        height = rng.choice([2, 3, 4, 5, 8, 12])
        body = bytes(0x90 + rng.randrange(height - 1) for _ in range(rng.choice([1, 2, 3, 6, 12])))
        if seed % 2:
            # Something in each round depends on the order.
            body = body[: len(body) // 2] + asm("DUP1 ADD") + body[len(body) // 2 :] + asm("DUP2 ADD")
        cases[f"{listing(body)} on {height} items"] = case(
            f"{ROUNDS} rounds of: {listing(body)}", counted(lambda code: code.add(body), height)
        )
    for name, body, height in (
        ("swap", asm("SWAP1"), 2),
        ("turn of three", asm("SWAP2 SWAP1"), 3),
        ("two pairs", asm("SWAP1 SWAP3 SWAP2 SWAP1 SWAP2 SWAP3"), 4),
        ("copy over an item", asm("SWAP2 POP DUP1"), 3),
        ("drop and copy", asm("POP DUP1"), 2),
        ("sum under a copy", asm("DUP1 DUP3 ADD SWAP2 POP"), 3),
        ("sum into both", asm("DUP2 DUP2 ADD DUP1 SWAP3 POP SWAP1 POP"), 2),
        ("a constant instead of an item", asm("POP 7"), 2),
        ("the counter in the items", asm("POP DUP2"), 2),
    ):
        for end, test in (
            ("", b""),
            (", not not", asm("ISZERO ISZERO")),
            (", more than 0", asm("0 SWAP1 GT")),
            (", 0 is less", asm("0 LT")),
            (", not less than 1", asm("1 SWAP1 LT ISZERO")),
            (", not equal to 0", asm("0 EQ ISZERO")),
        ):
            cases[name + end] = case(
                f"{ROUNDS} rounds of a {name}, the end by the counter{end}: {listing(body)}",
                counted(lambda code: code.add(body), height, test=test),
            )
    for count in (17, 31, 32, 33, 34, 40, 50):
        # The top items are put down and come back in another order, all at once.
        body = b"".join(bytes([0x90 + n % 16]) for n in range(count)) + b"\x50" * (count - 20 if count > 20 else 0)
        body += b"\x8f" * (count - 20 if count > 20 else 0)
        cases[f"{count} swaps"] = case(
            f"{ROUNDS} rounds of {count} SWAPs, some items dropped and others copied",
            loop(lambda code: code.add(body), 60),
        )
        # Takes many items, and leaves as many.
        body = b"\x01" * count + b"\x80" * count
        cases[f"{count} sums"] = case(
            f"{ROUNDS} rounds of {count} ADDs and {count} DUP1s", loop(lambda code: code.add(body), 60)
        )
        body = b"\x50" * count + b"".join(push(n * n) for n in range(count))
        cases[f"{count} constants"] = case(
            f"{ROUNDS} rounds that put {count} constants in place of items", loop(lambda code: code.add(body), 60)
        )
        body = b"".join(asm("PC") for n in range(count)) + b"\x01" * count
        cases[f"{count} more for a while"] = case(
            f"{ROUNDS} rounds that add {count} items for a while", loop(lambda code: code.add(body), 2)
        )


def branches(cases):
    """Conditions of a JUMPI in a loop: what they compare, and how often they hold."""
    conditions = {
        "x < y": asm("DUP2 DUP2 LT"),
        "x > y": asm("DUP2 DUP2 GT"),
        "x = y": asm("DUP2 DUP2 EQ"),
        "x": asm("DUP1"),
        "not x": asm("DUP1 ISZERO"),
        "not not x": asm("DUP1 ISZERO ISZERO"),
        "not x < y": asm("DUP2 DUP2 LT ISZERO"),
        "not x > y": asm("DUP2 DUP2 GT ISZERO"),
        "not x = y": asm("DUP2 DUP2 EQ ISZERO"),
        "x signed less than y": asm("DUP2 DUP2 SLT"),
        "not not x < y": asm("DUP2 DUP2 LT ISZERO ISZERO"),
        "x & 1": asm("1 DUP2 AND"),
        "always": asm("1"),
        "never": asm("0"),
        "x < 2^255": push(2**255) + asm("DUP2 LT"),
        "x < 2^128": push(2**128) + asm("DUP2 LT"),
        "2^64 > x": asm("DUP1") + push(2**64) + asm("GT"),
        "x = 300": asm("300 DUP2 EQ"),
        "x - y": asm("DUP2 DUP2 SUB"),
        "x + 2^64": push(2**64) + asm("DUP2 ADD"),
        "x * 2^192": push(2**192) + asm("DUP2 MUL"),
    }
    steps = {"by 1": push(1), "by 2^64": push(2**64), "by 2^192": push(2**192), "by 2^254 + 1": push(2**254 + 1)}
    for name, condition in conditions.items():
        for step_name, step in steps.items():

            def body(code):
                # x and y; each round changes x, and y if the condition holds, else an item below.
                code.add(condition).jump_if("met").add(asm("SWAP2 3 ADD SWAP2")).jump("next")
                code.mark("met").add(asm("SWAP1 5 ADD SWAP1")).mark("next").add(step, 0x01)

            cases[f"if {name}, {step_name}"] = case(
                f"{ROUNDS} rounds in which x grows {step_name}; if {name}, y grows by 5, else the item below by 3",
                counted(body, 3, words=[0, 2**64, 5]),
            )
            if step_name == "by 1":

                def swapped(code):
                    # The condition is computed, then x and y change places, then it decides.
                    code.add(condition, asm("SWAP1 SWAP2 SWAP1")).jump_if("met").add(asm("SWAP2 3 ADD SWAP2")).jump(
                        "next"
                    )
                    code.mark("met").add(asm("SWAP1 5 ADD SWAP1")).mark("next").add(step, 0x01)

                cases[f"if {name}, swapped"] = case(
                    f"{ROUNDS} rounds that ask if {name}, swap x and y, and then jump",
                    counted(swapped, 3, words=[0, 2**64, 5]),
                )

                def reused(code):
                    # The items that decide are gone when it jumps, and others are in their places.
                    code.add(condition, asm("SWAP1 1 ADD SWAP2 2 ADD SWAP1")).jump_if("met")
                    code.mark("met").add(asm("SWAP1"))

                cases[f"if {name}, replaced"] = case(
                    f"{ROUNDS} rounds that ask if {name}, change x and y, and then jump",
                    counted(reused, 3, words=[0, 2**64, 5]),
                )


def whiles(cases):
    """Loops that ask first: the JUMPI leaves the loop, and a JUMP goes back."""
    for name, condition in {
        "n": asm("DUP1 ISZERO"),
        "n > 0": asm("0 DUP2 GT ISZERO"),
        "0 < n": asm("DUP1 0 LT ISZERO"),
        "not n = 0": asm("0 DUP2 EQ"),
        "not n < 1": asm("1 DUP2 LT"),
        "1 > n": asm("DUP1 1 GT"),
    }.items():
        for work in (
            b"",
            asm("DUP2 DUP1 MUL 7 ADD SWAP2 POP"),
            asm("SWAP1 5 ADD SWAP1"),
            asm("SWAP2 SWAP1 SWAP2 SWAP1"),
        ):
            code = Code().add(push(2**255 + 3), push(2**130), push(ROUNDS)).mark("loop").add(condition).jump_if("end")
            code.add(work, asm("1 SWAP1 SUB")).jump("loop").mark("end")
            cases[f"while {name}" + (f", {listing(work)}" if work else ", nothing")] = case(
                f"{ROUNDS} rounds while {name}: {listing(work + bytes.fromhex('60019003'))}", stored(code, 3).bytes()
            )


def jumps(cases):
    """Jumps inside a loop: many, to constants and to items, over data and backwards."""
    for count in (1, 3, 4, 5, 9):

        def body(code):
            for n in range(count):
                code.jump(f"place {n}").add(asm("STOP") if n % 2 else b"\x5b\x61\x5b")
                code.add(b"\x00" * 3).mark(f"place {n}").add(push(n + 1), 0x01)

        cases[f"{count} jumps forward"] = case(f"{ROUNDS} rounds with {count} JUMPs forward", counted(body, 1))

        def back(code):
            code.jump("place 0")
            for n in reversed(range(count)):
                code.mark(f"place {n}").add(push(n + 1), 0x01).jump(f"place {n + 1}")
            code.mark(f"place {count}")

        cases[f"{count} jumps backward"] = case(f"{ROUNDS} rounds with {count} JUMPs backward", counted(back, 1))

        def calls(code):
            for n in range(count):
                code.push_mark(f"back {n}").jump("double" if n % 2 else "triple").mark(f"back {n}")
            code.jump("over")
            # x and where to go on: SWAP1, the work, SWAP1 JUMP.
            code.mark("double").add(asm("SWAP1 DUP1 ADD SWAP1 JUMP")).mark("triple").add(
                asm("SWAP1 DUP1 DUP1 ADD ADD SWAP1 JUMP")
            ).mark("over")
            code.add(asm("1 ADD"))

        cases[f"{count} subroutines"] = case(
            f"{ROUNDS} rounds with {count} calls of two subroutines, which jump back", counted(calls, 1)
        )

    for name, jump in (
        ("JUMP", asm("JUMP")),
        ("JUMPI", asm("1 SWAP1 JUMPI")),
        ("JUMPI on an item", asm("DUP3 SWAP1 JUMPI")),
    ):

        def two(code):
            code.push_mark("even").add(asm("DUP3 1 AND 8 MUL ADD"), jump).mark("even").add(asm("5 ADD")).push_mark(
                "end"
            )
            code.add(0x56).mark("odd").add(asm("3 ADD")).mark("end")

        cases[f"a computed {name}"] = case(f"{ROUNDS} rounds with a {name} to one of two places", counted(two, 1))
    for name, condition in (("always", asm("1")), ("often", asm("7 DUP5 MOD"))):

        def one(code):
            # The target is a place plus nothing, which is not known before.
            code.add(b"\x60\x01\x01" * 4).push_mark("place").add(
                asm("DUP3 0 MUL ADD"), condition, asm("SWAP1 JUMPI 5 ADD")
            )
            code.mark("place").add(asm("3 ADD"))

        cases[f"a computed JUMPI {name}"] = case(
            f"{ROUNDS} rounds of a JUMPI to a computed place, which it jumps to {name}", counted(one, 2)
        )
    for height in (1, 2, 3, 4):

        def nested(code):
            # Each calls the next one, with where to go on below the arguments of the others.
            code.push_mark("back").jump("one").mark("back").jump("over")
            for n, (name, inner) in enumerate((("one", "two"), ("two", "three"), ("three", "four"))):
                code.mark(name).push_mark(f"in {name}").jump(inner).mark(f"in {name}").add(push(n + 1), asm("POP JUMP"))
            code.mark("four").add(asm("JUMP")).mark("over").add(asm("1 ADD"))

        cases[f"nested subroutines, {height}"] = case(
            f"{ROUNDS} rounds of subroutines that call others, over {height} items", counted(nested, height)
        )
    # Out of gas at each instruction of a round of two jumps.
    for less in range(26):
        code = Code().mark("loop").push_mark("loop").jump("sub").mark("sub").add(0x56).bytes()
        cases[f"endless subroutines with {20_000 + less} gas"] = case(
            f"A subroutine is called until {20_000 + less} gas is used up; the run halts", code, 20_000 + less
        )

    def fallen(code):
        # Where a JUMPI that does not jump goes on is no JUMPDEST; the JUMP goes there after many rounds.
        code.push_mark("place").add(asm("DUP3"), push(2), 0x11, push(8), 0x02, 0x01, 0x56).mark("place")
        code.add(asm("1 ISZERO")).jump_if("place").add(asm("3 ADD"))

    cases["a jump behind a JUMPI"] = case(
        "After many rounds a JUMP goes behind a JUMPI; the run halts", counted(fallen, 1)
    )
    for target in (push(2**20), push(2**64 + 5), push(0xFFFF)):
        code = (
            Code()
            .add(push(ROUNDS))
            .mark("loop")
            .add(asm("1 SWAP1 SUB DUP1 ISZERO"), target, 0x57, asm("1"))
            .jump_if("loop")
        )
        cases[f"a JUMPI to 0x{target[1:].hex()}"] = case(
            "After many rounds a JUMPI goes to a place outside the code; the run halts", code.bytes()
        )
    for off, what in ((1, "after a JUMPDEST"), (2**15, "outside the code"), (-1, "before a JUMPDEST")):
        # In the last round it jumps elsewhere.
        def wrong(code):
            code.push_mark("place").add(asm("DUP3"), push(2), 0x11, push(off % 2**256), 0x02, 0x01, 0x56).mark("place")

        cases[f"a jump {what}"] = case(
            f"After many rounds a JUMP goes to a place {what}; the run halts", counted(wrong, 1)
        )
    for place in (2**64, 2**128, 2**192):

        def far(code):
            code.push_mark("place").add(asm("DUP3"), push(2), 0x11, push(place), 0x02, 0x01, 0x56).mark("place")

        cases[f"a jump 0x{place:x} too far"] = case(
            f"After many rounds a JUMP goes {place:#x} bytes too far; the run halts", counted(far, 1)
        )
    for data, what in ((0x5B, "data of a PUSH"), (0x01, "another instruction")):
        in_last_rounds, never = "2 DUP3 GT ISZERO", "0 ISZERO ISZERO"
        for name, condition, text in (
            (f"a jump to {what}", in_last_rounds, f"After many rounds a JUMPI goes to {what}; the run halts"),
            (f"no jump to {what}", never, f"A JUMPI to {what} that is never taken does no harm"),
        ):
            code = Code().add(push(ROUNDS), asm("7")).mark("loop").add(asm("1 ADD"), asm(condition))
            code.push_mark("data", 2).add(0x57, asm("1 DUP3 SUB SWAP2 POP DUP2")).jump_if("loop")
            code.add(0x00).mark("data").add(0x60, data, 0x00)
            cases[name] = case(text, code.bytes())


def plain_code(cases):
    """What only one machine at a time can do, between computations."""
    effects = {
        "MLOAD and MSTORE": asm("32 MLOAD DUP2 ADD 32 MSTORE"),
        "SLOAD and SSTORE": asm("99 SLOAD DUP2 ADD 99 SSTORE"),
        "GAS": asm("GAS ADD"),
        "PC": asm("PC ADD"),
        "MSIZE": asm("MSIZE ADD"),
        "SHA3": asm("DUP1 32 MSTORE 32 32 SHA3 ADD"),
        "MSTORE8": asm("DUP1 37 MSTORE8"),
        "ADDRESS": asm("ADDRESS ADD"),
        "CODECOPY": asm("32 2 32 CODECOPY 32 MLOAD ADD"),
    }
    some = instructions(random.Random(7), 24, 2)
    for name, effect in effects.items():
        for before, after in ((b"", b""), (some, b""), (b"", some), (some, some)):
            body = before + effect + after
            what = {(0, 0): "alone", (1, 0): "after", (0, 1): "before", (1, 1): "between"}[bool(before), bool(after)]
            what += "" if what == "alone" else " computations"
            cases[f"{name} {what}"] = case(f"{ROUNDS} rounds of {name} {what}", counted(lambda code: code.add(body), 2))


def limits(cases):
    """Gas and stack that are used up after many rounds, or just suffice."""
    body = instructions(random.Random(3), 20, 2)
    code = counted(lambda code: code.add(body), 2)
    whole = Run(code, EFFECTS, OWN, {OWN: {"balance": 0, "nonce": 0, "code": b"", "storage": {}}}, GAS, b"", {})
    whole.execute()
    spent = GAS - whole.gas
    for gas, what in (
        (spent, "just suffices"),
        (spent - 1, "is 1 less than the whole run needs"),
        (spent - 30_000, "suffices for the rounds"),
        (spent // 2, "suffices for half of the rounds"),
    ):
        cases[f"gas that {what}"] = case(f"Gas {what}", code, gas)
    # The last instructions of a loop that stops: each gas of one round.
    code = counted(lambda code: code.add(asm("3 ADD")), 0 + 1)[:-6]
    run = Run(code, EFFECTS, OWN, {OWN: {"balance": 0, "nonce": 0, "code": b"", "storage": {}}}, GAS, b"", {})
    run.execute()
    spent = GAS - run.gas
    for less in (0, 1, 9, 10, 11, 12, 13, 14, 20, 40):
        cases[f"a loop without effects with {less} gas less"] = case(
            f"A loop without effects, with {less} gas less than it needs", code, spent - less
        )
    nothing = loop(lambda code: code.add(b"\x80\x80\x0a\x50" * 4), 1, words=[2**70 + 1])
    cases["exp for nothing"] = case(f"{ROUNDS} rounds of nothing but four EXP that are dropped", nothing)
    exponent = counted(lambda code: code.add(asm("DUP2 DUP2 EXP POP")), 1)[:-6]
    run = Run(exponent, EFFECTS, OWN, {OWN: {"balance": 0, "nonce": 0, "code": b"", "storage": {}}}, GAS, b"", {})
    run.execute()
    for less in (0, 1, 10, 300):
        cases[f"a loop of exp with {less} gas less"] = case(
            f"A loop of EXP, with {less} gas less than it needs", exponent, GAS - run.gas - less
        )
    for rounds in (1019, 1020, 1021, 1022, 1023, 1024, 1025):
        # An item more each round; the counter is in memory, and takes two or three items for a while.
        code = Code().mark("loop").add(asm("9"), asm("0 MLOAD 1 ADD DUP1 0 MSTORE"), push(rounds), 0x11)
        code.jump_if("loop").add(asm("1 0 SSTORE"))
        cases[f"{rounds} items"] = case(
            f"{rounds} rounds that leave an item each, and a sum of 3 items for a while", code.bytes()
        )
        code = (
            Code()
            .add(push(rounds))
            .mark("loop")
            .add(asm("1 SWAP1 SUB DUP1 DUP1"))
            .jump_if("loop")
            .add(asm("POP 1 POP STOP"))
        )
        cases[f"{rounds} copies"] = case(f"{rounds} rounds that leave a copy of the counter each", code.bytes())
    for deep in (0, 1, 2):
        # 1000 items, of which each round takes one, and one round takes more than there are.
        code = Code().mark("fill").add(asm("9"), asm("0 MLOAD 1 ADD DUP1 0 MSTORE"), push(1000), 0x11).jump_if("fill")
        code.add(asm("0 0 MSTORE")).mark("take").add(0x01, asm("0 MLOAD 1 ADD DUP1 0 MSTORE"), push(998 + deep), 0x11)
        code.jump_if("take").add(asm("5 SSTORE"))
        cases[f"sum of {998 + deep + 1} items"] = case(f"{998 + deep} ADDs one a round, of 1000 items", code.bytes())
    # Two blocks that use each other's results, and a loop in a loop.
    code = Code().add(push(30), asm("1")).mark("outer").add(push(30)).mark("inner").add(asm("SWAP1 7 MUL 3 ADD SWAP1"))
    code.add(asm("1 SWAP1 SUB DUP1")).jump_if("inner").add(asm("POP SWAP1 1 SWAP1 SUB SWAP1 DUP2")).jump_if("outer")
    cases["loop in a loop"] = case("30 rounds of a loop of 30 rounds", stored(code, 2).bytes())
    many = Code().add(push(ROUNDS), asm("1")).mark("loop")
    for n in range(12):
        many.add(b"".join(push(1000 * n + k) + asm("ADD") for k in range(70))).mark(f"part {n}")
        many.add(asm("DUP1 1 AND")).jump_if(f"part {n} end").add(asm("5 ADD")).mark(f"part {n} end")
    many.add(asm("1 DUP3 SUB SWAP2 POP DUP2")).jump_if("loop")
    cases["840 constants"] = case("A loop with 840 constants", stored(many, 2).bytes())


def files():
    for make in (operations, sums, shuffles, branches, whiles, jumps, plain_code, limits, mixed):
        cases = {}
        make(cases)
        yield f"evm/tables/loops-{make.__name__.replace('_', '-')}.json", cases
