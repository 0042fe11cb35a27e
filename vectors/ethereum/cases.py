"""What the generators of cases share: accounts, transactions and code."""
import json

SENDER = "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b"
SECRET = "0x45a915e4d060149eb4365960e6a7a45f334393093061116b197e3240065ff2d8"
CONTRACT = "0x00000000000000000000000000000000000000b0"
CALLED = "0x00000000000000000000000000000000000000b1"
REVERTS = "0x00000000000000000000000000000000000000b2"
ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141
ETHER = "0x0de0b6b3a7640000"


def hexed(number):
    digits = f"{number:x}"
    return "0x" + digits.zfill(len(digits) + len(digits) % 2)


def account(code="0x", balance="0x00", nonce=0, storage=()):
    return {"balance": balance, "nonce": hexed(nonce), "code": code,
            "storage": {hexed(key): hexed(value) for key, value in dict(storage).items() if value}}


def case(comment, accounts, forks, data=("0x",), gas=1_000_000, excess=0, config=None, refused=None, labels=None, env=None,
         source="vectors/ethereum/make-cases", **transaction):
    """A test; each element of `data` is an entry in each fork. A price is given unless it is among the members."""
    info = {"comment": comment, "source": source,
            "filledwith": "vectors/ethereum/fill, ethereum-execution 2.20.0"}
    if labels:
        info["labels"] = {str(n): f":label {label}" for n, label in enumerate(labels)}
    prices = {} if "maxFeePerGas" in transaction else {"gasPrice": "0x0a"}
    entries = [{"indexes": {"data": n, "gas": 0, "value": 0}, "hash": "0x", "logs": "0x", "state": {}}
               | ({"expectException": refused} if refused else {}) for n in range(len(data))]
    test = {
        "_info": info,
        "env": {"currentCoinbase": "0x2adc25665018aa1fe0e6bc666dac8fc2697ff9ba", "currentGasLimit": "0x07270e00",
                "currentNumber": "0x01", "currentTimestamp": "0x03e8", "currentDifficulty": "0x020000",
                "currentRandom": "0x" + "2a".zfill(64), "currentBaseFee": "0x07", "currentExcessBlobGas": hexed(excess)} | (env or {}),
        "pre": {SENDER: account(balance=ETHER)} | accounts,
        "transaction": {"nonce": "0x00", **prices, "gasLimit": [hexed(gas)], "to": CONTRACT, "value": ["0x00"],
                        "data": list(data), "sender": SENDER, "secretKey": SECRET, **transaction},
        "post": {fork: json.loads(json.dumps(entries)) for fork in forks},
    }
    return test | ({"config": config} if config else {})


def push(number):
    size = max(1, (number.bit_length() + 7) // 8)
    return f"{0x5f + size:02x}{number:0{2 * size}x}"
