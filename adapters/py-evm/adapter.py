"""py-evm, an EVM in Python, under the rules of Homestead, as a testee of vmconf."""

import json
import sys
from importlib.metadata import version

import rlp
from eth.constants import BLANK_ROOT_HASH, ZERO_HASH32
from eth.db.atomic import AtomicDB
from eth.rlp.logs import Log
from eth.vm.execution_context import ExecutionContext
from eth.vm.forks.homestead.computation import HomesteadComputation
from eth.vm.forks.homestead.state import HomesteadState
from eth.vm.message import Message
from eth_bloom import BloomFilter
from eth_hash.auto import keccak

HELLO = {
    "type": "hello", "version": 1, "name": "py-evm", "release": version("py-evm"), "language": "Python",
    "homepage": "https://github.com/ethereum/py-evm",
    "machines": [{
        "machine": "evm", "fields": ["outcome", "gas", "out", "logs", "logsHash", "callcreates", "post"],
        "revisions": ["homestead"], "lacks": ["recording of calls and creations"],
    }],
}

CALLS = (0xF0, 0xF1, 0xF2, 0xF4)


class Unsupported(Exception):
    """The program needs what this machine does not have."""


def no_call_recording(computation):
    raise Unsupported("no recording of calls and creations")


class Computation(HomesteadComputation):
    opcodes = {**HomesteadComputation.opcodes, **dict.fromkeys(CALLS, no_call_recording)}


def data(text):
    return bytes.fromhex(text[2:])


def number(text):
    return int(text, 16)


def state_of(program):
    block = number(program["number"])
    context = ExecutionContext(
        coinbase=data(program["coinbase"]), timestamp=number(program["timestamp"]), block_number=block,
        difficulty=number(program["difficulty"]), mix_hash=ZERO_HASH32, gas_limit=number(program["gasLimit"]),
        # The hash of a block is that of its number in decimal digits; the parent's comes first.
        prev_hashes=[keccak(str(at).encode()) for at in range(block - 1, max(0, block - 256) - 1, -1)],
        chain_id=1,
    )
    state = HomesteadState(AtomicDB(), context, BLANK_ROOT_HASH)
    for key, account in program["pre"].items():
        state.set_balance(data(key), number(account["balance"]))
        state.set_nonce(data(key), number(account["nonce"]))
        state.set_code(data(key), data(account["code"]))
        for slot, value in account["storage"].items():
            state.set_storage(data(key), number(slot), number(value))
    state.lock_changes()
    return state


class Touched(set):
    """Accounts and slots that the state was asked for."""

    def watch(self, state):
        for name in ("set_balance", "set_storage", "touch_account"):
            self.wrap(state, name)

    def wrap(self, state, name):
        method = getattr(state, name)

        def call(address, slot=None, *rest, **named):
            self.add((address, slot if name == "set_storage" else None))
            return method(address, *(() if slot is None else (slot,)), *rest, **named)

        setattr(state, name, call)


def log(address, topics, contents):
    topics = [topic.to_bytes(32, "big") for topic in topics]
    bloom = int(BloomFilter.from_iterable([address, *topics])).to_bytes(256, "big")
    return {"address": "0x" + address.hex(), "topics": ["0x" + topic.hex() for topic in topics],
            "data": "0x" + contents.hex(), "bloom": "0x" + bloom.hex()}


def post(state, touched, deleted):
    accounts = {}
    for address in sorted({address for address, _ in touched} - set(deleted)):
        slots = {slot: state.get_storage(address, slot) for at, slot in touched if at == address and slot is not None}
        account = {"balance": hex(state.get_balance(address)), "nonce": hex(state.get_nonce(address)),
                   "code": "0x" + state.get_code(address).hex(),
                   "storage": {hex(slot): hex(value) for slot, value in slots.items() if value}}
        if account != {"balance": "0x0", "nonce": "0x0", "code": "0x", "storage": {}}:
            accounts["0x" + address.hex()] = account
    return accounts


def run(request):
    if request["machine"] != "evm":
        return {"type": "skip", "reason": f"no machine {request['machine']}"}
    program = request["program"]
    state = state_of(program)
    touched = Touched((data(key), None) for key in program["pre"])
    touched.update((data(key), number(slot)) for key, it in program["pre"].items() for slot in it["storage"])
    touched.watch(state)
    message = Message(
        gas=number(program["gas"]), to=data(program["address"]), sender=data(program["caller"]),
        value=number(program["value"]), data=data(program["data"]), code=data(program["code"]),
        code_address=b"\xff" * 20, should_transfer_value=False,
    )
    transaction = state.get_transaction_context_class()(number(program["gasPrice"]), data(program["origin"]))
    try:
        computation = Computation.apply_computation(state, message, transaction)
    except Unsupported as lacks:
        return {"type": "skip", "reason": str(lacks)}
    if computation.is_error:
        fields, ended = {"outcome": "halt"}, repr(computation.error)
    else:
        logs = computation.get_log_entries()
        fields, ended = {
            "outcome": "success", "gas": hex(computation.get_gas_remaining()), "out": "0x" + computation.output.hex(),
            "logs": [log(*entry) for entry in logs],
            "logsHash": "0x" + keccak(rlp.encode([Log(*entry) for entry in logs])).hex(), "callcreates": [],
            "post": post(state, touched, computation.get_accounts_for_deletion()),
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
