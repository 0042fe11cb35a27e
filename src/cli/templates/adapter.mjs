// {{name}} as a testee of vmconf: requests on standard input, answers on standard output.

import { createInterface } from 'node:readline'

const HELLO = {
  type: 'hello', version: 1, name: '{{name}}', release: '0.1.0', language: 'JavaScript',
  // Remove the actions and fields that your machine does not have{{optional}}.
  machines: [{
    machine: '{{machine}}', actions: [{{actions}}], fields: [
{{fields}}
    ],
  }],
}

// The program needs what this machine does not have.
class Unsupported extends Error {}

// A fresh machine with a program; a member that is left out has its default. TODO: call yours here.
class Machine {
  constructor(program) {
    throw new Unsupported('nothing is implemented yet')
  }

  // Performs an action: 'execute', 'step-into', { run: 5 }, { set: {...} }.
  do(action) {}

  // The fields of the state by name, without those that have no value.
  state() {
    return {}
  }
}

// The states after the steps, which are performed in order on one machine.
function run(program, steps) {
  const machine = new Machine(program)
  return steps.map(({ do: actions, observe }) => {
    actions.forEach((action) => machine.do(action))
    const state = machine.state()
    const names = observe.filter((name) => name in state)
    return { fields: Object.fromEntries(names.map((name) => [name, state[name]])) }
  })
}

function answer({ type, id, machine, program, steps }) {
  if (type === 'hello') return HELLO
  if (type !== 'run' || machine !== '{{machine}}') return { type: 'skip', id, reason: 'no such request or machine' }
  try {
    return { type: 'done', id, steps: run(program, steps) }
  } catch (error) {
    if (error instanceof Unsupported) return { type: 'skip', id, reason: error.message }
    return { type: 'error', id, message: error.message }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + '\n')
}
