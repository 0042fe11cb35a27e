"""Numbers of the NeoVMs. They have a sign; results of more than 32 bytes are faults."""
from tables.numbers import pairs, quotient, remainder

NEO_EDGES = sorted({sign * (2**power + off) for power in (0, 7, 8, 31, 32, 63, 64, 127, 128)
                    for off in (-1, 0, 1) for sign in (1, -1)}) + [2**255 - 1, -2**255, 2**200, -2**200]
NEO_BINARY = {
    "ADD": (0x9e, 0x93, lambda a, b: a + b), "SUB": (0x9f, 0x94, lambda a, b: a - b),
    "MUL": (0xa0, 0x95, lambda a, b: a * b), "DIV": (0xa1, 0x96, quotient), "MOD": (0xa2, 0x97, remainder),
    "AND": (0x91, 0x84, lambda a, b: a & b), "OR": (0x92, 0x85, lambda a, b: a | b),
    "XOR": (0x93, 0x86, lambda a, b: a ^ b),
    "NUMEQUAL": (0xb3, 0x9c, lambda a, b: a == b), "NUMNOTEQUAL": (0xb4, 0x9e, lambda a, b: a != b),
    "LT": (0xb5, 0x9f, lambda a, b: a < b), "LE": (0xb6, 0xa1, lambda a, b: a <= b),
    "GT": (0xb7, 0xa0, lambda a, b: a > b), "GE": (0xb8, 0xa2, lambda a, b: a >= b),
    "MIN": (0xb9, 0xa3, min), "MAX": (0xba, 0xa4, max),
}
NEO_UNARY = {
    "INVERT": (0x90, 0x83, lambda a: ~a), "SIGN": (0x99, 0x8d, lambda a: (a > 0) - (a < 0)),
    "ABS": (0x9a, 0x90, abs), "NEGATE": (0x9b, 0x8f, lambda a: -a), "INC": (0x9c, 0x8b, lambda a: a + 1),
    "DEC": (0x9d, 0x8c, lambda a: a - 1), "NOT": (0xaa, 0x91, lambda a: a == 0), "NZ": (0xb1, 0x92, lambda a: a != 0),
}
NEO_MACHINES = {"neo3": (0, "HALT", "FAULT", b"\x05"), "neo2": (1, "Halt", "Fault", b"\x20")}
# The most results of one program.
ROUND = 40


def fits(number):
    return -2**255 <= number < 2**255


def item(value):
    if isinstance(value, bool):
        return {"type": "Boolean", "value": value}
    return {"type": "Integer", "value": str(value)}


THREE = [7, -2**200, 2**130]


def item_of_three(n, kind, code, array):
    """What is done with item n of THREE: the instruction, its script, and the results, None outside."""
    inside = 0 <= n < 3
    return (("PICKITEM", code(n, "PICKITEM"), [THREE[n]] if inside else None),
            ("SETITEM", code("DUP", n, 9, "SETITEM"),
             [array(*THREE[:n], 9, *THREE[n + 1:], kind=kind)] if inside else None),
            ("REMOVE", code("DUP", n, "REMOVE"),
             [array(*THREE[:n], *THREE[n + 1:], kind=kind)] if inside else None))


def neo_test(name, script, result):
    return {"name": name, "script": "0x" + script.hex(), "steps": [{"actions": ["Execute"], "result": result}]}


def neo_numbers(machine):
    which, halt, fault, push32 = NEO_MACHINES[machine]

    def pushed(number):
        return push32 + number.to_bytes(32, "little", signed=True)

    tests = []
    for rows, operands in ((NEO_UNARY, [(edge,) for edge in NEO_EDGES]), (NEO_BINARY, pairs(NEO_EDGES, (5, 1)))):
        for name, row in rows.items():
            code, meaning = bytes([row[which]]), row[2]
            divides = name in ("DIV", "MOD")
            done = [(values, meaning(*values)) for values in operands if not (divides and values[1] == 0)]
            program = [(b"".join(map(pushed, values)) + code, result) for values, result in done if fits(result)]
            for start in range(0, len(program), ROUND):
                part = program[start:start + ROUND]
                stack = [item(result) for _, result in reversed(part)]
                script = b"".join(code for code, _ in part)
                tests.append(neo_test(f"{name} next to the boundaries of 8 to 256 bits, from number {start + 1}", script,
                                      {"state": halt, "resultStack": stack}))
            if machine == "neo2":
                # A fault of 2.x also demands the frames, which other vectors do.
                continue
            for values, result in [it for it in done if not fits(it[1])][:3]:
                shown = " and ".join(map(str, values))
                tests.append(neo_test(f"{name} of {shown} has more than 32 bytes", b"".join(map(pushed, values)) + code,
                                      {"state": fault}))
            for count in range(len(operands[0])):
                tests.append(neo_test(f"{name} takes {len(operands[0])} and finds {count}", b"\x51" * count + code,
                                      {"state": fault}))
    return {"category": "Tables", "name": "Numbers", "tests": tests}


def files():
    for machine in NEO_MACHINES:
        yield f"{machine}/tables/numbers.json", neo_numbers(machine)
