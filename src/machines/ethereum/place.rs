//! What instructions read and write besides the stack: one row for all instructions that do the same.

use revm_bytecode::opcode as op;

use crate::isa::effect::declared_effects;
use crate::isa::{DeclaredEffect, PlaceKind};

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
    /// The data that the frame returns. Where it goes in the frame of a caller is known once it has ended.
    Output,
    /// What a new frame receives.
    NewFrame,
}

use EthereumPlace::{
    Balance, Byte, Code, Input, Logs, Memory, NewFrame, Output, Own, Returned, Storage, Transient, Word,
};

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

/// Passes the rows to a macro.
#[rustfmt::skip]
macro_rules! rows {
    ($make:ident) => { $make! {
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
    DUP1..=DUP16 => [Moves(duplicated)];
    SWAP1..=SWAP16 => [Moves(swapped)];
    DUPN => [Takes(moved_count), Leaves(left_by_dupn), Moves(moved_by_operand)];
    SWAPN | EXCHANGE => [Takes(moved_count), Leaves(moved_count), Moves(moved_by_operand)];
    LOG0..=LOG4 => [Reads(Memory(0, 1)), Writes(Logs)];
    CREATE | CREATE2 => [Reads(Memory(1, 2)), Needs(Own), MayWrite(NewFrame), Writes(Returned)];
    CALL | CALLCODE => [
        Reads(Memory(3, 4)), Needs(Own), MayWrite(NewFrame), MayWrite(Memory(5, 6)), Writes(Returned)
    ];
    DELEGATECALL | STATICCALL => [
        Reads(Memory(2, 3)), MayWrite(NewFrame), MayWrite(Memory(4, 5)), Writes(Returned)
    ];
    RETURN | REVERT => [Reads(Memory(0, 1)), Writes(Output)];
    STOP | SELFDESTRUCT => [Writes(Output)];
    }};
}

pub(super) use rows;

/// Generates from each row the same as data.
macro_rules! declarations {
    ($($($first:ident $(..= $last:ident)?)|+ => $effects:tt;)*) => {
        /// See [`OpInfo::effects`](crate::isa::OpInfo::effects).
        pub(super) const fn declarations(code: u8) -> &'static [DeclaredEffect] {
            match code {
                $($(op::$first $(..= op::$last)?)|+ => declared_effects!(EthereumPlace: $effects),)*
                _ => &[],
            }
        }
    };
}

rows!(declarations);
