"""Clients with a command for state tests, as a testee of vmconf. The arguments are the command, in which {file}
stands for a fixture of one case: adapter.py evm statetest {file}"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress

COMMAND = sys.argv[1:] or sys.exit(__doc__)
PIPES = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "errors": "replace"}
ZERO = "0x" + "00" * 32
ENV = {"coinbase": "currentCoinbase", "gasLimit": "currentGasLimit", "number": "currentNumber",
       "timestamp": "currentTimestamp", "difficulty": "currentDifficulty", "random": "currentRandom",
       "baseFee": "currentBaseFee", "excessBlobGas": "currentExcessBlobGas", "slotNumber": "slotNumber"}
BEFORE_LONDON = ("Frontier", "Homestead", "EIP150", "EIP158", "Byzantium", "Constantinople", "ConstantinopleFix",
                 "Istanbul", "Berlin")
# What a command says of a result that is not the demanded one. Any other error is a refusal.
MISMATCH = re.compile(r"mismatch|logs? (root|hash)|state ?root|unexpected (hash|root)", re.IGNORECASE)
# What a command says of a test that it cannot run.
LACKS = re.compile(r"(unsupported|unknown|invalid) (fork|spec)|unknown variant|not (supported|implemented)"
                   r"|finished execution", re.IGNORECASE)  # revme leaves out the forks that it lacks
# What runs another program, which the version asked for is not that of.
RUNNERS = re.compile(r"(ba|da|z|k)?sh|env|nice|timeout|docker|podman|java|node|uv|cargo|python[\d.]*")
GOT_LOGS = re.compile(r"logs.*?got:? *(?:0x)?([0-9a-fA-F]{64})")


class Lacks(Exception):
    """The client lacks what the case needs."""


class Broken(Exception):
    """The command did not say how the case ended."""


def release():
    """The version that the command prints, or else cargo's; empty if there is none. A file among its words is what is
    executed."""
    last = max(at for at, part in enumerate(COMMAND) if at == 0 or os.path.isfile(part))
    if last == 0 and RUNNERS.fullmatch(os.path.basename(COMMAND[0])):
        return ""
    said = ""
    with suppress(OSError, subprocess.SubprocessError):
        printed = subprocess.run([*COMMAND[:last + 1], "--version"], **PIPES, timeout=10, check=True)
        said = printed.stdout + printed.stderr
    version = re.search(r"\d+\.\d+[\w.+-]*", said)
    return version.group() if version else listed(shutil.which(COMMAND[last]) or "")


def listed(program):
    """The version in the list that cargo keeps of what it installed from a registry; empty if it is not there."""
    folder, name = os.path.split(program)
    with suppress(OSError), open(os.path.join(folder, "..", ".crates.toml"), encoding="utf-8") as file:
        entry = rf'^"\S+ (\S+) \(registry\+.*\)" = \[.*"{re.escape(name)}"'
        return "".join(re.findall(entry, file.read(), re.MULTILINE))
    return ""


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


def word(number):
    return "0x" + number[2:].rjust(64, "0")


def fixture(program, chosen, root):
    """The test as a file of state tests, which demands this root."""
    env = {ENV[name]: value for name, value in program["env"].items()}
    if chosen["fork"] in BEFORE_LONDON:
        env.pop("currentBaseFee", None)
    if "currentRandom" in env:
        env["currentRandom"] = word(env["currentRandom"])
    env.setdefault("currentDifficulty", "0x0")
    transaction = {**program["transaction"], "data": [chosen["data"]], "gasLimit": [chosen["gasLimit"]],
                   "value": [chosen["value"]]}
    transaction.setdefault("to", "")
    if "accessList" in chosen:
        transaction["accessLists"] = [[{**item, "storageKeys": [word(key) for key in item["storageKeys"]]}
                                       for item in chosen["accessList"]]]
    entry = {"hash": root, "logs": ZERO, "indexes": {"data": 0, "gas": 0, "value": 0}}
    test = {"env": env, "pre": program["pre"], "transaction": transaction, "post": {chosen["fork"]: [entry]}}
    config = {"chainid": program["chainId"]}
    if "blobSchedule" in program:
        config["blobSchedule"] = {fork: {"target": "0x0", **blobs} for fork, blobs in program["blobSchedule"].items()}
    return {"vmconf": {**test, "config": config}}


def objects(text):
    """The JSON objects that a command printed: a line each, or in one array."""
    found = []
    for part in (text, *text.splitlines()):
        with suppress(ValueError):
            whole = json.loads(part)
            found += whole if isinstance(whole, list) else [whole]
    return [item for item in found if isinstance(item, dict)]


def result(program, chosen, root=ZERO):
    """What the command says of the case: one object with all members that it printed after the run."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(fixture(program, chosen, root), file)
        file.flush()
        printed = run([part.replace("{file}", file.name) for part in COMMAND])
    found = {}
    for text in (printed.stderr, printed.stdout):
        for item in objects(text):
            if "stateRoot" in item or "pass" in item:
                found.update({name: value for name, value in item.items() if value not in (None, "")})
    if "stateRoot" not in found:
        said = str(found.get("error") or found.get("errorMsg") or printed.stderr or printed.stdout).strip()[-300:]
        what = f"the command printed no stateRoot and ended with exit code {printed.returncode}: {said}"
        raise Lacks(said) if LACKS.search(said) else Broken(what)
    return found


def answer(request):
    if request["type"] != "run" or request["machine"] != "ethereum":
        return {"type": "skip", "reason": "only run is possible, of ethereum"}
    if not request["steps"]:
        return {"type": "done", "steps": []}
    [step], program = request["steps"], request["program"]
    found = result(program, chosen := step["do"][0]["set"])
    root, error = found["stateRoot"], str(found.get("errorMsg") or found.get("error") or "")
    logs = found.get("postLogsHash") or found.get("logsRoot")
    is_refused = bool(error) and not MISMATCH.search(error)
    if logs is None and not is_refused:
        # A command that compares the logs after the root says what it got when the root is right.
        got = GOT_LOGS.search(str(result(program, chosen, root).get("error", "")))
        logs = "0x" + got.group(1) if got else None
    state = {"outcome": "refused" if is_refused else "executed", "root": root, "logs": logs}
    missing = [name for name in step["observe"] if state.get(name) is None]
    if missing:
        raise Lacks(f"the command does not print {', '.join(missing)}")
    return {"type": "done", "steps": [{"fields": {name: state[name] for name in step["observe"]}}],
            "ended": f"refused: {error}" if is_refused else "executed"}


def serve(request):
    try:
        return HELLO if request["type"] == "hello" else {"id": request["id"], **answer(request)}
    except Lacks as why:
        return {"id": request["id"], "type": "skip", "reason": str(why)}
    except (Broken, KeyError) as why:
        return {"id": request["id"], "type": "error", "message": f"{type(why).__name__}: {why}"}


HELLO = {
    "type": "hello", "version": 1, "name": os.path.basename(COMMAND[0]), "release": release(),
    "machines": [{"machine": "ethereum", "actions": ["execute", "set"], "fields": ["outcome", "root", "logs"],
                  "lacks": ["accounts and classes of refusals, which no such command prints"]}],
}

for line in sys.stdin:
    print(json.dumps(serve(json.loads(line))), flush=True)
