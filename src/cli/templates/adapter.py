"""{{name}} as a testee of vmconf: requests on standard input, answers on standard output."""

import json
import sys

HELLO = {
    "type": "hello", "version": 1, "name": "{{name}}", "release": "0.1.0", "language": "Python",
    # The fields of the state that `run` reports; `vmconf serve {{machine}}` answers hello with all that there are.
    "machines": [{"machine": "{{machine}}", "fields": []}],
}


class Unsupported(Exception):
    """The program needs what this machine does not have."""


def run(program, actions):
    """Runs a program on a fresh machine; the fields of the state by name. TODO: call your machine here."""
    if not program:
        raise ValueError("the program is empty")
    raise Unsupported("nothing is implemented yet")


def answer(request):
    if request["type"] == "hello":
        return HELLO
    answered = {"id": request["id"]}
    if request["type"] != "run" or request["machine"] != "{{machine}}":
        return {"type": "skip", "reason": "no such request or machine", **answered}
    try:
        states = [run(request["program"], step["do"]) for step in request["steps"]]
    except Unsupported as lacks:
        return {"type": "skip", "reason": str(lacks), **answered}
    except (KeyError, ValueError) as wrong:
        return {"type": "error", "message": repr(wrong), **answered}
    wanted = [step["observe"] for step in request["steps"]]
    fields = [{name: state[name] for name in names if name in state} for state, names in zip(states, wanted)]
    return {"type": "done", "steps": [{"fields": state} for state in fields], **answered}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
