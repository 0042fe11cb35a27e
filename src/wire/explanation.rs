//! Explanations of failures as JSON lines, described by `schemas/diff.schema.json`.

use serde::{Deserialize, Serialize};

use std::collections::BTreeMap;

use super::report::ReportedCase;
use crate::model::explanation as model;
use crate::model::{
    BlameAnswer, ComparedWith, FirstDivergence, LogComparison, Name, Path, SpentGas, StackComparison, Value,
    VerdictKind,
};

/// A case that fails or is broken, as in a report, with the explanation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "case")]
pub struct WireExplanation {
    /// The case.
    #[serde(flatten)]
    pub case: ReportedCase,
    /// Why the rest is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// The verdict on the embedded machine, if the case ran on a machine in another process: the instructions are
    /// those of the embedded machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedded: Option<VerdictKind>,
    /// The instruction responsible for each of the first differences; `None` if no instruction is.
    pub blames: Vec<Option<WireInstruction>>,
    /// Where the machine in another process diverges from the embedded one, if both report their steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divergence: Option<FirstDivergence>,
    /// Whether the run was too long to search where the machines diverge.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsearched: bool,
    /// The first recorded instruction that did not do what its row declares.
    #[serde(rename = "rowDeviation", skip_serializing_if = "Option::is_none")]
    pub row_deviation: Option<WireRowDeviation>,
    /// How many instructions were executed before the first difference was found.
    pub steps: u64,
    /// The last of these instructions, the latest one last.
    pub last: Vec<WireInstruction>,
    /// If nothing says which instruction made the first difference: the last execution of each instruction before
    /// the last one, those executed least often first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<WireInstruction>,
    /// The gas spent up to that point, by mnemonic, on a machine with gas.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub spent: BTreeMap<Name, SpentGas>,
    /// The list that contains the first difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<StackComparison>,
    /// The leaves of the state, if the vector demands only its root and that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub world: Option<WireWorld>,
    /// The log entries, if their hash differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logs: Option<LogComparison>,
}

/// An instruction that did something other than its row declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct WireRowDeviation {
    /// The instruction.
    pub by: WireInstruction,
    /// What it did differently.
    pub kind: WireUndeclared,
    /// What its row declares: the values that it needs, the height of the stack after it, the limit of the stack,
    /// the references or the program counter after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared: Option<usize>,
    /// The actual value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<usize>,
    /// The cell that it wrote, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<String>,
}

/// What an instruction did that its row does not declare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WireUndeclared {
    /// It succeeded with fewer values on the stack than it needs.
    Missing,
    /// It left a different number of values on the stack.
    Height,
    /// It succeeded with more values on the stack than the limit allows.
    Limit,
    /// It left a different number of references.
    References,
    /// Execution continued elsewhere.
    Jump,
    /// It wrote a cell that its row does not declare.
    Write,
}

impl From<&model::RowDeviation> for WireRowDeviation {
    fn from(row_deviation: &model::RowDeviation) -> WireRowDeviation {
        let model::RowDeviation { by, what } = row_deviation;
        let (kind, numbers, cell) = match what {
            model::Undeclared::Missing { needs, height } => {
                (WireUndeclared::Missing, Some((needs, height)), None)
            }
            model::Undeclared::Height { before: _, declared, actual } => {
                (WireUndeclared::Height, Some((declared, actual)), None)
            }
            model::Undeclared::Limit { limit, actual } => {
                (WireUndeclared::Limit, Some((limit, actual)), None)
            }
            model::Undeclared::References { declared, actual } => {
                (WireUndeclared::References, Some((declared, actual)), None)
            }
            model::Undeclared::Jump { declared, actual } => {
                (WireUndeclared::Jump, Some((declared, actual)), None)
            }
            model::Undeclared::Write(cell) => (WireUndeclared::Write, None, Some(cell.to_string())),
        };
        let (declared, actual) = numbers.map(|(declared, actual)| (*declared, *actual)).unzip();
        WireRowDeviation { by: by.into(), kind, declared, actual, cell }
    }
}

/// A state of which the vector demands only the root, compared with another state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireWorld {
    /// What it is compared with, as `against`, and `case` for the id of a case.
    #[serde(flatten)]
    pub against: ComparedWith,
    /// The leaves that differ, by path; at most 100.
    pub leaves: Vec<WireLeaf>,
    /// How many there are.
    pub count: usize,
}

/// A leaf that differs between two states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireLeaf {
    /// Its path.
    pub path: Path,
    /// Its value in the other state; `None` (null) if absent there.
    pub other: Option<Value>,
    /// The actual value; `None` (null) if absent.
    pub actual: Option<Value>,
    /// The instruction that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<WireInstruction>,
}

impl From<&model::WorldComparison> for WireWorld {
    fn from(world: &model::WorldComparison) -> WireWorld {
        let model::WorldComparison { against, leaves, count } = world;
        let leaves = leaves.iter().map(WireLeaf::from).collect();
        WireWorld { against: against.clone(), leaves, count: *count }
    }
}

impl From<&model::StateLeaf> for WireLeaf {
    fn from(leaf: &model::StateLeaf) -> WireLeaf {
        let model::StateLeaf { at, wanted, actual, answer } = leaf;
        let by = match answer {
            Some(BlameAnswer::By(blame)) => Some((&**blame).into()),
            Some(BlameAnswer::NotWritten { .. } | BlameAnswer::NoCell(_)) | None => None,
        };
        WireLeaf { path: at.clone(), other: wanted.clone(), actual: actual.clone(), by }
    }
}

/// An executed instruction, with the instructions that produced its inputs, as far as they were followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub struct WireInstruction {
    /// How many were executed before it.
    pub step: u64,
    /// Program counter.
    pub pc: usize,
    /// The function that contains it, on a machine where each function has program counters of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The mnemonic; `None` for an undefined opcode.
    pub op: Option<Name>,
    /// The instruction as text.
    pub instruction: String,
    /// The frame that executed it, on a machine whose frames execute code of different accounts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
    /// The gas it cost, on a machine with gas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// The values it popped from the stack, the top one first, and then other data it read.
    pub inputs: Vec<WireInput>,
    /// The height of the stack before it.
    pub height: usize,
    /// The top values of the stack before it, the top one first.
    pub stack: Vec<Value>,
    /// Later instructions that only moved the value it wrote, the latest one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved_by: Vec<WireInstruction>,
    /// The program counter at which execution continued, if not at the next instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub went: Option<usize>,
    /// The function that contains that place, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub went_function: Option<String>,
    /// Why it could not be executed, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// What is omitted from a long chain of instructions that ends with this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub further: Option<WireFurtherCauses>,
    /// The number of the last instructions that are kept, if none of them wrote one of its inputs and there were
    /// earlier ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfollowed: Option<u64>,
    /// The last jump before it that depended on a condition or a computed target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached_by: Option<Box<WireInstruction>>,
    /// For a surplus value: the last instruction that popped the values above it but left this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_by: Option<Box<WireInstruction>>,
    /// For a call that pushed 0: the instruction that ended the called code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<Box<WireInstruction>>,
    /// How it relates to the datum in question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<Relation>,
}

/// The far end of a long chain of instructions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub struct WireFurtherCauses {
    /// How many instructions are omitted before these.
    pub left_out: usize,
    /// The instructions at the start of the chain, the oldest one first.
    pub oldest: Vec<WireInstruction>,
}

/// How an instruction relates to a datum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Relation {
    /// It wrote the datum.
    MadeBy,
    /// No instruction wrote the datum: this is the last one that wrote a similar datum or, failing that, the
    /// last one.
    Instead,
    /// No instruction can write such a datum: this is the last one that read something.
    After,
}

/// Something that an instruction read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct WireInput {
    /// Where it was read from, as text.
    pub cell: String,
    /// The value that was read.
    pub value: Value,
    /// The instruction that wrote it, if it was followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<WireInstruction>,
    /// The step of the vector that set it at its start, from 1, if no instruction wrote it since.
    #[serde(rename = "setBefore", skip_serializing_if = "Option::is_none")]
    pub set_before: Option<usize>,
    /// Its parts that were followed, if several instructions wrote it, the one that was written last first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<WirePart>,
}

/// A part of an input that one instruction wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub struct WirePart {
    /// Where it was read from, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<String>,
    /// The instruction that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<WireInstruction>,
    /// The step of the vector that set it at its start, from 1, if no instruction wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set_before: Option<usize>,
}

impl From<&model::Explanation> for WireExplanation {
    fn from(explanation: &model::Explanation) -> WireExplanation {
        let model::Explanation {
            report,
            notes: _,
            missing,
            embedded,
            blames,
            divergence,
            is_divergence_unsearched,
            row_deviation,
            last,
            earlier,
            steps,
            stack,
            spent,
            world,
            logs,
            page: _,
        } = explanation;
        WireExplanation {
            case: report.into(),
            missing: missing.map(str::to_owned),
            embedded: *embedded,
            blames: blames.iter().map(answer).collect(),
            divergence: divergence.clone(),
            unsearched: *is_divergence_unsearched,
            row_deviation: row_deviation.as_ref().map(WireRowDeviation::from),
            steps: *steps,
            last: last.iter().map(WireInstruction::from).collect(),
            earlier: earlier.iter().map(WireInstruction::from).collect(),
            spent: spent.iter().map(|(op, spent)| (Name::from(*op), *spent)).collect(),
            stack: stack.clone(),
            world: world.as_ref().map(WireWorld::from),
            logs: logs.clone(),
        }
    }
}

fn answer(answer: &BlameAnswer) -> Option<WireInstruction> {
    let relation = match answer {
        BlameAnswer::By(_) => Relation::MadeBy,
        BlameAnswer::NotWritten { .. } => Relation::Instead,
        BlameAnswer::NoCell(_) => Relation::After,
    };
    Some(WireInstruction { relation: Some(relation), ..answer.blame()?.into() })
}

/// The instruction that wrote an input, or the step of the vector that set it.
fn writer(origin: &model::InputOrigin) -> (Option<WireInstruction>, Option<usize>) {
    match origin {
        model::InputOrigin::Instruction(by) => (Some((&**by).into()), None),
        model::InputOrigin::Vector(step) => (None, Some(*step)),
    }
}

impl From<&model::InputPart> for WirePart {
    fn from(part: &model::InputPart) -> WirePart {
        let (by, set_before) = writer(&part.origin);
        WirePart { cell: part.cell.as_ref().map(ToString::to_string), by, set_before }
    }
}

impl From<&model::Blame> for WireInstruction {
    fn from(blame: &model::Blame) -> WireInstruction {
        let model::Blame { by, moved_by, inputs, further, unfollowed, reached_by, left_by, ended_by } = blame;
        let input = |(input, parts): (&model::BlameInput, &Vec<model::InputPart>)| {
            let one = match &parts[..] {
                [model::InputPart { cell: None, origin }] => Some(origin),
                _ => None,
            };
            let (by, set_before) = one.map_or((None, None), writer);
            let parts = if one.is_some() { &[] } else { &parts[..] };
            WireInput { by, set_before, parts: parts.iter().map(WirePart::from).collect(), ..input.into() }
        };
        WireInstruction {
            inputs: by.inputs.iter().zip(inputs).map(input).collect(),
            moved_by: moved_by.iter().map(WireInstruction::from).collect(),
            further: further.as_ref().map(|further| WireFurtherCauses {
                left_out: further.left_out,
                oldest: further.oldest.iter().map(WireInstruction::from).collect(),
            }),
            unfollowed: *unfollowed,
            reached_by: reached_by.as_deref().map(|jump| Box::new(jump.into())),
            left_by: left_by.as_ref().map(|by| Box::new(by.into())),
            ended_by: ended_by.as_ref().map(|by| Box::new(by.into())),
            ..by.into()
        }
    }
}

impl From<&model::ExecutedInstruction> for WireInstruction {
    fn from(executed: &model::ExecutedInstruction) -> WireInstruction {
        WireInstruction {
            step: executed.number(),
            pc: executed.at.pc,
            function: executed.at.function.clone(),
            op: executed.op.map(Name::from),
            instruction: executed.text.clone(),
            frame: executed.frame.clone(),
            cost: executed.cost,
            inputs: executed.inputs.iter().map(WireInput::from).collect(),
            height: executed.height,
            stack: executed.stack.clone(),
            went: executed.went.as_ref().map(|went| went.pc),
            went_function: executed
                .went
                .as_ref()
                .and_then(|went| went.function.clone().filter(|_| went.function != executed.at.function)),
            failure: executed.failure.clone(),
            ..WireInstruction::default()
        }
    }
}

impl From<&model::BlameInput> for WireInput {
    fn from(input: &model::BlameInput) -> WireInput {
        WireInput {
            cell: input.cell.to_string(),
            value: input.value.clone(),
            by: None,
            set_before: None,
            parts: Vec::new(),
        }
    }
}
