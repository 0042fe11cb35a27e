"""Names of tests: long numbers as powers of two, long bytes by their ends."""
import re

# Powers of two that numbers are named by, with what is added or subtracted.
POWERS = (31, 32, 44, 62, 63, 64, 70, 127, 128, 130, 160, 192, 200, 254, 255, 256)
REST = 1100


def power_of_two(number):
    """The number as a power of two and a short rest; `None` if it is not next to one."""
    sign = "-" if number < 0 else ""
    for bits in POWERS:
        rest = abs(number) - 2**bits
        if abs(rest) <= min(REST, 2 ** (bits - 2)):
            # The rest has the sign of the number.
            plus = (rest > 0) == (number > 0)
            return f"{sign}2^{bits}" + (f" {'+' if plus else '-'} {abs(rest)}" if rest else "")
    return None


def ends(digits):
    """The first and the last digits of bytes or of a number, and how many they are."""
    if digits.isdigit() and digits[0] != "0":
        return f"{digits[:4]}..{digits[-4:]} ({len(digits)} digits)"
    return f"{digits[:4]}..{digits[-4:]} ({len(digits) // 2} bytes)"


def decimal(match):
    return power_of_two(int(match[0])) or match[0]


def hexadecimal(match):
    digits = match[0][2:]
    if len(digits) == 40 and digits == 20 * digits[:2]:
        return f"0x{digits[:2]}..{digits[:2]}"
    return power_of_two(int(digits, 16)) or f"0x{digits[:4]}..{digits[-4:]}"


def readable(name):
    name = re.sub(r"(?<![\w.])-?\d{10,}(?![\w.])", decimal, name)
    name = re.sub(r"0x[0-9a-f]{11,}", hexadecimal, name)
    return re.sub(r"(?<![\w.])[0-9a-f]{24,}(?![\w.])", lambda match: ends(match[0]), name)
