"""Jumps of the Ethereum Virtual Machine next to data of PUSH. The expectations are those of `reference.py`."""
import random

from tables.evm_assembler import Code, push
from tables.evm_loops import EFFECTS, GAS, OWN, case
from tables.reference import Run


def destinations(cases):
    """Jumps over and into data, from one place to others near and far."""
    rng = random.Random(5)
    for seed in range(60):
        length = rng.choice([20, 60, 150, 300, 600])
        pushes = rng.choice([1, 3, 30])
        body = bytearray(
            rng.choice([0x60 + rng.randrange(32), 0x7F]) if rng.randrange(2 * pushes) == 0 else 0x5B
            for _ in range(length)
        )
        code = bytes([0x61, 0, 0, 0x56]) + bytes(body) + b"\x5b" * 33 + b"\x60\x01\x60\x02\x55\x00"
        run = Run(code, EFFECTS, OWN, {}, GAS, b"", {})
        valid = sorted(run.destinations())
        data = [at for at in range(4, len(code)) if code[at] == 0x5B and at not in valid]
        for kind, places in (("valid", valid), ("data", data)):
            if places:
                at = rng.choice(places)
                program = code[:1] + at.to_bytes(2, "big") + code[3:]
                what = "data of a PUSH" if kind == "data" else "an instruction"
                name = f"to byte {at}, {what}, of {len(program)}, about one in {2 * pushes} a PUSH"
                cases[name if name not in cases else name + ", others"] = case(
                    f"JUMP to {at}, a 0x5b byte that is {what}",
                    program,
                )
    for distance in (*range(1, 34), 64, 127, 128, 129, 130, 160):
        for size in (1, 2, 31, 32):
            # A PUSH so far before the byte 0x5b, with JUMPDESTs between them.
            code = bytes([0x61, 0, 0, 0x56, 0x5F + size]) + b"\x5b" * (distance + 40) + b"\x60\x01\x60\x02\x55\x00"
            program = code[:1] + (4 + distance).to_bytes(2, "big") + code[3:]
            cases[f"to a byte 0x5b that is {distance} after a PUSH{size}"] = case(
                f"JUMP to a byte 0x5b that is {distance} after a PUSH{size}", program
            )
    for count in (1, 2, 40, 200):
        # PUSH1 0x60 again and again: only from the start can be seen what is data.
        for off in (0, 1):
            code = bytes([0x61, 0, 0, 0x56]) + b"\x60" * (2 * count + off) + b"\x5b" + b"\x60\x01\x60\x02\x55\x00"
            program = code[:1] + (len(code) - 7 + 0).to_bytes(2, "big") + code[3:]
            cases[f"to a byte 0x5b after {2 * count + off} bytes 0x60"] = case(
                f"JUMP to a byte 0x5b after {2 * count + off} bytes that may be PUSH1", program
            )
    # A long row of PUSH1, behind it a JUMP back to an instruction in the row that is no JUMPDEST, or to data.
    for back, what in ((4, "a PUSH1"), (5, "its data"), (6, "a STOP")):
        code = bytes([0x61, 0, 0, 0x56]) + b"\x60\x00\x00" + b"\x60" * 400 + b"\x5b" + push(back) + b"\x56"
        cases[f"back to {what}"] = case(
            f"JUMP over a row of PUSH1, and back to {what} in front of it; the run halts",
            code[:1] + (407).to_bytes(2, "big") + code[3:],
        )
    # Several places, asked for one after the other, in either order.
    for order in ((0, 1, 2), (2, 1, 0), (1, 2, 0)):
        code = Code()
        for n in order:
            code.push_mark(f"place {n}")
            code.add(b"\x60\x01\x01" if n == 3 else b"")
        code.add(0x56)
        for n in range(3):
            code.add(b"\x60" * 200).mark(f"place {n}").add(
                push(n + 1), push(n + 1), 0x55, 0x56 if n != order[0] else 0x00
            )
        cases[f"places {order}"] = case("JUMPs to places after long rows of PUSH1, in some order", code.bytes())


def files():
    cases = {}
    destinations(cases)
    yield "evm/tables/destinations.json", cases
