"""A machine of 8 bits for the page "Bring your own machine". One of its instructions has a fault."""

import json
import sys

HELLO = {
    "type": "hello", "version": 1, "name": "acc8.py", "release": "0.1.0", "language": "Python",
    "machines": [{"machine": "acc8", "actions": ["step-into"], "fields": ["pc", "a", "x", "f", "ram"]}],
}


def number(value):
    return int(value, 16)


def step(program):
    """Executes one instruction; the fields of the state by name."""
    pc, a, x, f = (number(program[name]) for name in ["pc", "a", "x", "f"])
    ram = {number(address): number(cell) for address, cell in program["ram"]}
    op, n = ram.get(pc, 0), ram.get((pc + 1) % 256, 0)
    zero, carry = f >> 1, f & 1
    if op == 0x01:  # LDA #n
        a, zero = n, n == 0
    elif op == 0x02:  # LDX #n
        x, zero = n, n == 0
    elif op == 0x03:  # ADD n
        a, carry = (a + ram.get(n, 0)) % 256, a + ram.get(n, 0) > 255
        zero = a == 0
    elif op == 0x04:  # SUB n
        a, carry = (a - ram.get(n, 0)) % 256, a - ram.get(n, 0) > 255
        zero = a == 0
    elif op == 0x05:  # STA n
        ram[n] = a
    elif op == 0x06:  # INX
        x = (x + 1) % 256
        zero = x == 0
    pc = (pc + (1 if op == 0x06 else 2)) % 256
    state = {"pc": pc, "a": a, "x": x, "f": 2 * zero + carry}
    return {**{name: hex(value) for name, value in state.items()},
            "ram": [[hex(address), hex(cell)] for address, cell in sorted(ram.items())]}


def run(program, steps):
    """The states after each step: a step performs all actions in "do", and there may be none."""
    state, states = program, []
    for asked in steps:
        for _ in asked["do"]:
            state = step(state)
        states.append({"fields": {name: state[name] for name in asked["observe"]}})
    return states


def answer(request):
    if request["type"] == "hello":
        return HELLO
    answered = {"id": request["id"]}
    if request["type"] != "run" or request["machine"] != "acc8":
        return {"type": "skip", "reason": "no such request or machine", **answered}
    return {"type": "done", "steps": run(request["program"], request["steps"]), **answered}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
