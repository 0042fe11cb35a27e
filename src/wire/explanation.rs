//! The instructions in explanations as JSON, described by `schemas/diff.schema.json`. The other parts of an
//! [`Explanation`](crate::model::Explanation) are written as they are. Explanations are only written.

use serde::{Serialize, Serializer};

use crate::model::{
    Blame, BlameAnswer, BlameInput, Cell, CodePlace, ExecutedInstruction, FurtherCauses, InputOrigin,
    InputPart, Value,
};

/// The JSON form of an executed instruction, with the instructions that produced its inputs, as far as they were
/// followed: a [`BlameAnswer`], its [`Blame`] and its [`ExecutedInstruction`] are one object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InstructionForm<'e> {
    step: u64,
    pc: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<&'e str>,
    op: Option<&'static str>,
    instruction: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<u64>,
    inputs: Vec<InputForm<'e>>,
    height: usize,
    stack: &'e [Value],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    moved_by: &'e [ExecutedInstruction],
    /// The program counter at which execution continued, if not at the next instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    went: Option<usize>,
    /// The function that contains that place, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    went_function: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    further: Option<&'e FurtherCauses>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unfollowed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reached_by: Option<&'e Blame>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_by: Option<&'e ExecutedInstruction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_by: Option<&'e ExecutedInstruction>,
    /// How it relates to the datum in question.
    #[serde(skip_serializing_if = "Option::is_none")]
    relation: Option<&'static str>,
}

/// The JSON form of something that an instruction read.
#[derive(Serialize)]
struct InputForm<'e> {
    cell: &'e Cell,
    value: &'e Value,
    /// What wrote all of it.
    #[serde(flatten)]
    origin: Option<&'e InputOrigin>,
    /// Its parts, if several instructions wrote it.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    parts: &'e [InputPart],
}

impl<'e> InstructionForm<'e> {
    fn of_executed(executed: &'e ExecutedInstruction) -> InstructionForm<'e> {
        let CodePlace { pc, function } = &executed.at;
        let went = executed.went.as_ref();
        InstructionForm {
            step: executed.number(),
            pc: *pc,
            function: function.as_deref(),
            op: executed.op,
            instruction: &executed.text,
            frame: executed.frame.as_deref(),
            cost: executed.cost,
            inputs: executed.inputs.iter().map(|input| InputForm::new(input, &[])).collect(),
            height: executed.height,
            stack: &executed.stack,
            moved_by: &[],
            went: went.map(|went| went.pc),
            went_function: went
                .filter(|went| went.function != *function)
                .and_then(|it| it.function.as_deref()),
            failure: executed.failure.as_deref(),
            further: None,
            unfollowed: None,
            reached_by: None,
            left_by: None,
            ended_by: None,
            relation: None,
        }
    }

    fn of_blame(blame: &'e Blame) -> InstructionForm<'e> {
        let Blame { by, moved_by, inputs, further, unfollowed, reached_by, left_by, ended_by } = blame;
        let inputs = by.inputs.iter().zip(inputs).map(|(input, parts)| InputForm::new(input, parts));
        InstructionForm {
            inputs: inputs.collect(),
            moved_by,
            further: further.as_ref(),
            unfollowed: *unfollowed,
            reached_by: reached_by.as_deref(),
            left_by: left_by.as_ref(),
            ended_by: ended_by.as_ref(),
            ..InstructionForm::of_executed(by)
        }
    }
}

impl<'e> InputForm<'e> {
    fn new(BlameInput { cell, value, name: _ }: &'e BlameInput, parts: &'e [InputPart]) -> InputForm<'e> {
        let (origin, parts) = match parts {
            [InputPart { cell: None, origin }] => (Some(origin), &[][..]),
            parts => (None, parts),
        };
        InputForm { cell, value, origin, parts }
    }
}

impl Serialize for ExecutedInstruction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        InstructionForm::of_executed(self).serialize(serializer)
    }
}

impl Serialize for Blame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        InstructionForm::of_blame(self).serialize(serializer)
    }
}

/// Null if there is no instruction.
impl Serialize for BlameAnswer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let relation = match self {
            BlameAnswer::By(_) => "madeBy",
            BlameAnswer::NotWritten { .. } => "instead",
            BlameAnswer::NoCell(_) => "after",
        };
        let form = |blame| InstructionForm { relation: Some(relation), ..InstructionForm::of_blame(blame) };
        self.blame().map(form).serialize(serializer)
    }
}
