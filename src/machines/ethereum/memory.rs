//! The instructions that can grow memory. The engine compares growth with the limit of the runner before it
//! looks at its price, and a contract would see that limit as running out of gas. These instructions run out of
//! gas only if the gas does not pay for the growth; else, the limit ends the case.

use revm_bytecode::opcode::{self, CALL, CALLCODE, DELEGATECALL, STATICCALL};
use revm_interpreter::instructions::{contract, control, host, memory, system};
use revm_interpreter::{
    Gas, Instruction, InstructionContext, InstructionExecResult, InstructionResult, Stack,
};
use revm_primitives::U256;
use revm_primitives::hardfork::SpecId;

use super::context::RevmInstructions;
use super::rules::{self, Call, Handler};

/// Whether instructions tell the limit of the runner from the end of the gas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemoryGrowth {
    /// They need not: no gas of the transaction pays for so much memory.
    Unpaid,
    /// They do.
    Checked,
}

impl MemoryGrowth {
    /// For a transaction with this gas, under this limit in bytes. The memory of all frames counts, and costs least
    /// if each of them has the same part of it.
    pub(super) fn of(gas: u64, limit: u64) -> MemoryGrowth {
        const MAX_FRAMES: u128 = 1025;
        let words = u128::from(limit / 32);
        let least = 3 * words + words * words / (512 * MAX_FRAMES);
        // The price of each frame is rounded down.
        if least > u128::from(gas) + MAX_FRAMES { MemoryGrowth::Unpaid } else { MemoryGrowth::Checked }
    }
}

/// The size of a range of memory.
#[derive(Clone, Copy)]
enum OperandSize {
    Bytes(u64),
    /// The item so far below the top of the stack.
    Item(usize),
}

/// A range of memory that an instruction takes: how far below the top of the stack its offset is, and its size.
type MemoryRange = (usize, OperandSize);

/// Generates from each row the instruction with the ranges that it takes.
macro_rules! growing {
    ($($code:ident $instruction:expr, $ranges:expr;)*) => {
        &[$((opcode::$code, |call| grow(call, &$ranges, $instruction))),*]
    };
}

use OperandSize::{Bytes, Item};

const GROWING: &[(u8, Handler)] = growing! {
    MLOAD           memory::mload,                      [(0, Bytes(32))];
    MSTORE          memory::mstore,                     [(0, Bytes(32))];
    MSTORE8         memory::mstore8,                    [(0, Bytes(1))];
    MCOPY           memory::mcopy,                      [(0, Item(2)), (1, Item(2))];
    KECCAK256       rules::keccak256,                   [(0, Item(1))];
    CALLDATACOPY    system::calldatacopy,               [(0, Item(2))];
    CODECOPY        system::codecopy,                   [(0, Item(2))];
    EXTCODECOPY     rules::extcodecopy,                 [(1, Item(3))];
    RETURNDATACOPY  system::returndatacopy,             [(0, Item(2))];
    LOG0            host::log::<0, _>,                  [(0, Item(1))];
    LOG1            host::log::<1, _>,                  [(0, Item(1))];
    LOG2            host::log::<2, _>,                  [(0, Item(1))];
    LOG3            host::log::<3, _>,                  [(0, Item(1))];
    LOG4            host::log::<4, _>,                  [(0, Item(1))];
    CREATE          contract::create::<false, _, _>,    [(1, Item(2))];
    CREATE2         contract::create::<true, _, _>,     [(1, Item(2))];
    CALL            contract::call::<CALL, _, _>,       [(3, Item(4)), (5, Item(6))];
    CALLCODE        contract::call::<CALLCODE, _, _>,   [(3, Item(4)), (5, Item(6))];
    DELEGATECALL    contract::call::<DELEGATECALL, _, _>, [(2, Item(3)), (4, Item(5))];
    STATICCALL      contract::call::<STATICCALL, _, _>, [(2, Item(3)), (4, Item(5))];
    RETURN          control::ret,                       [(0, Item(1))];
    REVERT          control::revert,                    [(0, Item(1))];
};

/// Makes these instructions tell the limit of the runner from the end of the gas.
pub(super) fn replace(instructions: &mut RevmInstructions, spec: SpecId) {
    let gas = revm_interpreter::instructions::gas_table_spec(spec);
    for (code, instruction) in GROWING {
        instructions.insert_instruction(*code, Instruction::new(*instruction), gas[usize::from(*code)]);
    }
}

/// Executes an instruction. [`InstructionResult::MemoryLimitOOG`] then means that its growth exceeds the limit of
/// the runner and that the gas pays for it.
#[inline(always)]
fn grow(call: Call<'_>, ranges: &[MemoryRange], instruction: Handler) -> InstructionExecResult {
    let InstructionContext { interpreter, host } = call;
    let end = ranges.iter().map(|range| end(&interpreter.stack, range)).max().unwrap_or_default();
    let result = instruction(InstructionContext { interpreter: &mut *interpreter, host });
    match result {
        Err(InstructionResult::MemoryLimitOOG) if !pays(&interpreter.gas, end) => {
            Err(InstructionResult::MemoryOOG)
        }
        other => other,
    }
}

/// The end of a range in bytes; 0 for an empty range, which takes no memory.
#[inline(always)]
fn end(stack: &Stack, (offset, size): &MemoryRange) -> u64 {
    let item = |index: usize| stack.peek(index).map_or(0, |item: U256| item.saturating_to());
    let size = match size {
        Bytes(size) => *size,
        Item(index) => item(*index),
    };
    if size == 0 { 0 } else { item(*offset).saturating_add(size) }
}

/// Whether the gas, from which the engine has deducted everything else, pays for memory up to this byte: three gas
/// for a word, and the square of the words divided by 512 (Yellow Paper, appendix H.1). The engine's own price
/// saturates.
#[cold]
fn pays(gas: &Gas, end: u64) -> bool {
    let words = u128::from(end.div_ceil(32));
    let price = 3 * words + words * words / 512;
    price <= u128::from(gas.remaining()) + u128::from(gas.memory().expansion_cost)
}
