"""The Ethereum Virtual Machine of VMTests in a few lines, for the expectations of tables: every rule of Homestead, with
Python's integers, and calls that are recorded and not executed."""

MASK = (1 << 256) - 1
STATIC = {0x20: 30, 0x31: 20, 0x37: 3, 0x39: 3, 0x3b: 20, 0x3c: 20, 0x40: 20, 0x50: 2, 0x51: 3, 0x52: 3, 0x53: 3, 0x54: 50,
          0x55: 5000, 0x56: 8, 0x57: 10, 0x5b: 1, 0xf0: 32000, 0xf1: 40, 0xf2: 40, 0xf4: 40, 0x35: 3, 0x00: 0, 0xf3: 0,
          0xff: 0, 0x0a: 10} | {code: 2 for code in (0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x58, 0x59, 0x5a, *range(0x41, 0x46))}
STATIC |= {code: 3 for code in range(0x60, 0xa0)} | {0xa0 + n: 375 * (n + 1) for n in range(5)}

ROUNDS = [0x1, 0x8082, 0x800000000000808a, 0x8000000080008000, 0x808b, 0x80000001, 0x8000000080008081, 0x8000000000008009,
          0x8a, 0x88, 0x80008009, 0x8000000a, 0x8000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
          0x8000000000008002, 0x8000000000000080, 0x800a, 0x800000008000000a, 0x8000000080008081, 0x8000000000008080,
          0x80000001, 0x8000000080008008]


def keccak(data):
    """Keccak-256."""
    def rotated(lane, by):
        return (lane << by | lane >> (64 - by)) & (1 << 64) - 1 if by else lane
    lanes = [[0] * 5 for _ in range(5)]
    padded = bytearray(data + b"\x01" + bytes(-(len(data) + 1) % 136))
    padded[-1] |= 0x80
    for start in range(0, len(padded), 136):
        for i in range(17):
            lanes[i % 5][i // 5] ^= int.from_bytes(padded[start + 8 * i:start + 8 * i + 8], "little")
        for constant in ROUNDS:
            sums = [column[0] ^ column[1] ^ column[2] ^ column[3] ^ column[4] for column in lanes]
            lanes = [[lane ^ sums[(x + 4) % 5] ^ rotated(sums[(x + 1) % 5], 1) for lane in lanes[x]] for x in range(5)]
            x, y, lane = 1, 0, lanes[1][0]
            for step in range(24):
                x, y = y, (2 * x + 3 * y) % 5
                lane, lanes[x][y] = lanes[x][y], rotated(lane, (step + 1) * (step + 2) // 2 % 64)
            lanes = [[lanes[x][y] ^ ~lanes[(x + 1) % 5][y] & lanes[(x + 2) % 5][y] for y in range(5)] for x in range(5)]
            lanes[0][0] ^= constant
    return b"".join(lanes[i % 5][i // 5].to_bytes(8, "little") for i in range(4))


def bloom(log):
    bits = 0
    for part in (log["address"], *log["topics"]):
        digest = keccak(part)
        for i in (0, 2, 4):
            bits |= 1 << (int.from_bytes(digest[i:i + 2], "big") & 2047)
    return bits


def length_prefix(length, base):
    if length < 56:
        return bytes([base + length])
    digits = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([base + 55 + len(digits)]) + digits


def rlp(value):
    """The RLP of bytes and lists."""
    if isinstance(value, list):
        content = b"".join(map(rlp, value))
        return length_prefix(len(content), 0xc0) + content
    return value if len(value) == 1 and value[0] < 0x80 else length_prefix(len(value), 0x80) + value


def hash_of(logs):
    """What files of 2018 and later demand of logs: Keccak-256 of their RLP."""
    return "0x" + keccak(rlp([[log["address"], log["topics"], log["data"]] for log in logs])).hex()


class Halt(Exception):
    """An exceptional halt."""


class Run:
    """One program, run to its end. `effects` has code, price and meaning of each instruction that only computes."""

    def __init__(self, code, effects, own, accounts, gas, data, env):
        self.code, self.effects, self.own, self.gas, self.data, self.env = code, effects, own, gas, data, env
        self.accounts = {address: dict(account, storage=dict(account["storage"])) for address, account in accounts.items()}
        self.stack, self.memory, self.pc = [], bytearray(), 0
        self.logs, self.calls, self.out, self.found = [], [], b"", None

    def execute(self):
        try:
            while self.pc < len(self.code) and self.step():
                pass
        except Halt:
            return False
        return True

    def pay(self, price):
        if price > self.gas:
            raise Halt
        self.gas -= price

    def pop(self, count):
        if len(self.stack) < count:
            raise Halt
        taken = self.stack[:-count - 1:-1] if count else []
        del self.stack[len(self.stack) - count:]
        return taken

    def push(self, value):
        if len(self.stack) == 1024:
            raise Halt
        self.stack.append(value & MASK)

    def need(self, *ranges):
        """Makes room for ranges of memory, and takes the price."""
        def price(words):
            return 3 * words + words * words // 512
        words = max([len(self.memory) // 32, *[(start + size + 31) // 32 for start, size in ranges if size]])
        self.pay(price(words) - price(len(self.memory) // 32))
        self.memory.extend(bytes(32 * words - len(self.memory)))

    def read(self, start, size):
        self.need((start, size))
        return bytes(self.memory[start:start + size]) if size else b""

    def account(self, word):
        return self.accounts.get(word & (1 << 160) - 1, {"balance": 0, "code": b""})

    def step(self):
        code = self.code[self.pc]
        at = self.pc
        self.pc += 1
        if code in self.effects:
            pops, price, meaning = self.effects[code]
            operands = self.pop(pops)
            self.pay(price)
            self.push(int(meaning(*operands)))
            return True
        if code not in STATIC:
            raise Halt
        if 0x60 <= code < 0x80:
            self.pay(3)
            size = code - 0x5f
            self.push(int.from_bytes(self.code[self.pc:self.pc + size].ljust(size, b"\0"), "big"))
            self.pc += size
        elif 0x80 <= code < 0xa0:
            depth = code - 0x7f if code < 0x90 else code - 0x8e
            if len(self.stack) < depth:
                raise Halt
            self.pay(3)
            if code < 0x90:
                self.push(self.stack[-depth])
            else:
                self.stack[-1], self.stack[-depth] = self.stack[-depth], self.stack[-1]
        else:
            return self.special(code, at)
        return True

    def special(self, code, at):
        takes = {0x0a: 2, 0x20: 2, 0x31: 1, 0x35: 1, 0x37: 3, 0x39: 3, 0x3b: 1, 0x3c: 4, 0x40: 1, 0x50: 1, 0x51: 1, 0x52: 2, 0x53: 2,
                 0x54: 1, 0x55: 2, 0x56: 1, 0x57: 2, 0xf0: 3, 0xf1: 7, 0xf2: 7, 0xf3: 2, 0xf4: 6, 0xff: 1}
        operands = self.pop(0xa0 <= code < 0xa5 and code - 0x9e or takes.get(code, 0))
        a, b, c, d = (operands + [0] * 4)[:4]
        storage = self.accounts[self.own]["storage"]
        self.pay(STATIC[code] + (15000 if code == 0x55 and b and not storage.get(a) else 0))
        if code == 0x20:
            self.pay(6 * ((b + 31) // 32))
            self.push(int.from_bytes(keccak(self.read(a, b)), "big"))
        elif code == 0x0a:
            self.pay(10 * ((b.bit_length() + 7) // 8))
            self.push(pow(a, b, MASK + 1))
        elif code == 0x31:
            self.push(self.account(a)["balance"])
        elif code == 0x35:
            self.push(int.from_bytes(self.data[a:a + 32].ljust(32, b"\0"), "big"))
        elif code in (0x37, 0x39, 0x3c):
            source = {0x37: self.data, 0x39: self.code}.get(code)
            source = self.account(a)["code"] if source is None else source
            to, start, size = operands[-3:]
            self.pay(3 * ((size + 31) // 32))
            self.need((to, size))
            if size:
                self.memory[to:to + size] = source[start:start + size].ljust(size, b"\0")
        elif code == 0x3b:
            self.push(len(self.account(a)["code"]))
        elif code == 0x40:
            number = self.env[0x43]
            self.push(int.from_bytes(keccak(str(a).encode()), "big") if a < number <= a + 256 else 0)
        elif code == 0x51:
            self.push(int.from_bytes(self.read(a, 32), "big"))
        elif code in (0x52, 0x53):
            value = b.to_bytes(32, "big") if code == 0x52 else bytes([b & 255])
            self.need((a, len(value)))
            self.memory[a:a + len(value)] = value
        elif code == 0x54:
            self.push(storage.get(a, 0))
        elif code == 0x55:
            storage[a] = b
        elif code in (0x56, 0x57):
            if code == 0x56 or b:
                if a not in self.destinations():
                    raise Halt
                self.pc = a
        elif code in self.env:
            self.push(self.env[code])
        elif code in (0x36, 0x38, 0x58, 0x59, 0x5a):
            self.push({0x36: len(self.data), 0x38: len(self.code), 0x58: at, 0x59: len(self.memory), 0x5a: self.gas}[code])
        elif 0xa0 <= code < 0xa5:
            self.pay(8 * b)
            topics = [topic.to_bytes(32, "big") for topic in operands[2:]]
            self.logs.append({"address": self.own.to_bytes(20, "big"), "topics": topics, "data": self.read(a, b)})
        elif code in (0xf0, 0xf1, 0xf2, 0xf4):
            self.call(code, operands)
        elif code in (0x00, 0xf3, 0xff):
            self.out = self.read(a, b) if code == 0xf3 else b""
            if code == 0xff:
                gone = self.accounts.pop(self.own)
                to = a & (1 << 160) - 1
                if to != self.own:
                    account = self.accounts.setdefault(to, {"balance": 0, "nonce": 0, "code": b"", "storage": {}})
                    account["balance"] += gone["balance"]
            return False
        return True

    def call(self, code, operands):
        account = self.accounts[self.own]
        if code == 0xf0:
            value, start, size = operands
            data = self.read(start, size)
            to, given, answer = None, self.gas, self.created()
        else:
            given, to = operands[:2]
            value = 0 if code == 0xf4 else operands[2]
            inputs, outputs = operands[-4:-2], operands[-2:]
            to &= (1 << 160) - 1
            if code == 0xf1 and to not in self.accounts:
                self.pay(25000)
            self.pay(given + (9000 if value else 0))
            self.need(inputs, outputs)
            data, answer = self.read(*inputs), 1
            given += 2300 if value else 0
            self.gas += given
            to = to if code == 0xf1 else self.own
        if account["balance"] >= value:
            self.calls.append({"data": data, "to": to, "gas": given, "value": value})
            self.push(answer)
        else:
            self.push(0)

    def created(self):
        nonce = self.accounts[self.own]["nonce"]
        encoded = bytes([nonce]) if 0 < nonce < 128 else b"\x80"
        return int.from_bytes(keccak(bytes([0xc0 + 21 + len(encoded), 0x94]) + self.own.to_bytes(20, "big") + encoded)[12:],
                              "big")

    def destinations(self):
        if self.found is None:
            self.found = self.find_destinations()
        return self.found

    def find_destinations(self):
        found, at = set(), 0
        while at < len(self.code):
            code = self.code[at]
            if code == 0x5b:
                found.add(at)
            at += code - 0x5e if 0x60 <= code < 0x80 else 1
        return found
