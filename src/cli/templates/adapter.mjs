// {{name}} as a testee of vmconf: requests on standard input, answers on standard output.

import { createInterface } from 'node:readline'

const HELLO = {
  type: 'hello', version: 1, name: '{{name}}', release: '0.1.0', language: 'JavaScript',
  // The fields of the state that run reports; `vmconf serve {{machine}}` answers hello with all that there are.
  machines: [{ machine: '{{machine}}', fields: [] }],
}

// The program needs what this machine does not have.
class Unsupported extends Error {}

// Runs a program on a fresh machine; the fields of the state by name. TODO: call your machine here.
function run(program, actions) {
  if (Object.keys(program).length === 0) throw new TypeError('the program is empty')
  throw new Unsupported('nothing is implemented yet')
}

function answer(request) {
  const { type, id, machine, program, steps } = request
  if (type === 'hello') return HELLO
  if (type !== 'run' || machine !== '{{machine}}') return { type: 'skip', id, reason: 'no such request or machine' }
  try {
    const states = steps.map((step) => {
      const state = run(program, step.do)
      return Object.fromEntries(step.observe.filter((name) => name in state).map((name) => [name, state[name]]))
    })
    return { type: 'done', id, steps: states.map((fields) => ({ fields })) }
  } catch (error) {
    if (error instanceof Unsupported) return { type: 'skip', id, reason: error.message }
    return { type: 'error', id, message: error.message }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + '\n')
}
