"""MiniC89: comparisons and arithmetic on pairs of numbers next to the boundaries, and what traps leave."""
from tables.numbers import quotient, remainder

EDGES = [-32768, -32767, -257, -256, -255, -2, -1, 0, 1, 2, 255, 256, 257, 32766, 32767]
BINARY = {"ADD": lambda a, b: a + b, "SUB": lambda a, b: a - b, "MUL": lambda a, b: a * b, "DIV": quotient,
          "MOD": remainder, "EQ": lambda a, b: a == b, "NE": lambda a, b: a != b, "LT": lambda a, b: a < b,
          "LE": lambda a, b: a <= b, "GT": lambda a, b: a > b, "GE": lambda a, b: a >= b}
UNARY = {"NEG": lambda a: -a, "LNOT": lambda a: a == 0}


def function(fid, parameters, *code):
    return {"fid": fid, "name": f"f{fid}", "param_count": parameters, "local_count": parameters,
            "code": [{"op": op, "args": list(args)} for op, *args in code]}


def document(name, functions, tests):
    program = {"schema_version": "MiniC89.VM.Metadata.v0.2", "isa_version": "MiniC89.ISA.v0.1", "functions": functions}
    return {"machine": "minic89", "name": f"tables: {name}", "program": program, "tests": tests}


def ends(name, entry, args, result):
    """A test that halts with a number."""
    return {"name": name, "entry": entry, "args": args,
            "expect": {"status": "HALTED", "operand_stack": [], "call_stack": [], "halt": {"result": int(result)}}}


def fails(name, entry, args, trap):
    return {"name": name, "entry": entry, "args": args, "expect": {"status": "TRAPPED", "trap": {"code": trap}}}


def traps(name, entry, argument, trap, **details):
    """A test whose second instruction traps; the first one has pushed the argument, which stays."""
    state = {"step": 2, "status": "TRAPPED", "pc": {"fid": entry, "ip": 1}, "operand_stack": [argument]}
    return {"name": name, "entry": entry, "args": [argument], "expect": state | {"trap": {"code": trap, "details": details}}}


def fits(number):
    return -32768 <= number <= 32767


def numbers():
    functions, tests = [], []
    for fid, (name, meaning) in enumerate(BINARY.items(), 1):
        functions.append(function(fid, 2, ("LOAD_LOCAL", 0), ("LOAD_LOCAL", 1), (name,), ("RET",)))
        for a in EDGES:
            for b in EDGES:
                if b == 0 and name in ("DIV", "MOD"):
                    tests.append(fails(f"{name} of {a} and 0", fid, [a, b], "TRAP_DIV_ZERO"))
                elif name == "MOD" and (a, b) == (-32768, -1) or not fits(meaning(a, b)):
                    tests.append(fails(f"{name} of {a} and {b} overflows", fid, [a, b], "TRAP_INT_OVERFLOW"))
                else:
                    tests.append(ends(f"{name} of {a} and {b}", fid, [a, b], meaning(a, b)))
    for fid, (name, meaning) in enumerate(UNARY.items(), 20):
        functions.append(function(fid, 1, ("LOAD_LOCAL", 0), (name,), ("RET",)))
        for a in EDGES:
            tests.append(ends(f"{name} of {a}", fid, [a], meaning(a)) if fits(meaning(a)) else
                         fails(f"{name} of {a} overflows", fid, [a], "TRAP_INT_OVERFLOW"))
    for fid, (name, meaning) in enumerate((("JZ", lambda a: a == 0), ("JNZ", lambda a: a != 0)), 30):
        functions.append(function(fid, 1, ("LOAD_LOCAL", 0), (name, 4), ("PUSH_I16", 2), ("RET",), ("PUSH_I16", 3), ("RET",)))
        tests += [ends(f"{name} of {a}", fid, [a], 3 if meaning(a) else 2) for a in EDGES]
    # The copy is subtracted from the number, and the rest from the copy of another one.
    functions.append(function(40, 1, ("LOAD_LOCAL", 0), ("DUP",), ("EQ",), ("RET",)))
    functions.append(function(41, 2, ("LOAD_LOCAL", 0), ("DUP",), ("STORE_LOCAL", 1), ("POP",), ("LOAD_LOCAL", 1), ("EQ",),
                              ("RET",)))
    functions.append(function(42, 2, ("LOAD_LOCAL", 0), ("STORE_LOCAL", 1), ("POP",), ("LOAD_LOCAL", 1), ("RET",)))
    functions.append(function(43, 1, ("LOAD_LOCAL", 0), ("DUP",), ("POP",), ("RET",)))
    functions.append(function(44, 2, ("LOAD_LOCAL", 0), ("STORE_LOCAL", 1), ("RET",)))
    for a in EDGES:
        tests.append(ends(f"DUP of {a} leaves it", 43, [a], a))
        tests.append(ends(f"STORE_LOCAL of {a} leaves it on the stack", 44, [a, 9], a))
        tests.append(ends(f"DUP of {a} is {a}", 40, [a], 1))
        tests.append(ends(f"DUP of {a}, one of them stored", 41, [a, 9], 1))
        tests.append(ends(f"STORE_LOCAL of {a}", 42, [a, 9], a))
        functions.append(function(100 + EDGES.index(a), 0, ("PUSH_I16", a), ("RET",)))
        tests.append(ends(f"PUSH_I16 of {a}", 100 + EDGES.index(a), [], a))
    return document("numbers", functions, tests)


def references():
    """Functions whose numbers differ only in their high byte."""
    functions = [function(fid, 0, ("PUSH_I16", fid), ("RET",)) for fid in (1, 2, 257, 258)]
    tests = []
    for entry, fid in enumerate((1, 2, 257, 258), 10):
        functions.append(function(entry, 0, ("PUSH_FUN", fid), ("CALL_IND", 0), ("RET",)))
        functions.append(function(entry + 10, 0, ("CALL_DIRECT", fid), ("RET",)))
        tests.append(ends(f"CALL_IND of function {fid}", entry, [], fid))
        tests.append(ends(f"CALL_DIRECT of function {fid}", entry + 10, [], fid))
    entry = 40
    for name, same in (("EQ", 1), ("NE", 0)):
        for a in (1, 2, 257, 258):
            for b in (1, 257):
                functions.append(function(entry, 0, ("PUSH_FUN", a), ("PUSH_FUN", b), (name,), ("RET",)))
                tests.append(ends(f"{name} of functions {a} and {b}", entry, [], same if a == b else 1 - same))
                entry += 1
            functions.append(function(entry, 0, ("PUSH_FUN", a), ("PUSH_NULLFUN",), (name,), ("RET",)))
            tests.append(ends(f"{name} of function {a} and none", entry, [], 1 - same))
            entry += 1
    return document("references", functions, tests)


def kept():
    """What an instruction that traps finds on the stack stays there: for jumps out of the function, and for calls of what is
    no function."""
    functions, tests = [], []
    for fid, (name, jumps) in enumerate((("JZ", lambda a: a == 0), ("JNZ", lambda a: a != 0)), 1):
        functions.append(function(fid, 1, ("LOAD_LOCAL", 0), (name, 9), ("PUSH_I16", 7), ("RET",)))
        for a in EDGES:
            called = f"{name} with {a} to 9, outside the function"
            tests.append(traps(called, fid, a, "TRAP_BAD_JUMP", target=9, code_len=4) if jumps(a) else ends(called, fid, [a], 7))
    functions.append(function(3, 1, ("LOAD_LOCAL", 0), ("CALL_IND", 0), ("RET",)))
    tests += [traps(f"CALL_IND of {a}, which is no function", 3, a, "TRAP_TYPE", expected="fun") for a in EDGES]
    return document("what a trap leaves", functions, tests)


INDICES = [0, 1, 127, 128, 255, 256, 257]


def widths():
    """Slots, targets, ids and numbers of arguments whose number needs a sign bit or a second byte."""
    functions, tests = [], []

    def add(name, result, *code, parameters=0, local_count=None):
        fid = len(functions) + 1
        functions.append(function(fid, parameters, *code))
        functions[-1]["local_count"] = parameters if local_count is None else local_count
        tests.append(ends(name, fid, [], result))
        return fid

    for slot in (*INDICES, 65534):
        # All the other slots stay as they were: the one that a lost byte would name holds another number.
        other = slot % 256 if slot > 255 else slot + 1
        store = [("PUSH_I16", 9), ("STORE_LOCAL", other), ("POP",), ("PUSH_I16", 5), ("STORE_LOCAL", slot), ("POP",)]
        count = max(slot, other) + 1
        add(f"LOAD_LOCAL {slot} after STORE_LOCAL {slot}", 5, *store, ("LOAD_LOCAL", slot), ("RET",), local_count=count)
        add(f"LOAD_LOCAL {other} after STORE_LOCAL {slot}", 9, *store, ("LOAD_LOCAL", other), ("RET",), local_count=count)
    for name, before in (("JMP", []), ("JZ", [("PUSH_I16", 0)]), ("JNZ", [("PUSH_I16", 1)])):
        for target in INDICES[2:]:
            # To PUSH_I16 5; any other number leads to 9.
            nines = [("PUSH_I16", 9), ("RET",)] * ((target - len(before)) // 2 + 1)
            code = [*before, (name, target), *nines][:target]
            add(f"{name} forward to {target}", 5, *code, ("PUSH_I16", 5), ("RET",))
            # JMP over 5 to the end, and from there back.
            start = [("JMP", target), ("PUSH_I16", 5), ("RET",)]
            code = [*start, *[("PUSH_I16", 9), ("RET",)] * target][:target]
            add(f"{name} back from {target + len(before)} to 1", 5, *code, *before, (name, 1), ("PUSH_I16", 9), ("RET",))
    for count in (*INDICES[2:], 1000):
        callee = len(functions) + 1
        functions.append(function(callee, count, ("LOAD_LOCAL", count - 1), ("LOAD_LOCAL", 0), ("SUB",), ("RET",)))
        arguments = [("PUSH_I16", n) for n in range(count)]
        add(f"CALL_DIRECT with {count} arguments, the last less the first", count - 1, *arguments, ("CALL_DIRECT", callee),
            ("RET",))
        add(f"CALL_IND with {count} arguments, the last less the first", count - 1, *arguments, ("PUSH_FUN", callee),
            ("CALL_IND", count), ("RET",))
    for fid in (1000, 32767, 32768, 65535):
        functions.append(function(fid, 0, ("PUSH_I16", fid % 1000), ("RET",)))
        entry = len(functions) + 1
        for name, call in (("CALL_DIRECT", [("CALL_DIRECT", fid)]), ("PUSH_FUN and CALL_IND", [("PUSH_FUN", fid), ("CALL_IND", 0)])):
            functions.append(function(entry, 0, *call, ("RET",)))
            tests.append(ends(f"{name} of function {fid}", entry, [], fid % 1000))
            entry += 1
    return document("widths", functions, tests)


def files():
    yield "minic89/tables/widths.json", widths()
    yield "minic89/tables/numbers.json", numbers()
    yield "minic89/tables/references.json", references()
    yield "minic89/tables/what-traps-leave.json", kept()
