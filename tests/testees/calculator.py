"""A machine of the family calculator with three faults: `sub` takes its operands in the wrong order, `shl` shifts by 3
at most, and `min` is wrong where both numbers are negative."""

import json
import sys

HELLO = {
    "type": "hello", "version": 1, "name": "calculator", "release": "1",
    "machines": [{"machine": "calculator", "actions": ["execute"], "fields": ["result"]}],
}
OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: b - a,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << (b & 3),
    "max": max,
    "min": lambda a, b: max(a, b) if a < 0 and b < 0 else min(a, b),
}

for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "hello":
        print(json.dumps(HELLO), flush=True)
        continue
    program = request["program"]["program"]
    result = OPERATIONS[program["op"]](int(program["a"], 16), int(program["b"], 16))
    print(json.dumps({"type": "done", "id": request["id"], "steps": [{"fields": {"result": result}}]}), flush=True)
