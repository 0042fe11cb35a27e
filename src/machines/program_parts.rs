//! What programs of a machine are made of, besides the rows of its instructions: what fuzzing, and the search for
//! programs that notice a planted fault, have to know to make some.

use num_bigint::BigInt;

use crate::isa::OpInfo;

/// What programs of a machine are made of.
pub struct ProgramParts {
    /// The types of operands that its instructions take; one that is listed twice is chosen twice as often.
    pub operands: &'static [OperandKind],
    /// How a number is pushed; `None` if no instruction does it.
    pub number: fn(&BigInt) -> Option<PushedNumber>,
    /// How operands are pushed that are no numbers. Each of several rows for one type is as likely as the others.
    pub built: &'static [BuiltOperand],
    /// Where the target of a jump stands.
    pub jumps: JumpTargets,
    /// The member of a program with its bytes; empty if a program is something else.
    pub code: &'static str,
    /// How vectors have the bytes of a program.
    pub notation: CodeNotation,
    /// The data that programs get; `None` if they get none.
    pub input: Option<InputData>,
    /// What surrounds a program, so that a vector demands what it did; `None` if vectors of the machine demand all
    /// that it leaves behind.
    pub shown: Option<ShownResults>,
    /// How a single instruction gets operands.
    pub single: SingleInstruction,
    /// The fields that say nothing after a run that failed: implementations leave something else in them.
    pub dropped_by_failures: &'static [&'static str],
}

impl ProgramParts {
    /// The parts of a machine whose programs are no bytes, for struct updates.
    pub const WITHOUT_BYTES: ProgramParts = ProgramParts {
        operands: &[],
        number: |_| None,
        built: &[],
        jumps: JumpTargets::InInstruction,
        code: "",
        notation: CodeNotation::Hex,
        input: None,
        shown: None,
        single: SingleInstruction::Never,
        dropped_by_failures: &[],
    };
}

/// How a number is pushed.
#[derive(Debug, Clone)]
pub struct PushedNumber {
    /// The name of the instruction.
    pub instruction: String,
    /// The bytes after its code.
    pub operands: Vec<u8>,
}

/// How an operand is pushed that is no number.
#[derive(Debug, Clone, Copy)]
pub struct BuiltOperand {
    /// Its type.
    pub kind: OperandKind,
    /// The instructions that push it.
    pub instructions: &'static [&'static str],
}

/// The type of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperandKind {
    /// A number that is a length, an index or an offset.
    Small,
    /// A number at or next to a power of two.
    Boundary,
    /// A number of up to 32 bytes.
    Random,
    /// A few bytes, pushed by `PUSHDATA1`.
    Bytes,
    /// A Boolean.
    Flag,
    /// Null.
    Null,
    /// An Array.
    Array,
    /// A Struct.
    Struct,
    /// A Map.
    Map,
    /// A Buffer.
    Buffer,
}

/// Where the target of a jump stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JumpTargets {
    /// In the instruction: as a distance from it, or as an index.
    InInstruction,
    /// On the stack.
    OnStack(StackTargets),
}

/// How a target of a jump is pushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackTargets {
    /// The instruction that pushes it, in two bytes, the higher one first.
    pub push: &'static str,
    /// The instructions that jump there.
    pub jumps: &'static [&'static str],
    /// The instruction that must stand there.
    pub destination: &'static str,
}

/// How vectors have the bytes of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeNotation {
    /// In hex.
    Hex,
    /// As names of instructions and operands.
    Names,
}

/// The data that programs get.
#[derive(Debug, Clone, Copy)]
pub struct InputData {
    /// The member of a program.
    pub member: &'static str,
    /// How it is typed.
    pub typed: fn(&[u8]) -> String,
}

/// What surrounds a program, so that a vector demands what it did.
#[derive(Debug, Clone, Copy)]
pub struct ShownResults {
    /// The instructions before it: values that its end can show, whatever the program does.
    pub first: &'static [u8],
    /// The instructions after it, which show its results.
    pub last: &'static [u8],
}

/// How a single instruction gets operands.
#[derive(Debug, Clone, Copy)]
pub enum SingleInstruction {
    /// By a program that pushes them, executes these bytes of the instruction, and shows what it did.
    Pushed(fn(operands: &[BigInt], instruction: &[u8], op: &OpInfo) -> Vec<u8>),
    /// The vector puts them on the stack.
    OnStack,
    /// Not at all.
    Never,
}

impl JumpTargets {
    /// How targets are pushed; `None` if they are not.
    pub fn on_stack(self) -> Option<StackTargets> {
        match self {
            JumpTargets::InInstruction => None,
            JumpTargets::OnStack(targets) => Some(targets),
        }
    }
}
