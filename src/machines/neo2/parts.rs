//! What programs of Neo 2.x are made of.

use num_bigint::BigInt;

use crate::machines::program_parts::OperandKind::{Array, Boundary, Bytes, Flag, Found, Map, Small, Struct};
use crate::machines::program_parts::{
    BuiltOperand, CodeNotation, JumpTargets, KnownOperands, ProgramParts, PushedNumber, RepeatedInstruction,
    SingleInstruction, StackFiller, Variables,
};

pub(super) const PARTS: ProgramParts = ProgramParts {
    operands: &[Small, Small, Boundary, Boundary, Bytes, Flag, Array, Struct, Map, Found],
    number: |it| Some(number(it)),
    built: &[
        BuiltOperand { kind: Flag, instructions: &["PUSH1"] },
        BuiltOperand { kind: Flag, instructions: &["PUSH0"] },
        BuiltOperand { kind: Array, instructions: &["PUSH7", "PUSH8", "PUSH2", "PACK"] },
        BuiltOperand { kind: Struct, instructions: &["PUSH2", "NEWSTRUCT"] },
        BuiltOperand { kind: Map, instructions: &["NEWMAP", "DUP", "PUSH1", "PUSH5", "SETITEM"] },
        BuiltOperand { kind: Array, instructions: &["PUSH0", "NEWARRAY", "PUSH4", "PUSH2", "PACK"] },
        BuiltOperand { kind: Array, instructions: &["PUSH1", "NEWSTRUCT", "PUSH1", "PACK"] },
    ],
    typed: &[],
    copied: |below| match below {
        0 => Some(vec![PushedNumber::plain("DUP")]),
        1 => Some(vec![PushedNumber::plain("OVER")]),
        _ => Some(vec![number(&below.into()), PushedNumber::plain("PICK")]),
    },
    changed: &[
        BuiltOperand { kind: Array, instructions: &["DUP", "PUSH6", "APPEND"] },
        BuiltOperand { kind: Struct, instructions: &["DUP", "PUSH6", "APPEND"] },
        BuiltOperand { kind: Map, instructions: &["DUP", "PUSH6", "PUSH9", "SETITEM"] },
    ],
    known: &[KnownOperands { instructions: &["SYSCALL"], operands: SERVICES }],
    variables: &[Variables {
        first: &[],
        stores: &["TOALTSTACK", "TOALTSTACK"],
        loads: &["FROMALTSTACK", "DUPFROMALTSTACK"],
    }],
    filler: Some(StackFiller { first: filler, removes: "CAT", last: &[] }),
    register: None,
    jumps: JumpTargets::InInstruction,
    code: "script",
    notation: CodeNotation::Hex,
    input: None,
    shown: None,
    single: SingleInstruction::OnStack,
    // A vector without frames demands that there are none.
    dropped_by_failures: &[],
};

/// The names of the services of the host, with their lengths.
const SERVICES: &[&[u8]] = &[
    b"\x2aSystem.ExecutionEngine.GetScriptContainer",
    b"\x2eSystem.ExecutionEngine.GetExecutingScriptHash",
    b"\x2cSystem.ExecutionEngine.GetCallingScriptHash",
    b"\x2aSystem.ExecutionEngine.GetEntryScriptHash",
];

fn number(number: &BigInt) -> PushedNumber {
    let operands = number.to_signed_bytes_le();
    PushedNumber { instruction: format!("PUSHBYTES{}", operands.len()), operands }
}

/// Arrays on the other stack, which count as so many items with what `CAT` needs below the values that it removes. It
/// states exactly how many items there are after it, so that they are not counted again.
fn filler(values: usize) -> Vec<RepeatedInstruction> {
    /// The most items of an Array.
    const MAX_ITEMS: usize = 1024;
    let Some(mut left) = values.checked_sub(1) else { return Vec::new() };
    let mut filler = Vec::new();
    while left > 0 {
        let chunk = left.min(1 + MAX_ITEMS);
        filler.push(number(&(chunk - 1).into()));
        filler.extend(["NEWARRAY", "TOALTSTACK"].map(PushedNumber::plain));
        left -= chunk;
    }
    filler.push(PushedNumber::plain("PUSH0"));
    filler.into_iter().map(RepeatedInstruction::from).collect()
}
