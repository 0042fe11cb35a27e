//! Disassembles a word to text that assembles to the same word.

use super::language::{OperandShape, compares_with_zero, decoded, has_commas, shape, word_of};
use super::opcodes::TINYVM;
use crate::isa::{OpInfo, WordField};

/// Words with a name of their own.
pub(super) const NAMED: [(u16, &str); 2] = [(0x5f00, "nop"), (0xffff, "ill")];

/// The canonical text of a word: its instruction, or `.word` if no instruction of the language has this encoding.
pub fn disassemble(word: u16) -> String {
    if let Some((_, name)) = NAMED.iter().find(|named| named.0 == word) {
        return (*name).to_owned();
    }
    let instruction = TINYVM.by_code(word).and_then(|op| instruction(op, word));
    instruction.unwrap_or_else(|| format!(".word 0x{word:04X}"))
}

fn instruction(op: &OpInfo, word: u16) -> Option<String> {
    let name = word_of(op)?;
    let numbers: Vec<_> = op.fields.iter().map(|field| decoded(*field, word)).collect();
    let operands: Vec<_> =
        op.fields.iter().zip(&numbers).map(|(field, number)| shown(op, *field, *number)).collect();
    let is_same = matches!(*numbers, [a, b] if a == b);
    match shape(op) {
        OperandShape::Unary if is_same => Some(format!("{name} {}", operands[0])),
        OperandShape::Move if is_same => None,
        OperandShape::Compare if is_same => {
            compares_with_zero(op).then(|| format!("{name}z {}", operands[0]))
        }
        OperandShape::JumpTo if numbers[1] == 0 => Some(format!("{name} {}", operands[0])),
        _ if operands.is_empty() => Some(name.to_owned()),
        _ => Some(format!("{name} {}", operands.join(if has_commas(op) { ", " } else { " " }))),
    }
}

fn shown(op: &OpInfo, field: WordField, number: i32) -> String {
    match field {
        WordField::Register(_) => format!("r{number}"),
        WordField::Signed | WordField::Skip(_) => number.to_string(),
        WordField::High if shape(op) == OperandShape::LoadHigh => format!("0x{:02X}", number >> 8),
        WordField::High => format!("0x{number:04X}"),
    }
}
