"""Stacks that are full: each instruction that leaves no more items than it takes needs no room, in every machine whose
stack has a limit."""
from tables import evm, neo2, neo3
from tables.evm_programs import case
from tables.minic89 import document, ends, fails, function
from tables.neo import NEO_BINARY, NEO_UNARY

# EVM: 1024 words. What `evm.HEIGHTS` does not have: name, words taken, words left.
MORE = {0x00: ("STOP", 0, 0), 0x0a: ("EXP", 2, 1), 0x56: ("JUMP", 1, 0), 0x5b: ("JUMPDEST", 0, 0)}


def full_of_evm():
    cases = {}
    rows = MORE | {code: row[:3] for code, row in evm.HEIGHTS.items()}
    for code, (name, pops, pushes) in sorted(rows.items()):
        if pushes > pops:
            continue
        operands = min(pops, 2)
        # The words below the operands are 0; the first word of the operands is the one on top.
        values = [5] * operands
        if name in ("BALANCE", "EXTCODESIZE", "EXTCODECOPY", "SUICIDE") or "CALL" in name and "DATA" not in name:
            values = [0] * operands
        program = evm.filled(1024 - operands)[0] + b"".join(bytes([0x60, value]) for value in values)
        if name in ("JUMP", "JUMPI"):
            # To a JUMPDEST behind a STOP.
            target = len(program) + 1 + 1
            program = program[:-1] + bytes([target & 255]) if target < 256 else program[:-2] + b"\x61" + (
                target + 1).to_bytes(2, "big")
        program += bytes([code]) + (b"\x00\x5b" if name in ("JUMP", "JUMPI") else b"")
        if code not in (0x00, 0xf3, 0xff):
            program += b"\x55\x00"
        cases[f"{name.lower()} with 1024 words"] = case(
            f"{name} needs no room on a stack of 1024 words; the two on top are then stored", program)
        assert "post" in cases[f"{name.lower()} with 1024 words"], name
    for name, first in (("SWAP1", 0x90), ("SWAP16", 0x9f)):
        # 1022 words of 0 and two that differ, then words that change places.
        program = evm.filled(1022)[0] + b"\x60\x07\x60\x05" + bytes([first, 0x55])
        cases[f"{name.lower()} with 1024 words that differ"] = case(f"{name} on a stack of 1024 words, of which two are not 0",
                                                                    program)
    return cases


# 2.x: 2048 items, those in Arrays too. What an instruction takes, the deepest first: Integers, bytes for 0, and five bytes for
# 300.
TWO = [("NOP", []), ("SWAP", [1, 2]), ("ROT", [1, 2, 3]), ("NIP", [1, 2]), ("DROP", [1]), ("PICK", [1, 0]),
       ("ROLL", [1, 2, 1]), ("XSWAP", [1, 2, 1]), ("XTUCK", [1, 2, 1]), ("XDROP", [1, 0]), ("CAT", [1, 2]), ("SUBSTR", [300, 0, 1]),
       ("LEFT", [300, 1]), ("RIGHT", [300, 1]), ("SIZE", [1]), ("EQUAL", [1, 2]), ("SHL", [1, 2]),
       ("SHR", [1, 2]), ("BOOLAND", [1, 2]), ("BOOLOR", [1, 2]), ("WITHIN", [1, 2, 3]), ("SHA1", [1]),
       ("SHA256", [1]), ("HASH160", [1]), ("HASH256", [1]), ("VERIFY", [1, 2, 3]), ("ARRAYSIZE", [1]),
       ("PACK", [1, 2, 2]), ("NEWARRAY", [0]), ("NEWSTRUCT", [0]), ("THROWIFNOT", [1]), ("TOALTSTACK", [1]),
       *[(name, [3]) for name in NEO_UNARY], *[(name, [3, 2]) for name in NEO_BINARY]]
SPELLED_2 = {"LE": "LTE", "GE": "GTE"}
# What takes a compound: what makes it, how many items it is with what is in it, what comes after it.
COMPOUNDS_2 = [("PICKITEM of an Array", neo2.code(7, 1, "PACK"), 2, [0], "PICKITEM"),
               ("HASKEY of an Array", neo2.code(7, 1, "PACK"), 2, [0], "HASKEY"),
               ("REMOVE from an Array", neo2.code(7, 1, "PACK"), 2, [0], "REMOVE"),
               ("REVERSE", neo2.code(7, 1, "PACK"), 2, [], "REVERSE"),
               ("SETITEM of an Array", neo2.code(7, 1, "PACK"), 2, [0, 5], "SETITEM"),
               ("APPEND", neo2.code(7, 1, "PACK"), 2, [5], "APPEND"),
               ("KEYS of an empty Map", neo2.code("NEWMAP"), 1, [], "KEYS"),
               ("VALUES of an Array", neo2.code(7, 1, "PACK"), 2, [], "VALUES"),
               ("VALUES of an empty Map", neo2.code("NEWMAP"), 1, [], "VALUES"),
               ("UNPACK of an empty Array", neo2.code(b"\x00", "NEWARRAY"), 1, [], "UNPACK")]


def full_of_neo2():
    tests = []
    thousand = neo2.code([b"\xe8\x03"], "NEWARRAY")

    def add(name, before, items, operation, **more):
        """With so many items of `before`, and others up to 2048. CALL_I leaves with the item on top."""
        fill = neo2.MOST - 2 * 1001 - items
        inside = neo2.code(thousand * 2, b"\x51" * fill, before, operation)
        # DEPTH of what is left would be an item too many: it all is dropped with the frame.
        script = neo2.code("CALL_I", b"\x00\x00\x04\x00", "RET", inside)
        tests.append(neo2.halts(f"{name} with 2048 items", script, **more))

    for name, operands in TWO:
        before = b"".join(neo2.code({0: [b"\0"], 300: [b"bytes"]}.get(value, value)) for value in operands)
        add(name, before, len(operands), neo2.code(SPELLED_2.get(name, name)))
    for name, made, items, more, operation in COMPOUNDS_2:
        add(name, neo2.code(made, *more), items + len(more), neo2.code(operation))
    for name, before, operation in (("JMP", [], neo2.code("JMP", b"\x03\x00")), ("JMPIF", [1], neo2.code("JMPIF", b"\x03\x00")),
                                    ("JMPIFNOT", [1], neo2.code("JMPIFNOT", b"\x03\x00")),
                                    ("TOALTSTACK and FROMALTSTACK", [1], neo2.code("TOALTSTACK", "FROMALTSTACK"))):
        add(name, neo2.code(*before), len(before), operation)
    for name, before, items in (("OVER", [1, 2], 3), ("TUCK", [1, 2], 3), ("DUPFROMALTSTACK", [1, "TOALTSTACK"], 2)):
        add(f"{name}, whose item is the last,", neo2.code(*before), items, neo2.code(name))
    # What is called only returns.
    callee = neo2.code("RET")
    hashed, table = neo2.digest(callee), [{"script": "0x" + callee.hex()}]
    for name in ("CALL_E", "CALL_ET"):
        add(name, b"", 0, neo2.code(name, b"\x00\x00", hashed), scriptTable=table)
    for name in ("CALL_ED", "CALL_EDT"):
        add(name, neo2.code([hashed]), 1, neo2.code(name, b"\x00\x00"), scriptTable=table)
    return tests


# N3: 2048 references. Operands, the deepest first; all are Integers if nothing else is said.
THREE = [("NOP", []), ("CLEAR", []), ("DROP", [1]), ("NIP", [1, 2]), ("XDROP", [1, 0]), ("SWAP", [1, 2]), ("ROT", [1, 2, 3]),
         ("REVERSE3", [1, 2, 3]), ("REVERSE4", [1, 2, 3, 4]), ("REVERSEN", [1, 2, 2]), ("ROLL", [1, 2, 1]), ("PICK", [1, 0]),
         ("ISNULL", [1]), ("SIZE", [1]), ("NOT", [1]), ("SQRT", [9]), ("POW", [2, 3]), ("SHL", [2, 3]), ("SHR", [9, 1]),
         ("BOOLAND", [1, 2]), ("BOOLOR", [1, 2]), ("EQUAL", [1, 2]), ("NOTEQUAL", [1, 2]), ("WITHIN", [1, 2, 3]),
         ("MODMUL", [3, 4, 5]), ("MODPOW", [3, 4, 5]), ("CAT", [1, 2]), ("LEFT", [b"ab", 1]), ("RIGHT", [b"ab", 1]),
         ("SUBSTR", [b"abc", 1, 1]), ("NEWBUFFER", [3]), ("ASSERT", [1]), ("ASSERTMSG", [1, b"why"]), ("NEWARRAY", [0]),
         ("NEWSTRUCT", [0]), ("PACK", [1, 2, 2]), ("PACKSTRUCT", [1, 2, 2]), ("PACKMAP", [1, 2, 1]), ("PACK", [0]), ("PACKMAP", [0]),
         *[(name, [3]) for name in NEO_UNARY if name != "NOT"], *[(name, [3, 2]) for name in NEO_BINARY]]
# What goes on with what comes next: the short forms, and the long ones.
NEXT_3 = {"": "0x02", "_L": "0x05000000"}
GOING_ON_3 = [("JMP", []), ("JMPIF", [1]), ("JMPIFNOT", [1]),
              *[(name, [1, 2]) for name in ("JMPEQ", "JMPNE", "JMPGT", "JMPGE", "JMPLT", "JMPLE")], ("CALL", [])]
OPERANDS_3 = [("CONVERT", ["CONVERT", "0x28"], [1]), ("ISTYPE", ["ISTYPE", "0x21"], [1]), ("NEWARRAY_T", ["NEWARRAY_T", "0x21"], [0]),
              *[(name + form, [name + form, offset], operands) for form, offset in NEXT_3.items() for name, operands in GOING_ON_3],
              ("TRY", ["TRY", "0x0303"], []), ("TRY_L", ["TRY_L", "0x0900000009000000"], []),
              *[("ENDTRY" + form, ["TRY", "0x0300", "ENDTRY" + form, offset], []) for form, offset in NEXT_3.items()],
              ("ENDFINALLY", ["TRY", "0x0005", "ENDTRY", "0x03", "ENDFINALLY"], []), ("STSFLD", ["STSFLD0"], [1])]
# What fails, and why: that is said, and not that there is no room.
STOPS_3 = [("ABORT", ["ABORT"], [], "ABORT is executed."), ("CALLT", ["CALLT", "0x0500"], [], "Token not found: 5"),
           ("ABORTMSG", ["ABORTMSG"], [b"why"], "ABORTMSG is executed. Reason: why")]
ONE_3 = neo3.code(7, 1, "PACK")
# What takes a compound: what makes it, how many references it is, what comes after it.
COMPOUNDS_3 = [("PICKITEM of an Array", ONE_3, 2, [0], "PICKITEM"), ("HASKEY of an Array", ONE_3, 2, [0], "HASKEY"),
               ("REMOVE from an Array", ONE_3, 2, [0], "REMOVE"), ("SETITEM of an Array", ONE_3, 2, [0, 5], "SETITEM"),
               ("APPEND", ONE_3, 2, [5], "APPEND"), ("REVERSEITEMS", ONE_3, 2, [], "REVERSEITEMS"),
               ("CLEARITEMS", ONE_3, 2, [], "CLEARITEMS"), ("POPITEM", ONE_3, 2, [], "POPITEM"), ("VALUES of an Array", ONE_3, 2, [], "VALUES"),
               ("KEYS of a Map", neo3.code(7, 3, 1, "PACKMAP"), 3, [], "KEYS"),
               ("VALUES of a Map", neo3.code(7, 3, 1, "PACKMAP"), 3, [], "VALUES"),
               ("PICKITEM of a Map", neo3.code(7, 3, 1, "PACKMAP"), 3, [3], "PICKITEM"),
               ("UNPACK of an empty Array", neo3.code("NEWARRAY0"), 1, [], "UNPACK"),
               ("SIZE of an Array", ONE_3, 2, [], "SIZE"), ("ISNULL of an Array", ONE_3, 2, [], "ISNULL"),
               ("MEMCPY", neo3.code(4, "NEWBUFFER"), 1, [0, b"ab", 0, 2], "MEMCPY")]


def full_of_neo3():
    tests = []

    def filled(references):
        """A static field, an Array and its items: with so many references more, they are 2048."""
        return neo3.code(["INITSSLOT", "0x01"], neo3.MOST - 1 - 1 - references, "NEWARRAY")

    def add(name, before, references, operation):
        # TRY and CALL go on with what comes next.
        tests.append(neo3.halts(f"{name} with 2048 references", filled(references) + before + operation + ["CLEAR"]))

    for name, operands in THREE:
        called = f"{name} of 0" if operands == [0] and name.startswith("PACK") else name
        add(called, neo3.code(*operands), len(operands), [name])
    for name, operation, operands in OPERANDS_3:
        add(name, neo3.code(*operands), len(operands), operation)
    for name, made, references, more, operation in COMPOUNDS_3:
        add(name, neo3.code(made, *more), references + len(more), [operation])
    for name, operation, operands, message in STOPS_3:
        script = filled(len(operands)) + neo3.code(*operands) + operation
        tests.append(neo3.faults(f"{name} with 2048 references", script, message))
    add("CALLA", ["PUSHA", "0x06000000"], 1, ["CALLA"])
    add("SYSCALL, whose object is the last,", [], 1, ["SYSCALL", "0x77777777"])
    # The exception takes the place of the local variable of the function that it leaves.
    add("SYSCALL that throws", [], 1, ["TRY", "0x0d00", "CALL", "0x02", "INITSLOT", "0x0100", "SYSCALL", "0xdeaddead"])
    return tests + full_with_variables()


def full_with_variables():
    """Each load and each store of a variable, of which there are nine."""
    tests = []
    for kind, make in neo3.SLOTS.items():
        for number in range(9):
            operand = [] if number < 7 else [f"0x{number:02x}"]
            suffix = str(number) if number < 7 else ""
            store, load = ([verb + kind + suffix, *operand] for verb in ("ST", "LD"))
            # An Array and its items, and the value that is stored or loaded.
            nulls = neo3.code(neo3.MOST - 9 - 1 - 1, "NEWARRAY")
            called = " ".join([kind + suffix, *(str(number) for _ in operand)])
            tests.append(neo3.halts(f"ST{called} with 2048 references", neo3.code(make, nulls, 7, store, "CLEAR", load), 7))
            tests.append(neo3.halts(f"LD{called} to 2048 references", neo3.code(make, 7, store, nulls, load, "NIP"), 7))
    return tests


# MiniC89: 1024 operands. Operands on top of those that are there, the instruction, and how many it leaves.
ROWS_89 = [("NOP", [1], ("NOP",)), ("DBG_LINE", [1], ("DBG_LINE", 5)), ("POP", [1], ("POP",)), ("STORE_LOCAL", [1], ("STORE_LOCAL", 0)),
           *[(name, [6, 2], (name,)) for name in ("ADD", "SUB", "MUL", "DIV", "MOD", "EQ", "NE", "LT", "LE", "GT", "GE")],
           ("NEG", [1], ("NEG",)), ("LNOT", [1], ("LNOT",)), ("CALL_DIRECT of a function of 1", [1], ("CALL_DIRECT", 2)),
           ("CALL_DIRECT of a function of 2", [1, 2], ("CALL_DIRECT", 3))]
FULL_89 = 1024


def full_of_minic89():
    # Functions that give their last argument, and use no more room than their arguments had.
    functions = [function(1, 0, ("PUSH_I16", 3), ("RET",)), function(2, 1, ("LOAD_LOCAL", 0), ("RET",)),
                 function(3, 2, ("LOAD_LOCAL", 1), ("RET",))]
    tests = []

    def filled(count):
        """Leaves so many operands. A round leaves its number, and takes one more for a while."""
        return [("PUSH_I16", count - 1), ("STORE_LOCAL", 0), ("LOAD_LOCAL", 0), ("PUSH_I16", 1), ("SUB",), ("STORE_LOCAL", 0),
                ("DUP",), ("JNZ", 2)]

    def add(name, before, *operation, trap=None, left=()):
        fid = len(functions) + 10
        code = filled(FULL_89 - len(before)) + [("PUSH_I16", it) if isinstance(it, int) else it for it in before]
        code += [*operation, *left]
        functions.append(function(fid, 0, *code))
        functions[-1]["local_count"] = 1
        called = f"{name} with {FULL_89} operands"
        if trap:
            tests.append(fails(called, fid, [], trap))
        else:
            test = ends(called, fid, [], 7)
            # What stays on the stack is not the matter here.
            del test["expect"]["operand_stack"]
            tests.append(test)

    end = [("POP",), ("PUSH_I16", 7), ("RET",)]
    for name, operands, operation in ROWS_89:
        add(name, operands, operation, left=end)
    add("CALL_IND of a function of 0", [("PUSH_FUN", 1)], ("CALL_IND", 0), left=end)
    add("CALL_IND of a function of 1", [1, ("PUSH_FUN", 2)], ("CALL_IND", 1), left=end)
    add("RET of a call", [7], ("RET",))
    at = len(filled(9))
    add("JMP", [1], ("JMP", at + 2), left=end)
    for name, value in (("JZ", 0), ("JNZ", 1)):
        add(f"{name} that jumps", [value], (name, at + 2), left=end)
        add(f"{name} that does not jump", [1 - value], (name, at + 3), left=end)
    for name, operation in (("PUSH_I16", ("PUSH_I16", 1)), ("PUSH_FUN", ("PUSH_FUN", 1)), ("PUSH_NULLFUN", ("PUSH_NULLFUN",)),
                            ("DUP", ("DUP",)), ("LOAD_LOCAL", ("LOAD_LOCAL", 0))):
        add(f"{name}, which has no room,", [1], operation, ("POP",), trap="TRAP_STACK", left=end)
    return document("full stacks", functions, tests)


def files():
    yield "evm/tables/full-stack.json", full_of_evm()
    for machine, make in (("neo2", full_of_neo2), ("neo3", full_of_neo3)):
        yield f"{machine}/tables/full-stack.json", {"category": "Tables", "name": "Full stack", "tests": make()}
    yield "minic89/tables/full-stack.json", full_of_minic89()
