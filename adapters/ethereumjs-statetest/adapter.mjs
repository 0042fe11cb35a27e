// State tests on ethereumjs, Ethereum in TypeScript, as a testee of vmconf.

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createBlock } from '@ethereumjs/block'
import { createCustomCommon, Mainnet } from '@ethereumjs/common'
import { createEVM } from '@ethereumjs/evm'
import { createMPT } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { SimpleStateManager } from '@ethereumjs/statemanager'
import { createTx } from '@ethereumjs/tx'
import { Account, Address, bytesToHex, hexToBytes, KECCAK256_NULL, unpadBytes } from '@ethereumjs/util'
import { createVM, runTx } from '@ethereumjs/vm'
import { keccak_256 } from '@noble/hashes/sha3.js'

const manifest = new URL('../../package.json', import.meta.resolve('@ethereumjs/vm'))
const HELLO = {
  type: 'hello', version: 1, name: 'ethereumjs', release: JSON.parse(readFileSync(manifest)).version,
  language: 'TypeScript', homepage: 'https://github.com/ethereumjs/ethereumjs-monorepo',
  machines: [{
    machine: 'ethereum', actions: ['execute', 'set'], fields: ['outcome', 'root', 'logs', 'state', 'gasUsed'],
    lacks: ['classes of refusals', 'other blob parameters', 'point evaluation'],
  }],
}
const FORKS = {
  Frontier: 'chainstart', Homestead: 'homestead', EIP150: 'tangerineWhistle', EIP158: 'spuriousDragon',
  Byzantium: 'byzantium', Constantinople: 'constantinople', ConstantinopleFix: 'petersburg', Istanbul: 'istanbul',
  Berlin: 'berlin', London: 'london', Paris: 'paris', Shanghai: 'shanghai', Cancun: 'cancun', Prague: 'prague', Osaka: 'osaka',
}
const [CANCUN, PRAGUE] = ['{"max":"0x6","baseFeeUpdateFraction":"0x32f0ed"}', '{"max":"0x9","baseFeeUpdateFraction":"0x4c6964"}']
const BLOBS = { Cancun: CANCUN, Prague: PRAGUE, Osaka: PRAGUE }

class Unsupported extends Error {}
// The library for proofs of blobs is not among its parts.
const kzg = { isAsked: false, verifyProof() { this.isAsked = true; return false } }

const hex = (number) => '0x' + number.toString(16)
const word = (text) => hexToBytes('0x' + text.slice(2).padStart(64, '0'))
const address = (text) => new Address(hexToBytes(text))
const hashOf = (logs) => bytesToHex(keccak_256(RLP.encode(logs)))

async function stateOf(accounts, common) {
  const state = new SimpleStateManager({ common })
  state.getStateRoot = async () => new Uint8Array(32) // for receipts before Byzantium, which nobody reads
  for (const [key, { balance, nonce, code, storage }] of Object.entries(accounts)) {
    // A creation fails where there is storage, which the root of it shows.
    await state.putAccount(address(key), new Account(BigInt(nonce), BigInt(balance), await storageRoot(storage)))
    if (code !== '0x') await state.putCode(address(key), hexToBytes(code))
    for (const [slot, value] of Object.entries(storage)) await state.putStorage(address(key), word(slot), unpadBytes(word(value)))
  }
  return state
}

// What is in the maps of the state manager.
function accountsOf(state) {
  const [accounts, codes, storages] = [state.accountStack, state.codeStack, state.storageStack].map((it) => it.at(-1))
  const found = {}
  for (const [key, account] of accounts) {
    if (account === undefined) continue
    const code = bytesToHex(account.codeHash.join() === KECCAK256_NULL.join() ? new Uint8Array() : codes.get(key))
    found[key] = { balance: hex(account.balance), nonce: hex(account.nonce), code, storage: {} }
  }
  for (const [place, value] of storages) {
    const [owner, slot] = place.split('_')
    if (owner in found && value.some((byte) => byte !== 0)) found[owner].storage[slot] = bytesToHex(value)
  }
  return found
}

async function storageRoot(storage) {
  const words = await createMPT({ useKeyHashing: true })
  for (const [slot, value] of Object.entries(storage)) await words.put(word(slot), RLP.encode(unpadBytes(word(value))))
  return words.root()
}

async function rootOf(accounts) {
  const world = await createMPT({ useKeyHashing: true })
  for (const [key, { balance, nonce, code, storage }] of Object.entries(accounts)) {
    const parts = [BigInt(nonce), BigInt(balance), await storageRoot(storage), keccak_256(hexToBytes(code))]
    await world.put(hexToBytes(key), new Account(...parts).serialize())
  }
  return bytesToHex(world.root())
}

function blockOf(env, common) {
  const { coinbase, gasLimit, number, timestamp, difficulty, random, baseFee, excessBlobGas } = env
  const header = {
    coinbase, gasLimit, number, timestamp,
    ...(common.gteHardfork('paris') ? { mixHash: word(random ?? '0x0') } : { difficulty }),
    ...(common.isActivatedEIP(1559) && { baseFeePerGas: baseFee ?? '0xa' }),
    ...(common.isActivatedEIP(4844) && { excessBlobGas }),
  }
  return createBlock({ header }, { common, setHardfork: false, skipConsensusFormatValidation: true })
}

// The hash of a block is that of its number in decimal digits.
const getBlock = async (number) => ({ hash: () => keccak_256(new TextEncoder().encode(String(number))) })
const blockchain = { getBlock, putBlock: async () => {}, shallowCopy() { return this } }

function transactionOf({ transaction }, chosen, common) {
  const { secretKey, sender, ...given } = transaction
  if (secretKey === undefined) throw new Unsupported('a transaction without a secret key')
  const accessList = chosen.accessList?.map((it) => ({ ...it, storageKeys: it.storageKeys.map((key) => bytesToHex(word(key))) }))
  const authorizationList = given.authorizationList?.map((it) => ({ ...it, yParity: it.v }))
  const { type, data, gasLimit, value } = chosen
  const lists = { accessList, ...(authorizationList && { authorizationList }) }
  return createTx({ ...given, ...lists, type, data, gasLimit, value }, { common }).sign(word(secretKey))
}

async function fieldsOf(program, chosen) {
  if (!(chosen.fork in FORKS)) throw new Unsupported(`no fork ${chosen.fork}`)
  const blobs = program.blobSchedule?.[chosen.fork]
  if (blobs && JSON.stringify(blobs) !== BLOBS[chosen.fork]) throw new Unsupported('other blob parameters')
  if (BigInt(program.chainId) > Number.MAX_SAFE_INTEGER) throw new Unsupported('a chain whose number has more than 53 bits')
  if (chosen.refusal !== 'nothing') throw new Unsupported('an account that a refusal touches')
  const fork = { hardfork: FORKS[chosen.fork], customCrypto: { kzg } }
  const common = createCustomCommon({ chainId: Number(program.chainId) }, Mainnet, fork)
  const stateManager = await stateOf(program.pre, common)
  const vm = await createVM({ common, stateManager, evm: await createEVM({ common, stateManager, blockchain }), blockchain })
  const block = blockOf(program.env, common)
  let result
  kzg.isAsked = false
  try {
    result = await runTx(vm, { tx: transactionOf(program, chosen, common), block })
  } catch (why) {
    if (why instanceof Unsupported) throw why
    return [{ outcome: 'refused', root: await rootOf(program.pre), logs: hashOf([]), state: program.pre }, `refused: ${why.message}`]
  }
  if (kzg.isAsked) throw new Unsupported('point evaluation')
  const [state, { exceptionError, logs }] = [accountsOf(stateManager), result.execResult]
  const all = { outcome: 'executed', root: await rootOf(state), state, gasUsed: hex(result.totalGasSpent), logs: hashOf(logs ?? []) }
  return [all, exceptionError?.error ?? 'success']
}

async function run({ machine, program, steps: [step] }) {
  if (machine !== 'ethereum') throw new Unsupported(`no machine ${machine}`)
  if (!program.env) return { type: 'error', message: 'the program has no env' }
  if (!step) return { type: 'done', steps: [] }
  const [all, ended] = await fieldsOf(program, step.do[0].set)
  return { type: 'done', steps: [{ fields: Object.fromEntries(step.observe.map((name) => [name, all[name]])) }], ended }
}

function skip(why) {
  if (!(why instanceof Unsupported)) throw why
  return { type: 'skip', reason: why.message }
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line)
  const answer = request.type === 'hello' ? HELLO : { id: request.id, ...(await run(request).catch(skip)) }
  process.stdout.write(JSON.stringify(answer) + '\n')
}
