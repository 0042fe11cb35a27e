//! What programs of Neo 2.x are made of.

use crate::machines::program_parts::OperandKind::{Array, Boundary, Bytes, Flag, Map, Small, Struct};
use crate::machines::program_parts::{
    BuiltOperand, CodeNotation, JumpTargets, ProgramParts, PushedNumber, SingleInstruction,
};

pub(super) const PARTS: ProgramParts = ProgramParts {
    operands: &[Small, Small, Boundary, Bytes, Flag, Array, Struct, Map],
    number: |number| {
        let operands = number.to_signed_bytes_le();
        Some(PushedNumber { instruction: format!("PUSHBYTES{}", operands.len()), operands })
    },
    built: &[
        BuiltOperand { kind: Flag, instructions: &["PUSH1"] },
        BuiltOperand { kind: Flag, instructions: &["PUSH0"] },
        BuiltOperand { kind: Array, instructions: &["PUSH7", "PUSH8", "PUSH2", "PACK"] },
        BuiltOperand { kind: Struct, instructions: &["PUSH2", "NEWSTRUCT"] },
        BuiltOperand { kind: Map, instructions: &["NEWMAP", "DUP", "PUSH1", "PUSH5", "SETITEM"] },
    ],
    jumps: JumpTargets::InInstruction,
    code: "script",
    notation: CodeNotation::Hex,
    input: None,
    shown: None,
    single: SingleInstruction::OnStack,
    // A vector without frames demands that there are none.
    dropped_by_failures: &[],
};
