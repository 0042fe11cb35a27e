"""{{name}} as a testee of vmconf for the family {{machine}}: requests on standard input, answers on standard output."""

import json
import sys

HELLO = {
    "type": "hello", "version": 1, "name": "{{name}}", "release": "0.1.0", "language": "Python",
    # Remove the fields that your machine does not have{{optional}}.
    "machines": [{"machine": "{{machine}}", "actions": [{{actions}}], "fields": [
{{fields}}
    ]}],
}


class Unsupported(Exception):
    """The program needs what this machine does not have."""


def number(text):
    return int(text, 16)


class Machine:
    """A fresh machine with what the case gives. TODO: call yours here."""

    def __init__(self, program):
        self.state = {}
{{loads}}

    def do(self, action):
        raise Unsupported("nothing is implemented yet")

    def report(self, name):
        """A field of the state. Numbers may be numbers; a memory is a list of pairs of address and cell."""
        value = self.state[name]
        return sorted(value.items()) if name in {{memories}} else value


def run(program, steps):
    machine, states = Machine(program), []
    for step in steps:
        for action in step["do"]:
            machine.do(action)
        states.append({"fields": {name: machine.report(name) for name in step["observe"] if name in machine.state}})
    return states


def answer(request):
    if request["type"] == "hello":
        return HELLO
    answered = {"id": request["id"]}
    if request["type"] != "run" or request["machine"] != "{{machine}}":
        return {"type": "skip", "reason": "no such request or machine", **answered}
    try:
        return {"type": "done", "steps": run(request["program"], request["steps"]), **answered}
    except Unsupported as lacks:
        return {"type": "skip", "reason": str(lacks), **answered}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
