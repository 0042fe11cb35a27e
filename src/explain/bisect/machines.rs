//! Finds the first difference between two machines by comparing hashes of their first instructions.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::divergence::{Compared, Divergence, NextInstruction};
use crate::isa::Isa;
use crate::machines::status::LoadError;
use crate::machines::{MachineInfo, UpcomingMembers};
use crate::model::limits::Limits;
use crate::model::{Breakdown, Case, Interrupt, Path, Program, Shape, Value, counted};
use crate::run::{IgnoredField, IgnoredFields};
use crate::testees::process::{ProcessVm, limits_of, written};
use crate::testees::server::Server;
use crate::testees::{EMBEDDED, Stopped};
use crate::text::typed::compared_after;
use crate::wire::eip3155::Eip3155Step;
use crate::wire::plain;
use crate::wire::protocol::{
    self, DigestsDone, DigestsRequest, Offer, OptionalRequest, ProtocolAnswer, Request, RunRequest,
    TraceDone, TraceRequest, TracedInstruction, WireAction,
};

/// How many hashes are requested at once.
const POINTS: u64 = 64;

/// How many lengths the first request asks for: 1, 2, 4, … up to [`MAX_SEARCHED`].
const DOUBLINGS: u32 = 41;

/// The number of instructions after which no difference is searched any more. No run is longer than that.
const MAX_SEARCHED: u64 = 1 << (DOUBLINGS - 1);

/// The same for a machine that only executes single instructions: each of them stands in the request.
const MAX_SINGLE_STEPS: u64 = 10_000;

/// A run whose instructions can be requested.
pub trait InstructionList {
    /// The hash of the first `n` instructions for each `n` in `after` that the run reaches, and how many
    /// instructions were executed, up to the last number.
    fn digests(&mut self, after: &[u64]) -> Result<(Vec<String>, u64), Stopped>;

    /// `count` instructions after the first `skip` ones.
    fn trace(&mut self, skip: u64, count: u64) -> Result<Vec<TracedInstruction>, Stopped>;
}

/// A place in a run: after the first actions, and a number of instructions of the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::explain) struct RunPoint {
    pub(in crate::explain) actions: usize,
    pub(in crate::explain) steps: u64,
}

/// A program on a machine in another process, or on an embedded one that answers the same requests.
pub struct OnVm {
    asked: AskedMachine,
    /// The machine that the program is for.
    info: &'static MachineInfo,
    /// What the case gives to it.
    given: Program,
    /// The same, as written in requests.
    program: serde_json::Value,
    actions: Vec<WireAction>,
    /// The limits of the runner that differ from their defaults, by the names of their flags.
    limits: BTreeMap<String, u64>,
    /// What the user does not compare.
    ignored: Vec<IgnoredField>,
    interrupt: Interrupt,
}

/// Who answers the requests.
enum AskedMachine {
    Process(Arc<ProcessVm>),
    Embedded(Box<Server>),
}

impl OnVm {
    /// A case on this machine. Fails if the program has a mnemonic that does not exist.
    pub fn new(
        vm: Arc<ProcessVm>,
        info: &'static MachineInfo,
        case: &Case,
        interrupt: Interrupt,
    ) -> Result<OnVm, Stopped> {
        OnVm::on(AskedMachine::Process(vm), info, case, interrupt)
    }

    /// A case on the embedded machine. As [`OnVm::new`].
    pub fn embedded(info: &'static MachineInfo, case: &Case) -> Result<OnVm, Stopped> {
        OnVm::served(Server::new(info), info, case)
    }

    /// A case on the machine of this server. As [`OnVm::new`].
    pub fn served(server: Server, info: &'static MachineInfo, case: &Case) -> Result<OnVm, Stopped> {
        OnVm::on(AskedMachine::Embedded(Box::new(server)), info, case, Interrupt::default())
    }

    fn on(
        asked: AskedMachine,
        info: &'static MachineInfo,
        case: &Case,
        interrupt: Interrupt,
    ) -> Result<OnVm, Stopped> {
        let (program, steps) = written(info, &case.program, &case.steps)?;
        let actions = steps.into_iter().flat_map(|step| step.r#do).collect();
        let (given, limits) = (case.program.clone(), BTreeMap::new());
        Ok(OnVm { asked, info, given, program, actions, limits, ignored: Vec::new(), interrupt })
    }

    /// The same with these limits of the runner.
    #[must_use]
    pub fn limited(self, limits: &Limits) -> Self {
        OnVm { limits: limits_of(limits), ..self }
    }

    /// The same as if the machine had none of these data, and bits that are ignored were always 0.
    #[must_use]
    pub fn without(self, ignored: &[IgnoredField]) -> Self {
        OnVm { ignored: ignored.to_vec(), ..self }
    }

    /// The same, without these fields as well.
    pub(in crate::explain) fn also_without(self, ignored: &[IgnoredField]) -> Self {
        let ignored = [&self.ignored[..], ignored].concat();
        OnVm { ignored, ..self }
    }

    /// Whether the user ignores something of the state.
    pub(super) fn ignores_fields(&self) -> bool {
        !self.ignored.is_empty()
    }

    fn ignored(&self) -> IgnoredFields<'_> {
        IgnoredFields::new(&self.ignored, self.info.fields)
    }

    /// Whether it reports its instructions.
    pub fn shows_instructions(&self) -> bool {
        self.answers(OptionalRequest::Digests) && self.answers(OptionalRequest::Trace)
    }

    /// Whether its instructions can be compared: it reports them, and they do not show a field of which the
    /// user ignores something.
    pub(super) fn shows_comparable_instructions(&self) -> bool {
        let mut shown = self.info.shown_by_instructions.iter();
        let is_ignored = |field: &str| self.ignored.iter().any(|ignored| ignored.field() == field);
        self.shows_instructions() && !shown.any(|field| is_ignored(field))
    }

    /// Whether anything can be compared with the other run.
    pub fn shares_state_with(&self, other: &OnVm) -> bool {
        self.shows_comparable_instructions() && other.shows_comparable_instructions()
            || self.declared().any(|field| [self, other].iter().all(|run| run.reported().contains(&field)))
    }

    /// What it says of the machine.
    fn offer(&self) -> Option<&Offer> {
        match &self.asked {
            AskedMachine::Process(vm) => vm.offer(self.info.name),
            AskedMachine::Embedded(server) => Some(&server.offer),
        }
    }

    /// Whether it answers an optional request.
    pub(in crate::explain) fn answers(&self, request: OptionalRequest) -> bool {
        self.offer().is_some_and(|offer| offer.answers(request))
    }

    /// The names of the fields that it reports.
    pub(in crate::explain) fn reported(&self) -> Vec<&str> {
        self.offer().map(|offer| offer.fields.iter().map(String::as_str).collect()).unwrap_or_default()
    }

    /// The names of the fields that its machine has, without those that the user ignores.
    pub(in crate::explain) fn declared(&self) -> impl Iterator<Item = &'static str> {
        let names = self.info.fields.iter().map(|field| field.name);
        names.filter(|name| !self.ignored().has(&Path::field(*name)))
    }

    /// The fields of its machine that may be observed only when a run has ended.
    pub(super) fn shown_at_end(&self) -> &'static [&'static str] {
        self.info.shown_at_end
    }

    /// The members of the state of its machine that only say which instruction is next.
    pub(super) fn upcoming(&self) -> Option<UpcomingMembers> {
        self.info.upcoming
    }

    /// Whether it can stop after a number of instructions.
    pub fn stops(&self) -> bool {
        self.offer().is_some_and(Offer::stops)
    }

    /// Whether it reports the steps of a run in some way.
    pub fn reports_steps(&self) -> bool {
        self.offer().is_some_and(Offer::reports_steps)
    }

    fn offers(&self, action: &WireAction) -> bool {
        self.offer().is_some_and(|offer| offer.performs(action.name()))
    }

    /// After how many instructions of an action it can stop at most.
    pub(in crate::explain) fn max_instructions(&self) -> u64 {
        if self.offers(&WireAction::Run(0)) { MAX_SEARCHED } else { MAX_SINGLE_STEPS }
    }

    /// After how many instructions of the action with this number it can stop at most.
    pub(super) fn max_instructions_of(&self, action: usize) -> u64 {
        let of_action = match self.action(action) {
            Some(WireAction::StepInto) => 1,
            Some(WireAction::Run(instructions)) => *instructions,
            _ => u64::MAX,
        };
        self.max_instructions().min(of_action)
    }

    /// The actions that execute a number of instructions, at most [`OnVm::max_instructions`]: one, or as many single
    /// steps of a machine that only has those.
    fn forward(&self, instructions: u64) -> Vec<WireAction> {
        if self.offers(&WireAction::Run(0)) {
            return vec![WireAction::Run(instructions)];
        }
        (0..instructions.min(MAX_SINGLE_STEPS)).map(|_| WireAction::StepInto).collect()
    }

    /// The number of actions.
    pub(in crate::explain) fn actions(&self) -> usize {
        self.actions.len()
    }

    /// Whether an action executes instructions.
    pub(in crate::explain) fn executes(&self, action: usize) -> bool {
        self.action(action).is_some_and(|action| !matches!(action, WireAction::Set(_)))
    }

    /// The action with this number.
    pub(in crate::explain) fn action(&self, number: usize) -> Option<&WireAction> {
        self.actions.get(number)
    }

    /// How many instructions the first actions execute. Fails when the machine gives no answer.
    pub(in crate::explain) fn instructions(&mut self, actions: usize) -> Result<u64, Stopped> {
        Ok(self.hashes(actions, &[MAX_SEARCHED])?.1)
    }

    /// How many instructions all actions execute. Fails when the machine gives no answer.
    pub fn all_instructions(&mut self) -> Result<u64, Stopped> {
        self.instructions(self.actions.len())
    }

    /// The state at each of these places, in ascending order: a record of those of the fields that have a value.
    /// Fails when the machine gives no answer.
    pub(in crate::explain) fn states(
        &mut self,
        stops: &[RunPoint],
        fields: &[String],
    ) -> Result<Vec<Value>, Stopped> {
        let (mut steps, mut last) = (Vec::with_capacity(stops.len()), RunPoint { actions: 0, steps: 0 });
        for stop in stops {
            // An action that was stopped after some instructions is sent again as a whole: the machine goes on from there.
            let mut actions = self.actions[last.actions..stop.actions].to_vec();
            let done = if stop.actions == last.actions { last.steps } else { 0 };
            if stop.steps > done {
                actions.extend(self.forward(stop.steps - done));
            }
            steps.push(protocol::WireStep { r#do: actions, observe: fields.to_vec() });
            last = *stop;
        }
        let request = Request::Run(RunRequest {
            id: 0,
            machine: self.info.name.to_owned(),
            program: self.program.clone(),
            steps,
            limits: self.limits.clone(),
        });
        match self.ask(request)? {
            ProtocolAnswer::Done(done) if done.steps.len() == stops.len() => {
                done.steps.into_iter().map(|state| self.state(state)).collect()
            }
            ProtocolAnswer::Done(done) => {
                Err(self.breach(&format!("answered {} steps of {}", done.steps.len(), stops.len())))
            }
            other => self.refused(other),
        }
    }

    fn state(&self, protocol::ObservedState { fields }: protocol::ObservedState) -> Result<Value, Stopped> {
        let values = plain::read_fields(fields, self.info.fields);
        let values = values.map_err(|misfit| self.breach(&format!("answered {misfit}")))?.into_iter();
        Ok(Value::record(values.map(|(name, value)| (name, self.compared(name, value)))))
    }

    /// What is compared of the value of a field.
    fn compared(&self, name: &'static str, value: Value) -> Value {
        let value = self.ignored().without_ignored(&Path::field(name), value);
        let field = self.info.fields.iter().find(|field| field.name == name);
        match field.map(|field| &field.shape) {
            Some(Shape::Declared(field)) => compared_after(&self.given, field, value),
            _ => value,
        }
    }

    fn hashes(&mut self, actions: usize, after: &[u64]) -> Result<(Vec<String>, u64), Stopped> {
        let request = Request::Digests(DigestsRequest {
            id: 0,
            machine: self.info.name.to_owned(),
            program: self.program.clone(),
            r#do: self.actions[..actions].to_vec(),
            limits: self.limits.clone(),
            after: after.to_vec(),
        });
        match self.ask(request)? {
            ProtocolAnswer::Digests(DigestsDone { digests, instructions, .. }) => {
                let reached = after.iter().filter(|number| **number <= instructions).count();
                let most = after.last().copied().unwrap_or(0);
                if instructions > most {
                    let executed = counted(instructions, "instruction");
                    return Err(
                        self.breach(&format!("executed {executed}, but was asked for at most {most}"))
                    );
                }
                if digests.len() == reached {
                    return Ok((digests, instructions));
                }
                let (hashes, numbers) = (digests.len(), counted(reached, "number"));
                let executed = counted(instructions, "instruction");
                Err(self.breach(&format!(
                    "answered digests of length {hashes}, but executed {executed}, which reach {numbers} of \"after\""
                )))
            }
            other => self.refused(other),
        }
    }

    /// `count` instructions after the first `skip` ones of the first actions. Fails when the machine gives no answer.
    pub(in crate::explain) fn instructions_of(
        &mut self,
        actions: usize,
        skip: u64,
        count: u64,
    ) -> Result<Vec<TracedInstruction>, Stopped> {
        let request = Request::Trace(TraceRequest {
            id: 0,
            machine: self.info.name.to_owned(),
            program: self.program.clone(),
            r#do: self.actions[..actions].to_vec(),
            limits: self.limits.clone(),
            skip,
            count,
        });
        match self.ask(request)? {
            ProtocolAnswer::Trace(TraceDone { instructions, .. }) => Ok(instructions),
            other => self.refused(other),
        }
    }

    fn ask(&mut self, request: Request) -> Result<ProtocolAnswer, Stopped> {
        match &mut self.asked {
            AskedMachine::Process(vm) => {
                vm.ask(request, &self.interrupt).map_err(|stopped| named(&vm.command().name, stopped))
            }
            AskedMachine::Embedded(server) => Ok(server.answer_to(request)),
        }
    }

    fn name(&self) -> &str {
        match &self.asked {
            AskedMachine::Process(vm) => &vm.command().name,
            AskedMachine::Embedded(_) => EMBEDDED,
        }
    }

    /// The machine broke the protocol, with its name.
    fn breach(&self, what: &str) -> Stopped {
        OnVm::broke(&format!("{} broke the protocol: it {what}", self.name()))
    }

    fn broke(what: &str) -> Stopped {
        Stopped::Crash(Breakdown { what: what.to_owned(), stderr: String::new() })
    }

    fn refused<T>(&self, answer: ProtocolAnswer) -> Result<T, Stopped> {
        match answer {
            ProtocolAnswer::Skip(skip) => {
                Err(Stopped::Unsupported(format!("{}: {}", self.name(), skip.reason)))
            }
            ProtocolAnswer::Error(failure) => {
                let what = format!("{}: {}", self.name(), failure.message);
                Err(Stopped::Error(LoadError { at: failure.path(), ..LoadError::new(what) }))
            }
            _ => Err(self.breach("answered something else than was requested")),
        }
    }
}

/// The same, with the name of the machine that broke down: a command may ask several.
fn named(vm: &str, stopped: Stopped) -> Stopped {
    let named = |Breakdown { what, stderr }| Breakdown { what: format!("{vm}: {what}"), stderr };
    match stopped {
        Stopped::Crash(breakdown) => Stopped::Crash(named(breakdown)),
        Stopped::Timeout(breakdown) => Stopped::Timeout(named(breakdown)),
        stopped => stopped,
    }
}

impl InstructionList for OnVm {
    fn digests(&mut self, after: &[u64]) -> Result<(Vec<String>, u64), Stopped> {
        self.hashes(self.actions.len(), after)
    }

    fn trace(&mut self, skip: u64, count: u64) -> Result<Vec<TracedInstruction>, Stopped> {
        self.instructions_of(self.actions.len(), skip, count)
    }
}

/// The first difference between the first `most` instructions of two runs, or their number if there is none. The
/// number of requests grows with the logarithm of that number.
pub fn compare_instructions(
    runs: [&mut dyn InstructionList; 2],
    isa: &Isa,
    most: u64,
) -> Result<Compared, Stopped> {
    let [one, other] = runs;
    let below = (0..DOUBLINGS).map(|power| 1 << power).take_while(|point| *point < most);
    let doubled: Vec<u64> = below.chain((most < 1 << DOUBLINGS).then_some(most)).collect();
    let (mut first, first_count) = one.digests(&doubled)?;
    let (mut second, second_count) = other.digests(&doubled)?;
    let mut points = doubled;
    // The first `start` instructions are equal, and the first `end` are not.
    let mut range = 0..first_count.min(second_count) + 1;
    loop {
        range = narrowed(range, &points, &first, &second);
        if range.end - range.start <= 1 {
            break;
        }
        points = between(&range, POINTS);
        first = one.digests(&points)?.0;
        second = other.digests(&points)?.0;
    }
    let step = range.start;
    if step == most || step == first_count && step == second_count {
        return Ok(Ok(step));
    }
    let skip = step.saturating_sub(1);
    let [first, second] =
        [one.trace(skip, 2)?, other.trace(skip, 2)?].map(|it| it.into_iter().map(|it| step_of(it, isa)));
    let mut sides = [first, second];
    let last = if step == 0 { None } else { sides.each_mut().map(Iterator::next)[0].take() };
    let next = sides
        .map(|mut side| side.next().map_or_else(|| NextInstruction::End(Vec::new()), NextInstruction::Step));
    let differs = next[0].differences(&next[1]);
    if differs.is_empty() {
        // What is hashed is what a trace shows.
        let what = format!(
            "one of the machines broke the protocol: their digests differ after instruction {step}, and their traces do not"
        );
        return Err(OnVm::broke(&what));
    }
    Ok(Err(Box::new(Divergence::after(step, last, differs, next))))
}

/// The range narrowed by the hashes at these points.
fn narrowed(range: Range<u64>, points: &[u64], first: &[String], second: &[String]) -> Range<u64> {
    let is_same = |index: usize| first.get(index).is_some_and(|digest| second.get(index) == Some(digest));
    let same = (0..points.len()).take_while(|index| is_same(*index)).count();
    let start = same.checked_sub(1).map_or(0, |last| points[last]);
    let end = points.get(same).copied().unwrap_or(u64::MAX);
    // If the hashes of a machine contradict each other, the range must still neither grow nor become empty.
    let start = start.clamp(range.start, range.end - 1);
    start..end.clamp(start + 1, range.end)
}

/// At most this number of points that divide the range evenly.
pub(super) fn between(range: &Range<u64>, most: u64) -> Vec<u64> {
    let stride = (range.end - range.start).div_ceil(most + 1).max(1);
    (1..=most).map(|index| range.start + index * stride).take_while(|point| *point < range.end).collect()
}

pub(in crate::explain) fn step_of(instruction: TracedInstruction, isa: &Isa) -> Eip3155Step {
    let TracedInstruction { pc, code, gas, height, top } = instruction;
    let known = u16::try_from(code).ok().and_then(|code| isa.by_code(code));
    let op = known.map_or_else(|| format!("{code:#04x}"), |op| op.name.to_owned());
    let mut state = vec![("pc", Value::int(pc)), ("op", Value::int(code))];
    state.extend(gas.map(|gas| ("gas", Value::int(gas))));
    state.push(("height", Value::int(height)));
    state.push(("top", Value::List(top.into_iter().map(Value::text).collect())));
    Eip3155Step { op, state }
}
