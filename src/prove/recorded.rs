//! The state of a machine after each step of a case, so that a case that ran once is compared many times.

use std::collections::HashMap;

use crate::machines::Engine;
use crate::machines::observe::Observe;
use crate::model::{Assertion, Case, Expected, MemberShape, Path, PathKey, Step, Value};
use crate::run::sources::Sources;
use crate::run::{FileOpener, IgnoredField, IgnoredFields, LoadOptions, LoadedFile, Worker};
use crate::testees::Stopped;

/// Where the states of a case are from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StatesFrom {
    Machine,
    /// No machine is known: they are what the case demands.
    Demands,
}

/// A case and the state after each of its steps.
pub(super) struct RecordedSteps {
    pub(super) case: Case,
    pub(super) states: Vec<RecordedFields>,
    pub(super) from: StatesFrom,
    /// The fields that the user ignores.
    pub(super) ignored: Vec<IgnoredField>,
    fields: &'static [MemberShape],
}

impl RecordedSteps {
    /// What the user ignores of the machine.
    pub(super) fn ignored(&self) -> IgnoredFields<'_> {
        IgnoredFields::new(&self.ignored, self.fields)
    }
}

/// The observable fields of a machine that have a value.
#[derive(Default)]
pub(super) struct RecordedFields {
    declared: Vec<&'static str>,
    values: HashMap<&'static str, Value>,
}

impl Observe for RecordedFields {
    fn has_field(&self, field: &str) -> bool {
        self.declared.contains(&field)
    }

    fn observe(&self, field: &str) -> Option<Value> {
        self.values.get(field).cloned()
    }
}

/// Why there are no states of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnrecordedReason {
    /// The vector is broken.
    Broken,
    /// The machine did not get to the end.
    NotRun,
}

/// Runs the cases of these files until an interrupt, and calls `take` with each, its index in its file, and its states,
/// if it has some. Returns how many files and cases are broken.
pub(super) fn each(
    sources: &Sources,
    options: &LoadOptions,
    mut take: impl FnMut(&LoadedFile<'_>, usize, Option<RecordedSteps>),
) -> u64 {
    let (mut opener, mut worker) = (FileOpener::new(options), Worker::new(&options.run));
    let mut broken = 0;
    for source in sources {
        let file = opener.open(source);
        broken += u64::from(file.broken().is_some());
        for index in 0..file.cases() {
            if options.run.interrupt.is_requested() {
                break;
            }
            let recorded = recorded(&file, index, &mut worker);
            broken += u64::from(recorded.as_ref().err() == Some(&UnrecordedReason::Broken));
            take(&file, index, recorded.ok());
        }
    }
    broken
}

/// Runs a case. Where no machine is known, its states are those that the case demands.
fn recorded(
    file: &LoadedFile<'_>,
    index: usize,
    worker: &mut Worker<'_>,
) -> Result<RecordedSteps, UnrecordedReason> {
    let reading = file.case(index).and_then(|case| case.read().ok()).ok_or(UnrecordedReason::Broken)?;
    let why = if reading.unsupported.is_some() { UnrecordedReason::NotRun } else { UnrecordedReason::Broken };
    let case = reading.case.ok_or(why)?;
    let info = file.options().families.machine(case.machine).ok_or(UnrecordedReason::Broken)?;
    let ignored = file.options().ignored.clone();
    let declared: Vec<_> = info.fields.iter().map(|field| field.name).collect();
    if info.engine == Engine::Elsewhere && worker.options().testee.vm().is_none() {
        let states = case.steps.iter().map(|step| demanded(step, &declared)).collect();
        let from = StatesFrom::Demands;
        return Ok(RecordedSteps { case, states, from, ignored, fields: info.fields });
    }
    let mut states = Vec::new();
    let steps = file.options().ignored_of(case.machine).observed(&case.steps);
    let done = worker.with_testee(case.machine, file.options(), |testee| {
        testee.run(&case.program, &steps, &mut |_, state| {
            let value = |name: &&'static str| Some((*name, state.observe(name)?));
            states.push(RecordedFields {
                declared: declared.clone(),
                values: declared.iter().filter_map(value).collect(),
            });
        })
    });
    match done {
        Ok(Ok(_)) => {
            let from = StatesFrom::Machine;
            Ok(RecordedSteps { case, states, from, ignored, fields: info.fields })
        }
        Err(_) | Ok(Err(Stopped::Error(_))) => Err(UnrecordedReason::Broken),
        Ok(Err(_)) => Err(UnrecordedReason::NotRun),
    }
}

/// The state that a step demands, as far as it demands values.
fn demanded(step: &Step, declared: &[&'static str]) -> RecordedFields {
    let (mut state, mut places) = (Value::Record(Vec::new()), HashMap::new());
    for Assertion { at, expected, .. } in step.demands() {
        let value = match expected {
            Expected::Is(value) => value.clone(),
            Expected::Bits(bits) => bits.value.clone(),
            Expected::Len(count) => Value::List(vec![Value::Null; *count]),
            Expected::Only(keys) if keys.is_empty() => Value::Record(Vec::new()),
            // Its members are demanded, too.
            Expected::Record => Value::Record(Vec::new()),
            _ => continue,
        };
        if let Some(place) = place(&mut state, at, &mut places) {
            *place = value;
        }
    }
    let value = |name: &&'static str| Some((*name, state.get(name)?.clone()));
    RecordedFields { declared: declared.to_vec(), values: declared.iter().filter_map(value).collect() }
}

/// The value at a path of a state; a new record for one that has none yet, except for the innermost item of a list.
/// `places` has which member of its record each one is: a search for each would take as many steps as a memory has
/// pairs of cells.
fn place<'v>(state: &'v mut Value, at: &Path, places: &mut HashMap<Path, usize>) -> Option<&'v mut Value> {
    let around = match at.parent() {
        Some(parent) => place(state, parent, places)?,
        None => state,
    };
    // An item of a list of which nothing is demanded yet.
    if matches!((&*around, at.last()), (Value::Null, PathKey::Name(_))) {
        *around = Value::Record(Vec::new());
    }
    match (around, at.last()) {
        (Value::List(items), PathKey::Index(index)) => items.get_mut(*index),
        (Value::Record(members), PathKey::Name(name)) => {
            let known = places.get(at).copied();
            // What is around it may have become another value.
            let known = known.filter(|known| members.get(*known).is_some_and(|member| member.0 == *name));
            let known = known.unwrap_or_else(|| {
                members.push((name.clone(), Value::Record(Vec::new())));
                members.len() - 1
            });
            places.insert(at.clone(), known);
            Some(&mut members[known].1)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Origin;

    fn state(demands: Vec<(Path, Expected)>) -> Option<Value> {
        let assertion = |(at, expected)| Assertion::new(at, expected, Origin(0));
        let assertions = demands.into_iter().map(assertion).collect();
        demanded(&Step { actions: Vec::new(), end: None, assertions }, &["banks"]).observe("banks")
    }

    #[test]
    fn a_state_has_what_is_demanded_at_its_place() {
        let banks = Path::field("banks");
        let (list, seven) = (banks.child("list"), || Expected::Is(Value::int(7)));
        let found = state(vec![
            (list.clone(), Expected::Len(2)),
            (list.child(1), seven()),
            (list.child(2), seven()),
            (banks.child("a").child("0x1"), seven()),
            (banks.child("b").child("0x1"), seven()),
            (banks.child("a").child("0x2"), seven()),
        ]);
        let cell = |address: &'static str| (address, Value::int(7));
        let expected = Value::record([
            ("list", Value::List(vec![Value::Null, Value::int(7)])),
            ("a", Value::record([cell("0x1"), cell("0x2")])),
            ("b", Value::record([cell("0x1")])),
        ]);
        assert_eq!(found, Some(expected));
    }

    #[test]
    fn items_of_lists_have_members() {
        let item = Path::field("banks").child(0);
        let one = || Expected::Is(Value::int(1));
        let found = state(vec![
            (Path::field("banks"), Expected::Len(2)),
            (item.child("x"), one()),
            (item.child("y"), Expected::Len(1)),
            (item.child("y").child(0).child("0x1"), one()),
            (Path::field("banks").child(1), Expected::Record),
        ]);
        let memory = Value::record([("0x1", Value::int(1))]);
        let table = Value::record([("x", Value::int(1)), ("y", Value::List(vec![memory]))]);
        assert_eq!(found, Some(Value::List(vec![table, Value::Record(Vec::new())])));
    }

    /// Searching all memories for each cell would take minutes.
    #[test]
    fn the_cells_of_many_memories_are_demanded() {
        const BANKS: usize = 50_000;
        let banks = Path::field("banks");
        let cell =
            |number: usize| (banks.child(number.to_string()).child("0x1"), Expected::Is(Value::int(7)));
        assert_eq!(state((0..BANKS).map(cell).collect()).and_then(|value| value.len()), Some(BANKS));
    }
}
