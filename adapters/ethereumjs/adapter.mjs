// ethereumjs, an EVM in TypeScript, under the rules of Homestead, as a testee of vmconf.

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { RLP } from '@ethereumjs/rlp'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { Account, Address, bytesToHex, hexToBytes, setLengthLeft } from '@ethereumjs/util'
import { keccak_256 } from '@noble/hashes/sha3.js'

const manifest = new URL('../../package.json', import.meta.resolve('@ethereumjs/evm'))
const HELLO = {
  type: 'hello', version: 1, name: 'ethereumjs', release: JSON.parse(readFileSync(manifest)).version,
  language: 'TypeScript', homepage: 'https://github.com/ethereumjs/ethereumjs-monorepo',
  machines: [{
    machine: 'evm', fields: ['outcome', 'gas', 'out', 'logs', 'logsHash', 'callcreates', 'post'],
    revisions: ['homestead'], lacks: ['recording of calls and creations'],
  }],
}

const BLOCKHASH = 0x40

class Unsupported extends Error {}

const noCallRecording = (opcode) => ({
  opcode, opcodeName: 'UNSUPPORTED', baseFee: 0,
  logicFunction() { throw new Unsupported('no recording of calls and creations') },
})

const bytes = (text) => hexToBytes(text)
const address = (text) => new Address(bytes(text))
const hex = (number) => '0x' + number.toString(16)
const word = (text) => setLengthLeft(bytes('0x' + text.slice(2).padStart(64, '0')), 32)

async function stateOf(accounts) {
  const state = new SimpleStateManager()
  for (const [key, { balance, nonce, code, storage }] of Object.entries(accounts)) {
    await state.putAccount(address(key), new Account(BigInt(nonce), BigInt(balance)))
    if (code !== '0x') await state.putCode(address(key), bytes(code))
    for (const [slot, value] of Object.entries(storage)) await state.putStorage(address(key), word(slot), word(value))
  }
  return state
}

// The hash of a block is that of its number in decimal digits.
const blockchain = {
  getBlock: async (number) => ({ hash: () => keccak_256(new TextEncoder().encode(String(number))) }),
  putBlock: async () => {},
  shallowCopy() { return this },
}

function bloom(fields) {
  const filter = new Uint8Array(256)
  for (const field of fields) {
    const hash = keccak_256(field)
    for (const at of [0, 2, 4]) {
      const bit = ((hash[at] << 8) | hash[at + 1]) & 2047
      filter[255 - (bit >> 3)] |= 1 << (bit & 7)
    }
  }
  return filter
}

const log = ([from, topics, data]) => ({
  address: bytesToHex(from), topics: topics.map(bytesToHex), data: bytesToHex(data),
  bloom: bytesToHex(bloom([from, ...topics])),
})

// What is in the maps of the state manager. Empty accounts and zero words are not there.
function post(state, deleted) {
  const [accounts, codes, storages] = [state.accountStack, state.codeStack, state.storageStack].map((it) => it.at(-1))
  const found = {}
  for (const [key, account] of accounts) {
    if (account === undefined || deleted.has(key)) continue
    const storage = {}
    for (const [place, value] of storages) {
      const [owner, slot] = place.split('_')
      if (owner === key && value.some((byte) => byte !== 0)) storage[slot] = bytesToHex(value)
    }
    const code = bytesToHex(codes.get(key) ?? new Uint8Array())
    if (account.nonce || account.balance || code !== '0x' || Object.keys(storage).length) {
      found[key] = { balance: hex(account.balance), nonce: hex(account.nonce), code, storage }
    }
  }
  return found
}

const NONE = { balance: '0x0', nonce: '0x0', code: '0x', storage: {} }

async function execute(program) {
  if (BigInt(program.number) > Number.MAX_SAFE_INTEGER && bytes(program.code).includes(BLOCKHASH)) {
    throw new Unsupported('ethereumjs asks for the hash of a block by a number of 53 bits')
  }
  // The executing account is there, even if the program does not list it.
  const state = await stateOf({ [program.address]: NONE, ...program.pre })
  const common = new Common({ chain: Mainnet, hardfork: Hardfork.Homestead })
  const customOpcodes = [0xf0, 0xf1, 0xf2, 0xf4].map(noCallRecording)
  const evm = await createEVM({ common, stateManager: state, blockchain, customOpcodes })
  const gasLimit = BigInt(program.gas)
  const result = await evm.runCode({
    code: bytes(program.code), data: bytes(program.data), gasLimit, gasPrice: BigInt(program.gasPrice),
    value: BigInt(program.value), to: address(program.address), caller: address(program.caller),
    origin: address(program.origin),
    block: { header: {
      number: BigInt(program.number), timestamp: BigInt(program.timestamp), difficulty: BigInt(program.difficulty),
      coinbase: address(program.coinbase), gasLimit: BigInt(program.gasLimit), prevRandao: new Uint8Array(32),
      getBlobGasPrice: () => 0n,
    } },
  })
  if (result.exceptionError) return [{ outcome: 'halt' }, result.exceptionError.error]
  const logs = result.logs ?? []
  const deleted = new Set([...(result.selfdestruct ?? [])].map((entry) => String(Array.isArray(entry) ? entry[0] : entry)))
  return [{
    outcome: 'success', gas: hex(gasLimit - result.executionGasUsed), out: bytesToHex(result.returnValue),
    logs: logs.map(log), logsHash: bytesToHex(keccak_256(RLP.encode(logs))), callcreates: [],
    post: post(state, deleted),
  }, 'success']
}

async function run({ machine, program, steps }) {
  if (machine !== 'evm') return { type: 'skip', reason: `no machine ${machine}` }
  if (program.code === undefined) return { type: 'error', message: 'the program has no code' }
  try {
    const [all, ended] = await execute(program)
    const pick = (names) => Object.fromEntries(names.filter((name) => name in all).map((name) => [name, all[name]]))
    return { type: 'done', steps: steps.map((step) => ({ fields: pick(step.observe) })), ended }
  } catch (error) {
    if (error instanceof Unsupported) return { type: 'skip', reason: error.message }
    throw error
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  const answer = request.type === 'hello' ? HELLO : { id: request.id, ...(await run(request)) }
  process.stdout.write(JSON.stringify(answer) + '\n')
}
