//! The syntax of rows, shared by the assembler and the disassembler.

use std::ops::RangeInclusive;

use super::opcodes::{TINYVM, WORDS};
use crate::isa::{OpInfo, WordField};

/// The syntax of a row's operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OperandShape {
    /// One operand per field.
    Plain,
    /// The second register may be omitted; it is then the first one.
    Unary,
    /// Two different registers.
    Move,
    /// Two different registers; a comparison with zero has a command of its own.
    Compare,
    /// The high byte; it is written as a byte, but the whole word is accepted, too.
    LoadHigh,
    /// The number may be omitted; it is then 0.
    JumpTo,
}

/// The syntax of a row's operands.
pub(super) fn shape(op: &OpInfo) -> OperandShape {
    match op.code >> 8 {
        0x40 => OperandShape::LoadHigh,
        0x58..=0x5e => OperandShape::Unary,
        0x5f => OperandShape::Move,
        0x80..=0x8f => OperandShape::Compare,
        0xb0 => OperandShape::JumpTo,
        _ => OperandShape::Plain,
    }
}

/// Whether commas separate the operands of a row; otherwise spaces do.
pub(super) fn has_commas(op: &OpInfo) -> bool {
    op.code < 0x6000
}

/// The row and the keyword of each command that is a single instruction.
fn commands() -> impl Iterator<Item = (&'static OpInfo, &'static str)> {
    let rows = TINYVM.ops.iter().zip(WORDS.iter().copied());
    rows.filter(|(_, word)| !word.is_empty())
}

/// The first row with this keyword.
pub(super) fn row(word: &str) -> Option<&'static OpInfo> {
    commands().find(|command| command.1 == word).map(|command| command.0)
}

/// The keyword of a row; `None` if the language has none for it.
pub(super) fn word_of(op: &OpInfo) -> Option<&'static str> {
    commands().find(|command| command.0.code == op.code).map(|command| command.1)
}

/// Whether a command makes the comparison of this row with zero: only if the comparison is signed, or if
/// signedness makes no difference.
pub(super) fn compares_with_zero(op: &OpInfo) -> bool {
    const LESS: u16 = 0x800;
    const GREATER: u16 = 0x200;
    const SIGNED: u16 = 0x100;
    let one_side = (op.code & LESS == 0) != (op.code & GREATER == 0);
    shape(op) == OperandShape::Compare && (op.code & SIGNED != 0 || !one_side)
}

/// The least and the greatest number that a field can hold.
pub(super) fn range(field: WordField) -> RangeInclusive<i32> {
    match field {
        WordField::Register(_) => 0..=15,
        WordField::Signed => -0x80..=0x7f,
        WordField::High => 0..=0xff00,
        WordField::Skip(bits) => -(1 << (bits - 1))..=(1 << (bits - 1)) + 1,
    }
}

/// Whether a field can hold the number.
pub(super) fn fits(field: WordField, number: i32) -> bool {
    let is_possible = match field {
        WordField::Register(_) | WordField::Signed => true,
        WordField::High => number % 0x100 == 0,
        WordField::Skip(_) => number != 0 && number != 1,
    };
    is_possible && range(field).contains(&number)
}

/// A number that fits, encoded as the field's bits of the word.
fn encoded(field: WordField, number: i32) -> u16 {
    match field {
        WordField::Register(shift) => (number as u16) << shift,
        WordField::Signed => number as u16 & 0xff,
        WordField::High => number as u16 >> 8,
        WordField::Skip(bits) if number < 0 => 1 << (bits - 1) | (-1 - number) as u16,
        WordField::Skip(_) => (number - 2) as u16,
    }
}

/// The number in the field's bits of the word.
pub(super) fn decoded(field: WordField, word: u16) -> i32 {
    match field {
        WordField::Register(shift) => i32::from(word >> shift & 0xf),
        WordField::Signed => i32::from(word as i8),
        WordField::High => i32::from(word << 8),
        WordField::Skip(bits) => {
            let sign = 1 << (bits - 1);
            let magnitude = i32::from(word & (sign - 1));
            if word & sign == 0 { magnitude + 2 } else { -1 - magnitude }
        }
    }
}

/// The word of a row with numbers that fit; fields without a number stay empty.
pub(super) fn instruction(op: &OpInfo, numbers: &[i32]) -> u16 {
    op.fields.iter().zip(numbers).fold(op.code, |word, (field, number)| word | encoded(*field, *number))
}
