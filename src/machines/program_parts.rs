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
    /// What makes a compound of values on the stack, with their number above them.
    pub packed: &'static [BuiltOperand],
    /// Which types of operands some instructions take: those that are rarely hit by chance.
    pub typed: &'static [TypedOperands],
    /// How a value of the stack is copied to its top, by its distance from the top; `None` if it cannot be.
    pub copied: fn(usize) -> Option<Vec<PushedNumber>>,
    /// How the compound on top is changed without being taken, so that other references to it show that they are some.
    pub changed: &'static [BuiltOperand],
    /// What operands in instructions are, besides numbers.
    pub known: &'static [KnownOperands],
    /// Where instructions keep values besides the stack.
    pub variables: &'static [Variables],
    /// What takes up room on a stack that has a limit; `None` if no stack has one.
    pub filler: Option<StackFiller>,
    /// How a register gets a number, if operands are in registers.
    pub register: Option<fn(register: u8, number: u16) -> Vec<u16>>,
    /// What throws and handles exceptions; `None` if no instruction does.
    pub exceptions: Option<ExceptionNames>,
    /// Where the target of a jump stands.
    pub jumps: JumpTargets,
    /// The member of a program with its bytes; empty if a program is something else.
    pub code: &'static str,
    /// How vectors have the bytes of a program.
    pub notation: CodeNotation,
    /// The data that programs get; `None` if they get none.
    pub input: Option<InputData>,
    /// Whether instructions read numbers of a block.
    pub reads_block: bool,
    /// The scripts besides its own that a program can call, by what `known` has for the instructions that do it.
    pub callable: &'static [&'static [u8]],
    /// The commands that a program gives as the driver of another one; `None` if there are none.
    pub driver: Option<DriverCommands>,
    /// What surrounds a program, so that a vector demands what it did; `None` if vectors of the machine demand all
    /// that it leaves behind.
    pub shown: Option<ShownResults>,
    /// How a single instruction gets operands.
    pub single: SingleInstruction,
    /// How many units a program may use: enough to fill its stack, and for its most expensive instruction.
    pub units: u64,
    /// The fields that say nothing after a run that failed: implementations leave something else in them.
    pub dropped_by_failures: &'static [&'static str],
}

impl ProgramParts {
    /// Enough to fill any stack.
    pub const FEW_UNITS: u64 = 3_000;

    /// The parts of a machine that says nothing about its programs, for struct updates.
    pub const EMPTY: ProgramParts = ProgramParts {
        operands: &[],
        number: |_| None,
        built: &[],
        packed: &[],
        typed: &[],
        copied: |_| None,
        changed: &[],
        known: &[],
        variables: &[],
        filler: None,
        register: None,
        exceptions: None,
        jumps: JumpTargets::InInstruction,
        code: "",
        notation: CodeNotation::Hex,
        input: None,
        reads_block: false,
        callable: &[],
        driver: None,
        shown: None,
        single: SingleInstruction::Never,
        units: ProgramParts::FEW_UNITS,
        dropped_by_failures: &[],
    };
}

/// How a number is pushed.
#[derive(Debug, Clone)]
pub struct PushedNumber {
    /// The name of the instruction.
    pub instruction: &'static str,
    /// The bytes after its code.
    pub operands: Vec<u8>,
}

impl PushedNumber {
    /// An instruction without operands.
    pub fn plain(instruction: &'static str) -> PushedNumber {
        PushedNumber { instruction, operands: Vec::new() }
    }
}

/// The types of the operands of an instruction, the top one first.
#[derive(Debug, Clone, Copy)]
pub struct TypedOperands {
    /// The instruction.
    pub instruction: &'static str,
    /// The types.
    pub kinds: &'static [OperandKind],
}

/// What the operand in an instruction is, besides a number.
#[derive(Debug, Clone, Copy)]
pub struct KnownOperands {
    /// The instructions.
    pub instructions: &'static [&'static str],
    /// Their operands, such as the number of a type, or the name of a service with its length.
    pub operands: &'static [&'static [u8]],
}

/// Where instructions keep values besides the stack.
#[derive(Debug, Clone, Copy)]
pub struct Variables {
    /// The instructions that must come before all others, with their operands.
    pub first: &'static [(&'static str, &'static [u8])],
    /// What keeps the top value; each keeps it where the instruction of `loads` at the same place finds it.
    pub stores: &'static [&'static str],
    /// What pushes the value.
    pub loads: &'static [&'static str],
}

/// What takes up room on a stack, or of the items that a machine counts.
#[derive(Debug, Clone, Copy)]
pub struct StackFiller {
    /// The instructions that come first and take up room for as many values: each of these ways does it.
    pub first: &'static [FillsStack],
    /// What removes the top value after each instruction, so that the next one reaches the same height.
    pub removes: &'static str,
    /// The instructions at the end, which free the room, so that a state does not have to show it.
    pub last: &'static [&'static str],
}

/// The instructions that take up room for as many values.
pub type FillsStack = fn(values: usize) -> Vec<RepeatedInstruction>;

/// An instruction that is executed several times.
#[derive(Debug, Clone)]
pub struct RepeatedInstruction {
    /// The instruction.
    pub instruction: PushedNumber,
    /// How often.
    pub times: usize,
}

impl From<PushedNumber> for RepeatedInstruction {
    fn from(instruction: PushedNumber) -> RepeatedInstruction {
        RepeatedInstruction { instruction, times: 1 }
    }
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
    /// Bytes, pushed by `PUSHDATA1`.
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
    /// What an instruction leaves that takes nothing.
    Found,
}

impl OperandKind {
    /// Whether several values can be references to the same one.
    pub const fn is_shared(self) -> bool {
        matches!(self, OperandKind::Array | OperandKind::Struct | OperandKind::Map | OperandKind::Buffer)
    }
}

/// What throws exceptions and handles them. An instruction with two distances begins a block with handlers.
#[derive(Debug, Clone, Copy)]
pub struct ExceptionNames {
    /// The instruction that throws the top value.
    pub throws: &'static str,
    /// The instructions that leave a block, or what catches its exception, for a place after it.
    pub leaves: &'static [&'static str],
    /// The instruction at the end of what is executed in any case.
    pub resumes: &'static str,
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

/// The commands by which a program drives another one. Its operands are in registers.
#[derive(Debug, Clone, Copy)]
pub struct DriverCommands {
    /// Their numbers, besides that of the last one.
    pub numbers: &'static [u16],
    /// The command that ends the run. Its first operand is the number of results.
    pub last: u16,
    /// The largest number of results that a generated program announces.
    pub max_results: u16,
    /// The register with the number of the command.
    pub number: u8,
    /// The registers of the operands.
    pub operands: &'static [u8],
    /// The instruction that gives a command.
    pub gives: &'static str,
    /// The programs that are driven, as words.
    pub driven: &'static [&'static [u16]],
    /// How many instructions both may execute together.
    pub budget: u64,
}

/// What surrounds a program, so that a vector demands what it did.
#[derive(Debug, Clone, Copy)]
pub struct ShownResults {
    /// The instructions before it: values that its end can show, whatever the program does.
    pub first: &'static [u8],
    /// The instructions after it, which show its results.
    pub last: &'static [u8],
    /// How many values of the stack they show.
    pub values: usize,
    /// The instruction that removes the top value, so that a deeper one is shown.
    pub removes: &'static str,
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
