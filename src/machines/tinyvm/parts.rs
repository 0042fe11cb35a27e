//! What programs of the 16-bit machine are made of: words of any instructions, whose operands are in registers.

use crate::machines::program_parts::OperandKind::{Boundary, Random, Small};
use crate::machines::program_parts::{CodeNotation, JumpTargets, ProgramParts, SingleInstruction};

pub(super) const PARTS: ProgramParts = ProgramParts {
    operands: &[Small, Small, Boundary, Random],
    number: |_| None,
    built: &[],
    jumps: JumpTargets::InInstruction,
    code: "",
    notation: CodeNotation::Hex,
    shown: None,
    single: SingleInstruction::Never,
    dropped_by_failures: &[],
};
