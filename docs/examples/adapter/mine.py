"""mine as a testee of vmconf: requests on standard input, answers on standard output."""

import json
import sys

HELLO = {
    "type": "hello", "version": 1, "name": "mine", "release": "0.1.0", "language": "Python",
    "machines": [{"machine": "evm", "actions": ["execute"], "fields": [
        "outcome",
        "gas",
        "out",
        "logs",
        "logsHash",
        "callcreates",
        "post",
    ]}],
}


class Unsupported(Exception):
    """The program needs what this machine does not have."""


class Halt(Exception):
    """An exceptional halt of the machine: state, and not an error."""


WORD = 1 << 256
# Keccak-256 of the RLP of an empty list.
NO_LOGS = "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"
ARITHMETIC = {  # the price, and the result of the top two values
    0x01: (3, lambda a, b: a + b),
    0x02: (5, lambda a, b: a * b),
    0x03: (3, lambda a, b: a - b),
    0x04: (5, lambda a, b: a // b if b else 0),
    0x06: (5, lambda a, b: a % b if b else 0),
}


def pop(stack):
    if not stack:
        raise Halt
    return stack.pop()


def execute(code, gas, storage):
    """Executes code, changes storage and returns the gas that is left."""
    pc, stack = 0, []
    while pc < len(code) and code[pc] != 0x00:
        op, pc = code[pc], pc + 1
        if 0x60 <= op <= 0x7F:  # PUSH1 to PUSH32
            size, price = op - 0x5F, 3
            stack.append(int.from_bytes(code[pc:pc + size].ljust(size, b"\0"), "big"))
            pc += size
        elif op in ARITHMETIC:
            price, result = ARITHMETIC[op]
            stack.append(result(pop(stack), pop(stack)) % WORD)
        elif op == 0x55:  # SSTORE
            key, value = pop(stack), pop(stack)
            price = 20000 if value and not storage.get(key) else 5000
            storage[key] = value
        else:
            raise Unsupported(f"no instruction {op:#04x}")
        gas -= price
        if gas < 0 or len(stack) > 1024:
            raise Halt
    return gas


class Machine:
    """A fresh machine with a program."""

    def __init__(self, program):
        if program["debit"]:
            raise Unsupported("no transfer of value")
        self.program, self.ended = program, {}

    def do(self, action):
        """Performs an action: no other than "execute"."""
        if action != "execute":
            raise Unsupported("only execute")
        self.ended = self.ended or self.execute()

    def execute(self):
        code, gas = bytes.fromhex(self.program["code"][2:]), int(self.program["gas"], 16)
        accounts = self.program["pre"]
        account = accounts[self.program["address"]]
        storage = {int(key, 16): int(value, 16) for key, value in account["storage"].items()}
        try:
            gas = execute(code, gas, storage)
        except Halt:
            return {"outcome": "halt", "gas": "0x0"}
        account["storage"] = {hex(key): hex(value) for key, value in storage.items() if value}
        return {"outcome": "success", "gas": hex(gas), "out": "0x", "logs": [], "logsHash": NO_LOGS, "callcreates": [],
                "post": accounts}

    def state(self):
        """The fields of the state by name, without those that have no value."""
        return self.ended


def run(program, steps):
    """The states after the steps, which are performed in order on one machine."""
    machine, states = Machine(program), []
    for step in steps:
        for action in step["do"]:
            machine.do(action)
        state = machine.state()
        states.append({"fields": {name: state[name] for name in step["observe"] if name in state}})
    return states


def answer(request):
    if request["type"] == "hello":
        return HELLO
    answered = {"id": request["id"]}
    if request["type"] != "run" or request["machine"] != "evm":
        return {"type": "skip", "reason": "no such request or machine", **answered}
    try:
        return {"type": "done", "steps": run(request["program"], request["steps"]), **answered}
    except Unsupported as lacks:
        return {"type": "skip", "reason": str(lacks), **answered}
    except (KeyError, ValueError) as wrong:
        return {"type": "error", "message": repr(wrong), **answered}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
