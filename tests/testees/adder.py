"""A machine of the family adder, which shows its instructions: each adds a byte of the code. `adder.py 3` has a fault: its
third instruction adds 1 too much. `adder.py 0` has none."""

import hashlib
import json
import sys

HELLO = {
    "type": "hello", "version": 1, "name": "adder", "release": "1",
    "machines": [{"machine": "adder", "actions": ["execute", "step-into", "run"], "fields": ["pc", "sum"],
                  "requests": ["digests", "trace"]}],
}
WRONG = int(sys.argv[1])


def number(value):
    return int(value, 16)


class Adder:
    def __init__(self, program):
        self.pc, self.sum = number(program["pc"]), number(program["sum"])
        self.code = bytes.fromhex(program["code"][2:])
        self.instructions = []

    def run(self, count):
        for _ in range(count):
            if self.pc >= len(self.code):
                break
            code = self.code[self.pc]
            top = [str(self.sum)]
            self.instructions.append({"pc": self.pc, "code": code, "height": len(top), "top": top})
            self.pc += 1
            self.sum = (self.sum + code + (self.pc == WRONG)) % 256

    def do(self, actions):
        for action in actions:
            self.run(action["run"] if isinstance(action, dict) else 1 if action == "step-into" else len(self.code))


def hashed(instructions):
    lines = ["%s %s - %s %s\n" % (it["pc"], it["code"], it["height"], " ".join(it["top"])) for it in instructions]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def answer(request):
    if request["type"] == "hello":
        return HELLO
    if request["machine"] != "adder":
        return {"type": "skip", "id": request["id"], "reason": "no such machine"}
    adder = Adder(request["program"])
    if request["type"] == "run":
        states = []
        for step in request["steps"]:
            adder.do(step["do"])
            states.append({"fields": {name: hex(getattr(adder, name)) for name in step["observe"]}})
        return {"type": "done", "id": request["id"], "steps": states}
    adder.do(request["do"])
    made = adder.instructions
    if request["type"] == "trace":
        return {"type": "trace", "id": request["id"], "instructions": made[request["skip"]:][:request["count"]]}
    digests = [hashed(made[:count]) for count in request["after"] if count <= len(made)]
    return {"type": "digests", "id": request["id"], "digests": digests,
            "instructions": min(len(made), request["after"][-1])}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
