// libauth as a testee of vmconf for the family bch.

import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import {
  createVirtualMachineBCH2022, createVirtualMachineBCH2023, createVirtualMachineBCHCHIPs, decodeTransaction,
  hexToBin, readTransactionOutputs,
} from '@bitauth/libauth'

const { version } = createRequire(import.meta.url)('@bitauth/libauth/package.json')

const HELLO = {
  type: 'hello', version: 1, name: 'libauth', release: version, language: 'TypeScript',
  homepage: 'https://github.com/bitauth/libauth',
  machines: [{ machine: 'bch', actions: ['execute'], fields: ['valid'] }],
}

const RULES = {
  2022: createVirtualMachineBCH2022,
  before_chip_cashtokens: createVirtualMachineBCH2022,
  chip_cashtokens: createVirtualMachineBCH2023,
  chip_loops: createVirtualMachineBCHCHIPs,
}
const machines = new Map()

// A machine takes some milliseconds to make.
function machine (rules, isStandard) {
  const key = `${rules} ${isStandard}`
  if (!machines.has(key)) machines.set(key, RULES[rules](isStandard))
  return machines.get(key)
}

const bytes = (hex) => hexToBin(hex.slice(2))

function isValid (program) {
  const transaction = decodeTransaction(bytes(program.transaction))
  const outputs = readTransactionOutputs({ bin: bytes(program['source-outputs']), index: 0 })
  if (typeof transaction === 'string' || typeof outputs === 'string') return false
  return machine(program.rules, program['is-standard']).verify({ sourceOutputs: outputs.result, transaction }) === true
}

function answer (request) {
  if (request.type === 'hello') return HELLO
  const { id, machine, program, steps } = request
  if (!HELLO.machines.some((offer) => offer.machine === machine)) return { type: 'skip', id, reason: `no machine ${machine}` }
  if (!(program.rules in RULES)) return { type: 'skip', id, reason: `no rules ${program.rules}` }
  return { type: 'done', id, steps: steps.map(() => ({ fields: { valid: isValid(program) } })) }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + '\n')
}
