//! Instructions that behave otherwise than revm has them.

use revm::bytecode::opcode::{EXTCODEHASH, SSTORE};
use revm::interpreter::instructions::host;
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::{
    Host, Instruction, InstructionContext, InstructionExecResult, InstructionResult, SStoreResult, StateLoad,
};
use revm::primitives::hardfork::SpecId;
use revm::primitives::{Address, B256, KECCAK_EMPTY};

use super::engine::{Context, Instructions};

type Call<'a> = InstructionContext<'a, Context, EthInterpreter>;

/// EIP-7610: creation at an address with storage fails. The engine compares the hash of the code alone, so that
/// accounts with storage and without code have the hash zero in it; here it becomes what the program must see.
pub(super) fn replace_extcodehash(instructions: &mut Instructions, spec: SpecId) {
    let gas = revm::interpreter::instructions::gas_table_spec(spec)[usize::from(EXTCODEHASH)];
    instructions.insert_instruction(EXTCODEHASH, Instruction::new(extcodehash), gas);
}

fn extcodehash(call: Call<'_>) -> InstructionExecResult {
    let InstructionContext { interpreter, host } = call;
    let address = interpreter.stack.peek(0).map(|word| Address::from_word(word.into())).unwrap_or_default();
    host::extcodehash(InstructionContext { interpreter: &mut *interpreter, host: &mut *host })?;
    let account = host.journaled_state.inner.state.get(&address);
    let hides_storage =
        |account: &revm::state::Account| !account.is_empty() && account.info.code_hash == B256::ZERO;
    if let Some(top) = interpreter.stack.top().filter(|_| account.is_some_and(hides_storage)) {
        *top = KECCAK_EMPTY.into();
    }
    Ok(())
}

/// EIP-1283: SSTORE is charged net of earlier changes, without the sentry of EIP-2200.
pub(super) fn replace_sstore(instructions: &mut Instructions) {
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

fn net_gas(host: &Context, change: &SStoreResult, is_cold: bool) -> (u64, i64) {
    let gas = host.gas_params();
    (gas.sstore_dynamic_gas(true, change, is_cold), gas.sstore_refund(true, change))
}
