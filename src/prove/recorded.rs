//! The state of a machine after each step of a case, so that a case that ran once is compared many times.

use crate::machines::Engine;
use crate::machines::observe::Observe;
use crate::model::assertion::{Assertion, Expected};
use crate::model::case::{Case, Step};
use crate::model::path::PathKey;
use crate::model::value::Value;
use crate::run::{LoadedFile, Worker};
use crate::testees::Stopped;

/// A case and the state after each of its steps.
pub(super) struct RecordedSteps {
    pub(super) case: Case,
    pub(super) states: Vec<RecordedFields>,
}

/// The observable fields of a machine that have a value.
#[derive(Default)]
pub(super) struct RecordedFields {
    declared: Vec<&'static str>,
    values: Vec<(&'static str, Value)>,
}

impl Observe for RecordedFields {
    fn has_field(&self, field: &str) -> bool {
        self.declared.contains(&field)
    }

    fn observe(&self, field: &str) -> Option<Value> {
        self.values.iter().find(|(name, _)| *name == field).map(|(_, value)| value.clone())
    }
}

/// Why there are no states of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unrecorded {
    /// The vector is broken.
    Broken,
    /// The machine did not get to the end.
    NotRun,
}

/// Runs a case. Where no machine is known, its states are those that the case demands.
pub(super) fn recorded(
    file: &LoadedFile<'_>,
    index: usize,
    worker: &mut Worker<'_>,
) -> Result<RecordedSteps, Unrecorded> {
    let reading = file.case(index).and_then(|case| case.read().ok());
    let case = reading.and_then(|reading| reading.case).ok_or(Unrecorded::Broken)?;
    let info = file.options().families.machine(case.machine).ok_or(Unrecorded::Broken)?;
    let declared: Vec<_> = info.fields.iter().map(|field| field.name).collect();
    if info.engine == Engine::Elsewhere && worker.options().testee.vm().is_none() {
        let states = case.steps.iter().map(|step| demanded(step, &declared)).collect();
        return Ok(RecordedSteps { case, states });
    }
    let mut states = Vec::new();
    let done = worker.with_testee(case.machine, file.options(), |testee| {
        testee.run(&case.program, &case.steps, &mut |_, state| {
            let value = |name: &&'static str| Some((*name, state.observe(name)?));
            states.push(RecordedFields {
                declared: declared.clone(),
                values: declared.iter().filter_map(value).collect(),
            });
        })
    });
    match done {
        Ok(Ok(_)) => Ok(RecordedSteps { case, states }),
        Err(_) | Ok(Err(Stopped::Error(_))) => Err(Unrecorded::Broken),
        Ok(Err(_)) => Err(Unrecorded::NotRun),
    }
}

/// The state that a step demands, as far as it demands values.
fn demanded(step: &Step, declared: &[&'static str]) -> RecordedFields {
    let mut state = Value::Record(Vec::new());
    for Assertion { at, expected, .. } in step.end.iter().chain(&step.assertions) {
        let value = match expected {
            Expected::Is(value) => value.clone(),
            Expected::Len(count) => Value::List(vec![Value::Null; *count]),
            // Its members are demanded, too.
            Expected::Only(keys) if keys.is_empty() => Value::Record(Vec::new()),
            _ => continue,
        };
        put(&mut state, &at.keys(), value);
    }
    let value = |name: &&'static str| Some((*name, state.get(name)?.clone()));
    RecordedFields { declared: declared.to_vec(), values: declared.iter().filter_map(value).collect() }
}

/// Puts a value at a path that has none yet, except for the items of a list.
fn put(place: &mut Value, keys: &[&PathKey], value: Value) {
    match (place, keys) {
        (place, []) => *place = value,
        (Value::List(items), [PathKey::Index(index), rest @ ..]) => {
            if let Some(item) = items.get_mut(*index) {
                put(item, rest, value);
            }
        }
        (Value::Record(members), [PathKey::Name(name), rest @ ..]) => {
            // The members that have values come once each: a memory can have many.
            let known = if rest.is_empty() { None } else { members.iter().position(|it| it.0 == *name) };
            let known = known.unwrap_or_else(|| {
                members.push((name.clone(), Value::Record(Vec::new())));
                members.len() - 1
            });
            put(&mut members[known].1, rest, value);
        }
        _ => {}
    }
}
