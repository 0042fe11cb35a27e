//! What instructions read and write besides the stack, in the form of declarations of rows.

use std::ops::Range;

use revm_bytecode::opcode as op;
use revm_handler::FrameResult;
use revm_interpreter::interpreter_types::{Jumps as _, LegacyBytecode};
use revm_primitives::{Address, U256};

use super::cells;
use super::machine::Ethereum;
use super::place::{EthereumPlace, rows};
use super::trail::{of_account, storage};
use crate::machines::byte_memory;
use crate::machines::effects::Effect::{Jumps, Leaves, MayWrite, Moves, Needs, Reads, Takes, Writes};
use crate::machines::effects::{DeclaredPlaces, MachineEffect};
use crate::machines::inspect::Inspect;
use crate::machines::moves::{duplicated, exchanged, swapped};
use crate::machines::record::word_value;
use crate::model::{Cell, Value};

/// The memories of the outermost frames; the cells of deeper ones have no name, so blame ends there.
const MEMORIES: [&str; 8] = [
    "memory",
    "memory of frame 2",
    "memory of frame 3",
    "memory of frame 4",
    "memory of frame 5",
    "memory of frame 6",
    "memory of frame 7",
    "memory of frame 8",
];

use EthereumPlace::{
    Balance, Byte, Code, Input, Logs, Memory, NewFrame, Output, Own, Returned, Storage, Transient, Word,
};

/// Generates from each row what some instructions read and write.
macro_rules! effects {
    ($($($first:ident $(..= $last:ident)?)|+ => $effects:tt;)*) => {
        pub(super) fn effects(code: u8) -> &'static [MachineEffect<Ethereum, EthereumPlace>] {
            match code {
                $($(op::$first $(..= op::$last)?)|+ => &$effects,)*
                _ => &[],
            }
        }
    };
}

rows!(effects);

impl DeclaredPlaces for Ethereum {
    type Place = EthereumPlace;

    fn row_effects(&self) -> &'static [MachineEffect<Ethereum, EthereumPlace>] {
        self.next_code().map_or(&[], effects)
    }

    fn cells_at(&self, place: EthereumPlace) -> Vec<Cell> {
        let Some(frame) = self.running() else { return Vec::new() };
        let own = frame.interpreter.input.target_address;
        let depth = self.frames().len();
        match place {
            Memory(start, length) => self.memory_cells(start, self.small(length)),
            Word(start) => self.memory_cells(start, Some(32)),
            Byte(start) => self.memory_cells(start, Some(1)),
            Storage(key) => self.word(key).map(|key| storage(cells::STORAGE, own, key)).into_iter().collect(),
            Transient(key) => {
                self.word(key).map(|key| storage(cells::TRANSIENT_STORAGE, own, key)).into_iter().collect()
            }
            Balance(operand) => {
                self.address(operand).map(|it| of_account(cells::BALANCE, it)).into_iter().collect()
            }
            Own => vec![of_account(cells::BALANCE, own)],
            Code(operand) => {
                self.address(operand).map(|it| of_account(cells::CODE, it)).into_iter().collect()
            }
            Input => vec![input_of(depth)],
            Returned => vec![returned()],
            Logs => vec![Cell::named(cells::LOGS, "")],
            Output if depth == 1 => vec![Cell::named(cells::OUTPUT, "")],
            Output => Vec::new(),
            NewFrame => received(depth + 1),
        }
    }

    fn held(&self, place: EthereumPlace, cell: &Cell) -> Option<Value> {
        match place {
            Storage(key) => {
                let own = self.running()?.interpreter.input.target_address;
                Some(word_value(self.stored(own, self.word(key)?)))
            }
            Balance(operand) => Some(word_value(self.balance(self.address(operand)?))),
            Own => Some(word_value(self.balance(self.running()?.interpreter.input.target_address))),
            Input => Some(self.input()),
            _ => self.value(cell),
        }
    }
}

/// How far down DUPN, SWAPN or EXCHANGE reaches.
fn moved_count(machine: &Ethereum) -> Option<usize> {
    machine.distances().map(|(_, far)| far + 1)
}

/// How many of these items DUPN leaves: one more.
fn left_by_dupn(machine: &Ethereum) -> Option<usize> {
    moved_count(machine).map(|count| count + 1)
}

/// Which items DUPN, SWAPN and EXCHANGE move.
fn moved_by_operand(machine: &Ethereum) -> Vec<usize> {
    match (machine.next_code(), machine.distances()) {
        (_, None) => Vec::new(),
        (Some(op::DUPN), Some((_, far))) => (0..=far).rev().chain([far]).collect(),
        (_, Some((near, far))) => exchanged(near, far).chain((0..near).rev()).collect(),
    }
}

/// The number that the operand of DUPN and SWAPN means (EIP-8024); `None` for an operand that is not valid.
fn single(operand: u8) -> Option<usize> {
    let number = usize::from(operand);
    (!(91..128).contains(&operand)).then_some((number + 145) % 256)
}

/// The two numbers that the operand of EXCHANGE means (EIP-8024), the smaller one first; `None` for an operand that is
/// not valid.
fn pair(operand: u8) -> Option<(usize, usize)> {
    if (82..128).contains(&operand) {
        return None;
    }
    let both = usize::from(operand ^ 0x8f);
    let (high, low) = (both / 16, both % 16);
    Some(if high < low { (high + 1, low + 1) } else { (low + 1, 29 - high) })
}

/// What the frame with this number receives: its memory, which is empty, and its input.
pub(super) fn received(depth: usize) -> Vec<Cell> {
    let memory = MEMORIES.get(depth - 1).map(|memory| Cell::Range(memory, 0..usize::MAX));
    memory.into_iter().chain([input_of(depth)]).collect()
}

/// What the frame with this number gets from one that it called: the returned data, and as much of them in its
/// memory as there is room for.
pub(super) fn returned_to(depth: usize, result: &FrameResult) -> Vec<Cell> {
    let copied = match result {
        FrameResult::Call(call) if call.instruction_result().is_ok_or_revert() => {
            let Range { start, end } = call.memory_offset;
            // The range of an empty output is beyond the memory.
            start..end.min(start.saturating_add(call.result.output.len()))
        }
        FrameResult::Call(_) | FrameResult::Create(_) => 0..0,
    };
    let memory = MEMORIES.get(depth - 1).filter(|_| !copied.is_empty());
    memory.map(|memory| Cell::Range(memory, copied)).into_iter().chain([returned()]).collect()
}

fn input_of(depth: usize) -> Cell {
    Cell::named(cells::INPUT, depth.to_string())
}

fn returned() -> Cell {
    Cell::named(cells::RETURN_DATA, "")
}

impl Ethereum {
    /// The word at this distance from the top of the stack.
    fn word(&self, below: usize) -> Option<U256> {
        self.running()?.interpreter.stack.peek(below).ok()
    }

    /// The byte after the opcode; the code is followed by zeros.
    fn immediate(&self) -> Option<u8> {
        let bytecode = &self.running()?.interpreter.bytecode;
        Some(bytecode.bytecode_slice().get(bytecode.pc() + 1).copied().unwrap_or_default())
    }

    /// The distances from the top that the operand names: of the two items that SWAPN or EXCHANGE exchanges, the
    /// smaller one first; of the top item and the one that DUPN copies.
    fn distances(&self) -> Option<(usize, usize)> {
        match self.next_code()? {
            op::DUPN => Some((0, single(self.immediate()?)?.checked_sub(1)?)),
            op::SWAPN => Some((0, single(self.immediate()?)?)),
            op::EXCHANGE => pair(self.immediate()?),
            _ => None,
        }
    }

    fn small(&self, below: usize) -> Option<usize> {
        usize::try_from(self.word(below)?).ok()
    }

    fn address(&self, below: usize) -> Option<Address> {
        Some(Address::from_word(self.word(below)?.into()))
    }

    /// The memory from the operand `start` on; no cell if it is empty or reaches beyond the largest address.
    fn memory_cells(&self, start: usize, length: Option<usize>) -> Vec<Cell> {
        let cell = || byte_memory::cell(self.memory_name()?, self.small(start)?, length?);
        cell().into_iter().collect()
    }

    /// The beginning of the frame's input.
    fn input(&self) -> Value {
        let Some(frame) = self.running() else { return Value::Null };
        let input = &frame.interpreter.input.input;
        // The range of an empty input is beyond the memory.
        if input.is_empty() {
            return byte_memory::shown(&[]);
        }
        byte_memory::shown(&input.as_bytes_memory(&frame.interpreter.memory))
    }

    /// The name of the memory of the running frame, if it has one.
    pub(super) fn memory_name(&self) -> Option<&'static str> {
        MEMORIES.get(self.frames().len().checked_sub(1)?).copied()
    }

    /// The beginning of the content of a memory cell.
    pub(super) fn remembered(&self, name: &str, range: &Range<usize>) -> Option<Value> {
        let index = MEMORIES.iter().position(|memory| *memory == name)?;
        let memory = &self.frames().get(index)?.interpreter.memory;
        Some(byte_memory::shown_part(&memory.context_memory(), range))
    }

    /// The account whose code the next instruction calls.
    pub(super) fn called(&self) -> Option<Address> {
        match self.next_code()? {
            op::CALL | op::CALLCODE | op::DELEGATECALL | op::STATICCALL => self.address(1),
            _ => None,
        }
    }
}
