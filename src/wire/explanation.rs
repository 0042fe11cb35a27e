//! Why a case fails, as a line of JSON. `schemas/diff.schema.json` describes it for others.

use serde::{Deserialize, Serialize};

use std::collections::BTreeMap;

use super::report::Case;
use crate::model::assertion::Expected;
use crate::model::explanation::{self as model, Answer};
use crate::model::name::Name;
use crate::model::path::Path;
use crate::model::value::Value;

/// A case that fails or is broken, as a report has it, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "case")]
pub struct Explanation {
    /// The case.
    #[serde(flatten)]
    pub case: Case,
    /// For each of the first differences the instruction that comes nearest to having made it; `None` where
    /// none was executed.
    pub blames: Vec<Option<Instruction>>,
    /// How many instructions there were before the first difference was seen.
    pub steps: u64,
    /// The last of them, the very last one at the end.
    pub last: Vec<Instruction>,
    /// What instructions cost up to there, by mnemonic, on a machine with gas.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub spent: BTreeMap<Name, Spent>,
    /// The list that the first difference is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<StackComparison>,
}

/// An instruction that was executed, and as far as they were followed those that made it do what it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub struct Instruction {
    /// How many were executed before it.
    pub step: u64,
    /// Program counter.
    pub pc: usize,
    /// Its mnemonic; `None` for a code without a meaning.
    pub op: Option<Name>,
    /// As a person writes it.
    pub instruction: String,
    /// Its cost, on a machine with gas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// What it took from the stack, the top value first, and what else it read.
    pub inputs: Vec<Input>,
    /// How many values were on the stack before it.
    pub height: usize,
    /// The top ones of them, the top one first.
    pub stack: Vec<Value>,
    /// The instructions that since only moved what it wrote, the last one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved_by: Vec<Instruction>,
    /// The last jump before it that may not have been taken, or not to there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached_by: Option<Box<Instruction>>,
    /// What it is to the datum that it is blamed for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relation: Option<Relation>,
}

/// What an instruction is to a datum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Relation {
    /// It wrote the datum.
    MadeBy,
    /// No instruction wrote the datum: it is the last one that wrote something of its kind, or else the last.
    Instead,
    /// No instruction writes such a datum: it is the last one that read something.
    After,
}

/// Something that an instruction read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct Input {
    /// Where it was, as a person reads it.
    pub cell: String,
    /// What it was.
    pub value: Value,
    /// What wrote it, as far as that was followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Instruction>,
}

/// What all instructions of one kind cost together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub struct Spent {
    /// How many there were.
    pub count: u64,
    /// What they cost.
    pub gas: u64,
    /// How many of them cost less or more than their row says.
    pub unlike_row: u64,
}

/// A list of the state, such as a stack, beside what is demanded of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackComparison {
    /// Its path.
    pub path: Path,
    /// What is demanded of each item; `None`, or null, where nothing is.
    pub expected: Vec<Option<Expected>>,
    /// What is there.
    pub actual: Vec<Value>,
}

impl From<&model::Explanation> for Explanation {
    fn from(explanation: &model::Explanation) -> Explanation {
        let model::Explanation { report, notes: _, blames, last, steps, stack, spent } = explanation;
        Explanation {
            case: report.into(),
            blames: blames.iter().map(answer).collect(),
            steps: *steps,
            last: last.iter().map(Instruction::from).collect(),
            spent: spent.iter().map(|(op, spent)| (Name::from(*op), spent.into())).collect(),
            stack: stack.as_ref().map(StackComparison::from),
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
        let model::Blame { by, moved_by, inputs, reached_by } = blame;
        let input = |(input, by): (&model::Input, &Option<model::Blame>)| Input {
            by: by.as_ref().map(Instruction::from),
            ..input.into()
        };
        Instruction {
            inputs: by.inputs.iter().zip(inputs).map(input).collect(),
            moved_by: moved_by.iter().map(Instruction::from).collect(),
            reached_by: reached_by.as_deref().map(|jump| Box::new(jump.into())),
            ..by.into()
        }
    }
}

impl From<&model::Executed> for Instruction {
    fn from(executed: &model::Executed) -> Instruction {
        Instruction {
            step: executed.step,
            pc: executed.pc,
            op: executed.op.map(Name::from),
            instruction: executed.text.clone(),
            cost: executed.cost,
            inputs: executed.inputs.iter().map(Input::from).collect(),
            height: executed.height,
            stack: executed.stack.clone(),
            moved_by: Vec::new(),
            reached_by: None,
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
        let model::Spent { count, gas, unlike_row } = *spent;
        Spent { count, gas, unlike_row }
    }
}

impl From<&model::StackComparison> for StackComparison {
    fn from(stack: &model::StackComparison) -> StackComparison {
        let model::StackComparison { at, wanted, actual, differs: _ } = stack;
        StackComparison { path: at.clone(), expected: wanted.clone(), actual: actual.clone() }
    }
}
