//! What programs of MiniC89 are made of.

use crate::machines::program_parts::OperandKind::{Boundary, Small};
use crate::machines::program_parts::{ProgramParts, PushedNumber};

pub(super) const PARTS: ProgramParts = ProgramParts {
    operands: &[Small, Small, Boundary],
    number: |number| {
        let value = i16::try_from(number).unwrap_or(i16::MIN);
        Some(PushedNumber { instruction: "PUSH_I16".to_owned(), operands: value.to_le_bytes().to_vec() })
    },
    ..ProgramParts::WITHOUT_BYTES
};
