//! What programs of N3 are made of.

use num_bigint::BigInt;

use crate::machines::program_parts::OperandKind::{
    Array, Boundary, Buffer, Bytes, Flag, Map, Null, Small, Struct,
};
use crate::machines::program_parts::{
    BuiltOperand, CodeNotation, JumpTargets, ProgramParts, PushedNumber, SingleInstruction,
};

pub(super) const PARTS: ProgramParts = ProgramParts {
    operands: &[Small, Small, Boundary, Bytes, Flag, Null, Array, Struct, Map, Buffer],
    number,
    built: &[
        BuiltOperand { kind: Flag, instructions: &["PUSHT"] },
        BuiltOperand { kind: Flag, instructions: &["PUSHF"] },
        BuiltOperand { kind: Null, instructions: &["PUSHNULL"] },
        BuiltOperand { kind: Array, instructions: &["PUSH7", "PUSH8", "PUSH2", "PACK"] },
        BuiltOperand { kind: Struct, instructions: &["PUSH2", "NEWSTRUCT"] },
        BuiltOperand { kind: Map, instructions: &["NEWMAP", "DUP", "PUSH1", "PUSH5", "SETITEM"] },
        BuiltOperand { kind: Buffer, instructions: &["PUSH3", "NEWBUFFER"] },
    ],
    jumps: JumpTargets::InInstruction,
    code: "script",
    // A person can read such a script.
    notation: CodeNotation::Names,
    input: None,
    shown: None,
    single: SingleInstruction::OnStack,
    // What a machine leaves on its stacks when it faults is of no use to programs, and implementations drop it.
    dropped_by_failures: &["invocationStack"],
};

/// `PUSHINT8` to `PUSHINT256`, the smallest that has room; `None` for a number of more than 256 bits.
fn number(number: &BigInt) -> Option<PushedNumber> {
    let mut operands = number.to_signed_bytes_le();
    let size = (0..=5u32).find(|size| operands.len() <= 1 << size)?;
    operands.resize(1 << size, if *number < BigInt::ZERO { 0xff } else { 0 });
    Some(PushedNumber { instruction: format!("PUSHINT{}", 8 << size), operands })
}
