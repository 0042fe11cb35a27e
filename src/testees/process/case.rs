//! From a case to a request, and from the answer to states.

use std::collections::BTreeMap;

use crate::machines::MachineInfo;
use crate::machines::machine::LoadError;
use crate::machines::observe::Observe;
use crate::model::case::{self, Program, Step};
use crate::model::limits::{Limits, ROWS};
use crate::model::path::{Key, Path};
use crate::model::shape::Member;
use crate::model::value::Value;
use crate::model::verdict::Breakdown;
use crate::testees::testee::{State, Stopped};
use crate::wire::plain::{self, write_record};
use crate::wire::protocol::{self, Action, Answer, Done, Failure, Offer, Request, Skip};

/// The run of a case.
pub(super) struct Run<'r> {
    fields: &'r [Member],
    machine: &'static str,
    program: serde_json::Value,
    steps: Vec<protocol::Step>,
}

impl<'r> Run<'r> {
    /// The run of a program without mnemonics.
    ///
    /// # Errors
    ///
    /// If the process does not offer what the case needs.
    pub(super) fn new(
        info: &'static MachineInfo,
        fields: &'r [Member],
        offer: &Offer,
        program: &Program,
        steps: &[Step],
    ) -> Result<Run<'r>, Stopped> {
        let (program, steps) = written(info, fields, program, steps);
        for step in &steps {
            let action =
                step.r#do.iter().map(Action::name).find(|name| !offer.actions.iter().any(|it| it == name));
            let field = step.observe.iter().find(|field| !offer.fields.contains(field));
            if let Some(name) = action {
                return Err(Stopped::Unsupported(format!("no action {name}")));
            }
            if let Some(name) = field {
                return Err(Stopped::Unsupported(format!("no field {name}")));
            }
        }
        Ok(Run { fields, machine: info.name, program, steps })
    }

    /// The request, with this number.
    pub(super) fn request(&self, id: u64, limits: &BTreeMap<String, u64>) -> Request {
        Request::Run(protocol::Run {
            id,
            machine: self.machine.to_owned(),
            program: self.program.clone(),
            steps: self.steps.clone(),
            limits: limits.clone(),
        })
    }

    /// The state after each step.
    ///
    /// # Errors
    ///
    /// If the answer reports an error or a skip, or does not fit the request.
    pub(super) fn states(&self, answer: Answer) -> Result<Vec<Reported<'r>>, Stopped> {
        let broke = |what| Stopped::Crash(Breakdown { what, stderr: String::new() });
        let Done { steps, ended, .. } = match answer {
            Answer::Done(done) => done,
            Answer::Skip(Skip { reason, .. }) => return Err(Stopped::Unsupported(reason)),
            Answer::Error(failure) => return Err(Stopped::Error(reason(failure))),
            Answer::Hello(_) | Answer::Digests(_) | Answer::Trace(_) => {
                return Err(broke("answered run with something else than done, skip or error".to_owned()));
            }
        };
        if steps.len() != self.steps.len() {
            return Err(broke(format!("answered {} steps of {}", steps.len(), self.steps.len())));
        }
        let state = |(index, state)| {
            self.state(state, ended.as_deref())
                .map_err(|misfit| broke(format!("answered steps[{index}]/fields/{misfit}")))
        };
        steps.into_iter().enumerate().map(state).collect()
    }

    fn state(
        &self,
        protocol::State { fields }: protocol::State,
        ended: Option<&str>,
    ) -> Result<Reported<'r>, plain::Misfit> {
        let mut values = Vec::with_capacity(fields.len());
        for (name, json) in fields {
            if let Some(field) = self.fields.iter().find(|field| field.name == name) {
                let value = plain::read(json, &field.shape).map_err(|misfit| misfit.inside(&name))?;
                values.push((field.name, value));
            }
        }
        let ended = ended.unwrap_or("the machine does not say how").to_owned();
        Ok(Reported { fields: self.fields, values, ended })
    }
}

/// Limits that differ from their defaults, by the names of their flags.
pub fn limits_of(limits: &Limits) -> BTreeMap<String, u64> {
    let changed = ROWS.iter().filter(|row| (row.get)(limits) != row.default);
    changed.map(|row| (row.flag.to_owned(), (row.get)(limits))).collect()
}

/// A program without mnemonics and its steps in the form of a request.
pub(super) fn written(
    info: &MachineInfo,
    fields: &[Member],
    program: &Program,
    steps: &[Step],
) -> (serde_json::Value, Vec<protocol::Step>) {
    let steps = steps.iter().map(|step| written_step(step, info, fields)).collect();
    (write_record(&program.0, info.program), steps)
}

/// A step, with the fields that its assertions name.
fn written_step(step: &Step, info: &MachineInfo, fields: &[Member]) -> protocol::Step {
    let action = |action: &case::Action| match action {
        case::Action::Execute => Action::Execute,
        case::Action::Run(count) => Action::Run(*count),
        case::Action::Set(changes) => Action::Set(write_record(changes, info.changes)),
        case::Action::StepInto => Action::StepInto,
        case::Action::StepOver => Action::StepOver,
        case::Action::StepOut => Action::StepOut,
    };
    let mut observe: Vec<String> = Vec::new();
    for assertion in step.end.iter().chain(&step.assertions) {
        if let Key::Name(name) = assertion.at.first()
            && fields.iter().any(|field| field.name == &**name)
            && !observe.iter().any(|known| known == &**name)
        {
            observe.push(name.to_string());
        }
    }
    protocol::Step { r#do: step.actions.iter().map(action).collect(), observe }
}

fn reason(failure: Failure) -> LoadError {
    LoadError { at: failure.path(), what: failure.message }
}

/// A state reported by a process.
pub(super) struct Reported<'r> {
    /// All fields of the machine.
    fields: &'r [Member],
    values: Vec<(&'static str, Value)>,
    ended: String,
}

impl Observe for Reported<'_> {
    fn has_field(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name == name)
    }

    fn observe(&self, name: &str) -> Option<Value> {
        self.values.iter().find(|value| value.0 == name).map(|value| value.1.clone())
    }
}

impl State for Reported<'_> {
    fn describe(&self) -> String {
        self.ended.clone()
    }

    fn explain(&self, _: &Path) -> Option<String> {
        None
    }
}
