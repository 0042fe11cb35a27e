//! Runs programs without a vector: writing and reading one takes as long as several runs.

use std::sync::Arc;

use crate::formats::{BlockNumbers, MakeVector, NewVector};
use crate::hunt::fuzz::finding_vectors::source;
use crate::hunt::generate::{GeneratedProgram, ProgramGenerator};
use crate::machines::program_parts::{CodeNotation, ProgramParts};
use crate::model::{Case, Program, Step, Value, bytes_key};
use crate::run::{LoadOptions, open_text};

/// Cases whose program is replaced, so that one need not be read from a vector to run.
pub(super) struct ProgramTemplate(Vec<ReplacedCase>);

struct ReplacedCase {
    shared: SharedInputs,
    case: Case,
    /// Its program, with nothing in the place of what is replaced.
    bare: Value,
    /// Where its program has the code that the machine loads.
    code: Vec<ValuePlace>,
    /// Where it has the input data.
    input: Vec<ValuePlace>,
}

/// What programs share that run as one case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SharedInputs {
    /// Whether the program has input data.
    has_input: bool,
    block: BlockNumbers,
    /// The program that it drives.
    driven: Option<usize>,
}

/// The position of a value in another one: that of the item or member at each level.
type ValuePlace = Vec<usize>;

impl ProgramTemplate {
    const INPUT: [u8; 16] = *b"replaced by data";

    /// `None` if vectors of the format have no such code where the machine loads it.
    pub(super) fn new(
        make: &MakeVector,
        generator: &ProgramGenerator,
        parts: &ProgramParts,
        reference: &LoadOptions,
    ) -> Option<ProgramTemplate> {
        let marker = generator.marker();
        let code = generator.loaded(&marker);
        // Names of instructions would be loaded as such.
        let program = match (&code, parts.notation) {
            (Value::Bytes(code), CodeNotation::Names) => bytes_key(code).into(),
            _ => generator.document(&marker),
        };
        let case = |(input, block, driven): (&[u8], BlockNumbers, Option<usize>)| {
            let mut marker = marker.clone();
            (marker.input, marker.block, marker.driven) = (input.to_vec(), block, driven);
            let inputs = generator.inputs(&marker);
            let driving = driven.map(|_| generator.document(&marker));
            let program = driving.as_ref().unwrap_or(&program);
            let new = NewVector { name: "case", program, inputs: &inputs, state: None };
            let case = read_back(&(make.make)(&new).ok()?, reference)?;
            let replaced = ReplacedCase::new(shared(&marker), case, &code);
            (!replaced.code.is_empty()).then_some(replaced)
        };
        let driven = parts.driver.map_or(0, |commands| commands.driven.len());
        let driven: Vec<_> = std::iter::once(None).chain((0..driven).map(Some)).collect();
        let inputs = [&[], &ProgramTemplate::INPUT[..]];
        let blocks = [BlockNumbers::Small, BlockNumbers::Large];
        let with_blocks = blocks.into_iter().flat_map(|block| inputs.map(|input| (input, block)));
        let all = with_blocks.flat_map(|(input, block)| driven.iter().map(move |it| (input, block, *it)));
        Some(ProgramTemplate(all.map(case).collect::<Option<_>>()?))
    }

    /// What is loaded for a program with this code, and what to do with it.
    pub(super) fn with(&mut self, code: Value, generated: &GeneratedProgram) -> (&Program, &[Step]) {
        let wanted = shared(generated);
        let place = self.0.iter().position(|replaced| replaced.shared == wanted);
        let replaced = &mut self.0[place.unwrap_or_default()];
        replaced.replace(code, Value::Bytes(generated.input.clone()));
        (&replaced.case.program, &replaced.case.steps)
    }
}

impl ReplacedCase {
    fn new(shared: SharedInputs, case: Case, code: &Value) -> ReplacedCase {
        let places = |value: &Value| {
            let mut places = Vec::new();
            add_places(&case.program.0, value, &mut Vec::new(), &mut places);
            places
        };
        let input = Value::Bytes(ProgramTemplate::INPUT.to_vec());
        let (code, input) = (places(code), places(&input));
        let mut bare = Value::clone(&case.program.0);
        for place in code.iter().chain(&input) {
            *part(&mut bare, place) = Value::Null;
        }
        ReplacedCase { shared, case, bare, code, input }
    }

    fn replace(&mut self, code: Value, input: Value) {
        let program = &mut self.case.program.0;
        // A machine may keep what it loaded last; a copy of that would have its code copied as well.
        if Arc::get_mut(program).is_none() {
            *program = Arc::new(self.bare.clone());
        }
        let program = Arc::make_mut(program);
        put(program, &self.code, code);
        put(program, &self.input, input);
    }
}

fn shared(program: &GeneratedProgram) -> SharedInputs {
    let GeneratedProgram { input, block, driven, .. } = program;
    SharedInputs { has_input: !input.is_empty(), block: *block, driven: *driven }
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

/// Sets the parts at these places to the value.
fn put(value: &mut Value, places: &[ValuePlace], new: Value) {
    let Some((last, others)) = places.split_last() else { return };
    for place in others {
        part(value, place).clone_from(&new);
    }
    *part(value, last) = new;
}

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
