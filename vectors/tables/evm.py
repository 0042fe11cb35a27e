"""The Ethereum Virtual Machine: prices of Homestead, 1024 words on the stack."""
from tables.numbers import pairs, quotient, remainder
from tables.reference import hash_of

WORD = 1 << 256
EDGES = [0, 1, 2, 31, 32, 255, 256, 2**63, 2**64 - 1, 2**64, 2**64 + 1, 2**127, 2**128 - 1, 2**128, 2**192,
         2**255 - 1, 2**255, 2**255 + 1, WORD - 2, WORD - 1]


def signed(word):
    return word - WORD if word >> 255 else word


def sign_extend(a, b):
    if a > 30:
        return b
    bits = 8 * a + 8
    low = b % (1 << bits)
    return low - (1 << bits) if low >> (bits - 1) else low


# Code, price and meaning of a, b and c; a is on top.
BINARY = {
    "ADD": (0x01, 3, lambda a, b: a + b), "MUL": (0x02, 5, lambda a, b: a * b), "SUB": (0x03, 3, lambda a, b: a - b),
    "DIV": (0x04, 5, lambda a, b: a // b if b else 0), "MOD": (0x06, 5, lambda a, b: a % b if b else 0),
    "SDIV": (0x05, 5, lambda a, b: quotient(signed(a), signed(b))),
    "SMOD": (0x07, 5, lambda a, b: remainder(signed(a), signed(b))),
    "SIGNEXTEND": (0x0b, 5, sign_extend),
    "LT": (0x10, 3, lambda a, b: a < b), "GT": (0x11, 3, lambda a, b: a > b), "EQ": (0x14, 3, lambda a, b: a == b),
    "SLT": (0x12, 3, lambda a, b: signed(a) < signed(b)), "SGT": (0x13, 3, lambda a, b: signed(a) > signed(b)),
    "AND": (0x16, 3, lambda a, b: a & b), "OR": (0x17, 3, lambda a, b: a | b), "XOR": (0x18, 3, lambda a, b: a ^ b),
    "BYTE": (0x1a, 3, lambda a, b: b >> 8 * (31 - a) & 255 if a < 32 else 0),
}
TERNARY = {
    "ADDMOD": (0x08, 8, lambda a, b, c: (a + b) % c if c else 0),
    "MULMOD": (0x09, 8, lambda a, b, c: a * b % c if c else 0),
}
# Words of which two limbs are the same, or differ by the same, and divisors of all lengths.
LIMBS = [2**first + 2**second for first in (0, 64, 128, 192) for second in (64, 128, 192) if first < second]
DIVISORS = [(2**256 - 9, 2**bits + off) for bits in (200, 223, 224, 225, 230, 240, 250, 254) for off in (-1, 0, 5)]
UNARY = {"ISZERO": (0x15, 3, lambda a: a == 0), "NOT": (0x19, 3, lambda a: WORD - 1 - a)}

# Instructions by code: name, words taken, words left, price.
HEIGHTS = {code: (name, 2, 1, price) for name, (code, price, _) in BINARY.items()}
HEIGHTS |= {code: (name, 3, 1, price) for name, (code, price, _) in TERNARY.items()}
HEIGHTS |= {code: (name, 1, 1, price) for name, (code, price, _) in UNARY.items()}
HEIGHTS |= {0x0a: ("EXP", 2, 1, 10), 0x20: ("SHA3", 2, 1, 30), 0x31: ("BALANCE", 1, 1, 20),
            0x35: ("CALLDATALOAD", 1, 1, 3), 0x37: ("CALLDATACOPY", 3, 0, 3), 0x39: ("CODECOPY", 3, 0, 3),
            0x3b: ("EXTCODESIZE", 1, 1, 20), 0x3c: ("EXTCODECOPY", 4, 0, 20), 0x40: ("BLOCKHASH", 1, 1, 20),
            0x50: ("POP", 1, 0, 2), 0x51: ("MLOAD", 1, 1, 3), 0x52: ("MSTORE", 2, 0, 3),
            0x53: ("MSTORE8", 2, 0, 3), 0x54: ("SLOAD", 1, 1, 50), 0x55: ("SSTORE", 2, 0, 0),
            0x57: ("JUMPI", 2, 0, 10), 0xf0: ("CREATE", 3, 1, 32000), 0xf1: ("CALL", 7, 1, 40),
            0xf2: ("CALLCODE", 7, 1, 40), 0xf3: ("RETURN", 2, 0, 0), 0xf4: ("DELEGATECALL", 6, 1, 40),
            0xff: ("SUICIDE", 1, 0, 0)}
ENVIRONMENT = ["ADDRESS", None, "ORIGIN", "CALLER", "CALLVALUE", None, "CALLDATASIZE", None, "CODESIZE", None,
               "GASPRICE"]
HEIGHTS |= {0x30 + i: (name, 0, 1, 2) for i, name in enumerate(ENVIRONMENT) if name}
HEIGHTS |= {0x41 + i: (name, 0, 1, 2)
            for i, name in enumerate(["COINBASE", "TIMESTAMP", "NUMBER", "DIFFICULTY", "GASLIMIT"])}
HEIGHTS |= {0x58 + i: (name, 0, 1, 2) for i, name in enumerate(["PC", "MSIZE", "GAS"])}
HEIGHTS |= {0x60 + i: (f"PUSH{i + 1}", 0, 1, 3) for i in range(32)}
HEIGHTS |= {0x80 + i: (f"DUP{i + 1}", i + 1, i + 2, 3) for i in range(16)}
HEIGHTS |= {0x90 + i: (f"SWAP{i + 1}", i + 2, i + 2, 3) for i in range(16)}
HEIGHTS |= {0xa0 + i: (f"LOG{i}", i + 2, 0, 375 * (i + 1)) for i in range(5)}

GAS = 10_000_000
OWN = "0x" + "aa" * 20


def even(number):
    digits = f"{number:x}"
    return "0x" + digits.zfill(len(digits) + len(digits) % 2)


def evm_case(comment, code, left=None, storage=()):
    """A case that must end with so much gas left, or must halt if `left` is None."""
    account = {"balance": "0x03e8", "nonce": "0x07", "code": "0x", "storage": {}}
    case = {
        "_info": {"comment": comment},
        "env": {"currentCoinbase": "0x" + "c0".zfill(40), "currentDifficulty": "0x02", "currentGasLimit": "0x0f4240",
                "currentNumber": "0x012c", "currentTimestamp": "0x01"},
        "pre": {OWN: account},
        "exec": {"address": OWN, "caller": "0x" + "ca" * 20, "origin": "0x" + "0f" * 20, "value": "0x00",
                 "gasPrice": "0x01", "gas": even(GAS), "data": "0x", "code": "0x" + code.hex()},
    }
    if left is not None:
        words = {even(key): even(value) for key, value in storage if value}
        case |= {"gas": even(left), "out": "0x", "logs": hash_of([]), "callcreates": [],
                 "post": {OWN: account | {"storage": words}}}
    return case


def push(word):
    return bytes([0x7f]) + word.to_bytes(32, "big")


def stores(key):
    return bytes([0x60, key, 0x55])


def price_of_store(value):
    return 3 + (20000 if value else 5000)


def numbers_case(name, code, price, meaning, operands):
    """One program that stores the result for each list of operands under its number."""
    program, gas, storage = b"", GAS, []
    for key, values in enumerate(operands):
        result = int(meaning(*values)) % WORD
        program += b"".join(push(value) for value in reversed(values)) + bytes([code]) + stores(key)
        gas -= 3 * len(values) + price + price_of_store(result)
        storage.append((key, result))
    return evm_case(f"{name} of words next to the boundaries of limbs", program, gas, storage)


def evm_numbers():
    cases = {}
    two = pairs(EDGES, (1, 3, 7))
    three = [(a, b, c) for (a, b), c in zip(two, EDGES[::-1] * 6)]
    one = [(edge,) for edge in EDGES]
    equal = [(a, b) for a in [0, 1, *LIMBS] for b in [0, 1, *LIMBS]]
    for name, operands in (("ISZERO", [(word,) for word in LIMBS]), ("EQ", equal), ("LT", equal), ("GT", equal),
                           ("DIV", DIVISORS), ("MOD", DIVISORS)):
        code, price, meaning = (UNARY if name == "ISZERO" else BINARY)[name]
        kind = "long divisors" if operands == DIVISORS else "limbs"
        cases[f"{name.lower()} of {kind}"] = numbers_case(name, code, price, meaning, operands)
    for rows, operands in ((UNARY, one), (BINARY, two), (TERNARY, three)):
        for name, (code, price, meaning) in rows.items():
            cases[f"{name.lower()} of words next to the boundaries of limbs"] = numbers_case(name, code, price, meaning, operands[:100])
    return cases


def rearranged(code, stack):
    """The stack, its top last, after DUP or SWAP."""
    stack = list(stack)
    if code < 0x90:
        stack.append(stack[-1 - (code - 0x80)])
    else:
        below = -2 - (code - 0x90)
        stack[-1], stack[below] = stack[below], stack[-1]
    return stack


def evm_moves():
    """Every DUP and SWAP on as few words as it takes, with all of them checked."""
    kinds = {
        "wide words": lambda n: sum((n + 1) * 17 << bits for bits in (0, 64, 128, 192)),
        "words with the highest bit": lambda n: 2**255 + n,
        "zeros": lambda n: 0,
    }
    cases = {}
    for code in range(0x80, 0xa0):
        name, pops, _, price = HEIGHTS[code]
        for kind, word in kinds.items():
            words = [word(n) for n in range(pops)]
            program = b"".join(map(push, words)) + bytes([code])
            gas = GAS - 3 * len(words) - price
            after = rearranged(code, words)
            for key, value in enumerate(reversed(after)):
                program += stores(key)
                gas -= price_of_store(value)
            cases[f"{name.lower()}-of-{kind.replace(' ', '-')}"] = evm_case(
                f"{name} moves one of {pops} {kind} and no other", program, gas, list(enumerate(reversed(after))))
    return cases


def filled(height):
    """Code that leaves so many words, at least 900, and what it costs: a loop that counts in memory."""
    loop = bytes.fromhex("5b" "6000" "600051" "600101" "80" "600052" "610384" "11" "600057")
    # JUMPDEST, a word, load, add, copy, store, compare with 900, jump.
    cost = 900 * (1 + 3 + (3 + 3) + (3 + 3) + 3 + (3 + 3) + 3 + 3 + (3 + 10)) + 3
    rest = height - 900
    return loop + b"\x60\x00" * rest, cost + 3 * rest


def evm_heights():
    cases = {}
    for code, (name, pops, pushes, price) in sorted(HEIGHTS.items()):
        operation = bytes([code]) + bytes(code - 0x5f if 0x60 <= code < 0x80 else 0)
        for count in {0, pops - 1} - {pops, -1}:
            cases[f"{name.lower()}-with-{count}-of-{pops}"] = evm_case(
                f"{name} takes {pops} words and finds {count}", b"\x60\x01" * count + operation)
        if pushes > pops:
            program, cost = filled(1023)
            cases[f"{name.lower()}-to-1024"] = evm_case(
                f"{name} may leave 1024 words", program + operation, GAS - cost - price)
            cases[f"{name.lower()}-to-1025"] = evm_case(
                f"{name} may not leave 1025 words, also if POP follows", filled(1024)[0] + operation + b"\x50")
    return cases


def files():
    yield "evm/tables/numbers.json", evm_numbers()
    yield "evm/tables/moves.json", evm_moves()
    yield "evm/tables/heights.json", evm_heights()
