//! An embedded machine that speaks the process protocol: `vmconf serve`.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::embedded::Embedded;
use super::testee::{Stopped, Testee};
use crate::machines::MachineInfo;
use crate::machines::machine::Machine;
use crate::machines::observe::Observe;
use crate::machines::status::LoadError;
use crate::model::case;
use crate::model::limits::{Limits, ROWS};
use crate::model::{INTERRUPTED, Interrupt, MemberShape, Path, Program, Shape};
use crate::wire::line::LineError;
use crate::wire::plain;
use crate::wire::protocol::{
    DigestsDone, DigestsRequest, Hello, MAX_INSTRUCTIONS, ObservedState, Offer, OptionalRequest,
    ProtocolAnswer, Request, RunDone, RunRequest, Skip, TesteeFailure, TraceDone, TraceRequest, VERSION,
    WireAction, WireStep,
};

use self::observer::{Hasher, StepRange};

mod observer;

pub(crate) use self::observer::instruction;

/// How many requests may be in flight: enough that neither this process nor vmconf waits for the other.
const IN_FLIGHT: usize = 8;

/// Answers requests with an embedded machine.
pub struct Server {
    info: &'static MachineInfo,
    /// What it says of the machine in hello.
    pub offer: Offer,
    make: Box<MakeServed>,
    /// The machine of the last request, and its limits.
    last: Option<(Limits, Embedded)>,
}

/// Creates a machine with these limits.
type MakeServed = dyn Fn(&Limits) -> Box<dyn Machine> + Send;

impl Server {
    /// A server with this machine.
    pub fn new(info: &'static MachineInfo) -> Server {
        Server::with(info, info.new)
    }

    /// A server with machines created by `make`, which have the fields of this one.
    pub fn with(
        info: &'static MachineInfo,
        make: impl Fn(&Limits) -> Box<dyn Machine> + Send + 'static,
    ) -> Server {
        let offer = Offer {
            machine: info.name.to_owned(),
            fields: info.fields.iter().map(|field| field.name.to_owned()).collect(),
            actions: WireAction::all().iter().map(|action| action.name().to_owned()).collect(),
            requests: OptionalRequest::ALL.iter().map(|request| request.name().to_owned()).collect(),
            ..Offer::default()
        };
        Server { info, offer, make: Box::new(make), last: None }
    }

    /// The answer to a line. A line that is not a request is an error, and ends the conversation.
    pub fn answer(&mut self, line: &[u8]) -> Result<ProtocolAnswer, LineError> {
        Ok(self.answer_to(Request::read(line)?))
    }

    /// The answer to a request.
    pub fn answer_to(&mut self, request: Request) -> ProtocolAnswer {
        let id = request.id().unwrap_or_default();
        let answer = match request {
            Request::Hello(_) => Ok(ProtocolAnswer::Hello(self.hello())),
            Request::Run(run) => self.run(run),
            Request::Digests(digests) => self.digests(digests),
            Request::Trace(trace) => self.trace(trace),
        };
        answer.unwrap_or_else(|stopped| rejection(stopped, id))
    }

    fn hello(&self) -> Hello {
        Hello {
            version: VERSION,
            name: "vmconf".to_owned(),
            release: env!("CARGO_PKG_VERSION").to_owned(),
            language: Some("Rust".to_owned()),
            homepage: None,
            machines: vec![self.offer.clone()],
            in_flight: IN_FLIGHT,
        }
    }

    fn run(
        &mut self,
        RunRequest { id, machine, program, steps, limits }: RunRequest,
    ) -> Result<ProtocolAnswer, Stopped> {
        let program = self.program(&machine, program)?;
        let (actions, wanted): (Vec<_>, Vec<Vec<String>>) =
            steps.into_iter().map(|WireStep { r#do, observe }| (r#do, observe)).unzip();
        let unknown = |field: &&String| self.info.fields.iter().all(|known| known.name != **field);
        if let Some(field) = wanted.iter().flatten().find(unknown) {
            return Err(error(format!("{machine} has no field {field}")));
        }
        let steps = actions.into_iter().map(|actions| self.step(actions)).collect::<Result<Vec<_>, _>>()?;
        let fields = self.info.fields;
        let embedded = self.embedded(&limits)?;
        let mut states = Vec::with_capacity(steps.len());
        let mut ended = None;
        embedded.run(&program, &steps, &mut |index, state| {
            states.push(ObservedState { fields: observed(state, &wanted[index], fields) });
            if index + 1 == steps.len() {
                ended = Some(state.describe());
            }
        })?;
        Ok(ProtocolAnswer::Done(RunDone { id, steps: states, ended }))
    }

    fn digests(&mut self, request: DigestsRequest) -> Result<ProtocolAnswer, Stopped> {
        let DigestsRequest { id, machine, program, r#do, limits, after } = request;
        if !after.is_sorted() {
            return Err(error("after is not in ascending order".to_owned()));
        }
        let program = self.program(&machine, program)?;
        let step = self.step(r#do)?;
        let mut hasher = Hasher::new(after);
        self.embedded(&limits)?.watch(&program, &[step], Some(&mut hasher), &mut |_, _| {})?;
        let (digests, instructions) = hasher.finish();
        Ok(ProtocolAnswer::Digests(DigestsDone { id, digests, instructions }))
    }

    fn trace(&mut self, request: TraceRequest) -> Result<ProtocolAnswer, Stopped> {
        let TraceRequest { id, machine, program, r#do, limits, skip, count } = request;
        let program = self.program(&machine, program)?;
        let step = self.step(r#do)?;
        let mut range = StepRange::new(skip, count.min(MAX_INSTRUCTIONS));
        self.embedded(&limits)?.watch(&program, &[step], Some(&mut range), &mut |_, _| {})?;
        Ok(ProtocolAnswer::Trace(TraceDone { id, instructions: range.instructions }))
    }

    fn program(&self, machine: &str, program: Json) -> Result<Program, Stopped> {
        if machine != self.info.name {
            return Err(Stopped::Unsupported(format!("this is {}, not {machine}", self.info.name)));
        }
        let program = plain::read(program, &Shape::Record(self.info.program));
        Ok(program.map_err(|misfit| error(misfit.inside("program").to_string()))?.into())
    }

    fn step(&self, actions: Vec<WireAction>) -> Result<case::Step, Stopped> {
        let actions = actions.into_iter().map(|action| {
            Ok(match action {
                WireAction::Execute => case::Action::Execute,
                WireAction::Run(count) => case::Action::Run(count),
                WireAction::Set(changes) => {
                    let changes = plain::read(changes, &Shape::Record(self.info.changes));
                    case::Action::Set(changes.map_err(|misfit| error(misfit.inside("set").to_string()))?)
                }
                WireAction::StepInto => case::Action::StepInto,
                WireAction::StepOver => case::Action::StepOver,
                WireAction::StepOut => case::Action::StepOut,
            })
        });
        Ok(case::Step {
            actions: actions.collect::<Result<_, Stopped>>()?,
            end: None,
            assertions: Vec::new(),
        })
    }

    /// A machine with these limits.
    fn embedded(&mut self, changed: &BTreeMap<String, u64>) -> Result<&mut Embedded, Stopped> {
        let mut limits = Limits::default();
        for (name, value) in changed {
            let row = ROWS.iter().find(|row| row.flag == name);
            (row.ok_or_else(|| error(format!("there is no limit {name}")))?.set)(&mut limits, *value);
        }
        let last = self.last.take().filter(|(of_last, _)| *of_last == limits);
        let new = || Embedded::of((self.make)(&limits), &Interrupt::default());
        let machine = last.map_or_else(new, |(_, machine)| machine);
        Ok(&mut self.last.insert((limits, machine)).1)
    }
}

/// The requested fields that have a value.
fn observed(state: &(impl Observe + ?Sized), wanted: &[String], fields: &[MemberShape]) -> Map<String, Json> {
    let value = |name: &String| {
        let field = fields.iter().find(|field| field.name == name)?;
        Some((name.clone(), plain::write(&state.observe(name)?, &field.shape)))
    };
    wanted.iter().filter_map(value).collect()
}

/// The answer to a request that is rejected.
fn rejection(stopped: Stopped, id: u64) -> ProtocolAnswer {
    let reason = match stopped {
        Stopped::Unsupported(reason) => return ProtocolAnswer::Skip(Skip { id, reason }),
        Stopped::Error(reason) => reason,
        Stopped::Interrupted => LoadError::new(INTERRUPTED),
        Stopped::Crash(breakdown) | Stopped::Timeout(breakdown) => LoadError::new(breakdown.what),
    };
    let at = reason.at.as_ref().map(Path::keys).unwrap_or_default();
    let at = at.into_iter().cloned().collect();
    ProtocolAnswer::Error(TesteeFailure { id, message: reason.to_string(), at })
}

fn error(what: String) -> Stopped {
    Stopped::Error(LoadError::new(what))
}
