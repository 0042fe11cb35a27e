"""The executable specification of Ethereum, fork Homestead, as a testee of vmconf."""

import json
import sys
from importlib.metadata import version

from ethereum.crypto.hash import keccak256
from ethereum.forks.homestead import fork_types
from ethereum.forks.homestead.bloom import logs_bloom
from ethereum.forks.homestead.state import State, set_account, set_storage
from ethereum.forks.homestead.vm import BlockEnvironment, Message, TransactionEnvironment
from ethereum.forks.homestead.vm.instructions import Ops, op_implementation
from ethereum.forks.homestead.vm.interpreter import process_message
from ethereum_rlp import rlp
from ethereum_types.bytes import Bytes, Bytes20, Bytes32
from ethereum_types.numeric import U64, U256, Uint

HELLO = {
    "type": "hello", "version": 1, "name": "ethereum-execution", "release": version("ethereum-execution"),
    "language": "Python", "homepage": "https://github.com/ethereum/execution-specs",
    "machines": [{
        "machine": "evm", "fields": ["outcome", "gas", "out", "logs", "logsHash", "callcreates", "post"],
        "revisions": ["homestead"], "lacks": ["recording of calls and creations"],
    }],
}


class Unsupported(Exception):
    """The program needs what this machine does not have."""


def no_call_recording(evm):
    raise Unsupported("no recording of calls and creations")


for op in (Ops.CREATE, Ops.CALL, Ops.CALLCODE, Ops.DELEGATECALL):
    op_implementation[op] = no_call_recording


def data(text):
    return Bytes(bytes.fromhex(text[2:]))


def address(text):
    return Bytes20(data(text))


def number(text):
    return int(text, 16)


def word(value):
    return Bytes32(value.to_bytes(32, "big"))


def state_of(accounts):
    state = State()
    for key, account in accounts.items():
        fresh = fork_types.Account(Uint(number(account["nonce"])), U256(number(account["balance"])), data(account["code"]))
        set_account(state, address(key), fresh)
        for slot, value in account["storage"].items():
            set_storage(state, address(key), word(number(slot)), U256(number(value)))
    return state


def message_of(program):
    block_number = number(program["number"])
    numbers = range(max(0, block_number - 256), block_number)
    block = BlockEnvironment(
        chain_id=U64(1), state=state_of(program["pre"]), block_gas_limit=Uint(number(program["gasLimit"])),
        # The hash of a block is that of its number in decimal digits.
        block_hashes=[keccak256(str(at).encode()) for at in numbers],
        coinbase=address(program["coinbase"]), number=Uint(block_number),
        time=U256(number(program["timestamp"])), difficulty=Uint(number(program["difficulty"])),
    )
    gas = Uint(number(program["gas"]))
    transaction = TransactionEnvironment(
        origin=address(program["origin"]), gas_price=Uint(number(program["gasPrice"])), gas=gas,
        index_in_block=Uint(0), tx_hash=None,
    )
    target = address(program["address"])
    return Message(
        block_env=block, tx_env=transaction, caller=address(program["caller"]), target=target, current_target=target,
        gas=gas, value=U256(number(program["value"])), data=data(program["data"]), code_address=None,
        code=data(program["code"]), depth=Uint(0), should_transfer_value=False, parent_evm=None,
    )


def log(entry):
    return {"address": "0x" + entry.address.hex(), "topics": ["0x" + topic.hex() for topic in entry.topics],
            "data": "0x" + entry.data.hex(), "bloom": "0x" + logs_bloom((entry,)).hex()}


def post(state, deleted):
    accounts = {}
    for key, account in state._main_trie._data.items():
        if account is None or key in deleted:
            continue
        trie = state._storage_tries.get(key)
        storage = {"0x" + slot.hex(): hex(int(value)) for slot, value in trie._data.items()} if trie else {}
        if account.nonce or account.balance or account.code or storage:
            accounts["0x" + key.hex()] = {"balance": hex(int(account.balance)), "nonce": hex(int(account.nonce)),
                                          "code": "0x" + account.code.hex(), "storage": storage}
    return accounts


def run(request):
    if request["machine"] != "evm":
        return {"type": "skip", "reason": f"no machine {request['machine']}"}
    message = message_of(request["program"])
    try:
        evm = process_message(message)
    except Unsupported as lacks:
        return {"type": "skip", "reason": str(lacks)}
    if evm.error:
        fields, ended = {"outcome": "halt"}, type(evm.error).__name__
    else:
        fields, ended = {
            "outcome": "success", "gas": hex(int(evm.gas_left)), "out": "0x" + bytes(evm.output).hex(),
            "logs": [log(entry) for entry in evm.logs],
            "logsHash": "0x" + keccak256(rlp.encode(evm.logs)).hex(), "callcreates": [],
            "post": post(message.block_env.state, evm.accounts_to_delete),
        }, "success"
    wanted = [{name: fields[name] for name in step["observe"] if name in fields} for step in request["steps"]]
    return {"type": "done", "steps": [{"fields": state} for state in wanted], "ended": ended}


for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = HELLO if request["type"] == "hello" else {"id": request["id"], **run(request)}
    except KeyError as missing:
        answer = {"id": request["id"], "type": "error", "message": f"the program has no {missing}"}
    print(json.dumps(answer), flush=True)
