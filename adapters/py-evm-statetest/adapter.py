"""State tests on py-evm, Ethereum in Python, Frontier to Prague, as a testee of vmconf."""

import json
import sys
import threading
from functools import partial
from importlib.metadata import version

import rlp
from eth.constants import BLANK_ROOT_HASH
from eth.consensus.context import ConsensusContext
from eth.db.atomic import AtomicDB
from eth.db.chain import ChainDB
from eth.rlp.logs import Log
from eth.vm import forks
from eth.vm.chain_context import ChainContext
from eth.vm.forks.prague.transactions import Authorization
from eth_hash.auto import keccak
from eth_keys import keys
from eth_utils import ValidationError, decode_hex

HELLO = {
    "type": "hello", "version": 1, "name": "py-evm", "release": version("py-evm"), "language": "Python",
    "homepage": "https://github.com/ethereum/py-evm",
    "machines": [{"machine": "ethereum", "actions": ["execute", "set"], "fields": ["outcome", "root", "logs", "state"],
                  "lacks": ["classes of refusals", "other blob parameters", "Osaka"]}],
}
OTHER_NAMES = {"EIP150": "TangerineWhistle", "EIP158": "SpuriousDragon", "ConstantinopleFix": "Petersburg"}
FEES = {"gas_price": "gasPrice", "max_fee_per_gas": "maxFeePerGas", "max_fee_per_blob_gas": "maxFeePerBlobGas",
        "max_priority_fee_per_gas": "maxPriorityFeePerGas"}
TYPES = ("legacy", "access_list", "dynamic_fee", "blob", "set_code")
BLOBS = {"Cancun": {"max": "0x6", "baseFeeUpdateFraction": "0x32f0ed"},
         "Prague": {"max": "0x9", "baseFeeUpdateFraction": "0x4c6964"}}
number = partial(int, base=16)
# What may change an account, the first argument.
CHANGES = ("set_balance", "delta_balance", "set_nonce", "increment_nonce", "set_code", "set_storage", "touch_account",
           "delete_storage", "delete_account", "delete_code")


def machine(fork, env, chain):
    """A machine at the block. The hash of an earlier block is that of its number in decimal digits."""
    env = {"difficulty": "0x0", "random": "0x0", "baseFee": "0xa", "excessBlobGas": "0x0", **env}
    values = {"gas_limit": number(env["gasLimit"]), "block_number": number(env["number"]),
              "timestamp": number(env["timestamp"]), "coinbase": decode_hex(env["coinbase"]),
              "state_root": BLANK_ROOT_HASH, "difficulty": 0 if issubclass(fork, forks.ParisVM) else number(env["difficulty"])}
    later = ((forks.ParisVM, "mix_hash", number(env["random"]).to_bytes(32, "big")),
             (forks.LondonVM, "base_fee_per_gas", number(env["baseFee"])),
             (forks.CancunVM, "excess_blob_gas", number(env["excessBlobGas"])))
    values |= {name: value for since, name, value in later if issubclass(fork, since)}
    block, database = values["block_number"], ChainDB(AtomicDB())
    hashes = [keccak(str(at).encode()) for at in range(block - 1, max(0, block - 256) - 1, -1)]
    header = dict(fork.get_block_class()._meta.fields)["header"](**values)
    of_block = type(fork.__name__, (fork,), {"previous_hashes": hashes})
    return of_block(header, database, ChainContext(chain), ConsensusContext(database.db))


def watched(method, touched):
    """The method, which also remembers the account that it changes, with the slot if it has one."""
    def call(address, slot=None, *rest, **named):
        touched.setdefault(address, set()).add(slot if method.__name__ == "set_storage" else None)
        return method(address, *(() if slot is None else (slot,)), *rest, **named)
    return call


def account(state, address, slots):
    storage = {hex(slot): hex(value) for slot in slots
               if slot is not None and (value := state.get_storage(address, slot))}
    return {"balance": hex(state.get_balance(address)), "nonce": hex(state.get_nonce(address)),
            "code": "0x" + state.get_code(address).hex(), "storage": storage}


def transaction(vm, program, chosen, chain):
    given = {"to": "0x", **program["transaction"], **chosen}
    builder, kind = vm.get_transaction_builder(), number(given["type"])
    key = keys.PrivateKey(number(given["secretKey"]).to_bytes(32, "big"))
    values = {"nonce": number(given["nonce"]), "gas": number(given["gasLimit"]), "to": decode_hex(given["to"]),
              "value": number(given["value"]), "data": decode_hex(given["data"])}
    if kind == 0:
        unsigned = builder.create_unsigned_transaction(**values, gas_price=number(given["gasPrice"]))
        return unsigned.as_signed_transaction(key, *([chain] if isinstance(vm, forks.SpuriousDragonVM) else []))
    values |= {"chain_id": chain, "access_list": [
        (decode_hex(it["address"]), [number(key) for key in it["storageKeys"]]) for it in given.get("accessList", [])]}
    values |= {name: number(given[member]) for name, member in FEES.items() if member in given}
    values |= {"blob_versioned_hashes": [decode_hex(it) for it in given["blobVersionedHashes"]]} if kind == 3 else {}
    if kind == 4:
        values["authorization_list"] = [Authorization(number(it["chainId"]), decode_hex(it["address"]), *(
            number(it[name]) for name in ("nonce", "v", "r", "s"))) for it in given["authorizationList"]]
    name = f"new_unsigned_{TYPES[kind]}_transaction"
    if not hasattr(builder, name):
        raise ValidationError(f"no transactions of type {kind}")
    return getattr(builder, name)(**values).as_signed_transaction(key)


def fields(program, chosen):
    fork = getattr(forks, OTHER_NAMES.get(chosen["fork"], chosen["fork"]) + "VM", None)
    chain, blobs = number(program["chainId"]), program.get("blobSchedule", {}).get(chosen["fork"])
    is_other = fork is None or blobs not in (None, BLOBS.get(chosen["fork"]))
    if is_other or chosen["refusal"] != "nothing" or "secretKey" not in program["transaction"]:
        raise NotImplementedError("the fork, blob parameters, an account that a refusal touches, or no secret key")
    vm = machine(fork, program["env"], chain)
    state, touched = vm.state, {}
    for name in CHANGES:
        setattr(state, name, watched(getattr(state, name), touched))
    for key, it in program["pre"].items():
        state.set_balance(decode_hex(key), number(it["balance"]))
        state.set_nonce(decode_hex(key), number(it["nonce"]))
        state.set_code(decode_hex(key), decode_hex(it["code"]))
        for slot, value in it["storage"].items():
            state.set_storage(decode_hex(key), number(slot), number(value))
    state.persist()
    found = {"outcome": "refused", "logs": "0x" + keccak(rlp.encode([])).hex()}
    try:
        signed = transaction(vm, program, chosen, chain)
        vm.validate_transaction_against_header(vm.get_header(), signed)
        state.lock_changes()
        done = state.apply_transaction(signed)
    except ValidationError as why:
        ended = f"refused: {why}"
    else:
        logs = rlp.encode([Log(*entry) for entry in done.get_log_entries()])
        found = {"outcome": "executed", "logs": "0x" + keccak(logs).hex()}
        ended = repr(done.error) if done.is_error else "success"
    state.persist()
    found["root"] = "0x" + state.state_root.hex()
    found["state"] = {"0x" + address.hex(): account(state, address, slots) for address, slots in sorted(touched.items())
                      if state.account_exists(address)}
    return found, ended


def answer(request):
    try:
        if request["machine"] != "ethereum":
            raise NotImplementedError(f"no machine {request['machine']}")
        if not request["steps"]:
            return {"type": "done", "steps": []}
        [step] = request["steps"]
        found, ended = fields(request["program"], step["do"][0]["set"])
    except KeyError as missing:
        return {"type": "error", "message": f"the program has no {missing}"}
    except NotImplementedError as lacks:
        return {"type": "skip", "reason": str(lacks)}
    return {"type": "done", "steps": [{"fields": {name: found[name] for name in step["observe"]}}], "ended": ended}


def serve():
    for asked in map(json.loads, sys.stdin):
        print(json.dumps(HELLO if asked["type"] == "hello" else {"id": asked["id"], **answer(asked)}), flush=True)


sys.setrecursionlimit(100_000)  # 1024 calls deep
threading.stack_size(1 << 29)
threading.Thread(target=serve).start()
