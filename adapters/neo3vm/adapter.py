"""neo3vm, a C++ port of the NeoVM of N3 with Python bindings, as a testee of vmconf."""

import json
import sys
from importlib.metadata import version

import neo3vm

TYPES = {"ANY": "Null", "BYTESTRING": "ByteString"}  # the others differ in their capitals only

HELLO = {
    "type": "hello", "version": 1, "name": "neo3vm", "release": version("neo3vm"), "language": "C++",
    "homepage": "https://github.com/ixje/neo-vm-cpp",
    "machines": [{
        "machine": "neo3", "fields": ["state", "invocationStack", "resultStack", "refs"],
        "actions": ["execute", "step-into", "step-over", "step-out"],
        "lacks": ["limits of the engine", "the host crypto", "the messages of faults"],
    }],
}

# Instructions of N3 that this version does not have.
MISSING = {0x08: "PUSHT", 0x09: "PUSHF", 0xE0: "ABORTMSG", 0xE1: "ASSERTMSG"}


class Engine(neo3vm.ExecutionEngine):
    """With the two system calls of the tests of neo-vm."""

    code = b""

    def next_opcode(self, context):
        return self.code[context.ip] if context.ip < len(self.code) else 0x40  # RET is implied

    def execute_next(self):
        if self.invocation_stack and self.next_opcode(self.current_context) in MISSING:
            raise NotImplementedError(f"no {MISSING[self.next_opcode(self.current_context)]}")
        self._execute_next()

    def on_syscall(self, number):
        if number == 0x77777777:
            self.push(neo3vm.InteropStackItem(object()))
        elif number == 0xADDEADDE:
            self.throw(neo3vm.ByteStringStackItem("error"))
        else:
            raise ValueError(f"Syscall not found: {number}")


class Shown:
    """Items as vectors write them."""

    def __init__(self):
        self.left = 10_000  # an item that is in several containers is shown in each of them
        self.around = []

    def items(self, items):
        return [self.item(item) for item in items]

    def item(self, item):
        kind = item.get_type().name
        shown = {"type": TYPES.get(kind, kind.capitalize())}
        if kind != "ANY":
            shown["value"] = self.value(kind, item)
        return shown

    def value(self, kind, item):
        if kind == "INTEGER":
            return str(int.from_bytes(item.to_array(), "little", signed=True))
        if kind == "BOOLEAN":
            return item.to_boolean()
        if kind in ("BYTESTRING", "BUFFER"):
            contents = bytes(item.to_array())
            if contents.startswith(b"[ExecutionEngine->"):
                raise NotImplementedError("the messages of faults, of which the script caught one")
            return "0x" + contents.hex()
        if kind == "POINTER":
            return item.position
        if kind == "INTEROP":
            return "Object"
        self.left -= 1
        if any(item is outer for outer in self.around) or self.left < 0:
            return "contains itself, or is shown too often"
        self.around.append(item)
        if kind == "MAP":
            keys = [(key, bytes(key.to_array()).hex()) for key in item.keys()]
            value = {"0x" + name if name else "": self.item(item[key]) for key, name in keys}
        else:
            value = self.items(list(item._items))
        self.around.pop()
        return value


def frame(engine, context, shown):
    opcode = engine.next_opcode(context)
    seen = {"instructionPointer": context.ip, "nextInstruction": neo3vm.OpCode(opcode).name, "nextOpcode": opcode,
            "evaluationStack": shown.items(reversed(context.evaluation_stack._items))}
    slots = {"staticFields": context.static_fields, "localVariables": context.local_variables,
             "arguments": context.arguments}
    return seen | {name: shown.items(slot.items) for name, slot in slots.items() if slot is not None and slot.items}


def perform(engine, action):
    depth = len(engine.invocation_stack)
    while engine.state.name not in ("HALT", "FAULT"):
        engine.execute_next()
        now = len(engine.invocation_stack)
        if action == "step-into" or action == "step-over" and now <= depth or action == "step-out" and now < depth:
            return


def observe(engine):
    state = engine.state.name
    frames = [] if state == "HALT" else list(reversed(engine.invocation_stack))
    shown = Shown()
    return {
        "state": state,
        "invocationStack": [frame(engine, context, shown) for context in frames],
        "resultStack": Shown().items(reversed(engine.result_stack._items)) if state == "HALT" else [],
        "refs": engine.reference_counter.count,
    }


def run(request):
    if request["machine"] != "neo3":
        return {"type": "skip", "reason": f"no machine {request['machine']}"}
    program = request["program"]
    if program.get("limits") or program.get("host", "test") != "test":
        return {"type": "skip", "reason": "the limits of the engine and the host cannot be changed"}
    engine = Engine()
    rejected = False
    if "script" in program:
        engine.code = bytes.fromhex(program["script"][2:])
        try:
            engine.load_script(neo3vm.Script(engine.code, program.get("strict", False)))
        except (neo3vm.BadScriptException, IndexError, ValueError, OverflowError):
            rejected = True  # each of them is how it rejects a script
    steps = []
    for step in request["steps"]:
        for action in [] if rejected else step["do"]:
            perform(engine, action)
        fields = {"state": "FAULT", "invocationStack": [], "resultStack": [], "refs": 0} if rejected else observe(engine)
        steps.append({"fields": {name: fields[name] for name in step["observe"] if name in fields}})
    return {"type": "done", "steps": steps, "ended": "rejected" if rejected else engine.state.name}


for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = HELLO if request["type"] == "hello" else {"id": request["id"], **run(request)}
    except NotImplementedError as lacks:
        answer = {"type": "skip", "id": request["id"], "reason": str(lacks)}
    print(json.dumps(answer), flush=True)
