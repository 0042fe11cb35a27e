//! Bytes to mnemonics, for any instruction set.
//!
//! Assembling its output with [`crate::isa::assembler`] gives the same bytes: what is not a whole instruction
//! is written as `.byte`.

use num_bigint::{BigInt, BigUint, Sign};

use super::{ImmediateOperand, Isa, OpInfo};
use crate::model::bytes_key;

/// An instruction, or bytes that are not one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingLine<'p> {
    /// Offset of the first byte.
    pub offset: usize,
    /// All its bytes.
    pub bytes: &'p [u8],
    /// The instruction; `None` for an undefined code or an instruction cut off by the end of the program.
    pub op: Option<&'static OpInfo>,
    /// The instruction cut off by the end of the program.
    pub cut_off: Option<&'static OpInfo>,
}

impl ListingLine<'_> {
    /// The line in the assembler's syntax: `PUSH2 0x0102`.
    pub fn source(&self) -> String {
        match (self.op, self.cut_off) {
            (Some(op), _) => self.instruction(op),
            (None, Some(op)) => format!(".byte {} ; {} cut off by the end", bytes_key(self.bytes), op.name),
            (None, None) => format!(".byte {} ; no instruction", bytes_key(self.bytes)),
        }
    }

    fn instruction(&self, op: &OpInfo) -> String {
        let mut text = op.name.to_owned();
        let mut targets = Vec::new();
        let mut rest = &self.bytes[1..];
        for operand in op.operands {
            let Some((bytes, further)) = operand.split(rest) else { break };
            rest = further;
            text.push(' ');
            text.push_str(&shown(*operand, bytes));
            if let Some(from) = operand.counted_from() {
                targets.push(self.target(from, bytes));
            }
        }
        if !targets.is_empty() {
            text.push_str(" ; ");
            text.push_str(&targets.join(", "));
        }
        text
    }

    /// The target of an offset that counts from so many bytes after the opcode.
    fn target(&self, from: usize, offset: &[u8]) -> String {
        let target = BigInt::from(self.offset + from) + BigInt::from_signed_bytes_le(offset);
        if target.sign() == Sign::Minus { "before the start".to_owned() } else { format!("{target:04x}") }
    }
}

/// An operand in the assembler's syntax.
fn shown(operand: ImmediateOperand, bytes: &[u8]) -> String {
    match operand {
        ImmediateOperand::Data(_) | ImmediateOperand::Word(_) => bytes_key(bytes),
        ImmediateOperand::Prefixed(size) => bytes_key(&bytes[size.into()..]),
        ImmediateOperand::Unsigned(_) => BigUint::from_bytes_le(bytes).to_string(),
        ImmediateOperand::Signed(_) | ImmediateOperand::Offset(_) | ImmediateOperand::LaterOffset(_) => {
            BigInt::from_signed_bytes_le(bytes).to_string()
        }
    }
}

/// The instructions of a program, decoded one after another from its start.
pub fn disassemble<'p>(isa: &Isa, program: &'p [u8]) -> impl Iterator<Item = ListingLine<'p>> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let line = line_at(isa, program, offset)?;
        offset += line.bytes.len();
        Some(line)
    })
}

/// The instruction at an offset of a program; `None` at its end.
pub fn line_at<'p>(isa: &Isa, program: &'p [u8], offset: usize) -> Option<ListingLine<'p>> {
    let rest = program.get(offset..)?;
    let (code, operands) = rest.split_first()?;
    let Some(op) = isa.by_code((*code).into()) else {
        return Some(ListingLine { offset, bytes: &rest[..1], op: None, cut_off: None });
    };
    Some(match op.operand_len(operands) {
        Some(length) => ListingLine { offset, bytes: &rest[..=length], op: Some(op), cut_off: None },
        None => ListingLine { offset, bytes: rest, op: None, cut_off: Some(op) },
    })
}
