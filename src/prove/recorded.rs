//! The state of a machine after each step of a case, so that a case that ran once is compared many times.

use crate::machines;
use crate::machines::observe::Observe;
use crate::model::case::Case;
use crate::model::value::Value;
use crate::run::{LoadedFile, Worker};

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

/// Runs a case; `None` if it cannot be read or run.
pub(super) fn recorded(
    file: &LoadedFile<'_>,
    index: usize,
    worker: &mut Worker<'_>,
) -> Option<RecordedSteps> {
    let case = file.case(index)?.read().ok()?.case?;
    let declared: Vec<_> = machines::by_name(case.machine)?.fields.iter().map(|field| field.name).collect();
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
    matches!(done, Ok(Ok(_))).then_some(RecordedSteps { case, states })
}
