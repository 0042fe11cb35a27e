"""Assembly of the Ethereum Virtual Machine: code of mnemonics and marks."""
from tables import evm

NAMES = {code: name for code, (name, *_) in evm.HEIGHTS.items()} | {
    0x50: "POP",
    0x0A: "EXP",
    0x56: "JUMP",
    0x58: "PC",
    0x5A: "GAS",
    0x5B: "JUMPDEST",
    0x00: "STOP",
}
BY_NAME = {name: code for code, name in NAMES.items()}


def push(word):
    """The shortest PUSH."""
    size = max(1, (word.bit_length() + 7) // 8)
    return bytes([0x5F + size]) + word.to_bytes(size, "big")


def listing(code):
    """The mnemonics, with what is pushed."""
    words, at = [], 0
    while at < len(code):
        size = code[at] - 0x5F if 0x60 <= code[at] < 0x80 else 0
        words.append(f"PUSH{size} {code[at + 1:at + 1 + size].hex()}" if size else NAMES[code[at]])
        at += 1 + size
    return " ".join(words)


class Code:
    """Code in which jumps name marks; a mark is a JUMPDEST, and has two bytes in a PUSH2."""

    def __init__(self):
        self.code, self.marks, self.uses = b"", {}, []

    def add(self, *parts):
        for part in parts:
            self.code += part if isinstance(part, bytes) else bytes([part])
        return self

    def mark(self, name):
        self.marks[name] = len(self.code)
        return self.add(0x5B)

    def push_mark(self, name, off=0):
        self.uses.append((len(self.code) + 1, name, off))
        return self.add(b"\x61\0\0")

    def jump(self, name):
        return self.push_mark(name).add(0x56)

    def jump_if(self, name):
        return self.push_mark(name).add(0x57)

    def bytes(self):
        code = bytearray(self.code)
        for at, name, off in self.uses:
            code[at : at + 2] = (self.marks[name] + off).to_bytes(2, "big")
        return bytes(code)


def asm(text):
    """Code of mnemonics and of numbers to push."""
    return b"".join(push(int(word)) if word.isdigit() else bytes([BY_NAME[word]]) for word in text.split())
