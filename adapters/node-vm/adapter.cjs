// node-vm, the NeoVM 2.x of NEO•ONE, as a testee of vmconf. It runs a script in one go: a hook before each
// instruction sees what steps are to be observed.

const { createInterface } = require('node:readline')
const { BN } = require('bn.js')
const { crypto, Op, VMState } = require('@neo-one/client-common')
const { ScriptContainerType } = require('@neo-one/node-core')
const execute = require('@neo-one/node-vm/dist/cjs/execute')
const opcodes = require('@neo-one/node-vm/dist/cjs/opcodes')
const items = require('@neo-one/node-vm/dist/cjs/stackItem')

const HELLO = {
  type: 'hello', version: 1, name: 'node-vm', release: require('@neo-one/node-vm/package.json').version,
  language: 'TypeScript', homepage: 'https://github.com/neo-one-suite/neo-one',
  machines: [{
    machine: 'neo2', fields: ['state', 'invocationStack', 'resultStack'],
    actions: ['execute', 'step-into', 'step-over', 'step-out'], lacks: ['the count of items'],
  }],
}

const raise = (what) => { throw new Error(what) }
const hex = (bytes) => '0x' + bytes.toString('hex')
const hashOf = (code) => crypto.hash160(code.slice(0, -1))

class Shown {
  left = 10000 // an item that is in several containers is shown in each of them

  // XSWAP may leave a stack with holes, as long as its operand.
  list = (list, around = []) => (list.length > 1e6 ? [{ type: `${list.length} items` }] : Array.from(list, (item) => this.item(item, around)))
  item(item, around) {
    if (item === undefined) return { type: 'no item' }
    if (item instanceof items.IntegerStackItem) return { type: 'Integer', value: item.value.toString() }
    if (item instanceof items.BooleanStackItem) return { type: 'Boolean', value: item.value }
    const type = item instanceof items.StructStackItem ? 'Struct' : item instanceof items.MapStackItem ? 'Map' : 'Array'
    if (type === 'Map' || item instanceof items.ArrayStackItem || type === 'Struct') {
      this.left -= 1
      if (around.includes(item) || this.left < 0) return { type, value: 'contains itself, or is shown too often' }
      const inside = [...around, item]
      if (type !== 'Map') return { type, value: this.list(item.asArray(), inside) }
      const shown = (bytes) => (bytes === undefined ? 'no primitive' : bytes.length ? hex(bytes) : '')
      const pair = (key) => [shown(key.asBufferMaybe()), this.item(item.get(key), inside)]
      return { type, value: Object.fromEntries(item.keysArray().map(pair)) }
    }
    const bytes = item instanceof items.UInt160StackItem ? item.asBuffer() : item.asBufferMaybe()
    if (item.constructor.name === 'TransactionStackItem') return { type: 'Interop', value: item.value && 'MessageProvider' }
    return bytes === undefined ? { type: 'Interop', value: item.constructor.name } : { type: 'ByteArray', value: hex(bytes) }
  }
}

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

// Follows the steps of a request through the run of a script.
class Follower {
  frames = []
  seen = []

  constructor(steps) {
    Object.assign(this, { steps, left: steps.map((step) => [...step.do]) })
  }

  before(context) {
    // A new frame has taken its arguments from the stack of its caller.
    const isNew = this.frames.length > 0 && context.depth > this.frames.length
    if (isNew) this.frames.push({ ...this.frames.pop(), stack: this.leftBehind.stack.slice(context.stack.length) })
    this.frames = [...this.frames.slice(0, context.depth - 1), context]
    this.leftBehind = context
    while (this.left.length && this.isDone(context.depth)) this.observe(VMState.Break, this.frames)
    if (this.left.length && this.start === undefined) this.start = context.depth
  }

  // Whether all actions of the step are done. An action begins with the first instruction after the last one.
  isDone(depth) {
    const action = this.left[0][0]
    if (action === undefined) return true
    const done = { 'step-into': true, 'step-over': depth <= this.start, 'step-out': depth < this.start }[action]
    if (this.start === undefined || !done) return false
    this.left[0].shift()
    this.start = undefined
    return this.isDone(depth)
  }

  end(context) {
    const { stack, stackAlt } = this.leftBehind ?? context
    const last = { ...(this.frames.pop() ?? context), stack, stackAlt }
    const frames = context.state === VMState.Fault ? [...this.frames, last] : []
    while (this.left.length) this.observe(context.state, frames, context.stack)
  }

  observe(state, frames, results = []) {
    const shown = new Shown()
    const frame = (context, index) => {
      const { code } = context
      const pc = index < frames.length - 1 ? context.pc + length(code, context.pc) : context.pc
      const opcode = code[pc] ?? 0x66
      const nextInstruction = Op[opcode] ?? String(opcode)
      const [evaluationStack, altStack] = [context.stack, context.stackAlt].map((stack) => shown.list(stack))
      return { scriptHash: hex(hashOf(code)), instructionPointer: pc, nextOpcode: opcode, nextInstruction, evaluationStack, altStack }
    }
    const all = {
      state: VMState[state], invocationStack: frames.map(frame).reverse(),
      resultStack: state === VMState.Halt ? new Shown().list(results) : [],
    }
    const wanted = this.steps[this.seen.length].observe.filter((name) => name in all)
    this.seen.push({ fields: Object.fromEntries(wanted.map((name) => [name, all[name]])) })
    this.left.shift()
    this.start = undefined
  }
}

let follower
const { lookupOp } = opcodes
opcodes.lookupOp = ({ context }) => {
  follower.before(context)
  const script = context.code.slice(0, -1)
  const code = reachesReturn(script, context.pc) ? script : context.code
  const { op, context: found } = lookupOp({ context: { ...context, code, scriptHash: hashOf(context.code) } })
  // The context without the operands is what a fault of the instruction leaves.
  const invoke = async (call) => {
    const done = await op.invoke({ ...call, context: (follower.leftBehind = call.context) })
    return done.context.code === script ? { ...done, context: { ...done.context, code: context.code } } : done
  }
  return { op: { ...op, invoke }, context: found }
}

// What a script can do with the transaction that node-vm has as its container.
const containerOf = (message) => Object.assign({ message, toKeyString: () => 'container' }, { equals(other) { return other === this } })

async function run({ machine, program, steps }) {
  if (machine !== 'neo2') return { type: 'skip', reason: `no machine ${machine}` }
  const code = Buffer.from((program.script ?? '0x').slice(2), 'hex')
  const scripts = (program.scriptTable ?? []).map((script) => Buffer.from(script.slice(2), 'hex'))
  // A script that calls dynamically is asked whether it may, even if it is in no table.
  const found = (hash) => scripts.find((it) => crypto.hash160(it).equals(hash)) ?? raise('there is no such script')
  const get = async ({ hash }) => ({ hasDynamicInvoke: true, get script() { return withReturn(found(hash)) } })
  const message = program.message && Buffer.from(program.message.slice(2), 'hex')
  follower = new Follower(steps)
  const context = await execute.executeScript({
    code: withReturn(code), gasLeft: new BN('1000000000000'),
    blockchain: { currentBlockIndex: Number.MAX_SAFE_INTEGER, settings: { vm: {} }, contract: { get, tryGet: get } },
    init: { scriptContainer: { type: ScriptContainerType.Transaction, value: message && containerOf(message) }, listeners: {}, skipWitnessVerify: true },
    options: { scriptHashStack: [crypto.hash160(code)], entryScriptHash: crypto.hash160(code) },
  })
  follower.end(context)
  return { type: 'done', steps: follower.seen, ended: context.errorMessage?.split('\n')[0] ?? VMState[context.state] }
}

;(async () => {
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line)
    console.log(JSON.stringify(request.type === 'hello' ? HELLO : { id: request.id, ...(await run(request)) }))
  }
})()
