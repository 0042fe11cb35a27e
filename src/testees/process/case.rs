//! From a case to a request, and from the answer to states.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::declared_difference::tell_apart;
use super::exchange::{Exchange, read_answer};
use super::trouble::NoAnswerReason;
use crate::machines::{Hashed, MachineInfo};

use crate::machines::observe::Observe;
use crate::machines::status::LoadError;
use crate::model::case;
use crate::model::limits::{Limits, ROWS};
use crate::model::{Expected, MemberShape, NearSearch, Path, PathKey, Program, Shape, Step, Value};
use crate::testees::testee::{Stopped, TesteeState};
use crate::wire::plain::{self, write_record};
use crate::wire::protocol::{self, Offer, ProtocolAnswer, Request, RunDone, Skip, WireAction};

pub(super) struct TesteeRun<'r> {
    fields: &'static [MemberShape],
    machine: &'static str,
    program: serde_json::Value,
    steps: Vec<protocol::WireStep>,
    limits: &'r BTreeMap<String, u64>,
    hashed: Option<Hashed>,
    /// The fields that are not observed; for those with a hash, that is compared instead.
    left_out: Vec<&'static str>,
}

/// The fields of a machine that a process does not report and need not: assertions on them are left out.
fn left_out(info: &MachineInfo, offer: &Offer) -> Vec<&'static str> {
    let hashed = info.hashed.map_or(Vec::new(), |hashed| compared_by_hash(&hashed, offer));
    offer.left_out(info.optional).chain(hashed).collect()
}

/// The fields of a machine that a process does not report, although it reports their hashes.
pub(super) fn compared_by_hash(hashed: &Hashed, offer: &Offer) -> Vec<&'static str> {
    let pairs = [(hashed.root, hashed.state), (hashed.logs, hashed.entries)];
    let is_lacking = |(hash, of): &(&str, &str)| offer.reports(hash) && !offer.reports(of);
    pairs.into_iter().filter(is_lacking).map(|(_, of)| of).collect()
}

/// Changes the fields that a step observes to those that a process reports: of two of which one follows from the other,
/// the one that it has.
fn observe_offered(observe: &mut Vec<String>, hashed: &Hashed, offer: &Offer, left_out: &[&str]) {
    let asks = |observe: &[String], name: &str| observe.iter().any(|field| field == name);
    for (hash, of) in [(hashed.root, hashed.state), (hashed.logs, hashed.entries)] {
        if left_out.contains(&of) && asks(observe, hash) {
            observe.retain(|field| field != of);
        }
    }
    if !offer.reports(hashed.root) && offer.reports(hashed.state) && asks(observe, hashed.root) {
        observe.retain(|field| field != hashed.root);
        if !asks(observe, hashed.state) {
            observe.push(hashed.state.to_owned());
        }
    }
}

impl<'r> TesteeRun<'r> {
    /// The run of a program without mnemonics, under limits that differ from their defaults. Fails if the process
    /// does not offer what the case needs.
    pub(super) fn new(
        info: &'static MachineInfo,
        offer: &Offer,
        program: &Program,
        steps: &[Step],
        limits: &'r BTreeMap<String, u64>,
    ) -> Result<TesteeRun<'r>, Stopped> {
        let (program, mut steps) = written(info, program, steps);
        let left_out = left_out(info, offer);
        for step in &mut steps {
            if let Some(hashed) = &info.hashed {
                observe_offered(&mut step.observe, hashed, offer, &left_out);
            }
            step.observe.retain(|field| !info.optional.contains(&&**field) || offer.reports(field));
            let action = step.r#do.iter().map(WireAction::name).find(|name| !offer.performs(name));
            let field = step.observe.iter().find(|field| !offer.reports(field));
            if let Some(name) = action {
                return Err(Stopped::lacks_action(name));
            }
            if let Some(name) = field {
                return Err(Stopped::lacks_field(name));
            }
        }
        Ok(TesteeRun {
            fields: info.fields,
            machine: info.name,
            program,
            steps,
            limits,
            hashed: info.hashed,
            left_out,
        })
    }

    fn state(
        &self,
        protocol::ObservedState { fields }: protocol::ObservedState,
        ended: Option<&str>,
    ) -> Result<Reported, plain::Misfit> {
        let mut values = plain::read_fields(fields, self.fields)?;
        let value = |name: &str| values.iter().find(|value| value.0 == name).map(|value| &value.1);
        if let Some(Hashed { root, root_of, state, .. }) = self.hashed
            && value(root).is_none()
            && let Some(computed) = value(state).and_then(root_of)
        {
            values.push((root, computed));
        }
        let ended = ended.map(str::to_owned);
        Ok(Reported::new(self.fields, values, ended, self.left_out.clone()))
    }
}

impl Exchange for TesteeRun<'_> {
    type Answer = RunStates;

    fn write(&self, id: u64, lines: &mut String) {
        let request = Request::Run(protocol::RunRequest {
            id,
            machine: self.machine.to_owned(),
            program: self.program.clone(),
            steps: self.steps.clone(),
            limits: self.limits.clone(),
        });
        lines.push_str(&request.line());
    }

    fn read(&self, line: Vec<u8>, id: u64) -> Result<RunStates, NoAnswerReason> {
        let RunDone { steps, ended, .. } = match read_answer(&line, Some(id))? {
            ProtocolAnswer::Done(done) => done,
            other => return refused(other),
        };
        check_count(steps.len(), self.steps.len())?;
        let state = |(index, state)| {
            self.state(state, ended.as_deref())
                .map_err(|misfit| NoAnswerReason::Broke(format!("answered steps[{index}]/fields/{misfit}")))
        };
        steps.into_iter().enumerate().map(state).collect::<Result<_, _>>().map(Ok)
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
    program: &Program,
    steps: &[Step],
) -> (serde_json::Value, Vec<protocol::WireStep>) {
    let steps = steps.iter().map(|step| written_step(step, info)).collect();
    (write_record(&program.0, info.program), steps)
}

/// A step, with the fields that its assertions name.
fn written_step(step: &Step, info: &MachineInfo) -> protocol::WireStep {
    let mut observe: Vec<String> = Vec::new();
    for assertion in step.demands() {
        if let PathKey::Name(name) = assertion.at.first()
            && info.fields.iter().any(|field| field.name == &**name)
            && !observe.iter().any(|known| known == &**name)
        {
            observe.push(name.to_string());
        }
    }
    protocol::WireStep {
        r#do: step.actions.iter().map(|action| wire_action(action, info)).collect(),
        observe,
    }
}

/// An action in the form of a request.
pub(super) fn wire_action(action: &case::Action, info: &MachineInfo) -> WireAction {
    match action {
        case::Action::Execute => WireAction::Execute,
        case::Action::Run(count) => WireAction::Run(*count),
        case::Action::Set(changes) => WireAction::Set(write_record(changes, info.changes)),
        case::Action::StepInto => WireAction::StepInto,
        case::Action::StepOver => WireAction::StepOver,
        case::Action::StepOut => WireAction::StepOut,
    }
}

/// What an answer to run says that is not done.
pub(super) fn refused(answer: ProtocolAnswer) -> Result<RunStates, NoAnswerReason> {
    match answer {
        ProtocolAnswer::Skip(Skip { reason, .. }) => Ok(Err(Stopped::Unsupported(reason))),
        ProtocolAnswer::Error(failure) => {
            let reason = LoadError { at: failure.path(), ..LoadError::new(failure.message) };
            Ok(Err(Stopped::Error(reason)))
        }
        _ => {
            Err(NoAnswerReason::Broke("answered run with something else than done, skip or error".to_owned()))
        }
    }
}

pub(super) fn check_count(answered: usize, steps: usize) -> Result<(), NoAnswerReason> {
    if answered == steps {
        return Ok(());
    }
    Err(NoAnswerReason::Broke(format!("answered {answered} of {steps} steps")))
}

/// The states after the steps of a run, or why the process refuses it.
pub(super) type RunStates = Result<Vec<Reported>, Stopped>;

/// A state reported by a process.
pub(super) struct Reported {
    /// All fields of the machine.
    fields: &'static [MemberShape],
    values: Vec<(&'static str, Value)>,
    near_field: NearSearch,
    near_value: NearSearch,
    ended: String,
    left_out: Vec<&'static str>,
}

impl Reported {
    /// The state with these values. `ended` is how the machine ended, if it says so.
    pub(super) fn new(
        fields: &'static [MemberShape],
        values: Vec<(&'static str, Value)>,
        ended: Option<String>,
        left_out: Vec<&'static str>,
    ) -> Reported {
        let ended = ended.unwrap_or_else(|| "the machine does not say how".to_owned());
        let (near_field, near_value) = (NearSearch::default(), NearSearch::default());
        Reported { fields, values, near_field, near_value, ended, left_out }
    }
}

impl Observe for Reported {
    fn has_field(&self, name: &str) -> bool {
        self.near_field.find(self.fields.len(), |index| self.fields[index].name == name).is_some()
    }

    fn observe(&self, name: &str) -> Option<Value> {
        self.observed(name).map(Cow::into_owned)
    }

    fn observed(&self, name: &str) -> Option<Cow<'_, Value>> {
        let index = self.near_value.find(self.values.len(), |index| self.values[index].0 == name)?;
        Some(Cow::Borrowed(&self.values[index].1))
    }
}

impl TesteeState for Reported {
    fn describe(&self) -> String {
        self.ended.clone()
    }

    fn left_out(&self) -> &[&'static str] {
        &self.left_out
    }

    fn explain(&self, _: &Path) -> Option<String> {
        None
    }

    fn tell_apart(&self, at: &Path, expected: &Expected, actual: Option<&Value>) -> Option<String> {
        let PathKey::Name(name) = at.first() else { return None };
        let shape = self.fields.iter().find(|field| field.name == &**name).map(|field| field.shape);
        let Some(Shape::Declared(field)) = shape else { return None };
        tell_apart(field, at, expected, actual)
    }
}
