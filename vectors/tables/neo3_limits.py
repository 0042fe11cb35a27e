"""N3: compounds that are let go of, and budgets and limits that are used up to the last."""
from tables.neo import item
from tables.neo3 import array, caught, code, faults, halts, length, shown, test

# What only a machine that keeps things longer or shares them can get wrong, and budgets used up to the last.

MESSAGE = b"vector message"
SIGNATURE = bytes.fromhex(
    "8772f68b62c61685bbc38dc3edd8163b4fbbc1c6c5d52cf23a402cef452ae8aea1ffd8e2c82c19fdea1a4f2fe02bbdf58f94138483ad17f6"
    "bfb5821631163037"
)
KEY = bytes.fromhex("021ab739d174b2035a454a64064b4cce2e8c79a348f98746b83841ada336d936b7")
LIMITS = {
    "maxItemSize": 131070,
    "maxStackSize": 2048,
    "maxInvocationStackSize": 1024,
    "maxTryNestingDepth": 16,
    "maxShift": 256,
}


def rounds(count, body):
    """The body so many times. The round, from the last to 1, is static field 1."""
    again = code(body, "LDSFLD1", "DEC", "DUP", "STSFLD1")
    return code(count, "STSFLD1", again, ["JMPIF_L", "0x" + (-length(again)).to_bytes(4, "little", signed=True).hex()])


def point(key):
    """x and y of a compressed key of secp256r1."""
    p = 2**256 - 2**224 + 2**192 + 2**96 - 1
    x = int.from_bytes(key[1:], "big")
    root_of = pow(x**3 - 3 * x + 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B, (p + 1) // 4, p)
    y = root_of if root_of % 2 == key[0] % 2 else p - root_of
    return x.to_bytes(32, "big") + y.to_bytes(32, "big")


def with_references(test, count):
    test["steps"][-1]["result"]["refs"] = count
    return test


def garbage():
    """Compounds that are let go of by the hundred, while others stay."""
    start = code("INITSSLOT", "0x03")
    # An Array that is held, let go of, held again and let go of for good.
    used = code("NEWARRAY0", 1, "PACK", "DUP", "DROP", "STSFLD0", "LDSFLD0", "DROP", "PUSHNULL", "STSFLD0")
    lists = rounds(10, code("LDSFLD2", "LDSFLD1", 1, "PACK", "APPEND"))
    kept = array(*(array(n) for n in range(10, 0, -1)))
    tests = []
    for count in (100, 255, 256, 257, 300, 600):
        script = start + rounds(count, used) + code("NEWARRAY0", "STSFLD2") + lists
        tests.append(halts(f"10 Arrays after {count} that are gone", script + code("LDSFLD2"), kept))
        tests.append(
            halts(
                f"10 Arrays before {count} that are gone",
                start + code("NEWARRAY0", "STSFLD2") + lists + rounds(count, used) + code("LDSFLD2"),
                kept,
            )
        )
    for name, made, value in (
        ("an Array", code(7, 1, "PACK"), array(7)),
        ("an Array in an Array", code(7, 1, "PACK", 1, "PACK"), array(array(7))),
        ("a Map with an Array", code(7, 1, "PACK", 3, 1, "PACKMAP"), {"type": "Map", "value": {"0x03": array(7)}}),
        ("a Struct", code(7, 1, "PACKSTRUCT"), array(7, kind="Struct")),
    ):
        # TRY { TRY { throw } FINALLY { make garbage } } CATCH: nothing holds the exception in the meantime.
        inside = rounds(600, used) + ["ENDFINALLY"]
        throw = code(made, "THROW")
        inner = [*start, "TRY", f"0x00{3 + length(throw):02x}", *throw, *inside]
        outer = ["TRY_L", "0x" + (9 + length(inner)).to_bytes(4, "little").hex() + "00000000", *inner]
        tests.append(halts(f"{name} is thrown through a FINALLY that makes 600 Arrays", outer, value))
    circle = code("NEWARRAY0", "DUP", "DUP", "APPEND", "THROW")
    inner = [*start, "TRY", f"0x00{3 + length(circle):02x}", *circle, *rounds(600, used), "ENDFINALLY"]
    outer = ["TRY_L", "0x" + (9 + length(inner)).to_bytes(4, "little").hex() + "00000000", *inner]
    tests.append(
        halts(
            "an Array that contains itself is thrown through a FINALLY that makes 600 Arrays",
            outer + code("DUP", 0, "PICKITEM", "EQUAL"),
            True,
        )
    )
    # Byte strings of 128 KiB that are dropped, with one that stays, and compounds between them.
    dropped = code(131000, "NEWBUFFER", ["CONVERT", "0x28"], "DROP", 3, "NEWARRAY", "DROP")
    tests.append(
        halts(
            "What is kept while 60 large ByteStrings are dropped",
            start + code(7, 1, "PACK", "STSFLD2", b"kept") + rounds(60, dropped) + code(9, 1, "PACK", "LDSFLD2"),
            array(7),
            array(9),
            b"kept",
        )
    )
    for name, script, count in (
        ("an Array with an item", code("NEWARRAY0", "DUP", 5, "APPEND", "DROP"), 0),
        ("an Array of which an item is set", code(1, "NEWARRAY", "DUP", 0, 5, "SETITEM", "DROP"), 0),
        ("an Array whose item is popped", code(5, 1, "PACK", "DUP", "POPITEM", "DROP", "DROP"), 0),
        ("a Map of which an entry is set and that nothing holds", code("NEWMAP", 1, 2, "SETITEM"), 0),
        ("an Array of which an item is set and that nothing holds", code(1, "NEWARRAY", 0, 2, "SETITEM"), 0),
        (
            "a Map of which an entry is replaced",
            code("NEWMAP", "DUP", 1, 2, "SETITEM", "DUP", 1, 3, "SETITEM", "DROP"),
            0,
        ),
    ):
        tests.append(with_references(halts(f"References after {name}", script), count))
    # TRY PUSH1 THROW, FINALLY ABORT; then TRY PUSH5 ENDTRY, FINALLY ENDFINALLY PUSH7.
    tests.append(faults("FINALLY aborts while an exception is pending", ["TRY", "0x0005", "PUSH1", "THROW", "ABORT"]))
    tests.append(
        halts(
            "FINALLY without an exception, after a test that ended with one",
            ["TRY", "0x0006", "PUSH5", "ENDTRY", "0x03", "ENDFINALLY", "PUSH7"],
            7,
            5,
        )
    )
    # Both have items, and each POPITEM takes the last one of the Array on top.
    tests.append(
        halts(
            "POPITEM of one of two Arrays",
            code(4, 3, 2, "PACK", "DUP", 9, 8, 7, 3, "PACK", "DUP", "POPITEM"),
            9,
            array(7, 8),
            array(3, 4),
            array(3, 4),
        )
    )
    tests.append(halts("POPITEM of an Array that nothing else holds", code(9, 8, 7, 3, "PACK", "POPITEM"), 9))
    tests.append(
        with_references(
            halts(
                "POPITEM of an Array in an Array", code("NEWARRAY0", 5, 2, "PACK", "DUP", "POPITEM"), array(), array(5)
            ),
            3,
        )
    )
    return tests


def budgets():
    """Structs of byte strings whose lengths use up the budget of EQUAL, and the limits themselves."""

    def zeros(size):
        return code(size, "NEWBUFFER", ["CONVERT", "0x28"])

    def structure(*values):
        parts = [zeros(it[0]) if isinstance(it, tuple) else code(it) for it in reversed(values)]
        return code(*parts, len(values), "PACKSTRUCT")

    tests = []
    # Items from the first on; a tuple is a ByteString of that length. The Structs themselves cost 1 of 65536.
    for left, right, result in (
        ([(65535,)], [(65535,)], True),
        ([(65536,)], [(65536,)], None),
        ([(65535,)], [(65536,)], None),
        ([(65536,)], [5], None),
        ([(65535,)], [5], False),
        ([5], [(65536,)], False),
        ([(1,), (65534,)], [(1,), (65534,)], True),
        ([(0,), (65534,)], [(0,), (65534,)], True),
        ([(0,), (65535,)], [(0,), (65535,)], None),
        ([(0,), (65534,)], [(1,), (65534,)], False),
        ([(2,), (65534,)], [(2,), (65534,)], None),
        ([(2,), (65534,)], [5, (65534,)], None),
        ([(1,), (65534,)], [5, (65534,)], False),
        ([(1,), (65534,)], [(2,), (65534,)], None),
        ([5, (65534,)], [5, (65534,)], True),
        ([5, (65535,)], [5, (65535,)], None),
        ([5, 6, (65534,)], [5, 6, (65534,)], None),
        ([5, 6, (65533,)], [5, 6, (65533,)], True),
        ([(2,), (1,)], [(3,), (65534,)], False),
        ([(30000,), (35535,)], [(30000,), (35535,)], True),
        ([(30000,), (35536,)], [(30000,), (35536,)], None),
    ):

        def said(values):
            return ", ".join(f"{it[0]} bytes" if isinstance(it, tuple) else str(it) for it in values)

        called = f"EQUAL of Structs of {said(left)} and of {said(right)}"
        script = structure(*left) + structure(*right) + code("EQUAL")
        tests.append(faults(called, script) if result is None else halts(called, script, result))
    # 2048 references after an exception was caught. An Array is one, and each of its items one more.
    for count in (2045, 2046, 2047):
        script = code(count, "NEWARRAY") + caught(code(5, "THROW")) + ["CLEAR"]
        called = f"An exception is caught beside an Array of {count} items"
        tests.append(halts(called, script) if count <= 2046 else faults(called, script))
    # DEPTH JMPIF end, TRY that catches at 0, PUSH5 THROW, end.
    tests.append(
        halts(
            "A CATCH at the beginning of the script",
            ["DEPTH", "JMPIF", "0x07", "TRY", "0xfd00", "PUSH5", "THROW", "NOP"],
            5,
        )
    )
    # DEPTH JMPIF, TRY with a FINALLY at 0, PUSH5, ENDTRY; the FINALLY is PUSH3 ENDFINALLY, and PUSH7 the end.
    tests.append(
        halts(
            "A FINALLY at the beginning of the script",
            ["DEPTH", "JMPIF", "0x08", "TRY", "0x00fd", "PUSH5", "ENDTRY", "0x04", "PUSH3", "ENDFINALLY", "PUSH7"],
            7,
            3,
            5,
        )
    )
    for name, script in (
        ("PICKITEM of an Array with a Buffer as index", code(6, 1, "PACK", 1, "NEWBUFFER", "PICKITEM")),
        ("HASKEY of an Array with a Buffer as index", code(6, 1, "PACK", 1, "NEWBUFFER", "HASKEY")),
        ("REMOVE of an Array with a Buffer as index", code(6, 1, "PACK", 1, "NEWBUFFER", "REMOVE")),
        ("SETITEM of an Array with a Buffer as index", code(6, 1, "PACK", 1, "NEWBUFFER", 5, "SETITEM")),
        ("SETITEM of a byte of a Buffer to a Buffer", code(2, "NEWBUFFER", 0, 1, "NEWBUFFER", "SETITEM")),
    ):
        tests.append(faults(name, script))
    stepped = test("There are no results before the end", code(5, 6), {})
    stepped["steps"] = [
        {
            "actions": ["StepInto"],
            "result": {
                "state": "BREAK",
                "resultStack": [],
                "invocationStack": [
                    {"instructionPointer": 1, "nextInstruction": "PUSH6", "evaluationStack": [shown(5)]}
                ],
            },
        }
    ]
    tests.append(stepped)
    return tests


# With members that are not in the published format.


def limits():
    return [halts(f"{name} of {most} is no change", code(5), 5) | {"limits": {name: most}} for name, most in LIMITS.items()]


def crypto():
    tests = []
    for form, key, valid in (("33", KEY, True), ("65", b"\x04" + point(KEY), True), ("64", point(KEY), False)):
        script = code(SIGNATURE, key, ["SYSCALL", "0x56e7b327"])
        tests.append(
            halts(f"CheckSig with a key of {form} bytes", script, valid)
            | {"host": "crypto", "message": "0x" + MESSAGE.hex()}
        )
    return tests


def files():
    for path, make in (
        ("tables/garbage", garbage),
        ("tables/budgets", budgets),
        ("own-members/limits/no-change", limits),
        ("own-members/crypto/forms-of-keys", crypto),
    ):
        name = path.split("/")[-1].replace("-", " ").capitalize()
        yield f"neo3/{path}.json", {"category": "Tables", "name": name, "tests": make()}
