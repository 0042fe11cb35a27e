"""EVMs that print EIP-3155 lines, as a testee of vmconf. The arguments are the command, in which {code},
{input} and {gas} stand for the program: adapter.py evm run --json --code {code} --input {input} --gas {gas}
{transaction_gas} is for commands that run a transaction: the gas that leaves {gas} to the program."""

import hashlib
import json
import subprocess
import sys

HELLO = {
    "type": "hello", "version": 1, "name": sys.argv[1], "release": "unknown",
    "machines": [{"machine": "evm", "fields": ["outcome", "gas", "out"], "requests": ["digests", "trace"],
                  "lacks": ["accounts, logs and recorded calls, which the lines do not have"]}],
}


def number(value):
    return int(value, 16) if isinstance(value, str) else value


def price_of_transaction(program):
    """EIP-2028: 21,000, and 16 for each byte of the input that is not zero, else 4."""
    return 21_000 + sum(16 if byte else 4 for byte in bytes.fromhex(program["data"][2:]))


def lines_of(program):
    gas = number(program["gas"])
    values = {"code": program["code"][2:], "input": program["data"][2:], "gas": str(gas),
              "transaction_gas": str(gas + price_of_transaction(program))}
    command = [word.format(**values) for word in sys.argv[1:]]
    printed = subprocess.run(command, capture_output=True, text=True, check=False)
    for line in (printed.stdout + "\n" + printed.stderr).splitlines():
        try:
            line = json.loads(line)
        except ValueError:
            continue
        if isinstance(line, dict):
            yield line


def instruction(line):
    stack = [str(number(item)) for item in line["stack"]]
    return {"pc": number(line["pc"]), "code": number(line["op"]), "gas": number(line["gas"]), "height": len(stack),
            "top": stack[:-5:-1]}


def hashed(it):
    return " ".join(map(str, [it["pc"], it["code"], it["gas"], it["height"], *it["top"]])) + "\n"


def digests(instructions, after):
    found, total = [], hashlib.sha256()
    for count in range(len(instructions) + 1):
        found += [total.hexdigest()] * after.count(count)
        if count < len(instructions):
            total.update(hashed(instructions[count]).encode())
    return {"type": "digests", "digests": found, "instructions": min(len(instructions), max(after, default=0))}


def answer(request):
    lines = list(lines_of(request["program"]))
    size = len(request["program"]["code"]) // 2 - 1
    # Some machines print the STOP that the end of the code implies.
    instructions = [instruction(line) for line in lines if "pc" in line and number(line["pc"]) < size]
    if request["type"] == "trace":
        first = request["skip"]
        return {"type": "trace", "instructions": instructions[first:first + request["count"]]}
    if request["type"] == "digests":
        return digests(instructions, request["after"])
    ends = [line for line in lines if "gasUsed" in line]
    if not ends:
        return {"type": "skip", "reason": "the program printed no line with gasUsed"}
    failed = "error" in ends[-1] or ends[-1].get("pass") is False
    used = number(ends[-1]["gasUsed"])
    if any("{transaction_gas}" in word for word in sys.argv):
        used -= price_of_transaction(request["program"])
    left = number(request["program"]["gas"]) - used
    state = {"outcome": "halt"} if failed else {
        "outcome": "success", "gas": hex(left), "out": "0x" + ends[-1].get("output", "").removeprefix("0x")}
    wanted = [{name: state[name] for name in step["observe"] if name in state} for step in request["steps"]]
    return {"type": "done", "steps": [{"fields": fields} for fields in wanted]}


for line in sys.stdin:
    request = json.loads(line)
    answered = HELLO if request["type"] == "hello" else {"id": request["id"], **answer(request)}
    print(json.dumps(answered), flush=True)
