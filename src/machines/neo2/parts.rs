//! What programs of Neo 2.x are made of.

use num_bigint::BigInt;

use super::opcodes::{NEO2, Op};
use super::script::Hash;
use crate::isa::ImmediateOperand;
use crate::machines::program_parts::OperandKind::{Array, Boundary, Bytes, Flag, Found, Map, Small, Struct};
use crate::machines::program_parts::{
    BuiltOperand, InputData, KnownOperands, ProgramParts, PushedNumber, RepeatedInstruction,
    SingleInstruction, StackFiller, Variables,
};
use crate::model::bytes_key;

pub(super) const PARTS: ProgramParts = ProgramParts {
    operands: &[Small, Small, Boundary, Boundary, Bytes, Flag, Array, Struct, Map, Found],
    number,
    built: &[
        BuiltOperand { kind: Flag, instructions: &["PUSH1"] },
        BuiltOperand { kind: Flag, instructions: &["PUSH0"] },
        BuiltOperand { kind: Array, instructions: &["PUSH7", "PUSH8", "PUSH2", "PACK"] },
        BuiltOperand { kind: Struct, instructions: &["PUSH2", "NEWSTRUCT"] },
        BuiltOperand { kind: Map, instructions: &["NEWMAP", "DUP", "PUSH1", "PUSH5", "SETITEM"] },
        BuiltOperand { kind: Array, instructions: &["PUSH0", "NEWARRAY", "PUSH4", "PUSH2", "PACK"] },
        BuiltOperand { kind: Array, instructions: &["PUSH1", "NEWSTRUCT", "PUSH1", "PACK"] },
    ],
    packed: &[
        BuiltOperand { kind: Array, instructions: &["PACK"] },
        BuiltOperand { kind: Struct, instructions: &["PACK", "NEWSTRUCT"] },
    ],
    copied: |below| match below {
        0 => Some(vec![PushedNumber::plain("DUP")]),
        1 => Some(vec![PushedNumber::plain("OVER")]),
        _ => Some(vec![number(&below.into())?, PushedNumber::plain("PICK")]),
    },
    changed: &[
        BuiltOperand { kind: Array, instructions: &["DUP", "PUSH6", "APPEND"] },
        BuiltOperand { kind: Struct, instructions: &["DUP", "PUSH6", "APPEND"] },
        BuiltOperand { kind: Map, instructions: &["DUP", "PUSH6", "PUSH9", "SETITEM"] },
    ],
    known: &[
        KnownOperands { instructions: &["SYSCALL"], operands: SERVICES },
        KnownOperands { instructions: &["APPCALL", "TAILCALL"], operands: &[&COUNTS_HASH] },
        KnownOperands { instructions: &["CALL_E", "CALL_ET"], operands: ISOLATED_CALLS },
    ],
    variables: &[Variables {
        first: &[],
        stores: &["TOALTSTACK", "TOALTSTACK"],
        loads: &["FROMALTSTACK", "DUPFROMALTSTACK"],
    }],
    filler: Some(StackFiller { first: &[filler, filler_of_more], removes: "CAT", last: &[] }),
    code: "script",
    // What signatures are checked with.
    input: Some(InputData { member: "message", typed: bytes_key }),
    callable: &[&COUNTS, &HANDS_OVER, &HANDS_OVER_BY_HASH],
    single: SingleInstruction::OnStack,
    // Checking a signature takes 45,000.
    units: 200_000,
    ..ProgramParts::EMPTY
};

/// The names of the services of the host, with their lengths.
const SERVICES: &[&[u8]] = &[
    b"\x29System.ExecutionEngine.GetScriptContainer",
    b"\x2dSystem.ExecutionEngine.GetExecutingScriptHash",
    b"\x2bSystem.ExecutionEngine.GetCallingScriptHash",
    b"\x29System.ExecutionEngine.GetEntryScriptHash",
];

/// A script that pushes how many values it got.
const COUNTS: [u8; 1] = [Op::DEPTH as u8];

/// A script that calls [`COUNTS`] with two values.
const HANDS_OVER: [u8; 23] = joined([Op::CALL_ET as u8], isolated_call(3, 2, COUNTS_HASH));
/// The same, with the hash of [`COUNTS`] on the stack.
const HANDS_OVER_BY_HASH: [u8; 24] =
    joined([Op::PUSHBYTES20 as u8], joined::<_, _, 23>(COUNTS_HASH, [Op::CALL_EDT as u8, 3, 2]));

/// The HASH160 of each.
const COUNTS_HASH: Hash =
    *b"\xb1\xdf\x19\x79\xba\x1a\xa2\xa8\xa1\x14\xb6\x41\xd7\x64\xf2\x6c\xf1\xd5\xd8\x44";
const HANDS_OVER_HASH: Hash =
    *b"\x88\x59\x9d\xeb\xe8\x74\x97\x6f\x44\xed\x96\x77\xff\xb9\x4d\x8a\xc7\xcf\xfc\x0a";
/// The same, with the hash of [`COUNTS`] on the stack.
const HANDS_OVER_BY_HASH_HASH: Hash =
    *b"\xbb\xba\xe7\xcb\xd1\x08\xa8\x7b\x97\x72\x69\xfd\xa2\x53\x40\x5b\xa5\x45\x01\xe8";

/// Calls of them with counts of results and arguments: each returns one value more than it gets.
const ISOLATED_CALLS: &[&[u8]] = &[
    &isolated_call(1, 0, COUNTS_HASH),
    &isolated_call(3, 2, COUNTS_HASH),
    &isolated_call(1, 1, COUNTS_HASH),
    &isolated_call(3, 2, HANDS_OVER_HASH),
    &isolated_call(3, 2, HANDS_OVER_BY_HASH_HASH),
];

const fn isolated_call(results: u8, arguments: u8, hash: Hash) -> [u8; 22] {
    joined([results, arguments], hash)
}

const fn joined<const A: usize, const B: usize, const N: usize>(first: [u8; A], last: [u8; B]) -> [u8; N] {
    let mut all = [0; N];
    let (start, end) = all.split_at_mut(A);
    start.copy_from_slice(&first);
    end.copy_from_slice(&last);
    all
}

/// The instruction that pushes as many bytes as the number has: its code is how many. `None` if no instruction does.
fn number(number: &BigInt) -> Option<PushedNumber> {
    let operands = number.to_signed_bytes_le();
    let op = NEO2.by_code(operands.len().try_into().ok()?)?;
    (op.operands == [ImmediateOperand::Data(operands.len() as u8)])
        .then_some(PushedNumber { instruction: op.name, operands })
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
        filler.extend(number(&(chunk - 1).into()));
        filler.extend(["NEWARRAY", "TOALTSTACK"].map(PushedNumber::plain));
        left -= chunk;
    }
    filler.push(PushedNumber::plain("PUSH0"));
    filler.into_iter().map(RepeatedInstruction::from).collect()
}

/// The same, with an item that is not counted: the machine states that `CHECKMULTISIG` leaves one fewer than it does.
/// If the items are counted again, there are too many.
fn filler_of_more(values: usize) -> Vec<RepeatedInstruction> {
    const ONES: usize = 4;
    let ones = std::iter::repeat_n(number(&1.into()), ONES).flatten();
    let check = ones.chain([PushedNumber::plain("CHECKMULTISIG")]);
    check.map(RepeatedInstruction::from).chain(filler(values)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::script::hash160;
    use super::*;

    #[test]
    fn scripts_that_are_called_have_their_hashes() {
        assert_eq!(hash160(&COUNTS), COUNTS_HASH);
        assert_eq!(hash160(&HANDS_OVER), HANDS_OVER_HASH);
        assert_eq!(hash160(&HANDS_OVER_BY_HASH), HANDS_OVER_BY_HASH_HASH);
    }
}
