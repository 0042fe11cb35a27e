//! How an adapter runs programs: beside the machine of this crate.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use vmconf::formats::{Inputs, NewVector, made_for};
use vmconf::machines::{self, MachineInfo};
use vmconf::run::LoadOptions;
use vmconf::run::file_options::FileOptions;
use vmconf::testees::process::written;
use vmconf::testees::server::Server;
use vmconf::wire::plain;
use vmconf::wire::protocol::{
    self, Digests, ObservedState, Offer, ProtocolAnswer, Request, RunRequest, TraceRequest,
};

use super::adapter::{CheckPoints, CheckedAdapter};
use crate::cli::program::case_of;

/// A number that no reader of small integers takes.
pub(super) const LARGE_ID: u64 = 1 << 52;

/// The hash of no instructions: the SHA-256 of nothing.
const NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// The program and its steps, which observe the offered fields.
fn request_of(info: &'static MachineInfo, offer: &Offer) -> Option<(Json, Vec<protocol::WireStep>)> {
    let (format, make) = made_for(info.name)?;
    let program = serde_json::from_str(info.sample).ok()?;
    // Other machines lack the forks after it; a machine without forks ignores it.
    let inputs = Inputs { fork: Some("Cancun".to_owned()), ..Inputs::default() };
    let new = NewVector { name: "program", program: &program, inputs: &inputs, state: None };
    let text = (make.make)(&new).ok()?.to_string();
    let file = FileOptions { format: Some(format), ..FileOptions::default() };
    let case = case_of(text, &LoadOptions { file, ..LoadOptions::default() }).ok()?;
    let (program, mut steps) = written(info, &case.program, &case.steps).ok()?;
    for step in &mut steps {
        step.observe.clone_from(&offer.fields);
    }
    Some((program, steps))
}

/// Tries the requests of a machine.
pub(super) fn try_machine(adapter: &mut CheckedAdapter, offer: &Offer, points: &mut CheckPoints) {
    let Some(info) = machines::by_name(&offer.machine) else { return };
    let Some((program, steps)) = request_of(info, offer) else { return };
    let run = |id, program: &Json, steps: &[protocol::WireStep]| {
        let (program, steps) = (program.clone(), steps.to_vec());
        Request::Run(RunRequest {
            id,
            machine: info.name.to_owned(),
            program,
            steps,
            limits: BTreeMap::default(),
        })
    };
    let first = run(1, &program, &steps);
    let answer = adapter.ask(&first);
    let is_done = try_answer(&answer, &first, info, points);
    let again = adapter.ask(&first);
    points.hold("gives the same answer twice", answer == again, "make a fresh machine for each request");
    let large = adapter.ask(&run(LARGE_ID, &program, &steps)).map(|answer| answer.id());
    let advice = "keep the number as it is, up to 2^53";
    points.hold("repeats a large id", large == Ok(Some(LARGE_ID)), advice);
    let none = adapter.ask(&run(3, &program, &[]));
    let is_empty = matches!(&none, Ok(ProtocolAnswer::Done(done)) if done.steps.is_empty());
    points
        .add("answers a run without steps", expect(none, is_empty || !is_done, "answer done with no steps"));
    let broken = run(4, &json!({}), &steps);
    // An empty program is one of some machines.
    if matches!(Server::new(info).answer(broken.line().as_bytes()), Ok(ProtocolAnswer::Error(_))) {
        let broken = adapter.ask(&broken);
        let is_error = matches!(broken, Ok(ProtocolAnswer::Error(_)));
        let advice = "answer error, with what is wrong";
        points.add("answers error to a broken program", expect(broken, is_error, advice));
    }
    try_strange(adapter, &first, points);
    let after = adapter.ask(&first);
    points.hold("gives the same answer after all these", answer == after, "keep nothing between requests");
    try_optional(adapter, offer, &program, &steps, points);
}

/// The outcome of a point whose answer must be of one kind.
fn expect(answer: Result<ProtocolAnswer, String>, is_right: bool, advice: &str) -> Result<(), String> {
    match answer {
        Ok(_) if is_right => Ok(()),
        Ok(ProtocolAnswer::Skip(skip)) => Err(format!("it answers skip ({}); {advice}", skip.reason)),
        Ok(ProtocolAnswer::Error(failure)) => {
            Err(format!("it answers error ({}); {advice}", failure.message))
        }
        Ok(_) => Err(format!("it answers something else; {advice}")),
        Err(why) => Err(format!("{why}; {advice}")),
    }
}

/// Tries the answer to a small program. Whether it ran.
fn try_answer(
    answer: &Result<ProtocolAnswer, String>,
    request: &Request,
    info: &'static MachineInfo,
    points: &mut CheckPoints,
) -> bool {
    let done = if let Ok(ProtocolAnswer::Done(done)) = answer { Some(done) } else { None };
    points.add("runs a small program", expect(answer.clone(), done.is_some(), "run it and answer done"));
    let id = answer.as_ref().ok().and_then(ProtocolAnswer::id);
    points.hold("repeats the id", id == request.id() || answer.is_err(), "copy \"id\" from the request");
    let Some(done) = done else { return false };
    let ours = Server::new(info).answer(request.line().as_bytes());
    let Ok(ProtocolAnswer::Done(ours)) = ours else { return true };
    let advice = format!("it reports {} states for {} steps", done.steps.len(), ours.steps.len());
    points.hold("reports a state for each step", done.steps.len() == ours.steps.len(), &advice);
    for (theirs, ours) in done.steps.iter().zip(&ours.steps) {
        try_state(theirs, ours, info, points);
    }
    true
}

fn try_state(theirs: &ObservedState, ours: &ObservedState, info: &MachineInfo, points: &mut CheckPoints) {
    let extra = theirs.fields.keys().find(|name| !ours.fields.contains_key(*name));
    let advice = format!("{} was not requested or has no value here", extra.map_or("", |name| name));
    points.hold("reports only what was requested", extra.is_none(), &advice);
    let missing = ours.fields.keys().find(|name| !theirs.fields.contains_key(*name));
    let advice =
        format!("{} is missing; report each field that hello lists", missing.map_or("", |name| name));
    points.hold("reports all that was requested", missing.is_none(), &advice);
    let (mut misfit, mut other) = (None, None);
    for field in info.fields {
        let [theirs, ours] = [theirs, ours].map(|state| state.fields.get(field.name).cloned());
        let (Some(theirs), Some(ours)) = (theirs, ours) else { continue };
        match (plain::read(theirs, &field.shape), plain::read(ours, &field.shape)) {
            (Ok(theirs), Ok(ours)) if theirs.clone().in_order() == ours.clone().in_order() => {}
            (Ok(theirs), Ok(ours)) => {
                other.get_or_insert(format!(
                    "{} is {theirs}, and the machine of vmconf has {ours}",
                    field.name
                ));
            }
            (Err(wrong), _) => drop(misfit.get_or_insert(wrong.inside(field.name).to_string())),
            (_, Err(_)) => {}
        }
    }
    points.add("writes fields as the protocol says", misfit.map_or(Ok(()), Err));
    points.add("computes what vmconf computes", other.map_or(Ok(()), Err));
}

/// Tries what later versions of vmconf may send, and what is for another adapter.
pub(super) fn try_strange(adapter: &mut CheckedAdapter, request: &Request, points: &mut CheckPoints) {
    let Ok(mut strange) = serde_json::from_str::<Json>(&request.line()) else { return };
    let plain = adapter.ask(request);
    strange["later"] = json!({"version": 2});
    let answer = adapter.line(format!("{strange}\n")).and_then(|line| {
        ProtocolAnswer::read(&line)
            .map_err(|error| format!("the answer is not one of the protocol: it {error}"))
    });
    points.hold("ignores members that it does not know", answer == plain, "do not reject unknown members");
    strange["machine"] = json!("no-such-machine");
    let answer = adapter.line(format!("{strange}\n"));
    let is_skip = answer.is_ok_and(|line| matches!(ProtocolAnswer::read(&line), Ok(ProtocolAnswer::Skip(_))));
    points.hold("answers skip for another machine", is_skip, "answer skip, with a reason");
    strange["later"] = json!("x".repeat(1 << 20));
    let answer = adapter.line(format!("{strange}\n"));
    points.add(
        "reads a line of a megabyte",
        answer.map(|_| ()).map_err(|why| format!("{why}; read whole lines")),
    );
}

/// Tries the optional requests that are offered.
fn try_optional(
    adapter: &mut CheckedAdapter,
    offer: &Offer,
    program: &Json,
    steps: &[protocol::WireStep],
    points: &mut CheckPoints,
) {
    let actions: Vec<_> = steps.iter().flat_map(|step| step.r#do.clone()).collect();
    let machine = offer.machine.clone();
    if offer.requests.iter().any(|name| name == "digests") {
        let request = Request::Digests(Digests {
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
    if offer.requests.iter().any(|name| name == "trace") {
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
