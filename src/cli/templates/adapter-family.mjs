// {{name}} as a testee of vmconf for the family {{machine}}: requests on standard input, answers on standard output.

import { createInterface } from 'node:readline'

const HELLO = {
  type: 'hello', version: 1, name: '{{name}}', release: '0.1.0', language: 'JavaScript',
  // Remove the fields that your machine does not have{{optional}}.
  machines: [{
    machine: '{{machine}}', actions: [{{actions}}], fields: [
{{fields}}
    ],
  }],
}

// The program needs what this machine does not have.
class Unsupported extends Error {}

const number = (text = '0x0') => (text.startsWith('-') ? -Number(text.slice(1)) : Number(text))

// A number that may have more bits than a number of JavaScript.
const wide = (text = '0x0') => (text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text))

const memory = (cells = [], readAddress = number, readCell = number) =>
  new Map(cells.map(([address, cell]) => [readAddress(address), readCell(cell)]))

// A fresh machine with what the case gives. TODO: call yours here.
class Machine {
  constructor(program) {
    this.state = {
{{loads}}
    }
  }

  do(action) {
    throw new Unsupported('nothing is implemented yet')
  }

  // A field of the state. Numbers may be numbers; a memory is a list of pairs of address and cell.
  report(name) {
    const value = this.state[name]
    return value instanceof Map ? [...value].sort((one, other) => (one[0] < other[0] ? -1 : 1)) : value
  }
}

function run(program, steps) {
  const machine = new Machine(program)
  return steps.map(({ do: actions, observe }) => {
    actions.forEach((action) => machine.do(action))
    const names = observe.filter((name) => name in machine.state)
    return { fields: Object.fromEntries(names.map((name) => [name, machine.report(name)])) }
  })
}

function answer({ type, id, machine, program, steps }) {
  if (type === 'hello') return HELLO
  if (type !== 'run' || machine !== '{{machine}}') return { type: 'skip', id, reason: 'no such request or machine' }
  try {
    return { type: 'done', id, steps: run(program, steps) }
  } catch (error) {
    if (error instanceof Unsupported) return { type: 'skip', id, reason: error.message }
    throw error
  }
}

const plain = (key, value) => {
  if (typeof value !== 'bigint') return value
  return value < 0n ? `-0x${(-value).toString(16)}` : `0x${value.toString(16)}`
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line)), plain) + '\n')
}
