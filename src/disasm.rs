//! Bytes to mnemonics, for any instruction set.
//!
//! What comes out goes into [`crate::asm`] and gives the same bytes: what is no whole
//! instruction is written as `.byte`.

use crate::isa::{Isa, OpInfo};

/// An instruction, or bytes that are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'p> {
    /// Offset of the first byte.
    pub offset: usize,
    /// All bytes of it.
    pub bytes: &'p [u8],
    /// The instruction; none for a code that means nothing or an instruction cut off by the end.
    pub op: Option<&'static OpInfo>,
    /// The instruction that the end cuts off.
    pub cut_off: Option<&'static OpInfo>,
}

impl Line<'_> {
    /// The line as the assembler reads it: `PUSH2 0x0102`.
    pub fn source(&self) -> String {
        let hex = |bytes: &[u8]| format!("0x{}", hex::encode(bytes));
        match (self.op, self.cut_off) {
            (Some(op), _) if op.operand.is_empty() => op.name.to_owned(),
            (Some(op), _) => format!("{} {}", op.name, hex(&self.bytes[1..])),
            (None, Some(op)) => format!(".byte {} ; {} cut off by the end", hex(self.bytes), op.name),
            (None, None) => format!(".byte {} ; no instruction", hex(self.bytes)),
        }
    }
}

/// The instructions of a program, one after the other from its start.
pub fn disassemble<'p>(isa: &Isa, program: &'p [u8]) -> impl Iterator<Item = Line<'p>> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let rest = program.get(offset..).filter(|rest| !rest.is_empty())?;
        let line = decode(isa, rest, offset);
        offset += line.bytes.len();
        Some(line)
    })
}

fn decode<'p>(isa: &Isa, rest: &'p [u8], offset: usize) -> Line<'p> {
    let Some(op) = isa.by_code(rest[0]) else {
        return Line { offset, bytes: &rest[..1], op: None, cut_off: None };
    };
    match rest.get(..1 + op.operand.len()) {
        Some(bytes) => Line { offset, bytes, op: Some(op), cut_off: None },
        None => Line { offset, bytes: rest, op: None, cut_off: Some(op) },
    }
}
