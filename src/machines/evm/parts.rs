//! What programs of the EVM are made of.

use num_bigint::{BigInt, Sign};

use super::opcodes::{EVM, Op};
use crate::isa::OpInfo;
use crate::machines::program_parts::OperandKind::{Boundary, Found, Random, Small};
use crate::machines::program_parts::{
    BuiltOperand, InputData, JumpTargets, ProgramParts, PushedNumber, RepeatedInstruction, ShownResults,
    SingleInstruction, StackFiller, StackTargets, TypedOperands,
};
use crate::model::bytes_key;

/// Vectors demand neither the stack nor the memory, so that programs store what is on the stack and return the start of
/// the memory.
pub(super) const PARTS: ProgramParts = ProgramParts {
    operands: &[Small, Small, Small, Boundary, Boundary, Random, Found],
    number: |number| {
        let operands = word(number);
        Some(PushedNumber { instruction: after(PUSH1, operands.len() - 1)?, operands })
    },
    built: &[BuiltOperand { kind: Found, instructions: &["ADDRESS"] }],
    typed: &[
        TypedOperands { instruction: "BALANCE", kinds: &[Found] },
        TypedOperands { instruction: "EXTCODESIZE", kinds: &[Found] },
        TypedOperands { instruction: "EXTCODECOPY", kinds: &[Found, Small, Small, Small] },
    ],
    copied: |below| match below {
        0..16 => Some(vec![PushedNumber::plain(after(DUP1, below)?)]),
        _ => None,
    },
    filler: Some(StackFiller { first: &[filler], removes: "POP", last: &[] }),
    jumps: JumpTargets::OnStack(StackTargets {
        push: "PUSH2",
        jumps: &["JUMP", "JUMPI"],
        destination: "JUMPDEST",
    }),
    code: "code",
    input: Some(InputData { member: "data", typed: bytes_key }),
    reads_block: true,
    shown: Some(ShownResults { first: &FIRST_VALUES, last: &SHOWS_RESULTS, values: 4, removes: "POP" }),
    single: SingleInstruction::Pushed(single),
    ..ProgramParts::EMPTY
};

const PUSH1: u8 = Op::PUSH1 as u8;
const DUP1: u8 = Op::DUP1 as u8;
const PUSH32: u8 = Op::PUSH32 as u8;
const SSTORE: u8 = Op::SSTORE as u8;
const MSTORE8: u8 = Op::MSTORE8 as u8;
const MSIZE: u8 = Op::MSIZE as u8;
const POP: u8 = Op::POP as u8;
const RETURN: u8 = Op::RETURN as u8;

/// Values that the end of a program can store, whatever the program does.
const FIRST_VALUES: [u8; 8] = [PUSH1, 0, PUSH1, 1, PUSH1, 2, PUSH1, 3];

/// Stores the upper four values of the stack and the size of the memory, and returns the first 64 bytes of it.
#[rustfmt::skip]
const SHOWS_RESULTS: [u8; 21] = [
    PUSH1, 16, SSTORE, PUSH1, 17, SSTORE, PUSH1, 18, SSTORE, PUSH1, 19, SSTORE,
    MSIZE, PUSH1, 32, SSTORE, PUSH1, 64, PUSH1, 0, RETURN,
];

/// The name of the instruction at this distance after another one.
fn after(code: u8, distance: usize) -> Option<&'static str> {
    EVM.by_code(u16::from(code) + distance as u16).map(|op| op.name)
}

/// The bytes of a number as a word of two's complement, as few as possible.
fn word(number: &BigInt) -> Vec<u8> {
    if number.sign() == Sign::Plus && number.bits() <= 256 {
        return number.magnitude().to_bytes_be();
    }
    let word: BigInt = number & ((BigInt::from(1) << 256u32) - 1);
    word.to_bytes_be().1
}

/// A loop that pushes several values each time, with a counter in memory, and pushes of the others.
fn filler(values: usize) -> Vec<RepeatedInstruction> {
    const AT_ONCE: usize = 32;
    /// What the loop needs above the values that it leaves.
    const NEEDED: usize = 3;
    /// Where the loop begins.
    const START: u8 = 5;
    let push = |byte: u8| PushedNumber { instruction: "PUSH1", operands: vec![byte] };
    let pushes = |times: usize| RepeatedInstruction { instruction: PushedNumber::plain("PC"), times };
    let times = values.saturating_sub(NEEDED) / AT_ONCE;
    let mut filler: Vec<RepeatedInstruction> = Vec::new();
    if let Some(count) = u8::try_from(times).ok().filter(|count| *count > 0) {
        let counts = [push(count), push(0), PushedNumber::plain("MSTORE"), PushedNumber::plain("JUMPDEST")];
        filler.extend(counts.map(RepeatedInstruction::from));
        filler.push(pushes(AT_ONCE));
        let down = [push(1), push(0), PushedNumber::plain("MLOAD"), PushedNumber::plain("SUB")];
        filler.extend(down.map(RepeatedInstruction::from));
        let kept = [PushedNumber::plain("DUP1"), push(0), PushedNumber::plain("MSTORE")];
        filler.extend(kept.map(RepeatedInstruction::from));
        filler.extend([push(START), PushedNumber::plain("JUMPI")].map(RepeatedInstruction::from));
    }
    filler.push(pushes(values - times * AT_ONCE));
    filler
}

/// Pushes the operands, executes the instruction, stores what it pushed and returns the memory.
fn single(operands: &[BigInt], instruction: &[u8], op: &OpInfo) -> Vec<u8> {
    // Write something to storage and memory first.
    let mut code = vec![PUSH1, 7, PUSH1, 1, SSTORE, PUSH1, 9, PUSH1, 31, MSTORE8];
    for operand in operands.iter().rev() {
        let bytes = word(operand);
        code.push(PUSH32);
        code.extend(std::iter::repeat_n(0, 32 - bytes.len()));
        code.extend(bytes);
    }
    code.extend(instruction);
    // Make room on the stack for the code that shows the results.
    code.extend(std::iter::repeat_n(POP, operands.len().saturating_sub(1_000)));
    for key in 0..op.pushes.min(4) as u8 {
        code.extend([PUSH1, 16 + key, SSTORE]);
    }
    // The size of the memory shows what else it did, and so does the gas.
    code.extend([MSIZE, PUSH1, 32, SSTORE, PUSH1, 64, PUSH1, 0, RETURN]);
    code
}
