//! How an adapter runs programs of a family: its own machine is the only one, so that only the form of answers is
//! known.

use serde_json::{Map, Value as Json};
use vmconf::machines::MachineInfo;
use vmconf::model::{FieldType, MemberShape, Shape, Value, counted};
use vmconf::run::FamilyMachine;
use vmconf::wire::plain;
use vmconf::wire::protocol::{Offer, ProtocolAnswer, RunDone, WireAction, WireStep};

use super::adapter::{CheckPoints, CheckedAdapter, expect};
use super::in_flight::try_in_flight;
use super::notation::{self, sample};
use super::run::{try_again, try_strange};
use super::small_program::SmallProgram;

/// Tries the requests of a machine of a family, with a program of zeros.
pub(super) fn try_family(
    adapter: &mut CheckedAdapter,
    known: FamilyMachine,
    offer: &Offer,
    in_flight: usize,
    points: &mut CheckPoints,
) {
    let FamilyMachine { family, machine } = known;
    let required = machine.fields.iter().filter(|field| !machine.optional.contains(&field.name));
    let missing: Vec<_> = required.map(|field| field.name).filter(|name| !offer.reports(name)).collect();
    let advice = format!("cases that demand {} are unsupported; report them", missing.join(", "));
    points.hold("reports all fields that are not optional", missing.is_empty(), &advice);
    let actions = family.actions();
    let lacks = actions.iter().find(|action| !offer.performs(action));
    let advice = format!("cases need {}; add it to \"actions\"", lacks.copied().unwrap_or_default());
    points.hold("performs the actions of the family", lacks.is_none(), &advice);
    let program = program_of(known, FieldType::empty);
    let step = WireStep {
        r#do: actions.iter().filter_map(|it| action(it)).collect(),
        observe: offer.fields.clone(),
    };
    let small = SmallProgram { info: machine, program: Json::Object(program.clone()), steps: vec![step] };
    let answer = adapter.ask(&small.request(1, &small.steps));
    let is_answer =
        matches!(answer, Ok(ProtocolAnswer::Done(_) | ProtocolAnswer::Skip(_) | ProtocolAnswer::Error(_)));
    let advice = "answer done, skip or error";
    points.add("answers a program of zeros", expect(answer.clone(), is_answer, advice));
    points.repeats_id(&answer, 1);
    if let Ok(ProtocolAnswer::Done(done)) = &answer {
        try_states(done, known, offer, points);
        let compared = ComparedState { machine, given: &program };
        try_steps(adapter, &compared, done, &small, points);
        try_notation(adapter, known, &small, points);
    }
    try_again(adapter, &small, &answer, points);
    try_strange(adapter, &small, &answer, points);
    try_in_flight(adapter, in_flight, &small, points);
}

/// What the cases of the family give, of its first format if it has several: these values, and what is always the same.
fn program_of(known: FamilyMachine, value: fn(&FieldType) -> Value) -> Map<String, Json> {
    let FamilyMachine { family, machine } = known;
    let writer = family.writer(None);
    let given = writer.given().map(|field| (field.name.clone(), value(&field.field_type)));
    let values: Vec<_> = given.chain(writer.constants()).collect();
    let written = |member: &MemberShape| {
        let (name, value) = values.iter().find(|(name, _)| *name == member.name)?;
        Some((name.to_string(), plain::write(value, &member.shape)))
    };
    machine.program.iter().filter_map(written).collect()
}

fn try_states(done: &RunDone, known: FamilyMachine, offer: &Offer, points: &mut CheckPoints) {
    let advice = format!("it reports {} states for 1 step", done.steps.len());
    points.hold("reports a state for each step", done.steps.len() == 1, &advice);
    let Some(state) = done.steps.first() else { return };
    points.has_fields(state, offer.fields.iter(), |name| offer.reports(name), "was not requested");
    let misfit = known.machine.fields.iter().find_map(|field| {
        let value = state.fields.get(field.name)?.clone();
        Some(plain::read(value, &field.shape).err()?.to_string())
    });
    points.add("writes fields as the declaration says", misfit.map_or(Ok(()), Err));
}

/// The fields of a state that are compared: those that the program gives too. Others, such as clock cycles, may be of
/// the last action or of all.
struct ComparedState<'p> {
    machine: &'static MachineInfo,
    given: &'p Map<String, Json>,
}

impl ComparedState<'_> {
    /// What a state has of each field.
    fn of(&self, fields: &Map<String, Json>) -> Vec<Option<Value>> {
        let is_compared = |field: &&MemberShape| {
            self.given.contains_key(field.name) && !self.machine.optional.contains(&field.name)
        };
        let value = |field: &MemberShape| plain::read(fields.get(field.name)?.clone(), &field.shape).ok();
        let compared = self.machine.fields.iter().filter(is_compared);
        compared.map(|field| value(field).map(Value::in_order)).collect()
    }

    /// The states of an answer; none if the program did not run. The error is what happened instead of an answer.
    fn all_of(&self, answer: Result<ProtocolAnswer, String>) -> Result<Vec<Vec<Option<Value>>>, String> {
        let ProtocolAnswer::Done(done) = answer? else { return Ok(Vec::new()) };
        Ok(done.steps.iter().map(|state| self.of(&state.fields)).collect())
    }

    /// What the program gives of the fields that a state has.
    fn given_in(&self, state: &[Option<Value>]) -> Vec<Option<Value>> {
        self.of(self.given)
            .into_iter()
            .zip(state)
            .map(|(given, reported)| given.filter(|_| reported.is_some()))
            .collect()
    }
}

/// Tries programs of several steps and of several actions. `done` is the answer to one step.
fn try_steps(
    adapter: &mut CheckedAdapter,
    compared: &ComparedState<'_>,
    done: &RunDone,
    small: &SmallProgram,
    points: &mut CheckPoints,
) {
    let [step] = &small.steps[..] else { return };
    let doing = |actions: Vec<WireAction>| WireStep { r#do: actions, ..step.clone() };
    let Some(after_one) = done.steps.first().map(|state| compared.of(&state.fields)) else { return };
    let answered = adapter.ask(&small.request(2, &[doing(Vec::new()), step.clone()]));
    let states = compared.all_of(answered);
    let count = states.as_ref().map_or(0, Vec::len);
    let advice = format!("it reports {} for 2 steps; report one after each", counted(count, "state"));
    points.answer(
        "reports a state for each of two steps",
        states.clone(),
        |states| states.len() == 2,
        &advice,
    );
    if let Ok([before, after]) = states.as_deref() {
        let advice =
            "a step without actions and a step with them must lead to the same state as the latter alone";
        points.hold("performs the actions of each step", *after == after_one, advice);
        // A machine that changes nothing in this program tells nothing.
        let is_still = before == after && compared.given_in(&after_one) != after_one;
        let advice =
            "\"do\" is empty, and the state is that after an action; perform the actions of \"do\" only";
        points.hold("performs nothing without an action", !is_still, advice);
    }
    let [WireAction::StepInto] = step.r#do[..] else { return };
    let mut last = |steps: &[WireStep]| {
        compared.all_of(adapter.ask(&small.request(3, steps))).map(|mut states| states.pop())
    };
    let apart = last(&[step.clone(), step.clone()]);
    let together = last(&[doing(vec![WireAction::StepInto, WireAction::StepInto])]);
    let advice =
        "two actions in one step must lead to the same state as one action in each of two; perform them all";
    let both = apart.and_then(|apart| Ok((apart, together?)));
    points.answer("performs all actions of a step", both, |(apart, together)| apart == together, advice);
}

/// Tries whether the machine reports what it was given, in the same notation, when it has done nothing. A machine that
/// does not run the program tells nothing.
fn try_notation(
    adapter: &mut CheckedAdapter,
    known: FamilyMachine,
    small: &SmallProgram,
    points: &mut CheckPoints,
) {
    let program = program_of(known, sample);
    let step = WireStep {
        r#do: Vec::new(),
        observe: small.steps.first().map(|step| step.observe.clone()).unwrap_or_default(),
    };
    let sampled =
        SmallProgram { info: small.info, program: Json::Object(program.clone()), steps: vec![step] };
    let Ok(ProtocolAnswer::Done(done)) = adapter.ask(&sampled.request(4, &sampled.steps)) else { return };
    let Some(state) = done.steps.first() else { return };
    let read = |fields: &Map<String, Json>, field: &MemberShape| {
        plain::read(fields.get(field.name)?.clone(), &field.shape).ok()
    };
    let fields = known.machine.fields.iter().filter_map(|field| {
        let Shape::Declared(declared) = field.shape else { return None };
        Some((&declared.name, &declared.field_type, read(&program, field)?, read(&state.fields, field)?))
    });
    let mistake = notation::mistake(&fields.collect::<Vec<_>>());
    points.add("reports what it was given unchanged", mistake.map_or(Ok(()), Err));
}

fn action(name: &str) -> Option<WireAction> {
    WireAction::all().into_iter().find(|action| action.name() == name)
}
