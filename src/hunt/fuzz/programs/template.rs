//! Runs programs without a vector: writing and reading one takes as long as several runs.

use std::sync::Arc;

use crate::formats::{Inputs, MakeVector, NewVector};
use crate::hunt::fuzz::said::source;
use crate::hunt::generate::ProgramGenerator;
use crate::machines::program_parts::{CodeNotation, ProgramParts};
use crate::model::case::{Case, Program, Step};
use crate::model::value::Value;
use crate::run::{LoadOptions, open_text};

/// Cases whose program is replaced, so that one need not be read from a vector to run.
pub(super) struct ProgramTemplate {
    with_input: ReplacedCase,
    without_input: ReplacedCase,
}

/// A case, and what is replaced in it.
struct ReplacedCase {
    case: Case,
    /// Where its program has the code that the machine loads.
    code: Vec<ValuePlace>,
    /// Where it has the input data.
    input: Vec<ValuePlace>,
}

/// The position of a value in another one: that of the item or member at each level.
type ValuePlace = Vec<usize>;

impl ProgramTemplate {
    /// The input data, which are replaced.
    const INPUT: [u8; 16] = *b"replaced by data";

    /// `None` if vectors of the format have no such code where the machine loads it.
    pub(super) fn new(
        make: &MakeVector,
        generator: &ProgramGenerator,
        parts: &ProgramParts,
        reference: &LoadOptions,
    ) -> Option<ProgramTemplate> {
        let marker = generator.marker();
        let input = parts.input.map(|data| (data.typed)(&ProgramTemplate::INPUT));
        let inputs = Inputs { input, ..Inputs::default() };
        let code = generator.loaded(&marker);
        // Names of instructions would be loaded as such.
        let program = match (&code, parts.notation) {
            (Value::Bytes(code), CodeNotation::Names) => format!("0x{}", hex::encode(code)).into(),
            _ => generator.document(&marker),
        };
        let case = |inputs: &Inputs| {
            let new = NewVector { name: "case", program: &program, inputs, state: None };
            Some(ReplacedCase::new(read_back(&(make.make)(&new).ok()?, reference)?, &code))
        };
        let (with_input, without_input) = (case(&inputs)?, case(&Inputs::default())?);
        (!without_input.code.is_empty()).then_some(ProgramTemplate { with_input, without_input })
    }

    /// The program with this code and these input data, and what to do with it.
    pub(super) fn with(&mut self, code: &Value, input: &[u8]) -> (&Program, &[Step]) {
        let replaced = if input.is_empty() { &mut self.without_input } else { &mut self.with_input };
        let program = Arc::make_mut(&mut replaced.case.program.0);
        for place in &replaced.code {
            part(program, place).clone_from(code);
        }
        for place in &replaced.input {
            *part(program, place) = Value::Bytes(input.to_vec());
        }
        (&replaced.case.program, &replaced.case.steps)
    }
}

impl ReplacedCase {
    fn new(case: Case, code: &Value) -> ReplacedCase {
        let places = |value: &Value| {
            let mut places = Vec::new();
            add_places(&case.program.0, value, &mut Vec::new(), &mut places);
            places
        };
        let input = Value::Bytes(ProgramTemplate::INPUT.to_vec());
        let (code, input) = (places(code), places(&input));
        ReplacedCase { case, code, input }
    }
}

/// Adds where `wanted` is in a value, which is itself at `here`.
fn add_places(value: &Value, wanted: &Value, here: &mut ValuePlace, places: &mut Vec<ValuePlace>) {
    if value == wanted {
        return places.push(here.clone());
    }
    let parts: Vec<&Value> = match value {
        Value::List(items) => items.iter().collect(),
        Value::Record(members) => members.iter().map(|member| &member.1).collect(),
        Value::Typed(_, inner) => return add_places(inner, wanted, here, places),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Text(_) | Value::Bytes(_) => return,
    };
    for (index, part) in parts.into_iter().enumerate() {
        here.push(index);
        add_places(part, wanted, here, places);
        here.pop();
    }
}

/// The part of a value at a place that it has.
fn part<'v>(value: &'v mut Value, place: &[usize]) -> &'v mut Value {
    match (value, place) {
        (Value::Typed(_, inner), _) => part(Arc::make_mut(inner), place),
        (Value::List(items), [index, rest @ ..]) => part(&mut items[*index], rest),
        (Value::Record(members), [index, rest @ ..]) => part(&mut members[*index].1, rest),
        (value, _) => value,
    }
}

/// The only case of a document.
pub(super) fn read_back(document: &serde_json::Value, reference: &LoadOptions) -> Option<Case> {
    open_text(&source(), document.to_string(), reference).case(0)?.read().ok()?.case
}
