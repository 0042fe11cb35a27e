"""Instructions of the Ethereum Virtual Machine that touch memory, storage, accounts, logs or calls, on operands next to
the boundaries. The expectations are those of `reference.py`."""
from tables import evm
from tables.names import readable
from tables.reference import Run, bloom, hash_of

OWN, B, MISSING = int("aa" * 20, 16), int("bb" * 20, 16), int("cc" * 20, 16)
HIGH = 2**255
HUGE = [2**64, 2**64 + 1, HIGH, HIGH + 32, 2**256 - 1]
WORDS = [0, 1, 2**64, 2**64 + 1, HIGH, HIGH + 5, 2**256 - 1, 0x0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20]
ADDRESSES = [0, 1, B, OWN, MISSING, 2**160, 2**160 + 1, HIGH + B, HIGH]
OFFSETS = [0, 1, 31, 40]
SIZES = [0, 1, 9, 33]
DATA = bytes(0x81 + n for n in range(40))
GAS = 1_000_000
KEYS = {0: 11, 1: HIGH + 7, 2: 5, 2**64 + 1: 2**64 + 9, HIGH + 1: 13, 2**64: 17}


def account(balance, nonce, code=b"", storage=()):
    return {"balance": balance, "nonce": nonce, "code": code, "storage": dict(storage)}


ACCOUNTS = {OWN: account(1000, 7, b"", KEYS), B: account(2**64 + 5, 0, b"\x60\x01"), 0: account(3, 0, b"\x60\x01\x02"),
            1: account(HIGH + 4, 1, bytes(range(0x81, 0xa1))), 5: account(0, 9)}
ENV = {0x30: OWN, 0x32: int("0f" * 20, 16), 0x33: int("ca" * 20, 16), 0x34: HIGH + 3, 0x3a: 2**64 + 1,
       0x41: int("c0" * 20, 16), 0x42: 2**64 + 5, 0x43: 300, 0x44: HIGH + 1, 0x45: 2**62 + 1}
EFFECTS = {code: (2, price, meaning) for code, price, meaning in evm.BINARY.values()}
EFFECTS |= {code: (3, price, meaning) for code, price, meaning in evm.TERNARY.values()}
EFFECTS |= {code: (1, price, meaning) for code, price, meaning in evm.UNARY.values()}
CODES = {name: code for code, (name, *_) in evm.HEIGHTS.items()} | {"JUMP": 0x56, "POP": 0x50, "STOP": 0}
# Three words of memory.
MEMORY = b"".join(evm.push(int.from_bytes(bytes(start + n for n in range(32)), "big")) + bytes([0x60, place, 0x52])
                  for start, place in ((0xc1, 64), (0x91, 32), (0x21, 0)))


def hexed(value):
    return "0x" + value.hex()


def address(number):
    return f"0x{number:040x}"


def state(accounts):
    return {address(key): {"balance": evm.even(it["balance"]), "nonce": evm.even(it["nonce"]), "code": hexed(it["code"]),
                           "storage": {evm.even(name): evm.even(value) for name, value in it["storage"].items() if value}}
            for key, it in accounts.items()}


def accounts_for(name):
    """As few accounts and words of storage as show what the instruction does."""
    if name.startswith(("BALANCE", "EXT", "CALL", "DELEGATE", "SUICIDE")) and not name.startswith("CALLDATA"):
        return ACCOUNTS | {OWN: account(1000, 7)}
    return {OWN: account(1000, 7, b"", KEYS if name in ("SLOAD", "SSTORE") else {1: 5})}


def case(comment, code, more=(), gas=GAS, entries=False):
    """A case with what the reference leaves of the program and of `more` accounts, or without if it halts. The logs are
    entries if it is of an old layout."""
    accounts = accounts_for(comment.split()[0]) | dict(more)
    run = Run(code, EFFECTS, OWN, accounts, gas, DATA, ENV)
    ends = run.execute()
    case = {
        "_info": {"comment": comment + ("." if ends or "halts" in comment else "; the run halts.")},
        "env": {"currentCoinbase": address(ENV[0x41]), "currentDifficulty": evm.even(ENV[0x44]),
                "currentGasLimit": evm.even(ENV[0x45]), "currentNumber": evm.even(ENV[0x43]),
                "currentTimestamp": evm.even(ENV[0x42])},
        "pre": state(accounts),
        "exec": {"address": address(OWN), "caller": address(ENV[0x33]), "origin": address(ENV[0x32]),
                 "value": evm.even(ENV[0x34]), "gasPrice": evm.even(ENV[0x3a]), "gas": evm.even(gas),
                 "data": hexed(DATA), "code": hexed(code)},
    }
    if ends:
        logs = [{"address": log["address"].hex(), "bloom": f"{bloom(log):0512x}", "data": hexed(log["data"]),
                 "topics": [topic.hex() for topic in log["topics"]]} for log in run.logs]
        calls = [{"data": hexed(call["data"]), "destination": "" if call["to"] is None else address(call["to"]),
                  "gasLimit": evm.even(call["gas"]), "value": evm.even(call["value"])} for call in run.calls]
        case |= {"gas": evm.even(run.gas), "out": hexed(run.out), "logs": logs if entries else hash_of(run.logs), "callcreates": calls,
                 "post": state(run.accounts)}
    return case


def program(name, operands):
    """Pushes the operands, executes the instruction, stores what it pushed and returns the memory."""
    pushes = evm.HEIGHTS[CODES[name]][2]
    code = MEMORY + b"".join(evm.push(value) for value in reversed(operands)) + bytes([CODES[name]])
    # Room for what shows the result, and the size of memory.
    return code + evm.stores(16) * pushes + bytes.fromhex("59601755" "60a06000f3")


def ranges(offsets=OFFSETS):
    """Offsets and sizes: small ones, then huge ones one at a time, also where the size is 0."""
    yield from ((start, size) for start in offsets for size in SIZES)
    for huge in HUGE:
        yield from ((huge, 0), (huge, 1), (0, huge), (1, huge), (huge, huge))


def copies():
    yield from ((to, start, size) for to in (0, 1, 33) for start in (0, 1, 3, 31, 40) for size in (0, 1, 9, 33))
    for huge in HUGE:
        yield from ((huge, 0, 0), (huge, 0, 1), (0, huge, 0), (0, huge, 9), (1, huge, 33), (0, 0, huge))


def hashes():
    yield "SHA3", ranges()
    yield "SHA3", ((32, 32), (0, 32), (32, 0), (33, 33), (8, 8))


def returns():
    yield "RETURN", ranges()


def memory():
    yield "MLOAD", ((start,) for start in OFFSETS + [8, 9, 39, 64] + HUGE)
    for name in ("MSTORE", "MSTORE8"):
        yield name, ((start, word) for start in OFFSETS for word in WORDS)
        yield name, ((start, word) for start in HUGE for word in (0, 1))


def input_and_code():
    yield "CALLDATALOAD", ((start,) for start in OFFSETS + [8, 9, 39, 64] + HUGE)
    for name in ("CALLDATACOPY", "CODECOPY"):
        yield name, copies()
    # The whole code.
    yield "CODECOPY", ((0, 0, len(program("CODECOPY", (0, 0, 0)))), (5, 0, len(program("CODECOPY", (0, 0, 0))) + 1))


def code_of_accounts():
    yield "EXTCODESIZE", ((it,) for it in ADDRESSES)
    yield "EXTCODECOPY", ((1, *copy) for copy in copies())
    yield "EXTCODECOPY", ((it, 0, 1, 40) for it in ADDRESSES)


def balances_and_blocks():
    yield "BALANCE", ((it,) for it in ADDRESSES)
    yield "BLOCKHASH", ((it,) for it in (0, 1, 43, 44, 45, 298, 299, 300, 301, *HUGE, 2**64 + 299, HIGH + 299, 2**128 + 44))
    yield "SUICIDE", ((it,) for it in ADDRESSES)


def storage():
    yield "SLOAD", ((key,) for key in (*KEYS, 3, HIGH, HIGH + 2))
    yield "SSTORE", ((key, word) for key in (*KEYS, 3) for word in WORDS)


def logs():
    for count in range(5):
        topics = [(word, *[9, 8, 7]) for word in WORDS] + [(6, word, 4, word ^ 1) for word in WORDS]
        for topic in topics if count else [()]:
            yield f"LOG{count}", ((1, 9, *topic[:count]), (0, 0, *topic[:count]))
        yield f"LOG{count}", ((*pair, *[3, 2, 1, 5][:count]) for pair in ranges([0, 1]))


def few_logs():
    """Logs whose topics and bloom old layouts spell out."""
    for count in range(5):
        topics = [(word, *[9, 8, 7]) for word in WORDS] if count else [()]
        yield f"LOG{count}", ((1, 9, *it[:count]) for it in topics)
        yield f"LOG{count}", ((start, size, *[3, 2, 1, 5][:count]) for start, size in ((0, 0), (0, 33), (31, 1)))


def create():
    for value in (0, 1, 2, 1000, 1001, *HUGE):
        yield "CREATE", ((value, 0, 9), (value, 1, 0), (value, value & 31, 1))
    yield "CREATE", ((1, *pair) for pair in ranges([1]))
    yield "CREATE", ((1001, 1001, 1), (0, 0, 0), (HIGH, HIGH, 0))


def calls(name):
    values = 0 if name == "DELEGATECALL" else 1
    for gas in (0, 1, 5, 1000, 2**64 - 9000, 2**64 - 1, 2**64 + 5, HIGH + 5, HIGH):
        for to in (5, 1000, B):
            yield name, ((gas, to, *[1] * values, 0, 9, 3, 40),)
    for to in ADDRESSES:
        yield name, ((7, to, *[3] * values, 1, 8, 0, 0),)
    for value in (0, 1, 2, 1000, 1001, *HUGE) if values else ():
        yield name, ((9, B, value, 0, 3, 0, 0), (9, MISSING, value, 0, 0, 0, 0))
    yield name, ((3, 3, *[1001] * values, 0, 0, 0, 0), (0, 0, *[0] * values, 1, 2, 3, 4))
    for pair in ranges([1]):
        yield name, ((7, B, *[0] * values, *pair, 0, 1), (7, B, *[0] * values, 0, 1, *pair))


# What each program does, with the operands from the top of the stack on.
SENTENCES = {
    "SHA3": "hashes memory from {} on, bytes: {}",
    "RETURN": "gives memory from {} on, bytes: {}",
    "MLOAD": "loads the word at {} of 96 bytes of memory",
    "MSTORE": "stores at {} the word {}",
    "MSTORE8": "stores at {} the last byte of {}",
    "CALLDATALOAD": "loads the word at {} of 40 bytes of input",
    "CALLDATACOPY": "copies to {} the input from {} on, bytes: {}",
    "CODECOPY": "copies to {} the code from {} on, bytes: {}",
    "EXTCODESIZE": "gives the size of the code of account {}",
    "EXTCODECOPY": "copies the code of account {} to {} from its byte {} on, bytes: {}",
    "BALANCE": "gives the balance of account {}",
    "BLOCKHASH": "in block 300 gives the hash of block {}",
    "SUICIDE": "leaves everything to account {}",
    "SLOAD": "loads the word of storage {}",
    "SSTORE": "stores in the word of storage {} the word {}",
    "CREATE": "with value {} creates an account by memory from {} on, bytes: {}",
    "CALL": "with gas {} calls account {} with value {}, input from {} on, bytes: {}, output to {}, bytes: {}",
    "DELEGATECALL": "with gas {} calls account {}, input from {} on, bytes: {}, output to {}, bytes: {}",
}
SENTENCES["CALLCODE"] = SENTENCES["CALL"]
for topics in range(5):
    SENTENCES[f"LOG{topics}"] = "logs memory from {} on, bytes: {}" + ", topics: {}" * (topics > 0) + ", {}" * (topics - 1)

NAMED = {OWN: "own (0xaa..aa)", B: "0xbb..bb", MISSING: "missing (0xcc..cc)", HIGH + B: "2^255 + 0xbb..bb"}


def shown(number):
    """A number as people write it: a boundary as a power of two and a rest."""
    if number in NAMED or number <= 10_000:
        return NAMED.get(number, str(number))
    for bits in (64, 128, 160, 255, 256):
        rest = number - 2**bits
        if abs(rest) <= 1000:
            return f"2^{bits}" + (f" {'+' if rest > 0 else '-'} {abs(rest)}" if rest else "")
    return readable(f"0x{number:x}")


def programs(lists, entries=False):
    cases = {}
    for name, all_values in lists:
        for values in all_values:
            called = f"{name} {SENTENCES[name].format(*map(shown, values))}"
            cases[called] = case(called, program(name, values), entries=entries)
    return cases


def others():
    """Jumps, what an instruction leaves on the stack, and a comparison of BYTE with 0."""
    cases = {}
    for code, (name, pops, pushes, _) in sorted(evm.HEIGHTS.items()):
        if pushes == 0 and name not in ("RETURN", "SUICIDE", "JUMPI"):
            cases[f"{name.lower()} leaves nothing"] = case(
                f"{name} leaves nothing: the POP after it halts", b"\x60\x00" * pops + bytes([code, 0x50]))
    # JUMPDEST MSIZE PUSH1 end JUMPI, then something that makes memory, then the jump.
    again = bytes.fromhex("5b59600057" "600051" "50")
    for comment, jump in (("JUMP to 0, where the code begins", b"\x60\x00\x56"), ("JUMP takes 1 and finds 0", b"\x56"),
                          ("JUMPI to 0, where the code begins", b"\x60\x01\x60\x00\x57"),
                          ("JUMPI takes 2 and finds 0", b"\x57"), ("JUMPI takes 2 and finds 1", b"\x60\x01\x57")):
        code = again[:3] + bytes([len(again) + len(jump) + 1]) + again[4:] + jump + b"\x00\x5b\x60\x07\x60\x05\x55"
        cases[comment.lower()] = case(comment, code)
    for start in (0, 2**64, HIGH, 2**128):
        for flag in (0, 1, 2**64, HIGH):
            # A push of 33 bytes or two, the jump, STOP, and the destination.
            code = evm.push(flag) + evm.push(start + 68) + b"\x57\x00\x5b\x60\x07\x60\x05\x55"
            cases[f"jumpi to 0x{start + 68:x} if 0x{flag:x}"] = case(f"JUMPI to {start + 68} if {flag}", code)
        code = evm.push(start + 35) + b"\x56\x00\x5b\x60\x07\x60\x05\x55"
        cases[f"jump to 0x{start + 35:x}"] = case(f"JUMP to {start + 35}", code)
    code = b"\x60\x04\x56\x00\x5b\x50"
    cases["jump leaves nothing"] = case("JUMP leaves nothing: the POP at its target halts", code)
    for place in (0, 1, 30, 31, 32):
        for word in (0, 1, HIGH, 2**64):
            code = evm.push(word) + evm.push(place) + b"\x1a" + evm.stores(3)
            cases[f"byte {place} of 0x{word:x}"] = case(f"BYTE {place} of {word}", code)
    for a, b, c in ((HIGH, 1, 2**256 - 1), (2**256 - 2, 2**256 - 2, 2**256 - 1), (HIGH - 1, HIGH, 2**256 - 1)):
        for name in ("ADDMOD", "MULMOD"):
            code = evm.push(c) + evm.push(b) + evm.push(a) + bytes([CODES[name]]) + evm.stores(3)
            cases[f"{name.lower()} 0x{a:x} 0x{b:x} 0x{c:x}"] = case(f"{name} with the highest modulus", code)
    for name in (*[it for it in evm.ENVIRONMENT if it], "COINBASE", "TIMESTAMP", "NUMBER", "DIFFICULTY", "GASLIMIT", "PC",
                 "MSIZE", "GAS"):
        code = b"\x5b" + bytes([CODES[name]]) + evm.stores(3)
        cases[f"{name.lower()} after another instruction"] = case(f"{name} after another instruction", code)
    for what, it in (("balance", account(5, 0)), ("nonce", account(0, 5)), ("code", account(0, 0, b"\x00")),
                     ("storage", account(0, 0, b"", {3: 5}))):
        cases[f"account with only {what}"] = case(f"An account that has only {what} is there after the run", b"\x00", {B: it})
    for bits in (40, 42, 43, 44, 50, 62):
        code = evm.push(2**bits) + b"\x60\x00\x80\x37"
        cases[f"calldatacopy of 2^{bits} bytes"] = case(f"CALLDATACOPY of 2^{bits} bytes costs more than any gas",
                                                        code + b"\x00", gas=2**63 - 1 if bits > 42 else GAS)
    # MSTORE does not touch the word after it.
    code = MEMORY + evm.push(HIGH + 9) + b"\x60\x00\x52" + evm.push(HIGH + 8) + b"\x60\x20\x53" + bytes.fromhex("60a06000f3")
    cases["mstore and mstore8 before other words"] = case("MSTORE and MSTORE8 change no other bytes", code)
    return cases


def files():
    groups = (hashes, returns, memory, input_and_code, code_of_accounts, balances_and_blocks, storage, logs, create)
    for group in groups:
        yield f"evm/tables/{group.__name__.replace('_', '-')}.json", programs(group())
    yield "evm/layout-2017/entries-of-logs.json", programs(few_logs(), entries=True)
    for name in ("CALL", "CALLCODE", "DELEGATECALL"):
        yield f"evm/tables/{name.lower()}.json", programs(calls(name))
    yield "evm/tables/others.json", others()
