"""NeoVM 2.x: where the count of items is not what there is, what is garbage, and what is next to the limits."""
from tables.neo2 import MOST, array, code, digest, faults, frame, halts, raw, shown

# The count of items where the machine's estimate is not what there is.

# CHECKMULTISIG of one malformed key and signature: its result, false, is not counted.
UNCOUNTED = raw(b"\x01") + b"\x51" + raw(b"\x02") + b"\x51\xae"
EXTRA = 4


def estimates():
    """Instructions after which the estimate is not exact, with 4 items more than it says. It is at the limit, so the next
    push succeeds; a higher estimate would lead to a recount, which finds too many items."""
    thousand = code(raw(b"\xe8\x03"), "NEWARRAY")
    one, structure = code(1, 1, "PACK"), code(1, "NEWSTRUCT")
    entry = code("NEWMAP", "DUP", 1, 2, "SETITEM")
    nop, ret = digest(b"\x61"), b"\x66"
    # The operands, how many items they are with what is in them, the instruction, and its change of the estimate and
    # of the height of the stack.
    rows = [
        ("NOT", b"\x51", 1, code("NOT"), 0, 0),
        ("BOOLAND", b"\x51\x51", 2, code("BOOLAND"), -1, -1),
        ("BOOLOR", b"\x51\x51", 2, code("BOOLOR"), -1, -1),
        ("EQUAL", b"\x51\x51", 2, code("EQUAL"), -1, -1),
        ("JMPIF", b"\x51", 1, code("JMPIF", b"\x03\x00"), -1, -1),
        ("JMPIFNOT", b"\x51", 1, code("JMPIFNOT", b"\x03\x00"), -1, -1),
        ("THROWIFNOT", b"\x51", 1, code("THROWIFNOT"), -1, -1),
        ("XDROP", b"\x51\x51", 2, code("XDROP"), -2, -2),
        ("DROP", b"\x51", 1, code("DROP"), -1, -1),
        ("NIP", b"\x51\x51", 2, code("NIP"), -1, -1),
        ("RET", b"", 0, code("JMP", b"\x04\x00", "RET", "CALL", b"\xff\xff"), 0, 0),
        ("APPCALL", b"", 0, b"\x67" + nop, 0, 0),
        ("ARRAYSIZE of bytes", b"\x51", 1, code("ARRAYSIZE"), 0, 0),
    ]
    # An Array or a Map, made before the items that are not counted: two items with what is in it. Then a key, the
    # instruction, its change of the estimate, and how many items it leaves.
    compounds_ = [
        ("ARRAYSIZE of an Array", one, b"", "ARRAYSIZE", 0, 1),
        ("ARRAYSIZE of a Map", entry, b"", "ARRAYSIZE", 0, 1),
        ("ARRAYSIZE of a Struct", structure, b"", "ARRAYSIZE", 0, 1),
        ("PICKITEM of an Array", one, b"\x00", "PICKITEM", -1, 1),
        ("PICKITEM of a Map", entry, b"\x51", "PICKITEM", -1, 1),
        ("HASKEY of an Array", one, b"\x00", "HASKEY", -1, 1),
        ("HASKEY of a Map", entry, b"\x51", "HASKEY", -1, 1),
        ("REVERSE", one, b"", "REVERSE", -1, 0),
        ("REMOVE from an Array", one, b"\x00", "REMOVE", -2, 0),
        ("REMOVE from a Map", entry, b"\x51", "REMOVE", -2, 0),
        ("UNPACK", one, b"", "UNPACK", 1, 2),
        ("KEYS", entry, b"", "KEYS", 1, 1),
        ("CHECKMULTISIG with a key in an Array", code([b"\x02"], 1, "PACK"), b"", "CHECKMULTISIG", -3, None),
    ]
    tests = []

    def add(name, before, items, operation, estimate, height, table=()):
        fill = MOST - 2 * 1001 - items
        script = code(
            UNCOUNTED * EXTRA, thousand * 2, b"\x51" * fill, before, operation, "DROP", b"\x51" * (1 - estimate)
        )
        height = EXTRA + 2 + fill + items + height - 1 + 1 - estimate
        more = {"scriptTable": [{"script": "0x" + it.hex()} for it in table]} if table else {}
        tests.append(
            halts(
                f"{name} at the limit of the estimate, with {EXTRA} items more",
                script + code("DROP") * height,
                message="0x00",
                **more,
            )
        )

    for name, before, items, operation, estimate, height in rows:
        add(name, before, items, operation, estimate, height, [b"\x61"] if name == "APPCALL" else ())
    for name, made, key, operation, estimate, left in compounds_:
        before, keys = code(made, "TOALTSTACK"), code("FROMALTSTACK", key)
        if left is None:
            # Signature and its number below the keys.
            keys, left, takes = code([b"\x01"], 1, "FROMALTSTACK"), 1, 4
        else:
            takes = 2 + bool(key)
        fill = MOST - 2 * 1001 - takes - max(estimate, 0)
        script = code(
            before,
            UNCOUNTED * EXTRA,
            thousand * 2,
            b"\x51" * fill,
            keys,
            operation,
            "DROP",
            b"\x51" * (1 - min(estimate, 0)),
        )
        height = EXTRA + 2 + fill + left - min(estimate, 0)
        tests.append(
            halts(
                f"{name} at the limit of the estimate, with {EXTRA} items more",
                script + code("DROP") * height,
                message="0x00",
            )
        )
    # A callee that replaces the script does the rest.
    fill = MOST - 2 * 1001
    rest = code("DROP", b"\x51") + code("DROP") * (EXTRA + 2 + fill)
    tests.append(
        halts(
            f"TAILCALL at the limit of the estimate, with {EXTRA} items more",
            code(UNCOUNTED * EXTRA, thousand * 2, b"\x51" * fill, b"\x69" + digest(rest)),
            message="0x00",
            scriptTable=[{"script": "0x" + rest.hex()}],
        )
    )
    return tests


def inexact():
    """An estimate that is too high, since a replaced frame took its items with it: exact, it is a fault of the next push;
    after an instruction that makes it inexact, the items are counted again."""
    thousand = code(raw(b"\xe8\x03"), "NEWARRAY")
    tests = []
    for name, before in (("APPCALL", None), ("NOT", b"\x51\x91\x75")):
        pushes_ = b"\x51\x52\x66"
        called_script = b"\x67" + digest(pushes_) if before is None else before + pushes_
        inside = code(thousand * 2, b"\x51" * (MOST - 1 - 2 * 1001), "CALL_ET", b"\x00\x00", digest(called_script))
        script = code("CALL_I", b"\x00\x00\x04\x00", "RET", inside)
        tests.append(
            halts(
                f"Two pushes after {name}, with an estimate that is too high",
                script,
                scriptTable=[{"script": "0x" + it.hex()} for it in (called_script, pushes_)],
            )
        )
    return tests


def found():
    """The values of Maps are items, each compound is counted once, and what is gone is not counted."""
    thousand = code(raw(b"\xe8\x03"), "NEWARRAY")
    tests = []
    for entries in (20, 40):
        # SETITEM counts everything: the Map with what is in it, Arrays and pushes.
        made = code("NEWMAP", *[part for n in range(1, entries + 1) for part in ("DUP", [bytes([n])], 7, "SETITEM")])
        for over in (0, 1):
            fill = MOST - 2 * 1001 - 1 - entries - 4 + over
            # DUP, key and value are there before SETITEM takes them; then the value is an item of the Map.
            script = code(
                thousand * 2, b"\x51" * fill, made, "DUP", [bytes([entries + 1])], 7, "SETITEM", "DUP", "DUP", "DUP"
            )
            # 1 for the Map, its values and three more references.
            total = 2 * 1001 + fill + 1 + entries + 1 + 3
            assert total == MOST + over
            if over and entries == 20:
                # Three more items are 2048; the fourth one is too many, and stays.
                fill -= 1
                script = code(
                    thousand * 2, b"\x51" * fill, made, "DUP", [bytes([entries + 1])], 7, "SETITEM", 1, 1, 1, 1
                )
                whole = {"type": "Map", "value": {f"0x{n:02x}": shown(7) for n in range(1, entries + 2)}}
                falses = array(*[False] * 1000)
                tests.append(
                    faults(
                        f"{entries + 1} values of a Map to 2049 items",
                        script,
                        len(script) - 1,
                        *[1] * 4,
                        whole,
                        *[1] * fill,
                        falses,
                        falses,
                    )
                )
            if not over:
                tests.append(
                    halts(f"{entries + 1} values of a Map to 2048 items", script + code("DROP") * (2 + fill + 4))
                )
    return tests


def chain(levels):
    """An Array that has a Map that has an Array and so on, and how that is shown."""
    script, value = b"\x00", shown([b""])
    for n in range(levels):
        if n % 2:
            script, value = script + code(1, "PACK"), {"type": "Array", "value": [value]}
        else:
            # NEWMAP TUCK SWAP, key below value.
            script += code("NEWMAP", "TUCK", "SWAP", 5, "SWAP", "SETITEM")
            value = {"type": "Map", "value": {"0x05": value}}
    return script, value


def garbage():
    """Compounds and byte arrays that nothing has any more, in numbers that make a machine free them."""
    tests = []
    # Bytes that grow to 64 KiB, then copies of them that are dropped at once, with Arrays and Maps that stay.
    large = code([b"\x07" * 64], *["DUP", "CAT"] * 10)
    kept = code([b"a"], [b"b"], 2, "PACK", "NEWMAP", "DUP", 5, 6, "SETITEM", "DUP", "TOALTSTACK", "SWAP")
    for count in (40, 120):
        body = code(
            "DUP", [b"x"], "CAT", "DROP", 3, "NEWARRAY", "DROP", "NEWMAP", "DUP", 1, 4, "NEWARRAY", "SETITEM", "DROP"
        )
        script = code(kept, large) + body * count
        script += code("DROP") + code("NEWMAP", "DUP", 7, [b"z"], 1, "PACK", "SETITEM", 9, 1, "PACK")
        many = [n for n in range(1, 121)]
        # Fewer compounds than before, so that not all of the places are used that the others left.
        script += code([b"\x07" * 64], *["DUP", "CAT"] * 10) + code("DUP", [b"x"], "CAT", "DROP") * count + code("DROP")
        script += code(*[part for n in many for part in (n, 1, "PACK")])
        tests.append(
            halts(
                f"What is kept while {count} large byte arrays are dropped",
                script,
                *[array(n) for n in reversed(many)],
                array(9),
                {"type": "Map", "value": {"0x07": array([b"z"])}},
                array([b"b"], [b"a"]),
                {"type": "Map", "value": {"0x05": shown(6)}},
            )
        )
    for levels in (4, 9, 16):
        script, value = chain(levels)
        tests.append(halts(f"Arrays and Maps in each other, {levels} levels", script, value))
    return tests


def beyond():
    """Results that are a multiple of -2^255, and compounds that are one too large."""
    tests = []
    for name, a, b, result in (
        ("MUL", -(2**254), 6, None),
        ("MUL", -(2**254), 2, -(2**255)),
        ("ADD", -(2**255), -(2**255), None),
        ("MUL", -(2**250), 32, -(2**255)),
        ("MUL", 2**254, 2, None),
        ("SUB", -(2**255), 2**254, None),
    ):
        script = code(a, b, name)
        tests.append(
            halts(f"{name} of {a} and {b}", script, result)
            if result is not None
            else faults(f"{name} of {a} and {b}", script, len(script) - 1)
        )
    # PACK says so before it takes the items.
    for count in (1024, 1025):
        script = b"\x00" * count + code(raw(count.to_bytes(2, "little")), "PACK")
        tests.append(
            halts(f"PACK of {count} items", script + code("ARRAYSIZE"), count)
            if count == 1024
            else faults(f"PACK of {count} items", script, len(script) - 1, *[[b""]] * count)
        )
    return tests


def below():
    """Positions that are below the items of a callee, which are not its own."""
    tests = []
    for name, position in (
        ("PICK", 1),
        ("ROLL", 1),
        ("XDROP", 1),
        ("XSWAP", 1),
        ("XTUCK", 2),
        ("OVER", None),
        ("SWAP", None),
        ("TUCK", None),
        ("NIP", None),
        ("ROT", None),
        ("DUP", None),
        ("XTUCK", 3),
        ("PICK", 2),
    ):
        arguments = 0 if name == "DUP" else 1
        callee = code(*([position] if position is not None else []), name, "RET")
        # PUSH8 to PUSH5, then a call with that many arguments.
        script = code(8, 7, 6, 5, "CALL_I", bytes([1, arguments]), b"\x04\x00", "RET", callee)
        at = 4 + 5 + 1 + len(callee) - 2
        left = [5] * arguments
        case = faults(
            f"{name} {'' if position is None else position} below the {arguments} arguments of a callee".replace(
                "  ", " "
            ),
            script,
            9,
            *([8, 7, 6, 5][: 4 - arguments][::-1]),
        )
        case["steps"][0]["result"]["invocationStack"].insert(0, frame(script, at, *left))
        tests.append(case)
    return tests


def files():
    for make in (estimates, inexact, found, garbage, beyond, below):
        name = make.__name__
        yield f"neo2/tables/{name}.json", {"category": "Tables", "name": name.capitalize(), "tests": make()}
