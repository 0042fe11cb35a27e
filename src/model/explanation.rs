//! Why a case fails, as data for reports to render.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

use serde::{Serialize, Serializer};

use super::assertion::Expected;
use super::case::CaseId;
use super::case_report::CaseReport;
use super::cell::Cell;
use super::count::counted;
use super::diagnostic::Diagnostic;
use super::omission::is_default;
use super::path::Path;
use super::value::Value;
use super::verdict::VerdictKind;

/// Why a case fails or is broken.
#[derive(Debug, Clone, PartialEq)]
pub enum ExplainedCase {
    /// As structured data.
    Facts(Box<Explanation>),
    /// As text, read back from the report of a part of the run.
    Text {
        /// Which case.
        id: CaseId,
        /// What `vmconf diff` prints, without colours.
        text: String,
    },
}

impl ExplainedCase {
    /// Which case.
    pub fn id(&self) -> &CaseId {
        match self {
            ExplainedCase::Facts(explanation) => &explanation.report.id,
            ExplainedCase::Text { id, .. } => id,
        }
    }
}

/// The maximum number of failing or broken cases that a run explains, since each of them runs again.
pub const MAX_EXPLAINED: usize = 200;

/// A case, its verdict, and why. `schemas/diff.schema.json` describes it as JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename = "case")]
pub struct Explanation {
    /// The case and its verdict.
    #[serde(flatten)]
    pub report: CaseReport,
    /// What was ignored in the case.
    #[serde(skip)]
    pub notes: Vec<Diagnostic>,
    /// Why the rest is missing; `None` if it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<&'static str>,
    /// If the case ran on a machine in another process, the verdict on the embedded machine: the instructions
    /// below are those of the embedded machine, which runs the same case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedded: Option<VerdictKind>,
    /// For the first differences of a failing case, what produced the actual value.
    pub blames: Vec<BlameAnswer>,
    /// Where the machine in another process diverges from the embedded one, if both report their steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divergence: Option<FirstDivergence>,
    /// Whether the run was too long to search where the machines diverge.
    #[serde(rename = "unsearched", skip_serializing_if = "is_default")]
    pub is_divergence_unsearched: bool,
    /// The first recorded instruction that did not do what its row declares.
    #[serde(rename = "rowDeviation", skip_serializing_if = "Option::is_none")]
    pub row_deviation: Option<RowDeviation>,
    /// How many instructions were executed before the first difference was detected.
    pub steps: u64,
    /// The last of these instructions, the latest one last.
    pub last: Vec<ExecutedInstruction>,
    /// If nothing says which instruction made the first difference: the last execution of each instruction before the
    /// last one, those executed least often first. One of them may have changed what the state does not show, such as
    /// a count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<ExecutedInstruction>,
    /// The gas spent on each kind of instruction, on a machine with gas.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub spent: BTreeMap<&'static str, SpentGas>,
    /// The list that contains the first difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<StackComparison>,
    /// The leaves of the state, if the vector demands only its root and that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub world: Option<WorldComparison>,
    /// The log entries, if their hash differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logs: Option<LogComparison>,
    /// The page that steps through the run; `None` if none was requested.
    #[serde(skip)]
    pub page: Option<ExplorerPage>,
}

impl Explanation {
    /// The verdict, and why the rest is missing; `None` if the verdict needs no more.
    pub fn missing(report: CaseReport, why: Option<&'static str>) -> Explanation {
        Explanation {
            report,
            notes: Vec::new(),
            missing: why,
            embedded: None,
            blames: Vec::new(),
            divergence: None,
            is_divergence_unsearched: false,
            row_deviation: None,
            steps: 0,
            last: Vec::new(),
            earlier: Vec::new(),
            spent: BTreeMap::new(),
            stack: None,
            world: None,
            logs: None,
            page: None,
        }
    }
}

/// A page that steps through the run of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExplorerPage {
    /// Its URI, relative to the HTML report.
    At(String),
    /// Why there is no page.
    Missing(String),
}

/// A state of which the vector demands only the root, compared with another state.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorldComparison {
    /// What it is compared with.
    #[serde(flatten)]
    pub against: ComparedWith,
    /// The leaves that differ, by path; at most 100.
    pub leaves: Vec<StateLeaf>,
    /// How many there are.
    pub count: usize,
}

/// What a state is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "against", content = "case", rename_all = "camelCase")]
pub enum ComparedWith {
    /// The state before the transaction, since no state with the demanded root is known.
    Before,
    /// The state of the case with this id, which has the demanded root.
    #[serde(rename = "case")]
    Fixture(String),
    /// The state of the embedded machine, which has the demanded root.
    Embedded,
}

/// A leaf that differs between two states.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StateLeaf {
    /// Its path.
    #[serde(rename = "path")]
    pub at: Path,
    /// Its value in the other state; `None` if absent there.
    #[serde(rename = "other")]
    pub wanted: Option<Value>,
    /// The actual value; `None` if absent.
    pub actual: Option<Value>,
    /// What produced the actual value; only an instruction that wrote it is written as JSON.
    #[serde(rename = "by", skip_serializing_if = "is_not_by_instruction", serialize_with = "blame_only")]
    pub answer: Option<BlameAnswer>,
}

#[allow(clippy::ref_option, reason = "serde calls it with a reference to the member")]
fn is_not_by_instruction(answer: &Option<BlameAnswer>) -> bool {
    !matches!(answer, Some(BlameAnswer::By(_)))
}

#[allow(clippy::ref_option, reason = "serde calls it with a reference to the member")]
fn blame_only<S: Serializer>(answer: &Option<BlameAnswer>, serializer: S) -> Result<S::Ok, S::Error> {
    answer.as_ref().and_then(BlameAnswer::blame).serialize(serializer)
}

/// Log entries of which the vector demands only the hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogComparison {
    /// The entries of the embedded machine, if they have the demanded hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Vec<Value>>,
    /// The actual entries.
    pub actual: Vec<Value>,
}

/// A list in the state, such as a stack, next to what the vector expects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StackComparison {
    /// Its path.
    #[serde(rename = "path")]
    pub at: Path,
    /// What is expected of each item; `None` for items without an expectation.
    #[serde(rename = "expected")]
    pub wanted: Vec<Option<Expected>>,
    /// The actual items.
    pub actual: Vec<Value>,
    /// The first item that differs.
    #[serde(skip)]
    pub differs: usize,
}

/// An instruction that was executed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExecutedInstruction {
    /// How many instructions were executed before it.
    pub step: u64,
    /// Where it is.
    pub at: CodePlace,
    /// Its mnemonic; `None` for an undefined opcode.
    pub op: Option<&'static str>,
    /// How many values it pushes, according to its row.
    pub pushes: u16,
    /// The instruction formatted for people.
    pub text: String,
    /// The frame that executed it, on a machine whose frames execute code of different accounts.
    pub frame: Option<String>,
    /// The values that it popped, the top one first, and what else it read.
    pub inputs: Vec<BlameInput>,
    /// How many values were on the stack before it.
    pub height: usize,
    /// The number of the stack slot above the top one.
    pub(crate) top: usize,
    /// How many values it popped.
    pub(crate) taken: usize,
    /// The topmost of these values, the top one first.
    pub stack: Vec<Value>,
    /// What it cost, on a machine with gas.
    pub cost: Option<u64>,
    /// Where execution continued, if not at the next instruction.
    pub went: Option<CodePlace>,
    /// Why it could not be executed, in a few words.
    pub failure: Option<String>,
    /// What it wrote, apart from the stack.
    pub writes: Vec<Cell>,
    /// The stack slots that it wrote.
    pub(crate) written: Range<usize>,
    /// Cells to which it only moved a value, and the stack slot that held the value.
    pub(crate) moved: Vec<(Cell, usize)>,
}

impl ExecutedInstruction {
    /// Its number in the run, counted from 1 as in `vmconf trace`.
    pub fn number(&self) -> u64 {
        self.step + 1
    }
}

/// A place in the code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodePlace {
    /// The program counter.
    pub pc: usize,
    /// The function, on a machine where each function has program counters of its own.
    pub function: Option<String>,
}

impl CodePlace {
    /// `main+4`, or the program counter with at least so many hex digits: `0x04`.
    pub fn shown(&self, digits: usize) -> String {
        match &self.function {
            Some(function) => format!("{function}+{}", self.pc),
            None => format!("0x{:0digits$x}", self.pc),
        }
    }
}

/// Something that an instruction read.
#[derive(Debug, Clone, PartialEq)]
pub struct BlameInput {
    /// Where it was.
    pub cell: Cell,
    /// Its name in the program's source, such as `i of gcd`; `None` if it has none.
    pub name: Option<String>,
    /// The value read.
    pub value: Value,
}

/// The origin of a datum.
#[derive(Debug, Clone, PartialEq)]
pub struct Blame {
    /// The instruction that wrote it.
    pub by: ExecutedInstruction,
    /// Later instructions that only moved it, the last one first.
    pub moved_by: Vec<ExecutedInstruction>,
    /// What wrote each of [`ExecutedInstruction::inputs`], as far as it was traced, the last writer first: several if
    /// each of them wrote a part.
    pub inputs: Vec<Vec<InputPart>>,
    /// What is omitted from a long chain of instructions; set only for the instruction at the end of the chain.
    pub further: Option<FurtherCauses>,
    /// The number of the last instructions that are kept, if none of them wrote one of its inputs and there were
    /// earlier ones.
    pub unfollowed: Option<u64>,
    /// The last jump before it that might not have been taken, or might have led elsewhere; set only for the
    /// first instruction of an answer.
    pub reached_by: Option<Box<Blame>>,
    /// For a surplus value: the last instruction that popped the values above it but left this one.
    pub left_by: Option<ExecutedInstruction>,
    /// For a call that pushed 0: the instruction that ended the called code.
    pub ended_by: Option<ExecutedInstruction>,
}

/// An input of an instruction, or a part of it, that one writer wrote.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InputPart {
    /// The part; `None` if nothing else wrote the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<Cell>,
    /// What wrote it.
    #[serde(flatten)]
    pub origin: InputOrigin,
}

impl InputPart {
    /// The instruction that wrote it, if it was one.
    pub fn blame(&self) -> Option<&Blame> {
        if let InputOrigin::Instruction(blame) = &self.origin { Some(blame) } else { None }
    }
}

/// What wrote an input of an instruction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum InputOrigin {
    /// An instruction.
    #[serde(rename = "by")]
    Instruction(Box<Blame>),
    /// The vector, whose step with this number, from 1, begins with changes to the machine.
    #[serde(rename = "setBefore")]
    Vector(usize),
}

/// The far end of a long chain of instructions.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FurtherCauses {
    /// How many instructions are omitted before these.
    pub left_out: usize,
    /// The instructions at the start of the chain, the oldest one first.
    pub oldest: Vec<ExecutedInstruction>,
}

/// The first step after which two machines differ, or in which they execute different instructions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FirstDivergence {
    /// Its number, from 1; 0 if the machines differ before the first one.
    pub step: u64,
    /// Its program counter, if there is a step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pc: Option<u64>,
    /// Its mnemonic, if there is a step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op: Option<String>,
    /// What differs after it; only [`OP`] if the machines execute different instructions in it.
    pub differs: Vec<DivergedDatum>,
    /// Whether both runs end with it. What differs then may follow from something that no state before shows, such as an
    /// exception that a machine still keeps, and not from the instruction.
    #[serde(skip)]
    pub ends: bool,
}

/// A datum that differs between two machines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DivergedDatum {
    /// The name of the datum.
    pub datum: String,
    /// Its value on the machine in another process, as text.
    pub actual: String,
    /// Its value on the embedded machine, as text.
    pub embedded: String,
}

impl FirstDivergence {
    /// Whether all that differs is that one of the runs ends.
    pub fn is_end(&self) -> bool {
        matches!(&self.differs[..], [DivergedDatum { datum, .. }] if datum == END)
    }

    /// Whether parts of compounds, such as a storage, differ before the first step: the machine has loaded the case
    /// wrongly. A field that differs as a whole then may be a count that is wrong in every state.
    pub fn is_loaded_wrongly(&self) -> bool {
        self.step == 0 && self.differs.iter().any(|it| it.datum.contains(['/', '[']))
    }

    /// The mnemonics of what the machine and the embedded one execute in this step, if they execute different
    /// instructions in the same state.
    pub fn decoded(&self) -> Option<[&str; 2]> {
        match &self.differs[..] {
            [DivergedDatum { datum, actual, embedded }] if datum == OP => Some([actual, embedded]),
            _ => None,
        }
    }
}

/// What differs if one run ends and the other one does not.
pub const END: &str = "the end";

/// The name of the datum of a step that is its opcode.
pub const OP: &str = "op";

/// The first instruction that did something other than its row declares.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RowDeviation {
    /// The instruction.
    pub by: ExecutedInstruction,
    /// What it did.
    #[serde(flatten)]
    pub what: Undeclared,
}

/// What an instruction did that its row does not declare. In JSON, what the row declares is always `declared`, and what
/// the instruction did is `actual`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Undeclared {
    /// It succeeded with fewer values on the stack than it needs.
    Missing {
        /// How many it needs.
        #[serde(rename = "declared")]
        needs: usize,
        /// How many there were.
        #[serde(rename = "actual")]
        height: usize,
    },
    /// It left a different number of values on the stack.
    Height {
        /// How many there were before it.
        #[serde(skip)]
        before: usize,
        /// How many its row declares after it.
        declared: usize,
        /// How many there were after it.
        actual: usize,
    },
    /// It succeeded with more values on the stack than the limit allows.
    Limit {
        /// The limit.
        #[serde(rename = "declared")]
        limit: usize,
        /// How many there were after it.
        actual: usize,
    },
    /// It left a different number of references.
    References {
        /// The number expected from how many values its row pops and pushes.
        declared: usize,
        /// How many there were after it.
        actual: usize,
    },
    /// Execution continued elsewhere.
    Jump {
        /// The program counter that its row declares.
        declared: usize,
        /// The program counter of the next instruction.
        actual: usize,
    },
    /// It changed a cell that its row does not declare.
    Write {
        /// The cell.
        cell: Cell,
    },
}

/// Formatted for people, to follow the instruction.
impl fmt::Display for Undeclared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Undeclared::Missing { needs, height } => {
                write!(
                    f,
                    "it needs {} on the stack; there {} {height}, and it did not fail",
                    counted(*needs, "value"),
                    if *height == 1 { "was" } else { "were" }
                )
            }
            Undeclared::Height { before, declared, actual } => write!(
                f,
                "its row says that the height of the stack goes from {before} to {declared}; it went to {actual}"
            ),
            Undeclared::Limit { limit, actual } => {
                write!(
                    f,
                    "the stack may have {}; it had {actual}, and it did not fail",
                    counted(*limit, "value")
                )
            }
            Undeclared::References { declared, actual } => {
                write!(
                    f,
                    "its row says that there are {} after it; there were {actual}",
                    counted(*declared, "reference")
                )
            }
            Undeclared::Jump { declared, actual } => {
                write!(f, "its row says that it goes on at 0x{declared:02x}; it went on at 0x{actual:02x}")
            }
            Undeclared::Write { cell } => write!(f, "its row says that it does not write {cell}; it did"),
        }
    }
}

/// The total cost of all instructions of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SpentGas {
    /// How many were executed.
    pub count: u64,
    /// What they cost.
    pub gas: u64,
    /// How many of them cost more or less than their row says.
    pub unlike_row: u64,
    /// What they cost according to their row.
    pub by_row: u64,
    /// What they added to the transaction's refund.
    #[serde(skip_serializing_if = "is_default")]
    pub refund: i64,
}

/// What is known about the origin of a datum.
#[derive(Debug, Clone, PartialEq)]
pub enum BlameAnswer {
    /// An instruction wrote it.
    By(Box<Blame>),
    /// No examined instruction wrote it.
    NotWritten {
        /// The last instruction that wrote another datum of the same kind.
        near: Option<Box<Blame>>,
        /// How many of the most recent instructions were examined; `None` if all were.
        of_last: Option<u64>,
        /// What changes it other than instructions: `the fee of the transaction`.
        besides: Option<String>,
    },
    /// No cell holds it (how the run ended, for example); the last instruction that read something.
    NoCell(Option<Box<Blame>>),
}

impl Blame {
    /// Adds the mnemonics of all instructions of the chain, as far as it was traced: those that only moved a value
    /// and the jump that led to it, too.
    pub(crate) fn add_ops_to(&self, ops: &mut BTreeSet<&'static str>) {
        let oldest = self.further.iter().flat_map(|further| &further.oldest);
        let others = self.left_by.iter().chain(&self.ended_by);
        let executed = [&self.by].into_iter().chain(&self.moved_by).chain(oldest).chain(others);
        ops.extend(executed.filter_map(|it| it.op));
        let before = self.inputs.iter().flatten().filter_map(InputPart::blame);
        before.chain(self.reached_by.as_deref()).for_each(|it| it.add_ops_to(ops));
    }
}

impl BlameAnswer {
    /// The instruction closest to the origin of the datum.
    pub fn blame(&self) -> Option<&Blame> {
        match self {
            BlameAnswer::By(blame) => Some(blame),
            BlameAnswer::NotWritten { near: blame, .. } | BlameAnswer::NoCell(blame) => blame.as_deref(),
        }
    }
}
