//! Explanations of failures as JSON lines, described by `schemas/diff.schema.json`.

use serde::{Deserialize, Serialize};

use std::collections::BTreeMap;

use super::report::Case;
use crate::model::assertion::Expected;
use crate::model::explanation::{self as model, Answer};
use crate::model::name::Name;
use crate::model::path::Path;
use crate::model::value::Value;
use crate::model::verdict::Kind;

/// A case that fails or is broken, as in a report, with the explanation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "case")]
pub struct Explanation {
    /// The case.
    #[serde(flatten)]
    pub case: Case,
    /// Why the rest is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// The verdict on the embedded machine, if the case ran on a machine in another process: the instructions are
    /// those of the embedded machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedded: Option<Kind>,
    /// The instruction responsible for each of the first differences; `None` if no instruction is.
    pub blames: Vec<Option<Instruction>>,
    /// Where the machine in another process diverges from the embedded one, if both report their steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divergence: Option<FirstDivergence>,
    /// Whether the run was too long to search where the machines diverge.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsearched: bool,
    /// The first recorded instruction that did not do what its row declares.
    #[serde(rename = "rowDeviation", skip_serializing_if = "Option::is_none")]
    pub row_deviation: Option<RowDeviation>,
    /// How many instructions were executed before the first difference was found.
    pub steps: u64,
    /// The last of these instructions, the latest one last.
    pub last: Vec<Instruction>,
    /// The gas spent up to that point, by mnemonic, on a machine with gas.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub spent: BTreeMap<Name, Spent>,
    /// The list that contains the first difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<StackComparison>,
    /// The leaves of the state, if the vector demands only its root and that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub world: Option<World>,
    /// The log entries, if their hash differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logs: Option<Logs>,
}

/// The first step after which two machines differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct FirstDivergence {
    /// Its number, from 1; 0 if the machines differ before the first one.
    pub step: u64,
    /// Its program counter, if there is a step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pc: Option<u64>,
    /// Its mnemonic, if there is a step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op: Option<String>,
    /// What differs after it.
    pub differs: Vec<Differing>,
}

/// A datum that differs between two machines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct Differing {
    /// The name of the datum.
    pub datum: String,
    /// Its value on the machine in another process, as text.
    pub actual: String,
    /// Its value on the embedded machine, as text.
    pub embedded: String,
}

impl From<&model::FirstDivergence> for FirstDivergence {
    fn from(divergence: &model::FirstDivergence) -> FirstDivergence {
        let model::FirstDivergence { step, instruction, differs } = divergence;
        let (pc, op) = instruction.clone().unzip();
        let differing = |(datum, [actual, embedded]): &(String, [String; 2])| Differing {
            datum: datum.clone(),
            actual: actual.clone(),
            embedded: embedded.clone(),
        };
        FirstDivergence { step: *step, pc, op, differs: differs.iter().map(differing).collect() }
    }
}

/// An instruction that did something other than its row declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct RowDeviation {
    /// The instruction.
    pub by: Instruction,
    /// What it did differently.
    pub kind: Undeclared,
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
pub enum Undeclared {
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

impl From<&model::RowDeviation> for RowDeviation {
    fn from(row_deviation: &model::RowDeviation) -> RowDeviation {
        let model::RowDeviation { by, what } = row_deviation;
        let (kind, numbers, cell) = match what {
            model::Undeclared::Missing { needs, height } => {
                (Undeclared::Missing, Some((needs, height)), None)
            }
            model::Undeclared::Height { before: _, declared, actual } => {
                (Undeclared::Height, Some((declared, actual)), None)
            }
            model::Undeclared::Limit { limit, actual } => (Undeclared::Limit, Some((limit, actual)), None),
            model::Undeclared::References { declared, actual } => {
                (Undeclared::References, Some((declared, actual)), None)
            }
            model::Undeclared::Jump { declared, actual } => {
                (Undeclared::Jump, Some((declared, actual)), None)
            }
            model::Undeclared::Write(cell) => (Undeclared::Write, None, Some(cell.to_string())),
        };
        let (declared, actual) = numbers.map(|(declared, actual)| (*declared, *actual)).unzip();
        RowDeviation { by: by.into(), kind, declared, actual, cell }
    }
}

/// A state of which the vector demands only the root, compared with another state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct World {
    /// What it is compared with.
    pub against: Against,
    /// The id of the case that demands the other state, if one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// The leaves that differ, by path; at most 100.
    pub leaves: Vec<Leaf>,
    /// How many there are.
    pub count: usize,
}

/// What a state is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Against {
    /// The state before the transaction: no state with the demanded root is known.
    Before,
    /// The state that another case demands together with this root.
    Case,
    /// The state of the embedded machine, which has the demanded root.
    Embedded,
}

/// A leaf that differs between two states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaf {
    /// Its path.
    pub path: Path,
    /// Its value in the other state; `None` (null) if absent there.
    pub other: Option<Value>,
    /// The actual value; `None` (null) if absent.
    pub actual: Option<Value>,
    /// The instruction that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Instruction>,
}

/// Log entries of which the vector demands only the hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logs {
    /// The entries of the embedded machine, if they have the demanded hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Vec<Value>>,
    /// The actual entries.
    pub actual: Vec<Value>,
}

impl From<&model::WorldComparison> for World {
    fn from(world: &model::WorldComparison) -> World {
        let model::WorldComparison { against, leaves, count } = world;
        let (against, case) = match against {
            model::Against::Before => (Against::Before, None),
            model::Against::Fixture(id) => (Against::Case, Some(id.clone())),
            model::Against::Embedded => (Against::Embedded, None),
        };
        World { against, case, leaves: leaves.iter().map(Leaf::from).collect(), count: *count }
    }
}

impl From<&model::Leaf> for Leaf {
    fn from(leaf: &model::Leaf) -> Leaf {
        let model::Leaf { at, wanted, actual, answer } = leaf;
        let by = match answer {
            Some(Answer::By(blame)) => Some((&**blame).into()),
            Some(Answer::NotWritten { .. } | Answer::NoCell(_)) | None => None,
        };
        Leaf { path: at.clone(), other: wanted.clone(), actual: actual.clone(), by }
    }
}

impl From<&model::LogComparison> for Logs {
    fn from(logs: &model::LogComparison) -> Logs {
        let model::LogComparison { expected, actual } = logs;
        Logs { expected: expected.clone(), actual: actual.clone() }
    }
}

/// An executed instruction, with the instructions that produced its inputs, as far as they were followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub struct Instruction {
    /// How many were executed before it.
    pub step: u64,
    /// Program counter.
    pub pc: usize,
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
    pub inputs: Vec<Input>,
    /// The height of the stack before it.
    pub height: usize,
    /// The top values of the stack before it, the top one first.
    pub stack: Vec<Value>,
    /// Later instructions that only moved the value it wrote, the latest one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved_by: Vec<Instruction>,
    /// The program counter at which execution continued, if not at the next instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub went: Option<usize>,
    /// What is omitted from a long chain of instructions that ends with this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub further: Option<Further>,
    /// The last jump before it that depended on a condition or a computed target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached_by: Option<Box<Instruction>>,
    /// For a surplus value: the last instruction that popped the values above it but left this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_by: Option<Box<Instruction>>,
    /// How it relates to the datum in question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<Relation>,
}

/// The far end of a long chain of instructions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub struct Further {
    /// How many instructions are omitted before these.
    pub left_out: usize,
    /// The instructions at the start of the chain, the oldest one first.
    pub oldest: Vec<Instruction>,
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
pub struct Input {
    /// Where it was read from, as text.
    pub cell: String,
    /// The value that was read.
    pub value: Value,
    /// The instruction that wrote it, if it was followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Instruction>,
}

/// The total cost of all instructions of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub struct Spent {
    /// How many were executed.
    pub count: u64,
    /// Their cost in gas.
    pub gas: u64,
    /// How many of them cost more or less than the instruction table says.
    pub unlike_row: u64,
    /// Their cost according to the instruction table; the rest is their dynamic price.
    #[serde(default)]
    pub by_row: u64,
    /// What they added to the transaction's refund.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refund: i64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// A list in the state, such as a stack, next to what the vector expects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackComparison {
    /// Its path.
    pub path: Path,
    /// What is expected of each item; `None` (null) for items without an expectation.
    pub expected: Vec<Option<Expected>>,
    /// The actual items.
    pub actual: Vec<Value>,
}

impl From<&model::Explanation> for Explanation {
    fn from(explanation: &model::Explanation) -> Explanation {
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
            steps,
            stack,
            spent,
            world,
            logs,
            page: _,
        } = explanation;
        Explanation {
            case: report.into(),
            missing: missing.map(str::to_owned),
            embedded: *embedded,
            blames: blames.iter().map(answer).collect(),
            divergence: divergence.as_ref().map(FirstDivergence::from),
            unsearched: *is_divergence_unsearched,
            row_deviation: row_deviation.as_ref().map(RowDeviation::from),
            steps: *steps,
            last: last.iter().map(Instruction::from).collect(),
            spent: spent.iter().map(|(op, spent)| (Name::from(*op), spent.into())).collect(),
            stack: stack.as_ref().map(StackComparison::from),
            world: world.as_ref().map(World::from),
            logs: logs.as_ref().map(Logs::from),
        }
    }
}

fn answer(answer: &Answer) -> Option<Instruction> {
    let relation = match answer {
        Answer::By(_) => Relation::MadeBy,
        Answer::NotWritten { .. } => Relation::Instead,
        Answer::NoCell(_) => Relation::After,
    };
    Some(Instruction { relation: Some(relation), ..answer.blame()?.into() })
}

impl From<&model::Blame> for Instruction {
    fn from(blame: &model::Blame) -> Instruction {
        let model::Blame { by, moved_by, inputs, further, reached_by, left_by } = blame;
        let input = |(input, by): (&model::Input, &Option<model::Blame>)| Input {
            by: by.as_ref().map(Instruction::from),
            ..input.into()
        };
        Instruction {
            inputs: by.inputs.iter().zip(inputs).map(input).collect(),
            moved_by: moved_by.iter().map(Instruction::from).collect(),
            further: further.as_ref().map(|further| Further {
                left_out: further.left_out,
                oldest: further.oldest.iter().map(Instruction::from).collect(),
            }),
            reached_by: reached_by.as_deref().map(|jump| Box::new(jump.into())),
            left_by: left_by.as_ref().map(|by| Box::new(by.into())),
            ..by.into()
        }
    }
}

impl From<&model::Executed> for Instruction {
    fn from(executed: &model::Executed) -> Instruction {
        Instruction {
            step: executed.number(),
            pc: executed.pc,
            op: executed.op.map(Name::from),
            instruction: executed.text.clone(),
            frame: executed.frame.clone(),
            cost: executed.cost,
            inputs: executed.inputs.iter().map(Input::from).collect(),
            height: executed.height,
            stack: executed.stack.clone(),
            moved_by: Vec::new(),
            went: executed.went,
            further: None,
            reached_by: None,
            left_by: None,
            relation: None,
        }
    }
}

impl From<&model::Input> for Input {
    fn from(input: &model::Input) -> Input {
        Input { cell: input.cell.to_string(), value: input.value.clone(), by: None }
    }
}

impl From<&model::Spent> for Spent {
    fn from(spent: &model::Spent) -> Spent {
        let model::Spent { count, gas, unlike_row, by_row, refund } = *spent;
        Spent { count, gas, unlike_row, by_row, refund }
    }
}

impl From<&model::StackComparison> for StackComparison {
    fn from(stack: &model::StackComparison) -> StackComparison {
        let model::StackComparison { at, wanted, actual, differs: _ } = stack;
        StackComparison { path: at.clone(), expected: wanted.clone(), actual: actual.clone() }
    }
}
