//! Why a case fails, as data: what reports render.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use super::assertion::Expected;
use super::case::CaseId;
use super::case_report::CaseReport;
use super::cell::Cell;
use super::count::counted;
use super::diagnostic::Diagnostic;
use super::path::Path;
use super::value::Value;
use super::verdict::Kind;

/// Why a case fails or is broken.
#[derive(Debug, Clone, PartialEq)]
pub enum Explained {
    /// As data.
    Facts(Box<Explanation>),
    /// In the words of the report of a part of the run, from which it was read back.
    Text {
        /// Which case.
        id: CaseId,
        /// What `vmconf diff` prints, without colours.
        text: String,
    },
}

impl Explained {
    /// Which case.
    pub fn id(&self) -> &CaseId {
        match self {
            Explained::Facts(explanation) => &explanation.report.id,
            Explained::Text { id, .. } => id,
        }
    }
}

/// The most cases that a run explains, of those that fail or are broken: each of them runs again.
pub const MOST_EXPLAINED: usize = 200;

/// A case, its verdict, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Its verdict.
    pub report: CaseReport,
    /// What was ignored in it.
    pub notes: Vec<Diagnostic>,
    /// The verdict on the embedded machine, where the case ran on a machine in another process: the instructions
    /// are those of the embedded machine, which executes each case alike.
    pub embedded: Option<Kind>,
    /// For the first differences of a case that fails, what made the datum what it is.
    pub blames: Vec<Answer>,
    /// Where the machine in another process parts from the embedded one, if both show their steps.
    pub parting: Option<Parting>,
    /// The first instruction, among those that were recorded, that did not do what its row declares.
    pub departure: Option<Departure>,
    /// The last instructions before the first difference was seen.
    pub last: Vec<Executed>,
    /// How many instructions there were up to there.
    pub steps: u64,
    /// The list that the first difference is in.
    pub stack: Option<StackComparison>,
    /// What was spent on each kind of instruction, on a machine with gas.
    pub spent: BTreeMap<&'static str, Spent>,
    /// The leaves of the state, where only its root is demanded and differs.
    pub world: Option<WorldComparison>,
    /// The log entries, where their hash differs.
    pub logs: Option<LogComparison>,
    /// Where one can go through its run; `None` if no page was asked for.
    pub page: Option<ExplorerPage>,
}

/// A page to go through the run of a case step by step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExplorerPage {
    /// Its URI, relative to the HTML report.
    At(String),
    /// Why there is none.
    Missing(String),
}

/// A state of which only the root is demanded, beside another one.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldComparison {
    /// What it is compared with.
    pub against: Against,
    /// The leaves that differ, by path; at most 100.
    pub leaves: Vec<Leaf>,
    /// How many there are.
    pub count: usize,
}

/// What a state is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Against {
    /// The state before the transaction: no state is known that has the demanded root.
    Before,
    /// The state of another case, with this id, that has the demanded root.
    Fixture(String),
    /// The state of the embedded machine, which has the demanded root.
    Embedded,
}

/// A leaf of two states.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// Its path.
    pub at: Path,
    /// What it is in the other state; `None` when it is not there.
    pub wanted: Option<Value>,
    /// What it is; `None` when it is not there.
    pub actual: Option<Value>,
    /// What made it so.
    pub answer: Option<Answer>,
}

/// Log entries of which only the hash is demanded.
#[derive(Debug, Clone, PartialEq)]
pub struct LogComparison {
    /// The entries of the embedded machine, where they have the demanded hash.
    pub expected: Option<Vec<Value>>,
    /// The actual entries.
    pub actual: Vec<Value>,
}

/// A list of the state, such as a stack, beside what the vector expects.
#[derive(Debug, Clone, PartialEq)]
pub struct StackComparison {
    /// Its path.
    pub at: Path,
    /// What is expected of each item; `None` where nothing is.
    pub wanted: Vec<Option<Expected>>,
    /// What is there.
    pub actual: Vec<Value>,
    /// The first item that differs.
    pub differs: usize,
}

/// An instruction that was executed.
#[derive(Debug, Clone, PartialEq)]
pub struct Executed {
    /// How many were executed before it.
    pub step: u64,
    /// Program counter.
    pub pc: usize,
    /// Its mnemonic; `None` for an undefined opcode.
    pub op: Option<&'static str>,
    /// How many values its row says that it pushes.
    pub pushes: u16,
    /// As a person writes it.
    pub text: String,
    /// The frame that executed it, on a machine whose frames execute code of different accounts.
    pub frame: Option<String>,
    /// What it took from the stack, the top value first, and what else it read.
    pub inputs: Vec<Input>,
    /// How many values were on the stack before it.
    pub height: usize,
    /// The number of the stack slot above the top one.
    pub(crate) top: usize,
    /// The top values of them, the top one first.
    pub stack: Vec<Value>,
    /// What it cost, on a machine with gas.
    pub cost: Option<u64>,
    /// Where it went on, if not at the instruction after it.
    pub went: Option<usize>,
    /// What it wrote, the stack left out.
    pub writes: Vec<Cell>,
    /// The places of the stack that it wrote.
    pub(crate) written: Range<usize>,
    /// Cells to which it only moved a value, and the place of the stack where that was.
    pub(crate) moved: Vec<(Cell, usize)>,
}

impl Executed {
    /// Its number in the run, from 1, as `vmconf trace` counts.
    pub fn number(&self) -> u64 {
        self.step + 1
    }
}

/// Something that an instruction read.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// Where it was.
    pub cell: Cell,
    /// What the program's source calls that: `i of gcd`; `None` where it has no name for it.
    pub name: Option<String>,
    /// What it was.
    pub value: Value,
}

/// The origin of a datum.
#[derive(Debug, Clone, PartialEq)]
pub struct Blame {
    /// The instruction that wrote it.
    pub by: Executed,
    /// Those that since only moved it, the last one first.
    pub moved_by: Vec<Executed>,
    /// The writer of each of [`Executed::inputs`], as far as it was traced.
    pub inputs: Vec<Option<Blame>>,
    /// What is left out of a long chain of instructions; set only for the instruction that it ends with.
    pub further: Option<Further>,
    /// The last jump before it that might not have been taken, or might have led elsewhere; set only for the
    /// instruction that an answer begins with.
    pub reached_by: Option<Box<Blame>>,
    /// Of a value that is one too many: the last instruction that took the values above it, and not this one.
    pub left_by: Option<Executed>,
}

/// The other end of a long chain of instructions.
#[derive(Debug, Clone, PartialEq)]
pub struct Further {
    /// How many instructions are left out between the others and these.
    pub left_out: usize,
    /// Those that the chain begins with, the oldest one first.
    pub oldest: Vec<Executed>,
}

/// The first step after which two machines differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parting {
    /// Its number, from 1; 0 if the machines differ before the first one.
    pub step: u64,
    /// Its program counter and its mnemonic.
    pub instruction: Option<(u64, String)>,
    /// What differs after it, each with the value on the machine in another process and on the embedded one, as
    /// text.
    pub differs: Vec<(String, [String; 2])>,
}

/// The first instruction that did something else than its row declares.
#[derive(Debug, Clone, PartialEq)]
pub struct Departure {
    /// The instruction.
    pub by: Executed,
    /// What it did.
    pub what: Departs,
}

/// What an instruction did that its row does not declare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Departs {
    /// It succeeded with fewer values on the stack than it needs.
    Missing {
        /// How many it needs.
        needs: usize,
        /// How many there were.
        height: usize,
    },
    /// It left another number of values on the stack.
    Height {
        /// How many there were before it.
        before: usize,
        /// How many its row declares after it.
        declared: usize,
        /// How many there were after it.
        actual: usize,
    },
    /// It succeeded with more values on the stack than there may be.
    Limit {
        /// How many there may be.
        limit: usize,
        /// How many there were after it.
        actual: usize,
    },
    /// It left another number of references.
    References {
        /// How many there are after an instruction that takes and leaves these numbers of values.
        declared: usize,
        /// How many there were after it.
        actual: usize,
    },
    /// It went on elsewhere.
    Jump {
        /// The program counter that its row declares.
        declared: usize,
        /// The program counter of the next instruction.
        actual: usize,
    },
    /// It changed this cell.
    Write(Cell),
}

/// As a person reads it, after the instruction.
impl fmt::Display for Departs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Departs::Missing { needs, height } => {
                write!(
                    f,
                    "it needs {} on the stack; there {} {height}, and it did not fail",
                    counted(*needs, "value"),
                    if *height == 1 { "was" } else { "were" }
                )
            }
            Departs::Height { before, declared, actual } => write!(
                f,
                "by its row the height of the stack goes from {before} to {declared}; it went to {actual}"
            ),
            Departs::Limit { limit, actual } => {
                write!(
                    f,
                    "the stack may have {}; it had {actual}, and it did not fail",
                    counted(*limit, "value")
                )
            }
            Departs::References { declared, actual } => {
                write!(
                    f,
                    "by its row there are {} after it; there were {actual}",
                    counted(*declared, "reference")
                )
            }
            Departs::Jump { declared, actual } => {
                write!(f, "by its row it goes on at 0x{declared:02x}; it went on at 0x{actual:02x}")
            }
            Departs::Write(cell) => write!(f, "by its row it does not write {cell}; it did"),
        }
    }
}

/// What all instructions of one kind cost together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// How many there were.
    pub count: u64,
    /// What they cost.
    pub gas: u64,
    /// How many of them cost less or more than their row says.
    pub unlike_row: u64,
    /// What they cost according to their row.
    pub by_row: u64,
    /// What they added to the refund of the transaction.
    pub refund: i64,
}

/// What is known of a datum.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// An instruction wrote it.
    By(Box<Blame>),
    /// No examined instruction wrote it.
    NotWritten {
        /// The last one that wrote another datum of its kind.
        near: Option<Box<Blame>>,
        /// How many of the last instructions were examined; `None` when all were.
        of_last: Option<u64>,
        /// What else than an instruction changes it: `the fee of the transaction`.
        besides: Option<String>,
    },
    /// No cell holds it, such as how the run ended; the last instruction that read something.
    NoCell(Option<Box<Blame>>),
}

impl Answer {
    /// The instruction closest to the origin of the datum.
    pub fn blame(&self) -> Option<&Blame> {
        match self {
            Answer::By(blame) => Some(blame),
            Answer::NotWritten { near: blame, .. } | Answer::NoCell(blame) => blame.as_deref(),
        }
    }
}
