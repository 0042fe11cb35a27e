//! What instructions read and write besides the stack, in the form of declarations of rows.

use std::ops::Range;

use revm_bytecode::opcode as op;
use revm_handler::FrameData;
use revm_primitives::{Address, U256};

use super::machine::Ethereum;
use super::trail::{of_account, storage};
use crate::isa::effect::declared_effects;
use crate::isa::{DeclaredEffect, PlaceKind};
use crate::machines::byte_memory;
use crate::machines::effects::DeclaredPlaces;
use crate::machines::effects::Effect::{self, Jumps, Needs, Reads, Writes};
use crate::machines::inspect::Inspect;
use crate::machines::record::word_value;
use crate::model::cell::Cell;
use crate::model::value::Value;

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

/// The places that an instruction can read or write besides the stack. Numbers are operands: 0 is the top item.
#[derive(Clone, Copy)]
pub(crate) enum EthereumPlace {
    /// The memory from the first operand on, with the length given by the second one.
    Memory(usize, usize),
    /// 32 bytes of memory from the operand on.
    Word(usize),
    /// A byte of memory.
    Byte(usize),
    /// A word of the executing account's storage.
    Storage(usize),
    /// A word of its transient storage.
    Transient(usize),
    /// The balance of the account with this address.
    Balance(usize),
    /// The balance of the executing account.
    Own,
    /// The code of the account with this address.
    Code(usize),
    /// The input of the frame.
    Input,
    /// The data that the last frame returned.
    Returned,
    /// The log entries.
    Logs,
    /// The data that the frame returns.
    Output,
    /// What a new frame receives.
    NewFrame,
}

use EthereumPlace::{
    Balance, Byte, Code, Input, Logs, Memory, NewFrame, Output, Own, Returned, Storage, Transient, Word,
};

/// Generates from each row what some instructions read and write, and the same as data.
macro_rules! effects {
    ($($($code:ident)|+ => $effects:tt;)*) => {
        pub(super) fn effects(code: u8) -> &'static [Effect<Ethereum, EthereumPlace>] {
            match code {
                $($(op::$code)|+ => &$effects,)*
                _ => &[],
            }
        }

        /// See [`OpInfo::effects`](crate::isa::OpInfo::effects).
        pub(super) const fn declarations(code: u8) -> &'static [DeclaredEffect] {
            match code {
                $($(op::$code)|+ => declared_effects!(EthereumPlace: $effects),)*
                _ => &[],
            }
        }
    };
}

effects! {
    KECCAK256 => [Reads(Memory(0, 1))];
    BALANCE => [Reads(Balance(0))];
    SELFBALANCE => [Reads(Own)];
    CALLDATALOAD | CALLDATASIZE => [Reads(Input)];
    CALLDATACOPY => [Reads(Input), Writes(Memory(0, 2))];
    CODECOPY => [Writes(Memory(0, 2))];
    EXTCODESIZE | EXTCODEHASH => [Reads(Code(0))];
    EXTCODECOPY => [Reads(Code(0)), Writes(Memory(1, 3))];
    RETURNDATASIZE => [Reads(Returned)];
    RETURNDATACOPY => [Reads(Returned), Writes(Memory(0, 2))];
    MLOAD => [Reads(Word(0))];
    MSTORE => [Writes(Word(0))];
    MSTORE8 => [Writes(Byte(0))];
    MCOPY => [Reads(Memory(1, 2)), Writes(Memory(0, 2))];
    SLOAD => [Reads(Storage(0))];
    SSTORE => [Needs(Storage(0)), Writes(Storage(0))];
    TLOAD => [Reads(Transient(0))];
    TSTORE => [Writes(Transient(0))];
    JUMP | JUMPI => [Jumps];
    LOG0 | LOG1 | LOG2 | LOG3 | LOG4 => [Reads(Memory(0, 1)), Writes(Logs)];
    CREATE | CREATE2 => [Reads(Memory(1, 2)), Needs(Own), Writes(NewFrame), Writes(Returned)];
    CALL | CALLCODE => [
        Reads(Memory(3, 4)), Needs(Own), Writes(NewFrame), Writes(Memory(5, 6)), Writes(Returned)
    ];
    DELEGATECALL | STATICCALL => [Reads(Memory(2, 3)), Writes(NewFrame), Writes(Memory(4, 5)), Writes(Returned)];
    RETURN | REVERT => [Reads(Memory(0, 1)), Writes(Output)];
    STOP | SELFDESTRUCT => [Writes(Output)];
}

impl EthereumPlace {
    /// What is there.
    pub(super) const fn kind(self) -> PlaceKind {
        match self {
            Memory(..) | Word(_) => PlaceKind::Bytes,
            Byte(_) => PlaceKind::Byte,
            Storage(_) | Transient(_) => PlaceKind::Variable,
            Balance(_) | Own | Code(_) | Input | Returned | Logs | Output | NewFrame => PlaceKind::Other,
        }
    }
}

impl DeclaredPlaces for Ethereum {
    type Place = EthereumPlace;

    fn row_effects(&self) -> &'static [Effect<Ethereum, EthereumPlace>] {
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
            Storage(key) => vec![storage("storage", own, self.word(key).unwrap_or_default())],
            Transient(key) => vec![storage("transient storage", own, self.word(key).unwrap_or_default())],
            Balance(operand) => {
                self.address(operand).map(|it| of_account("balance", it)).into_iter().collect()
            }
            Own => vec![of_account("balance", own)],
            Code(operand) => self.address(operand).map(|it| of_account("code", it)).into_iter().collect(),
            Input => vec![input_of(depth)],
            Returned => vec![returned()],
            Logs => vec![Cell::named("logs", "")],
            Output if depth == 1 => vec![Cell::named("output", "")],
            Output => {
                let range = match &frame.data {
                    FrameData::Call(call) => call.return_memory_range.clone(),
                    FrameData::Create(_) => 0..0,
                };
                let memory = MEMORIES.get(depth - 2).filter(|_| !range.is_empty());
                memory.map(|memory| Cell::Range(memory, range)).into_iter().chain([returned()]).collect()
            }
            NewFrame => {
                let memory = MEMORIES.get(depth).map(|memory| Cell::Range(memory, 0..usize::MAX));
                memory.into_iter().chain([input_of(depth + 1)]).collect()
            }
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

fn input_of(depth: usize) -> Cell {
    Cell::named("input of frame", depth.to_string())
}

fn returned() -> Cell {
    Cell::named("return data", "")
}

impl Ethereum {
    /// The word at this distance from the top of the stack.
    fn word(&self, below: usize) -> Option<U256> {
        self.running()?.interpreter.stack.peek(below).ok()
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
