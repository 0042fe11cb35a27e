//! What programs of the 16-bit machine are made of: words of any instructions, whose operands are in registers.

use crate::machines::program_parts::OperandKind::{Boundary, Random, Small};
use crate::machines::program_parts::ProgramParts;

pub(super) const PARTS: ProgramParts =
    ProgramParts { operands: &[Small, Small, Boundary, Random], ..ProgramParts::WITHOUT_BYTES };
