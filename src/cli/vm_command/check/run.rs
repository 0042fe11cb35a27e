//! How an adapter runs programs: beside the machine of this crate.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use vmconf::machines::{self, MachineInfo};
use vmconf::wire::plain;
use vmconf::wire::protocol::{
    DigestsRequest, ObservedState, Offer, OptionalRequest, ProtocolAnswer, Request, TraceRequest,
};

use super::adapter::{CheckPoints, CheckedAdapter, expect};
use super::in_flight::{try_in_flight, without_id};
use super::small_program::{SmallProgram, difference, other_value};
use super::steps::try_steps;

/// A number that no reader of small integers takes.
const LARGE_ID: u64 = 1 << 52;

/// The hash of no instructions: the SHA-256 of nothing.
const NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Tries the requests of a machine.
pub(super) fn try_machine(
    adapter: &mut CheckedAdapter,
    offer: &Offer,
    in_flight: usize,
    points: &mut CheckPoints,
) {
    let Some(info) = machines::by_name(&offer.machine) else { return };
    let Some(small) = SmallProgram::of(info, offer) else { return };
    let steps = &small.steps;
    let answer = adapter.ask(&small.request(1, steps));
    let first_run = try_answer(&answer, &small, points);
    let is_done = first_run != FirstRun::Refused;
    try_again(adapter, &small, &answer, points);
    let none = adapter.ask(&small.request(3, &[]));
    let is_empty = matches!(&none, Ok(ProtocolAnswer::Done(done)) if done.steps.is_empty());
    points
        .add("answers a run without steps", expect(none, is_empty || !is_done, "answer done with no steps"));
    try_empty(adapter, &small.with(json!({})), &first_run, points);
    try_strange(adapter, &small, &answer, points);
    // The steps of a machine that computes something else would be wrong too, for no other reason.
    if first_run == FirstRun::Agrees {
        try_steps(adapter, &small, offer, points);
    }
    try_optional(adapter, offer, &small, points);
    try_in_flight(adapter, in_flight, &small, points);
}

/// Tries a program without members, which some machines have and others not. `first_run` tells whether the
/// machine runs programs at all.
fn try_empty(
    adapter: &mut CheckedAdapter,
    empty: &SmallProgram,
    first_run: &FirstRun,
    points: &mut CheckPoints,
) {
    let is_done = *first_run != FirstRun::Refused;
    let answer = adapter.ask(&empty.request(4, &empty.steps));
    let Some(ours) = empty.ours(&empty.steps) else {
        let is_error = matches!(answer, Ok(ProtocolAnswer::Error(_)));
        let is_right = is_error || (!is_done && matches!(answer, Ok(ProtocolAnswer::Skip(_))));
        let advice = "answer error, with what is wrong";
        return points.add("answers error to a broken program", expect(answer, is_right, advice));
    };
    let difference = match &answer {
        Ok(ProtocolAnswer::Done(done)) => {
            done.steps.iter().zip(&ours).find_map(|(theirs, ours)| difference(empty.info, theirs, ours))
        }
        _ => None,
    };
    let is_right = !is_done || matches!(answer, Ok(ProtocolAnswer::Done(_)));
    let advice = "each member has a default: run it and answer done";
    let outcome = difference.map_or_else(|| expect(answer, is_right, advice), Err);
    points.add("runs a program without members", outcome);
}

/// How the first program ran.
#[derive(PartialEq, Eq)]
enum FirstRun {
    /// The machine does not run it.
    Refused,
    /// It leads to another state than with the machine of this crate.
    Differs,
    /// It leads to the same state.
    Agrees,
}

/// Tries the answer to a small program.
fn try_answer(
    answer: &Result<ProtocolAnswer, String>,
    small: &SmallProgram,
    points: &mut CheckPoints,
) -> FirstRun {
    let done = if let Ok(ProtocolAnswer::Done(done)) = answer { Some(done) } else { None };
    points.add("runs a small program", expect(answer.clone(), done.is_some(), "run it and answer done"));
    points.repeats_id(answer, 1);
    let Some(done) = done else { return FirstRun::Refused };
    let Some(ours) = small.ours(&small.steps) else { return FirstRun::Differs };
    let advice = format!("it reports {} states for {} steps", done.steps.len(), ours.len());
    points.hold("reports a state for each step", done.steps.len() == ours.len(), &advice);
    for (theirs, ours) in done.steps.iter().zip(&ours) {
        try_state(theirs, ours, small.info, points);
    }
    let mut states = done.steps.iter().zip(&ours);
    let agrees = states.all(|(theirs, ours)| difference(small.info, theirs, ours).is_none());
    if agrees { FirstRun::Agrees } else { FirstRun::Differs }
}

fn try_state(theirs: &ObservedState, ours: &ObservedState, info: &MachineInfo, points: &mut CheckPoints) {
    let is_ours = |name: &str| ours.fields.contains_key(name);
    points.has_fields(theirs, ours.fields.keys(), is_ours, "was not requested or has no value here");
    let (mut misfit, mut other) = (None, None);
    for field in info.fields {
        let [theirs, ours] = [theirs, ours].map(|state| state.fields.get(field.name).cloned());
        let (Some(theirs), Some(ours)) = (theirs, ours) else { continue };
        match (plain::read(theirs, &field.shape), plain::read(ours, &field.shape)) {
            (Ok(theirs), Ok(ours)) => other = other.or_else(|| other_value(field.name, &theirs, &ours)),
            (Err(wrong), _) => drop(misfit.get_or_insert(wrong.inside(field.name).to_string())),
            (_, Err(_)) => {}
        }
    }
    points.add("writes fields as the protocol says", misfit.map_or(Ok(()), Err));
    points.add("computes what vmconf computes", other.map_or(Ok(()), Err));
}

/// Sends the first request again, and with a large number. `answer` is the first answer.
pub(super) fn try_again(
    adapter: &mut CheckedAdapter,
    small: &SmallProgram,
    answer: &Result<ProtocolAnswer, String>,
    points: &mut CheckPoints,
) {
    let again = adapter.ask(&small.request(1, &small.steps));
    let is_same = |again: &ProtocolAnswer| answer.as_ref().is_ok_and(|answer| is_same_answer(answer, again));
    points.answer("gives the same answer twice", again, is_same, "make a fresh machine for each request");
    let large = adapter.ask(&small.request(LARGE_ID, &small.steps));
    let advice = "keep the number as it is, up to 2^53";
    points.answer("repeats a large id", large, |answer| answer.id() == Some(LARGE_ID), advice);
}

/// Whether answers are alike but for the number of the request, which another point is about.
fn is_same_answer(one: &ProtocolAnswer, other: &ProtocolAnswer) -> bool {
    without_id(one) == without_id(other)
}

/// Tries what later versions of vmconf may send, and what is for another adapter; then the first request again, whose
/// first answer is `answer`.
pub(super) fn try_strange(
    adapter: &mut CheckedAdapter,
    small: &SmallProgram,
    answer: &Result<ProtocolAnswer, String>,
    points: &mut CheckPoints,
) {
    let first = small.request(1, &small.steps);
    let Ok(mut strange) = serde_json::from_str::<Json>(&first.line()) else { return };
    let plain = adapter.ask(&first);
    strange["later"] = json!({"version": 2});
    let later = adapter.ask_line(&format!("{strange}\n"));
    let advice = "do not reject unknown members";
    let both = plain.and_then(|plain| Ok((plain, later?)));
    let is_same = |(plain, later): &(ProtocolAnswer, ProtocolAnswer)| is_same_answer(plain, later);
    points.answer("ignores members that it does not know", both, is_same, advice);
    strange["machine"] = json!("no-such-machine");
    let other = adapter.line(&format!("{strange}\n"));
    let is_skip = |line: &Vec<u8>| matches!(ProtocolAnswer::read(line), Ok(ProtocolAnswer::Skip(_)));
    points.answer("answers skip for another machine", other, is_skip, "answer skip, with a reason");
    strange["later"] = json!("x".repeat(1 << 20));
    let long = adapter.line(&format!("{strange}\n"));
    let outcome = long.map(|_| ()).map_err(|why| format!("{why}; read whole lines"));
    points.add("reads a line of a megabyte", outcome);
    let is_same = |again: &ProtocolAnswer| answer.as_ref().is_ok_and(|answer| is_same_answer(answer, again));
    let advice = "keep nothing between requests";
    points.answer("gives the same answer after all these", adapter.ask(&first), is_same, advice);
}

/// Tries the optional requests that are offered.
fn try_optional(adapter: &mut CheckedAdapter, offer: &Offer, small: &SmallProgram, points: &mut CheckPoints) {
    let SmallProgram { program, steps, .. } = small;
    let actions: Vec<_> = steps.iter().flat_map(|step| step.r#do.clone()).collect();
    let machine = offer.machine.clone();
    if offer.answers(OptionalRequest::Digests) {
        let request = Request::Digests(DigestsRequest {
            id: 5,
            machine: machine.clone(),
            program: program.clone(),
            r#do: actions.clone(),
            limits: BTreeMap::default(),
            after: vec![0, 1, 1_000_000],
        });
        let answer = adapter.ask(&request);
        let is_right = matches!(&answer, Ok(ProtocolAnswer::Digests(it)) if it.digests.len() == 2 && it.digests[0] == NOTHING);
        let advice = "answer one SHA-256 for each number that the run reaches, of nothing for 0";
        points.add("answers digests", expect(answer, is_right, advice));
    }
    if offer.answers(OptionalRequest::Trace) {
        let limits = BTreeMap::default();
        let program = program.clone();
        let request = Request::Trace(TraceRequest {
            id: 6,
            machine,
            program,
            r#do: actions,
            limits,
            skip: 0,
            count: 1,
        });
        let answer = adapter.ask(&request);
        let is_right = matches!(&answer, Ok(ProtocolAnswer::Trace(it)) if it.instructions.len() == 1);
        points.add("answers trace", expect(answer, is_right, "show as many instructions as requested"));
    }
}
