//! Instructions that behave or are charged differently from revm's.

use revm_bytecode::opcode::{self, EXP, EXTCODECOPY, EXTCODEHASH, KECCAK256, SSTORE};
use revm_interpreter::instructions::{arithmetic, host, system};
use revm_interpreter::interpreter::EthInterpreter;
use revm_interpreter::{
    Host, Instruction, InstructionContext, InstructionExecResult, InstructionResult, SStoreResult, StateLoad,
};
use revm_primitives::hardfork::SpecId;
use revm_primitives::{Address, B256, KECCAK_EMPTY};

use super::context::{EngineContext, RevmInstructions};
use crate::machines::power::pow;

pub(super) type Call<'a> = InstructionContext<'a, EngineContext, EthInterpreter>;
pub(super) type Handler = fn(Call<'_>) -> InstructionExecResult;

/// EIP-7610: creation at an address with storage fails. The engine only compares the code hash, so accounts
/// with storage but without code have the hash zero there; this converts it to what the program must see.
pub(super) fn replace_extcodehash(instructions: &mut RevmInstructions, spec: SpecId) {
    let gas = revm_interpreter::instructions::gas_table_spec(spec)[usize::from(EXTCODEHASH)];
    instructions.insert_instruction(EXTCODEHASH, Instruction::new(extcodehash), gas);
}

fn extcodehash(call: Call<'_>) -> InstructionExecResult {
    let InstructionContext { interpreter, host } = call;
    host.chain.0 += UNITS_OF_ACCOUNT;
    let address = interpreter.stack.peek(0).map(|word| Address::from_word(word.into())).unwrap_or_default();
    host::extcodehash(InstructionContext { interpreter: &mut *interpreter, host: &mut *host })?;
    let account = host.journaled_state.inner.state.get(&address);
    let hides_storage =
        |account: &revm_state::Account| !account.is_empty() && account.info.code_hash == B256::ZERO;
    if let Some(top) = interpreter.stack.top().filter(|_| account.is_some_and(hides_storage)) {
        *top = KECCAK_EMPTY.into();
    }
    Ok(())
}

/// The charge besides gas, in units, for a block that KECCAK256 hashes: gas does not cover its time.
const UNITS_OF_HASHED_BLOCK: u64 = 64;
/// The same for a byte of an exponent.
const UNITS_OF_EXPONENT_BYTE: u64 = 20;

/// The size of a Keccak-256 block, in bytes. An input that fills its last block needs one more; an empty one
/// is not hashed.
const HASHED_BLOCK: u64 = 136;

/// KECCAK256 and EXP are charged according to their operands, divisions a constant amount.
pub(super) fn replace_long_instructions(instructions: &mut RevmInstructions, spec: SpecId) {
    let gas = revm_interpreter::instructions::gas_table_spec(spec);
    let mut replace = |code: u8, with| {
        instructions.insert_instruction(code, Instruction::new(with), gas[usize::from(code)]);
    };
    replace(KECCAK256, keccak256);
    replace(EXP, exp);
    for (code, instruction) in CHARGED {
        replace(*code, *instruction);
    }
    replace(EXTCODECOPY, extcodecopy);
}

/// Generates from each row one of revm's instructions with an additional charge of this many units.
macro_rules! charged {
    ($($code:ident $module:ident::$instruction:ident $units:expr;)*) => {
        &[$((opcode::$code, |call| {
            call.host.chain.0 += $units;
            $module::$instruction(call)
        }),)*]
    };
}

/// The charge for access to an account, besides its gas, which was 20 at first.
const UNITS_OF_ACCOUNT: u64 = 12;

const CHARGED: &[(u8, Handler)] = charged! {
    DIV arithmetic::div 4;
    SDIV arithmetic::sdiv 4;
    MOD arithmetic::rem 4;
    SMOD arithmetic::smod 4;
    ADDMOD arithmetic::addmod 4;
    MULMOD arithmetic::mulmod 10;
    BLOCKHASH host::blockhash 90;
    BALANCE host::balance UNITS_OF_ACCOUNT;
    EXTCODESIZE host::extcodesize UNITS_OF_ACCOUNT;
    SELFBALANCE host::selfbalance UNITS_OF_ACCOUNT;
    SLOAD host::sload 8;
};

/// KECCAK256 is charged according to its operands.
pub(super) fn keccak256(call: Call<'_>) -> InstructionExecResult {
    let InstructionContext { interpreter, host } = call;
    let length = interpreter.stack.peek(1).unwrap_or_default().saturating_to::<u64>();
    let hashed = system::keccak256(InstructionContext { interpreter, host: &mut *host });
    // If the gas does not suffice, nothing is hashed.
    if hashed.is_ok() {
        host.chain.0 += UNITS_OF_HASHED_BLOCK * (length.min(1) + length / HASHED_BLOCK);
    }
    hashed
}

/// The price is revm's; the power is computed as in vmconf's own EVM, in a third of the time.
fn exp(call: Call<'_>) -> InstructionExecResult {
    let InstructionContext { interpreter, host } = call;
    let (base, exponent) = (interpreter.stack.peek(0)?, interpreter.stack.peek(1)?);
    if !interpreter.gas.record_regular_cost(host.gas_params().exp_cost(exponent)) {
        return Err(InstructionResult::OutOfGas);
    }
    host.chain.0 += UNITS_OF_EXPONENT_BYTE * exponent.byte_len() as u64;
    interpreter.stack.pop()?;
    interpreter.stack.set(0, pow(base, exponent))
}

/// EXTCODECOPY takes as long when it copies nothing.
pub(super) fn extcodecopy(call: Call<'_>) -> InstructionExecResult {
    call.host.chain.0 += UNITS_OF_ACCOUNT;
    host::extcodecopy(call)
}

/// EIP-1283: SSTORE is charged net of earlier changes, without the sentry of EIP-2200.
pub(super) fn replace_sstore(instructions: &mut RevmInstructions) {
    instructions.insert_instruction(SSTORE, Instruction::new(sstore), 0);
}

fn sstore(call: Call<'_>) -> InstructionExecResult {
    host::sstore_with_gas_accounting(call, |call, _, load| {
        let StateLoad { data, is_cold, .. } = load;
        let (gas, refund) = net_gas(call.host, data, *is_cold);
        if !call.interpreter.gas.record_regular_cost(gas) {
            return Err(InstructionResult::OutOfGas);
        }
        call.interpreter.gas.record_refund(refund);
        Ok(())
    })
}

fn net_gas(host: &EngineContext, change: &SStoreResult, is_cold: bool) -> (u64, i64) {
    let gas = host.gas_params();
    (gas.sstore_dynamic_gas(true, change, is_cold), gas.sstore_refund(true, change))
}
