"""EVMs that print EIP-3155 lines, as a testee of vmconf. The arguments are the command, in which {code},
{input} and {gas} stand for the program: adapter.py evm run --json --code {code} --input {input} --gas {gas}
{transaction_gas} is for commands that run a transaction: the gas that leaves {gas} to the program."""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress

COMMAND = sys.argv[1:] or sys.exit(__doc__)
PIPES = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "errors": "replace"}
# What runs another program, which the version asked for is not that of.
RUNNERS = re.compile(r"(ba|da|z|k)?sh|env|nice|timeout|docker|podman|java|node|uv|cargo|python[\d.]*")
# Instructions that read what the command does not get, or ask for what the lines do not tell.
OUTSIDE = {*range(0x30, 0x35), *range(0x3A, 0x3D), *range(0x40, 0x46), 0xF0, 0xF1, 0xF2, 0xF4, 0xFF}
# Instructions that cost or do something else since Homestead, whose rules are those of evm.
CHANGED = {0x0A, *range(0x1B, 0x1F), *range(0x3D, 0x40), *range(0x46, 0x4C), 0x54, 0x55, *range(0x5C, 0x60), 0xF5, 0xFA, 0xFD}
IS_TRANSACTION = any("{transaction_gas}" in part for part in COMMAND)
IS_HOMESTEAD = any("homestead" in part.lower() for part in COMMAND)


class Lacks(Exception):
    """The command lacks what the program needs."""


class Broken(Exception):
    """The command did not say how the program ended."""


def release():
    """The version that the command prints; empty if it prints none. A file among its words is what is executed."""
    last = max(at for at, part in enumerate(COMMAND) if at == 0 or os.path.isfile(part))
    if last == 0 and RUNNERS.fullmatch(os.path.basename(COMMAND[0])):
        return ""
    try:
        printed = subprocess.run([*COMMAND[:last + 1], "--version"], **PIPES, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    version = re.search(r"\d+\.\d+[\w.+-]*", printed.stdout + printed.stderr)
    return version.group() if version else ""


def run(command):
    """How the command ended and what it printed. A signal that ended it ends this process too: the client crashed."""
    try:
        printed = subprocess.run(command, **PIPES, check=False)
    except OSError as why:
        raise Broken(f"the command cannot be started: {why}") from None
    print(printed.stderr, end="", file=sys.stderr, flush=True)
    number = -printed.returncode if printed.returncode < 0 else printed.returncode - 128  # as shells tell it
    if number in signal.valid_signals():
        sys.exit(f"{command[0]} was ended by signal {number}, {signal.strsignal(number)}")
    return printed


def number(value):
    return int(value, 16) if isinstance(value, str) else value


def price_of_transaction(program):
    """21,000, and for each byte of the input 4 if it is zero, else 16 (EIP-2028), or 68 in Homestead."""
    full = 68 if IS_HOMESTEAD else 16
    return 21_000 + sum(full if byte else 4 for byte in bytes.fromhex(program["data"][2:]))


def lines_of(program):
    gas = number(program["gas"])
    values = {"code": program["code"][2:], "input": program["data"][2:], "gas": str(gas),
              "transaction_gas": str(gas + price_of_transaction(program))}
    printed = run([re.sub(r"\{(\w+)\}", lambda it: values.get(it[1], it[0]), part) for part in COMMAND])
    found = []
    for line in (printed.stdout + "\n" + printed.stderr).splitlines():
        with suppress(ValueError):
            found += [line] if isinstance(line := json.loads(line), dict) else []
    if not found and IS_TRANSACTION and int(values["transaction_gas"]) > 1 << 24:
        raise Lacks("a transaction of more than 2^24 gas, the cap of EIP-7825")
    if not found:
        said = f"exit code {printed.returncode}: {(printed.stderr or printed.stdout).strip()[-300:]}"
        raise Broken(f"the command printed no line of EIP-3155 and ended with {said}")
    return found


def instruction(line):
    stack = [str(number(item)) for item in line["stack"]]
    return {"pc": number(line["pc"]), "code": number(line["op"]), "gas": number(line["gas"]), "height": len(stack),
            "top": stack[:-5:-1]}


def digests(instructions, after):
    found, total = [], hashlib.sha256()
    for count in range(len(instructions) + 1):
        found += [total.hexdigest()] * after.count(count)
        if count < len(instructions):
            it = instructions[count]
            total.update((" ".join(map(str, [*list(it.values())[:4], *it["top"]])) + "\n").encode())
    return {"type": "digests", "digests": found, "instructions": min(len(instructions), max(after, default=0))}


def state_of(program, lines, instructions):
    """The state that the last line tells."""
    lacked = {it["code"] for it in instructions} & (OUTSIDE if IS_HOMESTEAD else OUTSIDE | CHANGED)
    if lacked:
        raise Lacks(f"what instruction {hex(min(lacked))} needs: the world of the program, or the rules of Homestead")
    ends = [line for line in lines if "gasUsed" in line]
    if not ends or program["code"] != "0x" and not instructions:
        raise Lacks(f"the command did not run the program: {ends}")
    if ends[-1].get("error") or ends[-1].get("pass") is False:
        return {"outcome": "halt"}
    extra = price_of_transaction(program) if IS_TRANSACTION else 0
    return {"outcome": "success", "gas": hex(number(program["gas"]) + extra - number(ends[-1]["gasUsed"])),
            "out": "0x" + ends[-1].get("output", "").removeprefix("0x")}


def answer(request):
    if request["machine"] != "evm":
        return {"type": "skip", "reason": f"no machine {request['machine']}"}
    program = request["program"]
    lines, size = lines_of(program), len(program["code"]) // 2 - 1
    # Some machines print the STOP that the end of the code implies.
    instructions = [instruction(line) for line in lines if "pc" in line and number(line["pc"]) < size]
    if request["type"] == "trace":
        return {"type": "trace", "instructions": instructions[request["skip"]:][:request["count"]]}
    if request["type"] == "digests":
        return digests(instructions, request["after"])
    state = state_of(program, lines, instructions)
    return {"type": "done", "steps": [{"fields": {name: state[name] for name in step["observe"] if name in state}}
                                      for step in request["steps"]]}


def serve(request):
    try:
        return HELLO if request["type"] == "hello" else {"id": request["id"], **answer(request)}
    except Lacks as why:
        return {"id": request["id"], "type": "skip", "reason": str(why)}
    except (Broken, KeyError) as why:
        return {"id": request["id"], "type": "error", "message": f"{type(why).__name__}: {why}"}


HELLO = {
    "type": "hello", "version": 1, "name": os.path.basename(COMMAND[0]), "release": release(),
    "machines": [{"machine": "evm", "fields": ["outcome", "gas", "out"], "requests": ["digests", "trace"],
                  "lacks": ["accounts, logs and recorded calls, which the lines do not have"]}],
}

for line in sys.stdin:
    print(json.dumps(serve(json.loads(line))), flush=True)
