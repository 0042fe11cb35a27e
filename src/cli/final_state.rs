//! The state at the end of a run: how it is obtained, and how it is printed.

use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};
use vmconf::machines::MachineInfo;
use vmconf::model::limits::Limits;
use vmconf::model::{
    Assertion, Case, Expected, MemberShape, Origin, Path as At, Step, Value, brief, escaped,
};
use vmconf::run::RunOptions;
use vmconf::testees::Stopped;
use vmconf::testees::process::ProcessVm;
use vmconf::wire::line::one_line;

use super::output;
use super::output_form::OutputForm;

/// The longest value that stays in one line.
const WIDTH: usize = 88;

/// The most characters of a value without parts that are printed.
pub(super) const MAX_LENGTH: usize = 1024;

/// The state at the end of a run.
pub(super) struct FinalState {
    /// How the run ended, in one line.
    pub(super) ended: String,
    /// The fields of the state that have a value.
    pub(super) fields: Vec<(&'static str, Value)>,
}

impl FinalState {
    /// Runs a program and observes all fields that its machine reports, whatever the steps of its case demand. The
    /// error says why the run ended before its last step was done.
    pub(super) fn of(
        machine: &'static MachineInfo,
        case: Case,
        limits: &Limits,
        run: &RunOptions,
    ) -> Result<FinalState, Stopped> {
        let names = reported(machine, run.testee.vm().map(|vm| &**vm));
        let steps = observing(case.steps, &names);
        let mut left = FinalState { ended: String::new(), fields: Vec::new() };
        let mut testee = run.testee.make(machine, limits, &run.interrupt);
        let first = testee.run(&case.program, &steps, &mut |_, state| {
            let field = |name: &&'static str| Some((*name, state.observe(name)?));
            left = FinalState { ended: state.describe(), fields: names.iter().filter_map(field).collect() };
        })?;
        if let Some(first) = first {
            let what = &first.breakdown.what;
            note!("note: the machine broke down the first time: {what}");
        }
        Ok(left)
    }

    pub(super) fn field(&self, name: &str) -> Option<Value> {
        self.fields.iter().find(|field| field.0 == name).map(|field| field.1.clone())
    }
}

/// Prints how the machine ended, and every field of its state that has a value.
pub(super) fn print(machine: &MachineInfo, left: &FinalState, form: OutputForm) -> io::Result<()> {
    let FinalState { ended, fields } = left;
    let mut out = output::stdout();
    match form {
        OutputForm::Json => {
            let state: Map<_, _> =
                fields.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
            let document = json!({"machine": machine.name, "ended": ended, "state": Json::Object(state)});
            writeln!(out, "{}", one_line(&document))?;
        }
        OutputForm::Text => {
            write_text(&mut out, left, MAX_LENGTH)?;
        }
    }
    out.flush()
}

/// Writes how the machine ended, and every field with a value below it. `most` is the most characters of a value
/// without parts.
pub(super) fn write_text(out: &mut impl Write, left: &FinalState, most: usize) -> io::Result<()> {
    writeln!(out, "{}", escaped(&left.ended))?;
    write_fields(out, left, most)
}

/// [`write_text`] without how the machine ended.
pub(super) fn write_fields(out: &mut impl Write, left: &FinalState, most: usize) -> io::Result<()> {
    left.fields.iter().try_for_each(|(name, value)| write_value(out, 2, name, value, most))
}

/// The fields that the machine reports, here or in another process.
fn reported(machine: &MachineInfo, vm: Option<&ProcessVm>) -> Vec<&'static str> {
    let offer = vm.and_then(|vm| vm.offer(machine.name));
    let is_reported =
        |field: &MemberShape| offer.is_none_or(|it| it.fields.iter().any(|it| it == field.name));
    let fields = machine.fields;
    fields.iter().filter(|field| is_reported(field)).map(|field| field.name).collect()
}

/// The steps, observed in these fields after the last one and in nothing else.
fn observing(mut steps: Vec<Step>, fields: &[&'static str]) -> Vec<Step> {
    let field = |name: &&'static str| Assertion::new(At::field(*name), Expected::Absent, Origin(0));
    for step in &mut steps {
        (step.end, step.assertions) = (None, Vec::new());
    }
    if let Some(last) = steps.last_mut() {
        last.assertions = fields.iter().map(field).collect();
    }
    steps
}

/// Writes a value in a line; one that is too long with a line for each of its parts.
fn write_value(
    out: &mut impl Write,
    indent: usize,
    name: &str,
    value: &Value,
    most: usize,
) -> io::Result<()> {
    let text = value.to_string();
    let parts: Vec<(String, &Value)> = match value {
        Value::List(items) => items.iter().enumerate().map(|(at, item)| (format!("[{at}]"), item)).collect(),
        Value::Record(members) => members.iter().map(|(name, value)| (name.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    if parts.is_empty() || indent + name.len() + text.len() <= WIDTH {
        return writeln!(out, "{:indent$}{}: {}", "", escaped(name), escaped(&brief(text, most)));
    }
    writeln!(out, "{:indent$}{}:", "", escaped(name))?;
    parts.iter().try_for_each(|(name, part)| write_value(out, indent + 2, name, part, most))
}
