//! The commands: instructions, and shorthands for several of them.

use super::operand::{CommandOperand, OperandSpacing, Syntax};
use crate::isa::{OpInfo, WordField};
use crate::machines::tinyvm::disassembler::NAMED;
use crate::machines::tinyvm::language::{OperandShape, compares_with_zero, has_commas, row, shape};
use crate::machines::tinyvm::opcodes::TINYVM;

/// A command of the language.
pub(super) enum AssemblerCommand {
    /// A word without operands.
    Word(u16),
    /// An instruction.
    Row(&'static OpInfo),
    /// A comparison of a register with zero.
    Zero(&'static OpInfo),
    /// A load from memory, or of a number in as few words as possible.
    Load { cell: &'static OpInfo, low: &'static OpInfo, high: &'static OpInfo },
    /// A jump by a distance, or to the address in a register.
    Jump { by: &'static OpInfo, to: &'static OpInfo },
    /// A comparison and a conditional jump.
    Branch(Branch),
    /// The address of a label, in one or in two words.
    Address { low: &'static OpInfo, high: Option<&'static OpInfo> },
}

/// A comparison and a conditional jump.
pub(super) struct Branch {
    /// The comparison that makes the short jump happen.
    pub(super) compare: &'static OpInfo,
    /// Whether a single register is compared with zero.
    pub(super) zero: bool,
    /// The short jump.
    pub(super) short: &'static OpInfo,
    /// The long jump that the short one skips, if there is one.
    pub(super) long: Option<&'static OpInfo>,
    /// Whether the name does not say what is compared.
    pub(super) is_vague: bool,
}

const REGISTER: &[CommandOperand] = &[CommandOperand::Register];
const NUMBER: &[CommandOperand] = &[CommandOperand::Number];
const LABEL: &[CommandOperand] = &[CommandOperand::Label];
const TARGET: &[CommandOperand] = &[CommandOperand::Number, CommandOperand::Label];

impl AssemblerCommand {
    pub(super) fn named(name: &str) -> Option<AssemblerCommand> {
        match name {
            "lw" => Some(AssemblerCommand::Load { cell: op("LW")?, low: op("LI")?, high: op("LHI")? }),
            "la" => Some(AssemblerCommand::Address { low: op("LI")?, high: None }),
            "lla" => Some(AssemblerCommand::Address { low: op("LI")?, high: Some(op("LHI")?) }),
            "j" => Some(AssemblerCommand::Jump { by: op("J")?, to: op("JR")? }),
            _ => NAMED
                .iter()
                .find(|named| named.1 == name)
                .map(|named| AssemblerCommand::Word(named.0))
                .or_else(|| row(name).map(AssemblerCommand::Row))
                .or_else(|| zero(name).map(AssemblerCommand::Zero))
                .or_else(|| Branch::named(name).map(AssemblerCommand::Branch)),
        }
    }

    /// The syntax of its operands.
    pub(super) fn syntax(&self) -> Syntax {
        match self {
            AssemblerCommand::Word(_) => Syntax { spacing: OperandSpacing::Spaces, operands: &[], least: 0 },
            AssemblerCommand::Row(op) => row_syntax(op),
            AssemblerCommand::Zero(_) => {
                Syntax { spacing: OperandSpacing::Spaces, operands: &[REGISTER], least: 1 }
            }
            AssemblerCommand::Load { .. } => Syntax {
                spacing: OperandSpacing::Commas,
                operands: &[REGISTER, &[CommandOperand::Register, CommandOperand::Number]],
                least: 2,
            },
            AssemblerCommand::Jump { .. } => Syntax {
                spacing: OperandSpacing::AnySpaces,
                operands: &[
                    &[CommandOperand::Register, CommandOperand::Number, CommandOperand::Label],
                    NUMBER,
                ],
                least: 1,
            },
            AssemblerCommand::Branch(Branch { zero: true, .. }) => {
                Syntax { spacing: OperandSpacing::Spaces, operands: &[REGISTER, TARGET], least: 2 }
            }
            AssemblerCommand::Branch(_) => {
                Syntax { spacing: OperandSpacing::Spaces, operands: &[REGISTER, REGISTER, TARGET], least: 3 }
            }
            AssemblerCommand::Address { .. } => {
                Syntax { spacing: OperandSpacing::Commas, operands: &[REGISTER, LABEL], least: 2 }
            }
        }
    }
}

fn row_syntax(op: &OpInfo) -> Syntax {
    let operands: &[&[CommandOperand]] = match op.fields {
        [] => &[],
        [_, WordField::Register(_)] => &[REGISTER, REGISTER],
        [_, WordField::Skip(_)] => &[REGISTER, TARGET],
        _ => &[REGISTER, NUMBER],
    };
    let spacing = match op.fields {
        _ if has_commas(op) => OperandSpacing::Commas,
        [_, WordField::High] => OperandSpacing::OneSpace,
        _ => OperandSpacing::Spaces,
    };
    Syntax { spacing, operands, least: if shape(op) == OperandShape::Unary { 1 } else { operands.len() } }
}

impl Branch {
    /// A long form skips its long jump if the opposite condition holds.
    fn named(name: &str) -> Option<Branch> {
        let (is_long, test) = match name.strip_prefix("lb") {
            Some(test) => (true, test),
            None => (false, name.strip_prefix('b')?),
        };
        let is_vague = test.is_empty();
        let (compare, zero) = match test {
            "" => (zero("nez")?, true),
            _ => match compare(test) {
                Some(op) => (op, false),
                None => (zero(test)?, true),
            },
        };
        let long = if is_long { Some(op("J")?) } else { None };
        let compare = if is_long { opposite(compare)? } else { compare };
        Some(Branch { compare, zero, short: op("B")?, long, is_vague })
    }

    /// Whether no comparison instruction is needed, because the jump itself tests whether a register is not zero.
    pub(super) fn is_known(&self) -> bool {
        self.zero && self.compare.name == "NE"
    }
}

fn op(name: &str) -> Option<&'static OpInfo> {
    TINYVM.by_name(name)
}

fn compare(name: &str) -> Option<&'static OpInfo> {
    row(name).filter(|op| shape(op) == OperandShape::Compare)
}

fn zero(name: &str) -> Option<&'static OpInfo> {
    compare(name.strip_suffix('z')?).filter(|op| compares_with_zero(op))
}

/// The negated comparison.
fn opposite(compare: &OpInfo) -> Option<&'static OpInfo> {
    const LESS_EQUAL_GREATER: u16 = 0xe00;
    TINYVM.by_code(compare.code ^ LESS_EQUAL_GREATER)
}

/// What to write instead of an unknown command.
pub(super) fn hint(name: &str) -> String {
    let test = name.strip_prefix("lb").or(name.strip_prefix('b')).unwrap_or(name);
    let branch = &name[..name.len() - test.len()];
    match test {
        "gtz" => format!("{branch}nez: above zero without a sign is not zero"),
        "lez" => format!("{branch}eqz: at most zero without a sign is zero"),
        "gez" => "nothing: without a sign, a register is always at least zero".to_owned(),
        "ltz" => "nothing: without a sign, a register is never below zero".to_owned(),
        "exp" => ".word 0x6EAB for rA and rB: only some machines have it".to_owned(),
        "root" => ".word 0x6FAB for rA and rB: only some machines have it".to_owned(),
        ".data" => ".word".to_owned(),
        _ if name.contains('\t') => "one space after the command, no tab".to_owned(),
        _ if AssemblerCommand::named(&name.to_lowercase()).is_some() => "commands in lower case".to_owned(),
        "li" => "lw rA, NUMBER".to_owned(),
        "jr" => "j rA NUMBER".to_owned(),
        _ => "a command of tinyvm (the page on its format lists all)".to_owned(),
    }
}
