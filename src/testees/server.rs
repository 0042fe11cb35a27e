//! An embedded machine that speaks the process protocol: `vmconf serve`.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::embedded::Embedded;
use super::testee::{Stopped, Testee};
use crate::machines::MachineInfo;
use crate::machines::machine::{LoadError, Machine};
use crate::machines::observe::Observe;
use crate::model::case::{self, Program};
use crate::model::interrupt::Interrupt;
use crate::model::limits::{Limits, ROWS};
use crate::model::path::Path;
use crate::model::shape::{Member, Shape};
use crate::wire::line::LineError;
use crate::wire::plain;
use crate::wire::protocol::{
    Action, Answer, Digests, DigestsDone, Done, Failure, Hello, Key, MOST_INSTRUCTIONS, Offer, Request, Run,
    Skip, State, Step, Trace, TraceDone, VERSION,
};

use self::observer::{Hasher, Range};

mod observer;

/// How many requests may be in flight: enough that neither this process nor vmconf waits for the other.
const IN_FLIGHT: usize = 8;

/// Answers requests with an embedded machine.
pub struct Server {
    info: &'static MachineInfo,
    make: Box<MakeServed>,
    fields: Vec<Member>,
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
        Server { info, make: Box::new(make), fields: (info.fields)(), last: None }
    }

    /// The answer to a line.
    ///
    /// # Errors
    ///
    /// If the line is not a request. The conversation then ends.
    pub fn answer(&mut self, line: &[u8]) -> Result<Answer, LineError> {
        Ok(self.answer_to(Request::read(line)?))
    }

    /// The answer to a request.
    pub fn answer_to(&mut self, request: Request) -> Answer {
        let id = request.id().unwrap_or_default();
        let answer = match request {
            Request::Hello(_) => Ok(Answer::Hello(self.hello())),
            Request::Run(run) => self.run(run),
            Request::Digests(digests) => self.digests(digests),
            Request::Trace(trace) => self.trace(trace),
        };
        answer.unwrap_or_else(|refusal| refusal.into_answer(id))
    }

    fn hello(&self) -> Hello {
        let actions = [
            Action::Execute,
            Action::Run(0),
            Action::Set(Json::Null),
            Action::StepInto,
            Action::StepOver,
            Action::StepOut,
        ];
        let offer = Offer {
            machine: self.info.name.to_owned(),
            fields: self.fields.iter().map(|field| field.name.to_owned()).collect(),
            actions: actions.iter().map(|action| action.name().to_owned()).collect(),
            revisions: Vec::new(),
            lacks: Vec::new(),
            requests: vec!["digests".to_owned(), "trace".to_owned()],
        };
        Hello {
            version: VERSION,
            name: "vmconf".to_owned(),
            release: env!("CARGO_PKG_VERSION").to_owned(),
            language: Some("Rust".to_owned()),
            homepage: None,
            machines: vec![offer],
            in_flight: IN_FLIGHT,
        }
    }

    fn run(&mut self, Run { id, machine, program, steps, limits }: Run) -> Result<Answer, Refusal> {
        let program = self.program(&machine, program)?;
        let (actions, wanted): (Vec<_>, Vec<Vec<String>>) =
            steps.into_iter().map(|Step { r#do, observe }| (r#do, observe)).unzip();
        let unknown = |field: &&String| self.fields.iter().all(|known| known.name != **field);
        if let Some(field) = wanted.iter().flatten().find(unknown) {
            return Err(error(format!("{machine} has no field {field}")));
        }
        let steps = actions.into_iter().map(|actions| self.step(actions)).collect::<Result<Vec<_>, _>>()?;
        let fields = self.fields.clone();
        let embedded = self.embedded(&limits)?;
        let mut states = Vec::with_capacity(steps.len());
        let mut ended = None;
        embedded.run(&program, &steps, &mut |index, state| {
            states.push(State { fields: observed(state, &wanted[index], &fields) });
            if index + 1 == steps.len() {
                ended = Some(state.describe());
            }
        })?;
        Ok(Answer::Done(Done { id, steps: states, ended }))
    }

    fn digests(&mut self, request: Digests) -> Result<Answer, Refusal> {
        let Digests { id, machine, program, r#do, limits, after } = request;
        if !after.is_sorted() {
            return Err(error("after is not in ascending order".to_owned()));
        }
        let program = self.program(&machine, program)?;
        let step = self.step(r#do)?;
        let mut hasher = Hasher::new(after);
        self.embedded(&limits)?.watch(&program, &[step], Some(&mut hasher), &mut |_, _| {})?;
        let (digests, instructions) = hasher.finish();
        Ok(Answer::Digests(DigestsDone { id, digests, instructions }))
    }

    fn trace(&mut self, request: Trace) -> Result<Answer, Refusal> {
        let Trace { id, machine, program, r#do, limits, skip, count } = request;
        let program = self.program(&machine, program)?;
        let step = self.step(r#do)?;
        let mut range = Range::new(skip, count.min(MOST_INSTRUCTIONS));
        self.embedded(&limits)?.watch(&program, &[step], Some(&mut range), &mut |_, _| {})?;
        Ok(Answer::Trace(TraceDone { id, instructions: range.instructions }))
    }

    fn program(&self, machine: &str, program: Json) -> Result<Program, Refusal> {
        if machine != self.info.name {
            return Err(Refusal::Skip(format!("this is {}, not {machine}", self.info.name)));
        }
        let program = plain::read(program, &Shape::Record(self.info.program));
        Ok(program.map_err(|misfit| error(misfit.inside("program").to_string()))?.into())
    }

    fn step(&self, actions: Vec<Action>) -> Result<case::Step, Refusal> {
        let actions = actions.into_iter().map(|action| {
            Ok(match action {
                Action::Execute => case::Action::Execute,
                Action::Run(count) => case::Action::Run(count),
                Action::Set(changes) => {
                    let changes = plain::read(changes, &Shape::Record(self.info.changes));
                    case::Action::Set(changes.map_err(|misfit| error(misfit.inside("set").to_string()))?)
                }
                Action::StepInto => case::Action::StepInto,
                Action::StepOver => case::Action::StepOver,
                Action::StepOut => case::Action::StepOut,
            })
        });
        Ok(case::Step {
            actions: actions.collect::<Result<_, Refusal>>()?,
            end: None,
            assertions: Vec::new(),
        })
    }

    /// A machine with these limits.
    fn embedded(&mut self, changed: &BTreeMap<String, u64>) -> Result<&mut Embedded, Refusal> {
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
fn observed(state: &(impl Observe + ?Sized), wanted: &[String], fields: &[Member]) -> Map<String, Json> {
    let value = |name: &String| {
        let field = fields.iter().find(|field| field.name == name)?;
        Some((name.clone(), plain::write(&state.observe(name)?, &field.shape)))
    };
    wanted.iter().filter_map(value).collect()
}

/// Why a request is rejected.
enum Refusal {
    Skip(String),
    Error(LoadError),
}

impl Refusal {
    fn into_answer(self, id: u64) -> Answer {
        match self {
            Refusal::Skip(reason) => Answer::Skip(Skip { id, reason }),
            Refusal::Error(LoadError { at, what }) => {
                let at = at.as_ref().map(Path::keys).unwrap_or_default();
                Answer::Error(Failure { id, message: what, at: at.into_iter().map(Key::from).collect() })
            }
        }
    }
}

impl From<Stopped> for Refusal {
    fn from(stopped: Stopped) -> Refusal {
        match stopped {
            Stopped::Error(reason) => Refusal::Error(reason),
            Stopped::Unsupported(reason) => Refusal::Skip(reason),
            Stopped::Interrupted => error("the run was interrupted".to_owned()),
            Stopped::Crash(breakdown) | Stopped::Timeout(breakdown) => error(breakdown.what),
        }
    }
}

fn error(what: String) -> Refusal {
    Refusal::Error(LoadError::new(what))
}
