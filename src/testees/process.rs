//! A machine in another process as a testee. `docs/src/protocol.md` describes the protocol.
//!
//! | file | content |
//! |---|---|
//! | `pool.rs` | the processes of a machine, and which of them gets a request |
//! | `conversation.rs` | starts a process, writes lines to it, reads lines from it, ends it |
//! | `lines.rs` | the lines that it writes, and who waits for them |
//! | `trouble.rs` | why there is no answer |
//! | `stderr.rs` | the start and the end of its standard error |
//! | `breakdowns.rs` | how often it broke down over a request |
//! | `misconduct.rs` | what it does wrong outside of requests |
//! | `group.rs` | the process group of a process, with everything that it started |
//! | `command.rs` | how a process is started |
//! | `identity.rs` | the contents of what a command executes, for cached results |
//! | `case.rs` | from a case to a request, and from the answer to states |
//! | `declared.rs` | the same for machines that are described by data |
//! | `declared_difference.rs` | what differs between two values of a declared field |

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::testee::{See, Stopped, Testee};
use crate::machines::{self, Engine, MachineInfo};
use crate::model::case::{Program, Step};
use crate::model::diagnostic::Diagnostic;
use crate::model::event;
use crate::model::interrupt::Interrupt;
use crate::model::limits::Limits;
use crate::model::verdict::{Breakdown, FirstTry};
use crate::wire::line::quoted_around;
use crate::wire::protocol::{self, Greeting, Hello, Offer, ProtocolAnswer, Request, VERSION};

use self::breakdowns::SeenBreakdowns;
pub use self::breakdowns::{BreakdownCount, Breakdowns};
pub use self::case::limits_of;
use self::case::{TesteeRun, left_out};
pub use self::command::{DEFAULT_MEMORY, TesteeCommand};
pub use self::conversation::{Asking, Conversation};
use self::declared::DeclaredRun;
pub use self::group::ProcessGroups;
pub use self::identity::{UnknownIdentity, identity};
use self::misconduct::Misconduct;
use self::pool::{Pool, RequestInFlight, RunningTestee};
pub use self::trouble::Trouble;

mod breakdowns;
mod case;
mod command;
mod conversation;
mod declared;
mod declared_difference;
mod group;
mod identity;
mod lines;
mod misconduct;
mod pool;
mod stderr;
mod trouble;

/// The time limit for the first answer of a process if none is set, unless the limit for a case is longer.
pub const START: Duration = Duration::from_secs(20);

/// The maximum number of requests in flight per process, whatever it offers. Each takes a thread.
const MAX_IN_FLIGHT: usize = 16;

/// A machine in another process, and its running processes.
pub struct ProcessVm {
    command: TesteeCommand,
    hello: Hello,
    groups: ProcessGroups,
    /// The processes; dropping it ends them.
    pool: Pool,
    misconduct: Misconduct,
    breakdowns: SeenBreakdowns,
}

impl ProcessVm {
    /// Starts a process and reads its greeting. All its processes are in `groups` while they run.
    ///
    /// # Errors
    ///
    /// If it cannot be started, does not answer `hello`, or speaks another version of the protocol; as a full
    /// sentence.
    pub fn start(
        command: TesteeCommand,
        groups: ProcessGroups,
        interrupt: &Interrupt,
    ) -> Result<ProcessVm, String> {
        let what = |trouble: Breakdown| {
            let stderr = trouble.stderr.trim_end();
            let stderr = if stderr.is_empty() { String::new() } else { format!(":\n{stderr}") };
            format!("{}: {}{stderr}", command.name, trouble.what)
        };
        let (hello, running) = match begin(&command, &groups, interrupt) {
            Ok(begun) => begun,
            Err(Stopped::Crash(breakdown) | Stopped::Timeout(breakdown)) => return Err(what(breakdown)),
            Err(_) => return Err(format!("{}: interrupted", command.name)),
        };
        let pool = Pool::new(hello.in_flight.clamp(1, MAX_IN_FLIGHT), running);
        let (misconduct, breakdowns) = (Misconduct::default(), SeenBreakdowns::default());
        Ok(ProcessVm { command, hello, groups, pool, misconduct, breakdowns })
    }

    /// The names of the machine, for reports.
    pub fn about(&self) -> event::UsedVm {
        let Hello { name, release, .. } = &self.hello;
        let left_out = self.hello.machines.iter().flat_map(|offer| {
            let hashed = machines::by_name(&offer.machine).and_then(|info| info.hashed);
            hashed.map_or(Vec::new(), |hashed| left_out(&hashed, offer))
        });
        event::UsedVm {
            name: self.command.name.clone(),
            implementation: name.clone(),
            release: release.clone(),
            not_compared: left_out.map(str::to_owned).collect(),
            extensions: self.extensions(),
        }
    }

    /// What its machines do beyond their specifications; with the name of the machine if there are several.
    fn extensions(&self) -> Vec<String> {
        let offers = &self.hello.machines;
        let named = |offer: &Offer, text: &String| match offers.len() {
            1 => text.clone(),
            _ => format!("{}: {text}", offer.machine),
        };
        let of =
            |offer: &'_ Offer| offer.extensions.iter().map(|text| named(offer, text)).collect::<Vec<_>>();
        offers.iter().flat_map(of).collect()
    }

    /// How it is started.
    pub fn command(&self) -> &TesteeCommand {
        &self.command
    }

    /// What it reports about itself.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// What it reports about a machine; `None` if it does not implement that machine.
    pub fn offer(&self, machine: &str) -> Option<&Offer> {
        self.hello.machines.iter().find(|offer| offer.machine == machine)
    }

    /// Whether it answers an optional request, such as `trace`, for a machine.
    pub fn answers(&self, machine: &str, request: &str) -> bool {
        self.offer(machine).is_some_and(|offer| offer.requests.iter().any(|name| name == request))
    }

    /// The number of requests that a process may have in flight.
    pub fn in_flight(&self) -> usize {
        self.hello.in_flight.clamp(1, MAX_IN_FLIGHT)
    }

    /// Sends a request to a process and returns the answer, on a new process if the first one breaks down and had other
    /// requests. `request` is called with the number of the request.
    ///
    /// # Errors
    ///
    /// If the process crashes, breaks the protocol or does not answer in time, or on an interrupt.
    pub fn ask(
        &self,
        request: &dyn Fn(u64) -> Request,
        interrupt: &Interrupt,
    ) -> Result<ProtocolAnswer, Stopped> {
        let exchange = |conversation: &Conversation, id| {
            ask(conversation, &request(id), self.command.timeout, interrupt)
        };
        self.answer(&exchange, interrupt).map(|answered| answered.answer)
    }

    /// Sends a request to a process and returns what `exchange` makes of the answer; it is called with the process and
    /// the number of the request.
    ///
    /// A process that crashes or times out is ended. If it had other requests before or at the same time, the
    /// request is repeated alone on a new process, so that it is not blamed for the effects of another
    /// request. If one of the requests in flight crashes or times out alone as well, the others are
    /// not flaky.
    ///
    /// # Errors
    ///
    /// If the process crashes, breaks the protocol or does not answer in time, or on an interrupt.
    fn answer<T>(
        &self,
        exchange: &dyn Fn(&Conversation, u64) -> Result<T, Trouble>,
        interrupt: &Interrupt,
    ) -> Result<Answered<T>, Stopped> {
        let _user = self.pool.enter();
        let (mut first, mut request) = (None, None);
        if let Some(running) = self.pool.place() {
            let in_flight = RequestInFlight::new(&running);
            let id = running.next_id();
            let is_alone = id == 1 && self.in_flight() == 1;
            let start = Instant::now();
            let stopped = match exchange(&running.conversation, id) {
                Ok(answer) => {
                    self.pool.leave(&running);
                    return Ok(Answered { answer, first: None });
                }
                Err(trouble) => self.end(&running, trouble),
            };
            match &stopped {
                Stopped::Crash(_) | Stopped::Timeout(_) if !is_alone => {
                    first = Some((stopped, start.elapsed()));
                }
                _ => {
                    self.breakdowns.add_steady(&stopped);
                    return Err(stopped);
                }
            }
            request = Some(in_flight);
            self.pool.announce();
        }
        match self.answer_alone(exchange, interrupt) {
            Ok(answer) => {
                // A process may have several requests, of which only one is to blame.
                if request.is_some_and(RequestInFlight::explained_by_another) {
                    first = None;
                }
                if let Some((stopped, _)) = &first {
                    self.breakdowns.add_unrepeated(stopped);
                }
                Ok(Answered { answer, first: first.and_then(first_try) })
            }
            Err(stopped) => {
                if let (Some(request), Stopped::Crash(_) | Stopped::Timeout(_)) = (request, &stopped) {
                    request.breaks_down_alone();
                }
                self.pool.withdraw();
                self.breakdowns.add_steady(&stopped);
                Err(match (stopped, first) {
                    (Stopped::Timeout(second), Some((Stopped::Crash(crash), _))) => {
                        late_after(&second, &crash)
                    }
                    (stopped, _) => stopped,
                })
            }
        }
    }

    /// Sends a request to a new process, which was announced and gets other requests only after this one.
    fn answer_alone<T>(
        &self,
        exchange: &dyn Fn(&Conversation, u64) -> Result<T, Trouble>,
        interrupt: &Interrupt,
    ) -> Result<T, Stopped> {
        let (_, running) = begin(&self.command, &self.groups, interrupt)?;
        let answer = exchange(&running.conversation, running.next_id());
        let answer = answer.map_err(|trouble| running.conversation.end(trouble))?;
        self.pool.add(running);
        Ok(answer)
    }

    /// Ends a process that broke down.
    fn end(&self, running: &Arc<RunningTestee>, trouble: Trouble) -> Stopped {
        self.pool.remove(running);
        // What follows a line that is not an answer belongs to that line.
        if !matches!(trouble, Trouble::Broke(_)) {
            self.misconduct.add_stray(&running.conversation);
        }
        running.conversation.end(trouble)
    }

    /// How often it broke down over a request so far.
    pub fn breakdowns(&self) -> Breakdowns {
        self.breakdowns.so_far()
    }

    /// Ends all processes, and says what they did wrong outside of requests since the last call, if they did.
    pub fn finish(&self) -> Option<Diagnostic> {
        let all = self.pool.take_all();
        let start = Instant::now();
        for running in &all {
            running.conversation.close();
        }
        for running in &all {
            let ended = running.conversation.finish(start, self.command.timeout);
            self.misconduct.add_stray(&running.conversation);
            if let Err(breakdown) = ended {
                self.misconduct.add_end(breakdown);
            }
        }
        self.misconduct.take()
    }

    /// Ends all processes without waiting for them, and says what they wrote outside of requests since the last call, if
    /// they did.
    pub fn abandon(&self) -> Option<Diagnostic> {
        for running in &self.pool.take_all() {
            running.conversation.close();
            self.misconduct.add_stray(&running.conversation);
        }
        self.misconduct.take()
    }
}

/// An answer, and how the process broke down the first time if the request was repeated.
struct Answered<T> {
    answer: T,
    first: Option<FirstTry>,
}

/// How a process broke down that had a request for this time.
fn first_try((stopped, time): (Stopped, Duration)) -> Option<FirstTry> {
    match stopped {
        Stopped::Crash(breakdown) | Stopped::Timeout(breakdown) => Some(FirstTry { breakdown, time }),
        Stopped::Unsupported(_) | Stopped::Error(_) | Stopped::Interrupted => None,
    }
}

impl fmt::Debug for ProcessVm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vm")
            .field("command", &self.command)
            .field("hello", &self.hello)
            .finish_non_exhaustive()
    }
}

/// Starts a process and says hello.
fn begin(
    command: &TesteeCommand,
    groups: &ProcessGroups,
    interrupt: &Interrupt,
) -> Result<(Hello, RunningTestee), Stopped> {
    let conversation = Conversation::start(command, groups);
    let conversation = conversation.map_err(|error| {
        let what = format!("{} cannot be started: {error}", command.words[0]);
        Stopped::Crash(Breakdown { what, stderr: String::new() })
    })?;
    let hello = Request::Hello(Greeting { version: VERSION, vmconf: env!("CARGO_PKG_VERSION").to_owned() });
    let answer = ask(&conversation, &hello, command.start, interrupt);
    let hello = answer.and_then(|answer| match answer {
        ProtocolAnswer::Hello(hello) if hello.version == VERSION => hello.limited().map_err(Trouble::Broke),
        ProtocolAnswer::Hello(hello) => Err(Trouble::Broke(format!(
            "speaks version {} of the protocol, and vmconf speaks version {VERSION}",
            hello.version
        ))),
        other => Err(Trouble::Broke(format!("answered {} to hello", other.name()))),
    });
    match hello {
        Ok(hello) => Ok((hello, RunningTestee::new(conversation))),
        Err(trouble) => Err(conversation.end(trouble)),
    }
}

/// Sends a request and reads the answer to it.
fn ask(
    conversation: &Conversation,
    request: &Request,
    timeout: Duration,
    interrupt: &Interrupt,
) -> Result<ProtocolAnswer, Trouble> {
    let line = conversation.ask(Asking { line: request.line(), id: request.id(), timeout }, interrupt)?;
    let answer = ProtocolAnswer::read(&line);
    let answer = answer.map_err(|error| {
        let quoted = quoted_around(&line, error.column.map_or(0, |column| column.saturating_sub(1)));
        Trouble::Broke(format!("wrote a line that is not an answer: it {error}: {quoted}"))
    })?;
    match (request.id(), answer.id()) {
        (Some(asked), Some(answered)) if asked == answered => Ok(answer),
        (None, None) => Ok(answer),
        (Some(asked), Some(answered)) => {
            Err(Trouble::Broke(format!("answered request {answered} instead of {asked}")))
        }
        (Some(_), None) => Err(Trouble::Broke("answered hello to another request".to_owned())),
        (None, Some(_)) => Err(Trouble::Broke(format!("answered {} to hello", answer.name()))),
    }
}

/// A program and its steps in the form of a request.
///
/// # Errors
///
/// When the program has a mnemonic that does not exist.
pub fn written(
    info: &'static MachineInfo,
    program: &Program,
    steps: &[Step],
) -> Result<(serde_json::Value, Vec<protocol::WireStep>), Stopped> {
    let program = (info.assemble)(program).map_err(Stopped::not_loadable)?;
    Ok(case::written(info, &program, steps))
}

/// The request for a case of a machine that is described by data, to a process that reports every field. It is empty if
/// the case has an action that no family has.
pub fn example_request(info: &'static MachineInfo, program: &Program, steps: &[Step]) -> String {
    let actions = ["execute", "step-into", "step-over", "step-out"].map(str::to_owned).to_vec();
    let offer = Offer {
        machine: info.name.to_owned(),
        fields: info.fields.iter().map(|field| field.name.to_owned()).collect(),
        actions,
        revisions: Vec::new(),
        lacks: Vec::new(),
        extensions: Vec::new(),
        requests: Vec::new(),
    };
    let run = DeclaredRun::new(info, &offer, program, steps);
    run.map_or_else(|_| String::new(), |run| run.request(1, &BTreeMap::new()))
}

/// A machine in another process as a testee.
pub struct Process {
    vm: Arc<ProcessVm>,
    info: &'static MachineInfo,
    limits: Limits,
    interrupt: Interrupt,
}

impl Process {
    /// A testee for a machine of this process. Its cases end when `interrupt` is requested.
    pub fn new(
        vm: Arc<ProcessVm>,
        info: &'static MachineInfo,
        limits: &Limits,
        interrupt: &Interrupt,
    ) -> Process {
        let (limits, interrupt) = (limits.clone(), interrupt.clone());
        Process { vm, info, limits, interrupt }
    }
}

impl Testee for Process {
    fn run(&mut self, program: &Program, steps: &[Step], see: See<'_>) -> Result<Option<FirstTry>, Stopped> {
        let Some(offer) = self.vm.offer(self.info.name) else {
            return Err(Stopped::Unsupported(format!("no machine {}", self.info.name)));
        };
        let limits = limits_of(&self.limits);
        let timeout = self.vm.command.timeout;
        let Answered { answer, first } = if self.info.engine == Engine::Elsewhere {
            let run = DeclaredRun::new(self.info, offer, program, steps)?;
            let exchange = |conversation: &Conversation, id| {
                let asking = Asking { line: run.request(id, &limits), id: Some(id), timeout };
                run.states(conversation.ask(asking, &self.interrupt)?, id)
            };
            self.vm.answer(&exchange, &self.interrupt)?
        } else {
            let program = (self.info.assemble)(program).map_err(Stopped::not_loadable)?;
            let run = TesteeRun::new(self.info, offer, &program, steps)?;
            let exchange = |conversation: &Conversation, id| {
                let answer = ask(conversation, &run.request(id, &limits), timeout, &self.interrupt)?;
                run.states(answer)
            };
            self.vm.answer(&exchange, &self.interrupt)?
        };
        let states = match (answer, &first) {
            (Ok(states), _) => states,
            (Err(refused), None) => return Err(refused),
            (Err(refused), Some(first)) => return Err(refused_after(refused, first)),
        };
        states.iter().enumerate().for_each(|(index, state)| see(index, state));
        Ok(first)
    }
}

/// How a case ended that crashed the process, and timed out when it was repeated: the crash is not forgotten. The process
/// may have crashed for another request, so the time-out decides.
fn late_after(second: &Breakdown, Breakdown { what, stderr }: &Breakdown) -> Stopped {
    let parts = [&**stderr, &*second.stderr].map(str::trim_end);
    let parts: Vec<_> = parts.into_iter().filter(|it| !it.is_empty()).collect();
    let what = format!("{}; the first time, {what}", second.what);
    Stopped::Timeout(Breakdown { what, stderr: parts.join("\n") })
}

/// How a run ended that was refused when it was repeated: the breakdown is not forgotten.
fn refused_after(refused: Stopped, first: &FirstTry) -> Stopped {
    let Breakdown { what, stderr } = first.breakdown.clone();
    let why = match refused {
        Stopped::Unsupported(reason) => format!("unsupported: {reason}"),
        Stopped::Error(error) => format!("an error: {error}"),
        Stopped::Interrupted | Stopped::Crash(_) | Stopped::Timeout(_) => return refused,
    };
    Stopped::Crash(Breakdown { what: format!("{what}; alone in a new process, {why}"), stderr })
}
