"""Clients with a command for state tests, as a testee of vmconf. The arguments are the command, in which {file}
stands for a fixture of one case: adapter.py evm statetest {file}"""

import json
import re
import subprocess
import sys
import tempfile

HELLO = {
    "type": "hello", "version": 1, "name": sys.argv[1] if len(sys.argv) > 1 else "statetest", "release": "unknown",
    "machines": [{"machine": "ethereum", "actions": ["execute", "set"],
                  "fields": ["outcome", "root", "logs"],
                  "lacks": ["accounts and classes of refusals, which no such command prints"]}],
}
ZERO = "0x" + "00" * 32
ENV = {"coinbase": "currentCoinbase", "gasLimit": "currentGasLimit", "number": "currentNumber",
       "timestamp": "currentTimestamp", "difficulty": "currentDifficulty", "random": "currentRandom",
       "baseFee": "currentBaseFee", "excessBlobGas": "currentExcessBlobGas", "slotNumber": "slotNumber"}
# What a command says of a result that is not the demanded one. Any other error is a refusal.
MISMATCH = re.compile(r"mismatch|logs? (root|hash)|state ?root|unexpected (hash|root)", re.IGNORECASE)
GOT_LOGS = re.compile(r"logs.*?got:? *(?:0x)?([0-9a-fA-F]{64})")


def word(number):
    return "0x" + number[2:].rjust(64, "0")


def fixture(program, chosen, root):
    """The test as a file of state tests, which demands this root."""
    env = {ENV[name]: value for name, value in program["env"].items()}
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
    try:
        whole = json.loads(text)
        return whole if isinstance(whole, list) else [whole]
    except ValueError:
        pass
    found = []
    for line in text.splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def result(program, chosen, root=ZERO):
    """What the command says of the case: one object with all members that it printed after the run."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(fixture(program, chosen, root), file)
        file.flush()
        command = [argument.replace("{file}", file.name) for argument in sys.argv[1:]]
        printed = subprocess.run(command, capture_output=True, text=True, check=False)
    found = {}
    for text in (printed.stderr, printed.stdout):
        for item in objects(text):
            if isinstance(item, dict) and ("stateRoot" in item or "pass" in item):
                found.update({name: value for name, value in item.items() if value not in (None, "")})
    return found


def answer(request):
    if request["type"] != "run":
        return {"type": "skip", "reason": "only run is possible"}
    program = request["program"]
    [step] = request["steps"]
    chosen = step["do"][0]["set"]
    found = result(program, chosen)
    if "stateRoot" not in found:
        return {"type": "skip", "reason": f"the command printed no stateRoot: {found}"}
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
        return {"type": "skip", "reason": f"the command does not print {', '.join(missing)}"}
    return {"type": "done", "steps": [{"fields": {name: state[name] for name in step["observe"]}}], "ended": error}


for line in sys.stdin:
    asked = json.loads(line)
    answered = HELLO if asked["type"] == "hello" else {"id": asked["id"], **answer(asked)}
    print(json.dumps(answered), flush=True)
