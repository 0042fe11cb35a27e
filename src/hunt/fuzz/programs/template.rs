//! Runs programs without a vector: writing and reading one takes as long as several runs.

use crate::formats::{Inputs, MakeVector, NewVector};
use crate::hunt::fuzz::said::source;
use crate::hunt::generate::ProgramGenerator;
use crate::machines::program_parts::{CodeNotation, ProgramParts};
use crate::model::case::{Case, Program, Step};
use crate::model::value::Value;
use crate::run::{LoadOptions, open_text};

/// A case whose program is replaced, so that one need not be read from a vector to run.
pub(super) struct ProgramTemplate {
    /// With input data.
    case: Case,
    /// Without them.
    without_input: Case,
    /// What the machine loads as code, which is replaced.
    code: Value,
}

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
            read_back(&(make.make)(&new).ok()?, reference)
        };
        let (case, without_input) = (case(&inputs)?, case(&Inputs::default())?);
        let template = ProgramTemplate { case, without_input, code };
        let (replaced, _) = template.with(&Value::Null, &[]);
        (replaced != template.without_input.program).then_some(template)
    }

    /// The program with this code and these input data, and what to do with it.
    pub(super) fn with(&self, code: &Value, input: &[u8]) -> (Program, &[Step]) {
        let other = |value: &Value| match value {
            _ if *value == self.code => Some(code.clone()),
            Value::Bytes(bytes) if *bytes == ProgramTemplate::INPUT => Some(Value::Bytes(input.to_vec())),
            _ => None,
        };
        let case = if input.is_empty() { &self.without_input } else { &self.case };
        (Program::from(replaced(&case.program.0, &other)), &case.steps)
    }
}

/// The value with others where `other` has some.
fn replaced(value: &Value, other: &dyn Fn(&Value) -> Option<Value>) -> Value {
    if let Some(other) = other(value) {
        return other;
    }
    match value {
        Value::List(items) => Value::List(items.iter().map(|item| replaced(item, other)).collect()),
        Value::Record(members) => {
            Value::Record(members.iter().map(|(name, it)| (name.clone(), replaced(it, other))).collect())
        }
        Value::Typed(name, value) => Value::typed(name.clone(), replaced(value, other)),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Text(_) | Value::Bytes(_) => value.clone(),
    }
}

/// The only case of a document.
pub(super) fn read_back(document: &serde_json::Value, reference: &LoadOptions) -> Option<Case> {
    open_text(&source(), document.to_string(), reference).case(0)?.read().ok()?.case
}
