"""py65 as a testee of vmconf for the 6502 and its CMOS variants."""

import json
import sys
from importlib.metadata import version

from py65.devices.mpu6502 import MPU as NMOS
from py65.devices.mpu65c02 import MPU as CMOS

MACHINES = {"6502": NMOS, "synertek65c02": CMOS, "rockwell65c02": CMOS, "wdc65c02": CMOS}
REGISTERS = {"pc": "pc", "s": "sp", "a": "a", "x": "x", "y": "y", "p": "p"}

HELLO = {
    "type": "hello", "version": 1, "name": "py65", "release": version("py65"), "language": "Python",
    "homepage": "https://github.com/mnaberez/py65", "inFlight": 16,
    "machines": [{"machine": name, "actions": ["step-into"], "fields": [*REGISTERS, "ram"]} for name in MACHINES],
}


class Memory(dict):
    """Cells by address; those that nothing wrote are 0."""

    def __missing__(self, address):
        return 0


def number(text):
    return int(text, 16)


def state(mpu, names):
    cells = [[address, cell] for address, cell in sorted(mpu.memory.items())]
    return {name: cells if name == "ram" else getattr(mpu, REGISTERS[name]) for name in names}


def run(request):
    if request["machine"] not in MACHINES:
        return {"type": "skip", "id": request["id"], "reason": f"no machine {request['machine']}"}
    program = request["program"]
    memory = Memory((number(address), number(cell)) for address, cell in program.get("ram", []))
    mpu = MACHINES[request["machine"]](memory=memory)
    for name, attribute in REGISTERS.items():
        setattr(mpu, attribute, number(program.get(name, "0x0")))
    steps = []
    for step in request["steps"]:
        for _ in step["do"]:
            mpu.step()
        steps.append({"fields": state(mpu, step["observe"])})
    return {"type": "done", "id": request["id"], "steps": steps}


for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(HELLO if request["type"] == "hello" else run(request)), flush=True)
