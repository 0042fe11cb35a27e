"""{{name}} as a testee of vmconf: requests on standard input, answers on standard output."""

import json
import sys

HELLO = {
    "type": "hello", "version": 1, "name": "{{name}}", "release": "0.1.0", "language": "Python",
    # Remove the actions and fields that your machine does not have{{optional}}.
    "machines": [{"machine": "{{machine}}", "actions": [{{actions}}], "fields": [
{{fields}}
    ]}],
}


class Unsupported(Exception):
    """The program needs what this machine does not have."""


class Machine:
    """A fresh machine with a program; a member that is left out has its default. TODO: call yours here."""

    def __init__(self, program):
        raise Unsupported("nothing is implemented yet")

    def do(self, action):
        """Performs an action: "execute", "step-into", {"run": 5}, {"set": {...}}."""

    def state(self):
        """The fields of the state by name, without those that have no value."""
        return {}


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
    if request["type"] != "run" or request["machine"] != "{{machine}}":
        return {"type": "skip", "reason": "no such request or machine", **answered}
    try:
        return {"type": "done", "steps": run(request["program"], request["steps"]), **answered}
    except Unsupported as lacks:
        return {"type": "skip", "reason": str(lacks), **answered}
    except (KeyError, ValueError) as wrong:
        return {"type": "error", "message": repr(wrong), **answered}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
