//! Why a case fails, as data: what reports render.

use std::collections::BTreeMap;
use std::ops::Range;

use super::assertion::Expected;
use super::case::CaseId;
use super::cell::Cell;
use super::diagnostic::Diagnostic;
use super::event::CaseReport;
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
    /// What it wrote, the stack left out.
    pub writes: Vec<Cell>,
    /// The places of the stack that it wrote.
    pub(crate) written: Range<usize>,
    /// Places of the stack to which it only moved a value, and from where.
    pub(crate) moved: Vec<(usize, usize)>,
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
    /// The last jump before it that might not have been taken, or might have led elsewhere; set only for the
    /// instruction that an answer begins with.
    pub reached_by: Option<Box<Blame>>,
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
