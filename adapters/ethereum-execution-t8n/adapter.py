"""State tests on the executable specification of Ethereum, all forks, as a testee of vmconf."""

import json
import logging
import sys
from importlib.metadata import version
from io import StringIO

from ethereum.exceptions import EthereumException
from ethereum_spec_tools.evm_tools import create_parser
from ethereum_spec_tools.evm_tools.t8n import T8N, ForkCache

HELLO = {
    "type": "hello", "version": 1, "name": "ethereum-execution", "release": version("ethereum-execution"),
    "language": "Python", "homepage": "https://github.com/ethereum/execution-specs",
    "machines": [{"machine": "ethereum", "actions": ["execute", "set"],
                  "fields": ["outcome", "root", "logs", "state", "gasUsed"],
                  "lacks": ["classes of refusals", "Constantinople with EIP-1283", "hashes of blocks"]}],
}
ENV = {"coinbase": "currentCoinbase", "gasLimit": "currentGasLimit", "number": "currentNumber",
       "timestamp": "currentTimestamp", "difficulty": "currentDifficulty", "random": "currentRandom",
       "baseFee": "currentBaseFee", "excessBlobGas": "currentExcessBlobGas"}
TOOL = ["t8n", "--input.alloc", "stdin", "--input.env", "stdin", "--input.txs", "stdin", "--state-test"]


class Lacks(Exception):
    """The specification lacks what the case needs."""


def word(number):
    return "0x" + number[2:].rjust(64, "0")


def environment(given):
    env = {ENV[name]: value for name, value in given.items() if name in ENV}
    if int(env["currentNumber"], 16) > 1:
        raise Lacks("the hashes of blocks")
    env["currentRandom"] = word(env.get("currentRandom", "0x0"))
    return {"currentDifficulty": "0x0", **env, "blockHashes": {}, "withdrawals": [],
            "parentBeaconBlockRoot": word("0x0")}


def transaction(program, chosen):
    given = {"to": "", **program["transaction"], "input": chosen["data"], "gas": chosen["gasLimit"],
             "value": chosen["value"]}
    if "secretKey" not in given:
        raise Lacks("a transaction without a secret key")
    del given["sender"]
    given["secretKey"] = word(given["secretKey"])
    if "accessList" in chosen:
        given["accessList"] = [{**item, "storageKeys": [word(key) for key in item["storageKeys"]]}
                               for item in chosen["accessList"]]
    return given


def account(found):
    storage = {short(key): value for key, value in found.get("storage", {}).items()}
    return {"balance": found.get("balance", "0x0"), "nonce": found.get("nonce", "0x0"),
            "code": found.get("code", "0x"), "storage": storage}


def short(key):
    return hex(int(key, 16))


def fields(program, chosen):
    if "blobSchedule" in program or chosen["refusal"] != "nothing":
        raise Lacks("other blob parameters, and accounts that a refusal touches")
    given = {"env": environment(program["env"]), "alloc": program["pre"], "txs": [transaction(program, chosen)]}
    words = [*TOOL, "--state.fork", chosen["fork"], "--state.chainid", str(int(program["chainId"], 16))]
    tool = T8N(create_parser().parse_args(words), StringIO(), StringIO(json.dumps(given)), CACHE)
    tool.run_state_test()
    outcome = "refused" if tool.result.rejected else "executed"
    state = {"outcome": outcome, "root": "0x" + tool.result.state_root.hex(),
             "logs": "0x" + tool.result.logs_hash.hex(),
             "state": {key: account(value) for key, value in tool.alloc.to_json().items()}}
    if outcome == "executed":
        state["gasUsed"] = hex(int(tool.result.gas_used))
    return state


def answer(request):
    if request["type"] != "run" or request["machine"] != "ethereum":
        return {"type": "skip", "reason": "only run is possible, of ethereum"}
    if "env" not in request["program"]:
        return {"type": "error", "message": "the program has no env"}
    if not request["steps"]:
        return {"type": "done", "steps": []}
    [step] = request["steps"]
    try:
        state = fields(request["program"], step["do"][0]["set"])
    except (Lacks, EthereumException, SystemExit, KeyError, TypeError, ValueError, OverflowError) as why:
        return {"type": "skip", "reason": f"{type(why).__name__}: {why}"}
    wanted = {name: state[name] for name in step["observe"] if name in state}
    return {"type": "done", "steps": [{"fields": wanted}], "ended": state["outcome"]}


logging.disable(logging.CRITICAL)
with ForkCache() as CACHE:
    for line in sys.stdin:
        asked = json.loads(line)
        answered = HELLO if asked["type"] == "hello" else {"id": asked["id"], **answer(asked)}
        print(json.dumps(answered), flush=True)
