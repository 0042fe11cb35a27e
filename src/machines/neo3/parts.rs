//! What programs of N3 are made of.

use num_bigint::BigInt;

use crate::machines::program_parts::OperandKind::{
    Array, Boundary, Buffer, Bytes, Flag, Found, Map, Null, Small, Struct,
};
use crate::machines::program_parts::{
    BuiltOperand, CodeNotation, ExceptionNames, KnownOperands, ProgramParts, PushedNumber,
    RepeatedInstruction, SingleInstruction, StackFiller, TypedOperands, Variables,
};

pub(super) const PARTS: ProgramParts = ProgramParts {
    operands: &[Small, Small, Boundary, Boundary, Bytes, Flag, Null, Array, Struct, Map, Buffer, Found],
    number,
    built: &[
        BuiltOperand { kind: Flag, instructions: &["PUSHT"] },
        BuiltOperand { kind: Flag, instructions: &["PUSHF"] },
        BuiltOperand { kind: Null, instructions: &["PUSHNULL"] },
        BuiltOperand { kind: Array, instructions: &["PUSH7", "PUSH8", "PUSH2", "PACK"] },
        BuiltOperand { kind: Struct, instructions: &["PUSH2", "NEWSTRUCT"] },
        BuiltOperand { kind: Map, instructions: &["NEWMAP", "DUP", "PUSH1", "PUSH5", "SETITEM"] },
        BuiltOperand { kind: Array, instructions: &["NEWARRAY0", "PUSH4", "PUSH2", "PACK"] },
        BuiltOperand { kind: Array, instructions: &["PUSH1", "NEWSTRUCT", "PUSH1", "PACK"] },
        BuiltOperand { kind: Struct, instructions: &["PUSH5", "PUSHT", "PUSH2", "PACKSTRUCT"] },
        BuiltOperand { kind: Buffer, instructions: &["PUSH3", "NEWBUFFER"] },
    ],
    packed: &[
        BuiltOperand { kind: Array, instructions: &["PACK"] },
        BuiltOperand { kind: Struct, instructions: &["PACKSTRUCT"] },
    ],
    typed: &[TypedOperands { instruction: "MEMCPY", kinds: &[Small, Small, Bytes, Small, Buffer] }],
    copied: |below| match below {
        0 => Some(vec![PushedNumber::plain("DUP")]),
        1 => Some(vec![PushedNumber::plain("OVER")]),
        _ => Some(vec![number(&below.into())?, PushedNumber::plain("PICK")]),
    },
    changed: &[
        BuiltOperand { kind: Array, instructions: &["DUP", "PUSH6", "APPEND"] },
        BuiltOperand { kind: Struct, instructions: &["DUP", "PUSH6", "APPEND"] },
        BuiltOperand { kind: Map, instructions: &["DUP", "PUSH6", "PUSH9", "SETITEM"] },
        BuiltOperand { kind: Buffer, instructions: &["DUP", "PUSH0", "PUSH9", "SETITEM"] },
    ],
    known: &[KnownOperands { instructions: &["ISTYPE", "CONVERT", "NEWARRAY_T"], operands: TYPES }],
    variables: &[
        Variables { first: &[("INITSSLOT", &[8])], stores: STATIC_STORES, loads: STATIC_LOADS },
        Variables { first: LOCALS, stores: LOCAL_STORES, loads: LOCAL_LOADS },
        Variables { first: ARGUMENTS, stores: ARGUMENT_STORES, loads: ARGUMENT_LOADS },
    ],
    filler: Some(StackFiller { first: &[filler], removes: "DROP", last: &["CLEAR"] }),
    exceptions: Some(ExceptionNames {
        throws: "THROW",
        leaves: &["ENDTRY", "ENDTRY_L"],
        resumes: "ENDFINALLY",
    }),
    code: "script",
    // A person can read such a script.
    notation: CodeNotation::Names,
    single: SingleInstruction::OnStack,
    // What a machine leaves on its stacks when it faults is of no use to programs, and implementations drop it.
    dropped_by_failures: &["invocationStack"],
    ..ProgramParts::EMPTY
};

/// The numbers of the types of items.
const TYPES: &[&[u8]] =
    &[&[0x00], &[0x10], &[0x20], &[0x21], &[0x28], &[0x30], &[0x40], &[0x41], &[0x48], &[0x60]];

/// How many local variables, and arguments.
const LOCALS: &[(&str, &[u8])] = &[("INITSLOT", &[8, 0])];

/// Arguments with values that can be told from each other.
const ARGUMENTS: &[(&str, &[u8])] = &[
    ("PUSH1", &[]),
    ("PUSH2", &[]),
    ("PUSH3", &[]),
    ("PUSH4", &[]),
    ("PUSH5", &[]),
    ("PUSH6", &[]),
    ("PUSH7", &[]),
    ("PUSH8", &[]),
    ("INITSLOT", &[0, 8]),
];

const STATIC_STORES: &[&str] =
    &["STSFLD0", "STSFLD1", "STSFLD2", "STSFLD3", "STSFLD4", "STSFLD5", "STSFLD6", "STSFLD"];
const STATIC_LOADS: &[&str] =
    &["LDSFLD0", "LDSFLD1", "LDSFLD2", "LDSFLD3", "LDSFLD4", "LDSFLD5", "LDSFLD6", "LDSFLD"];
const LOCAL_STORES: &[&str] =
    &["STLOC0", "STLOC1", "STLOC2", "STLOC3", "STLOC4", "STLOC5", "STLOC6", "STLOC"];
const LOCAL_LOADS: &[&str] = &["LDLOC0", "LDLOC1", "LDLOC2", "LDLOC3", "LDLOC4", "LDLOC5", "LDLOC6", "LDLOC"];
const ARGUMENT_STORES: &[&str] =
    &["STARG0", "STARG1", "STARG2", "STARG3", "STARG4", "STARG5", "STARG6", "STARG"];
const ARGUMENT_LOADS: &[&str] =
    &["LDARG0", "LDARG1", "LDARG2", "LDARG3", "LDARG4", "LDARG5", "LDARG6", "LDARG"];

/// An Array that counts as so many items.
fn filler(values: usize) -> Vec<RepeatedInstruction> {
    let Some(items) = values.checked_sub(1) else { return Vec::new() };
    let filler = number(&items.into()).into_iter().chain([PushedNumber::plain("NEWARRAY")]);
    filler.map(RepeatedInstruction::from).collect()
}

/// What pushes numbers of 1, 2, 4, 8, 16 and 32 bytes.
const PUSHES: [&str; 6] = ["PUSHINT8", "PUSHINT16", "PUSHINT32", "PUSHINT64", "PUSHINT128", "PUSHINT256"];

/// The smallest of [`PUSHES`] that has room; `None` for a number of more than 256 bits.
fn number(number: &BigInt) -> Option<PushedNumber> {
    let mut operands = number.to_signed_bytes_le();
    let size = (0..PUSHES.len()).find(|size| operands.len() <= 1 << size)?;
    operands.resize(1 << size, if *number < BigInt::ZERO { 0xff } else { 0 });
    Some(PushedNumber { instruction: PUSHES[size], operands })
}
