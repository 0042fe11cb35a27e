"""The Ethereum Virtual Machine: carries and borrows between the four limbs of a word, for each instruction that computes."""
from tables import evm
from tables.evm import BINARY, GAS, TERNARY, UNARY, WORD, evm_case, price_of_store, signed, stores
from tables.evm_assembler import push
from tables.numbers import quotient, remainder

BOUNDARIES = [2**64, 2**128, 2**192, 2**255]
EDGES = [0, 1, *[it + off for it in BOUNDARIES for off in (-1, 0, 1)], WORD - 2**64, WORD - 1]
# The highest limbs of dividends and divisors: none, one bit, 32 and 33 bits, and the highest bit.
HIGHEST = [2**bits * limb + low for bits in (64, 128, 192) for limb in (1, 2**31, 2**32, 2**63, 2**64 - 1)
           for low in (0, 2**bits - 1)]
DIVIDENDS = [WORD - 1, 2**255, 2**255 - 1, 2**192 - 1, 2**192, 2**128 + 1, 3 * 2**190 + 5, WORD - 2**192]
# Exponents next to what machines treat apart: words, and the number of bits or bytes of a base.
EXPONENTS = [0, 1, 2, 3, 4, 31, 32, 63, 64, 65, 127, 128, 255, 256, 257, 2**32 - 1, 2**32, 2**44 - 1, 2**44, 2**44 + 1, 2**63,
             2**64 - 1, 2**64, 2**64 + 1, 2**128, 2**128 + 3, 2**192 + 1, 2**255, WORD - 2, WORD - 1]
BASES = [0, 1, 2, 3, 4, 5, 2**32 - 1, 2**32, 2**63, 2**64 - 1, 2**64, 2**64 + 1, 2**128 - 1, 2**128, 2**128 + 3, 2**192 - 1,
         2**255, 2**255 + 1, WORD - 2, WORD - 1]
MODULI = [1, 2, 2**64 - 1, 2**64, 2**64 + 1, 2**128 - 1, 2**128, 2**192 + 1, 2**255, 2**255 - 19, WORD - 2**64, WORD - 1]


def named(word):
    """A word as a power of two and a rest, if that is short."""
    for bits in (32, 44, 63, 64, 128, 192, 255, 256):
        rest = word - 2**bits
        if abs(rest) <= 20 and word > 300:
            return f"2^{bits}" + (f" {'+' if rest > 0 else '-'} {abs(rest)}" if rest else "")
    if word > WORD - 2**65 and word < WORD - 20:
        return f"2^256 - 2^64{' - 1' if word % 2 else ''}"
    return str(word) if word < 10_000 else f"{word:#x}"


def computed(comment, rows):
    """A case that stores each result under its number; a row has code, price, operands with the top one first, and result."""
    program, gas, storage = b"", GAS, []
    for key, (code, price, values, result) in enumerate(rows):
        result = int(result) % WORD
        program += b"".join(push(value) for value in reversed(values)) + bytes([code]) + stores(key)
        gas -= 3 * len(values) + price + price_of_store(result)
        storage.append((key, result))
    return evm_case(comment, program, gas, storage)


def limbs():
    cases = {}
    for name, (code, price, meaning) in UNARY.items():
        cases[f"{name.lower()} of words next to limbs"] = computed(
            f"{name} of words next to 2^64, 2^128, 2^192 and 2^255",
            [(code, price, (a,), meaning(a)) for a in EDGES])
    for name, (code, price, meaning) in BINARY.items():
        if name in ("BYTE", "SIGNEXTEND"):
            continue
        for a in EDGES:
            cases[f"{name.lower()} of {named(a)} and words next to limbs"] = computed(
                f"{name} of {named(a)}, on top, and words next to 2^64, 2^128, 2^192 and 2^255",
                [(code, price, (a, b), meaning(a, b)) for b in EDGES])
    for name in ("BYTE", "SIGNEXTEND"):
        code, price, meaning = BINARY[name]
        counts = [*range(0, 34), 63, 64, 255, 256, 2**32, 2**64, 2**64 + 7, 2**128, 2**192 + 1, WORD - 1]
        for shown, word in (("bytes that differ", int.from_bytes(bytes(0x70 + n for n in range(32)), "big")),
                            ("highest bits", int("80" * 32, 16)), ("all bits", WORD - 1), ("no highest bits", int("7f" * 32, 16))):
            cases[f"{name.lower()} of each place of a word of {shown}"] = computed(
                f"{name} of each place, and of places outside, of a word of {shown}",
                [(code, price, (place, word), meaning(place, word)) for place in counts])
    return cases


def divisions():
    """Quotients of dividends and divisors with each number of limbs, and the highest limb of each length."""
    cases = {}
    for name in ("DIV", "MOD", "SDIV", "SMOD"):
        code, price, meaning = BINARY[name]
        for a in DIVIDENDS:
            cases[f"{name.lower()} of {named(a)} by divisors of 1 to 4 limbs"] = computed(
                f"{name} of {named(a)} by divisors of 1 to 4 limbs, with highest limbs of 1 to 64 bits",
                [(code, price, (a, b), meaning(a, b)) for b in [*range(1, 4), *HIGHEST]])
    assert quotient(signed(2**255), -1) % WORD == 2**255 and remainder(-7, 2) == -1
    return cases


def powers():
    cases = {}
    for a in BASES:
        rows = [(0x0a, 10 + 10 * ((e.bit_length() + 7) // 8), (a, e), pow(a, e, WORD)) for e in EXPONENTS]
        cases[f"exp of {named(a)} to exponents next to limbs"] = computed(
            f"EXP of {named(a)}, on top, to exponents next to words and limbs", rows)
    return cases


def moduli():
    cases = {}
    some = [0, 1, 2**64 - 1, 2**64, 2**128 - 1, 2**128, 2**192 - 1, 2**255, WORD - 2**64, WORD - 1]
    for name, (code, price, meaning) in TERNARY.items():
        for m in MODULI:
            cases[f"{name.lower()} modulo {named(m)} of words next to limbs"] = computed(
                f"{name} modulo {named(m)} of words next to 2^64, 2^128, 2^192 and 2^256",
                [(code, price, (a, b, m), meaning(a, b, m)) for a in some for b in some if a <= b])
    return cases


def keys():
    """Words of storage whose keys differ in one limb: each is stored, then all are read."""
    keys_ = [5 + 2**(64 * limb) * factor for limb in range(4) for factor in (0, 1, 2**63)]
    keys_ = sorted({key % WORD for key in keys_})
    program, gas, storage = b"", GAS, {}
    for number, key in enumerate(keys_):
        program += push(number + 100) + push(key) + bytes([0x55])
        gas -= 3 + price_of_store(1)
        storage[key] = number + 100
    for number, key in enumerate(keys_):
        # What is read is stored, with its number in the highest byte.
        to = 2**248 + number
        program += push(key) + bytes([0x54]) + push(to) + bytes([0x55])
        gas -= 3 + 50 + price_of_store(1)
        storage[to] = storage[key]
    return {"storage keys that differ in one limb": evm_case(
        "SSTORE and SLOAD under keys that differ in one of the four limbs", program, gas, list(storage.items()))}


def files():
    for make in (limbs, divisions, powers, moduli, keys):
        yield f"evm/tables/limbs-{make.__name__}.json" if make is not limbs else "evm/tables/limbs.json", make()
