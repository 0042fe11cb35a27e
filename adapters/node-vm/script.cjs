// Scripts as node-vm gets them, and the lengths of their instructions.

// node-vm leaves a script at its end without an instruction that the hook could see: it gets the RET that NeoVM implies.
const withReturn = (script) => Buffer.concat([script, Buffer.from([0x66])])

const PREFIXES = { 0x4c: 1, 0x4d: 2, 0x4e: 4, 0x68: 1 }
const SIZES = { 0x62: 3, 0x63: 3, 0x64: 3, 0x65: 3, 0x67: 21, 0x69: 21, 0xe0: 5, 0xe1: 23, 0xe2: 3, 0xe3: 23, 0xe4: 3 }

// How many bytes the instruction at this place has, with those that the end of the code cuts off.
function length(code, pc) {
  const [op, ...operand] = Buffer.concat([code.slice(pc, pc + 5), Buffer.alloc(5)])
  if (op >= 0x01 && op <= 0x4b) return 1 + op
  return op in PREFIXES ? 1 + PREFIXES[op] + Buffer.from(operand).readUIntLE(0, PREFIXES[op]) : (SIZES[op] ?? 1)
}

// Whether an instruction of the script reaches beyond its end, where the RET is that this adapter has put there.
function reachesReturn(script, pc) {
  if (pc >= script.length || pc + length(script, pc) > script.length) return pc < script.length
  const op = script[pc]
  return (op >= 0x62 && op <= 0x65 ? script.readInt16LE(pc + 1) : op === 0xe0 ? script.readInt16LE(pc + 3) + 2 : 0) + pc > script.length
}

module.exports = { length, reachesReturn, withReturn }
