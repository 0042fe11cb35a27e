//! A machine in another process as a testee. `docs/src/protocol.md` describes the protocol.
//!
//! | file | content |
//! |---|---|
//! | `pool.rs` | the processes of a machine, and which of them gets a request |
//! | `conversation.rs` | starts a process, writes lines to it, reads lines from it, ends it |
//! | `exchange.rs` | a request and the line that answers it |
//! | `mailbox.rs` | messages to a thread |
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

use super::testee::{OnlyRun, RunEnd, RunObserver, StateObserver, Stopped, Testee};
use crate::machines::{self, Engine, MachineInfo};
use crate::model::event;
use crate::model::limits::Limits;
use crate::model::{Breakdown, Diagnostic, FirstTry, Interrupt, Program, Step};
use crate::wire::protocol::{
    self, Greeting, Hello, Offer, OptionalRequest, ProtocolAnswer, Request, VERSION, WireAction,
};

pub use self::breakdowns::{BreakdownCount, Breakdowns};
use self::breakdowns::{SeenBreakdowns, late_after, refused_after};
pub use self::case::limits_of;
use self::case::{RunStates, TesteeRun, compared_by_hash};
pub use self::command::{DEFAULT_MEMORY, TesteeCommand};
pub use self::conversation::{Asking, AwaitedAnswers, Conversation};
use self::declared::{DeclaredOffer, DeclaredRun};
pub use self::exchange::read_answer;
use self::exchange::{Exchange, Exchanged, read_hello};
pub use self::group::ProcessGroups;
pub use self::identity::{UnknownIdentity, identity};
pub use self::lines::Stray;
use self::misconduct::Misconduct;
use self::pool::{AnnouncedProcess, Pool, RequestsInFlight, RunningTestee, TakenPlaces};
pub use self::trouble::NoAnswerReason;

mod breakdowns;
mod case;
mod command;
mod conversation;
mod declared;
mod declared_difference;
mod exchange;
mod group;
mod identity;
mod lines;
mod mailbox;
mod misconduct;
mod pool;
mod script_words;
mod stderr;
mod trouble;

/// The time limit for the first answer of a process if none is set, unless the limit for a case is longer.
pub const DEFAULT_START_TIMEOUT: Duration = Duration::from_secs(20);

/// What is wrong with a process that describes another machine than the first one did.
const OTHER_HELLO: &str = "answered hello differently from the first process";

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
    /// Starts a process and reads its greeting. All its processes are in `groups` while they run. An error says as a
    /// full sentence that it cannot be started, does not answer `hello`, or speaks another version of the protocol.
    pub fn start(
        command: TesteeCommand,
        groups: ProcessGroups,
        interrupt: &Interrupt,
    ) -> Result<ProcessVm, String> {
        let what =
            |trouble: Breakdown| format!("{}: {}{}", command.name, trouble.what, trouble.stderr_in_line());
        let (hello, running) = match begin(&command, &groups, interrupt) {
            Ok(begun) => begun,
            Err(Stopped::Crash(breakdown) | Stopped::Timeout(breakdown)) => return Err(what(breakdown)),
            Err(_) => return Err(format!("{}: interrupted", command.name)),
        };
        let pool = Pool::new(hello.in_flight, running);
        let (misconduct, breakdowns) = (Misconduct::default(), SeenBreakdowns::default());
        Ok(ProcessVm { command, hello, groups, pool, misconduct, breakdowns })
    }

    /// The names of the machine, for reports.
    pub fn about(&self) -> event::UsedVm {
        let Hello { name, release, language, .. } = &self.hello;
        let left_out = self.hello.machines.iter().flat_map(|offer| {
            let hashed = machines::by_name(&offer.machine).and_then(|info| info.hashed);
            hashed.map_or(Vec::new(), |hashed| compared_by_hash(&hashed, offer))
        });
        event::UsedVm {
            name: self.command.name.clone(),
            implementation: name.clone(),
            release: release.clone(),
            language: language.clone(),
            not_compared: left_out.map(str::to_owned).collect(),
            lacks: self.said_by_offers(|offer| &offer.lacks),
            extensions: self.said_by_offers(|offer| &offer.extensions),
        }
    }

    /// Texts of its machines, each with the name of the machine if there are several.
    fn said_by_offers(&self, texts: fn(&Offer) -> &[String]) -> Vec<String> {
        let offers = &self.hello.machines;
        let named = |offer: &Offer, text: &String| match offers.len() {
            1 => text.clone(),
            _ => format!("{}: {text}", offer.machine),
        };
        offers.iter().flat_map(|offer| texts(offer).iter().map(|text| named(offer, text))).collect()
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

    /// Whether it answers an optional request, for a machine.
    pub fn answers(&self, machine: &str, request: OptionalRequest) -> bool {
        self.offer(machine).is_some_and(|offer| offer.answers(request))
    }

    /// The number of requests that a process may have in flight.
    pub fn in_flight(&self) -> usize {
        self.hello.in_flight
    }

    /// Starts at most this number of processes from now on, however many requests are asked at the same time; at least
    /// one.
    pub fn limit_processes(&self, max_processes: usize) {
        self.pool.limit(max_processes);
    }

    /// Sends a request, with a number of its own, to a process, or to a new one if that breaks down, and returns the
    /// answer. Fails if both processes crash, break the protocol or do not answer in time, or on an interrupt.
    pub fn ask(&self, request: Request, interrupt: &Interrupt) -> Result<ProtocolAnswer, Stopped> {
        let mut answer = None;
        let end =
            self.exchange(&[&PlainExchange(request)], interrupt, &mut |_, it| answer = it.answer()).pop();
        end.map_or(Err(Stopped::Interrupted), |(end, _)| end)?;
        answer.ok_or(Stopped::Interrupted)
    }

    /// Sends requests to processes, and calls `take` with the index of each when a process works on it and when it has
    /// answered, in any order. A process gets as many of them together as it takes.
    ///
    /// A process that crashes or times out is ended, and a request without an answer is repeated alone on a new process:
    /// it is not blamed for the effects of another request, nor for chance. If one of the requests in flight crashes or
    /// times out alone as well, the others are not flaky.
    fn exchange<E: Exchange>(
        &self,
        exchanges: &[&E],
        interrupt: &Interrupt,
        take: &mut dyn FnMut(usize, Exchanged<E::Answer>),
    ) -> Vec<(AnswerEnd, Duration)> {
        let mut ends = Vec::with_capacity(exchanges.len());
        while ends.len() < exchanges.len() {
            let done = ends.len();
            let rest = &exchanges[done..];
            let _asked = self.pool.enter(rest.len());
            let take = &mut |index, answer| take(done + index, answer);
            if let Some((running, places)) = self.pool.take_places_or_announce(rest.len()) {
                ends.extend(self.exchange_with(&running, &rest[..places], interrupt, take));
                continue;
            }
            ends.push(self.exchange_with_new(rest[0], interrupt, &mut |it| take(0, it)));
        }
        ends
    }

    /// As [`ProcessVm::exchange`], with a new process that was announced.
    fn exchange_with_new<E: Exchange>(
        &self,
        exchange: &E,
        interrupt: &Interrupt,
        take: &mut dyn FnMut(Exchanged<E::Answer>),
    ) -> (AnswerEnd, Duration) {
        let (answer, time) = self.answer_alone(exchange, interrupt, &mut || take(Exchanged::Started));
        let first = match answer {
            Ok(answer) => {
                take(Exchanged::Answered(answer));
                return (Ok(None), time);
            }
            Err(first) => (first, time),
        };
        if !first.0.is_breakdown() {
            return (Err(first.0), first.1);
        }
        let (end, time) = self.repeat(exchange, first, interrupt, take);
        if let Ok(Some((first, _))) = &end {
            self.breakdowns.add_unrepeated(first);
        }
        (end, time)
    }

    /// As [`ProcessVm::exchange`], with a process that has places for all of them.
    fn exchange_with<E: Exchange>(
        &self,
        running: &Arc<RunningTestee>,
        exchanges: &[&E],
        interrupt: &Interrupt,
        take: &mut dyn FnMut(usize, Exchanged<E::Answer>),
    ) -> Vec<(AnswerEnd, Duration)> {
        let in_flight = RequestsInFlight::new(running);
        let taken = TakenPlaces::new(&self.pool, running, exchanges.len());
        let ids = running.next_ids(exchanges.len());
        let mut lines = String::new();
        exchanges.iter().zip(ids.clone()).for_each(|(exchange, id)| exchange.write(id, &mut lines));
        let numbers: Vec<_> = ids.clone().map(Some).collect();
        let mut awaited = running.conversation.send(lines, &numbers, self.command.timeout);
        let (mut broken_down, mut times) = (Vec::new(), Vec::new());
        for (index, (exchange, id)) in exchanges.iter().zip(ids).enumerate() {
            take(index, Exchanged::Started);
            let line = awaited.next(interrupt);
            times.push(awaited.time());
            match line.and_then(|line| exchange.read(line, id)) {
                Ok(answer) => take(index, Exchanged::Answered(answer)),
                Err(trouble) => broken_down.push((index, self.end(running, trouble))),
            }
        }
        drop(taken);
        let mut ends: Vec<_> = exchanges.iter().map(|_| Ok(None)).collect();
        for (index, stopped) in broken_down {
            if !stopped.is_breakdown() {
                ends[index] = Err(stopped);
                continue;
            }
            let first = (stopped, times[index]);
            (ends[index], times[index]) =
                self.repeat(exchanges[index], first, interrupt, &mut |it| take(index, it));
            if ends[index].as_ref().is_err_and(Stopped::is_breakdown) {
                in_flight.breaks_down_alone();
            }
        }
        self.without_explained(ends, in_flight).into_iter().zip(times).collect()
    }

    /// Forgets the breakdowns for which another request that was in flight is to blame.
    fn without_explained(&self, mut ends: Vec<AnswerEnd>, in_flight: RequestsInFlight) -> Vec<AnswerEnd> {
        let mut unrepeated = ends.iter_mut().flatten().filter(|first| first.is_some()).peekable();
        if unrepeated.peek().is_none() {
            return ends;
        }
        if in_flight.are_explained() {
            unrepeated.for_each(|first| *first = None);
        } else {
            let first = unrepeated.filter_map(|first| first.as_ref());
            first.for_each(|(stopped, _)| self.breakdowns.add_unrepeated(stopped));
        }
        ends
    }

    /// Sends a request alone over which a process broke down the `first` time, and returns how that ended and how long
    /// it took.
    fn repeat<E: Exchange>(
        &self,
        exchange: &E,
        first: (Stopped, Duration),
        interrupt: &Interrupt,
        take: &mut dyn FnMut(Exchanged<E::Answer>),
    ) -> (AnswerEnd, Duration) {
        // After an interrupt, vmconf itself has ended the process: that is no breakdown.
        if interrupt.is_requested() {
            return (Err(Stopped::Interrupted), first.1);
        }
        if let Some(idle) = self.pool.announce() {
            self.finish_process(&idle, Instant::now());
        }
        let (answer, time) = self.answer_alone(exchange, interrupt, &mut || take(Exchanged::Started));
        let second = match answer {
            Ok(answer) => {
                take(Exchanged::Answered(answer));
                return (Ok(Some(first)), time);
            }
            Err(second) => second,
        };
        self.breakdowns.add_steady(&second);
        let second = match (second, first) {
            (Stopped::Timeout(second), (Stopped::Crash(crash), _)) => late_after(&second, &crash),
            (second, _) => second,
        };
        (Err(second), time)
    }

    /// Sends a request to a new process, which was announced and gets other requests only after this one. Calls
    /// `started` when the process has begun, and returns how long the answer took from then on, or how long the process
    /// did not begin.
    fn answer_alone<E: Exchange>(
        &self,
        exchange: &E,
        interrupt: &Interrupt,
        started: &mut dyn FnMut(),
    ) -> (Result<E::Answer, Stopped>, Duration) {
        let announced = AnnouncedProcess::new(&self.pool);
        let answer_of = |running: &RunningTestee| {
            let id = running.next_ids(1).start;
            let mut line = String::new();
            exchange.write(id, &mut line);
            let asking = Asking { line, id: Some(id), timeout: self.command.timeout };
            exchange.read(running.conversation.ask(asking, interrupt)?, id)
        };
        let before = Instant::now();
        let (hello, running) = match begin(&self.command, &self.groups, interrupt) {
            Ok(begun) => begun,
            Err(stopped) => return (Err(stopped), before.elapsed()),
        };
        let start = Instant::now();
        started();
        let same =
            if hello == self.hello { Ok(()) } else { Err(NoAnswerReason::Broke(OTHER_HELLO.to_owned())) };
        let answer = same.and_then(|()| answer_of(&running));
        let answer = answer.map_err(|trouble| running.conversation.end(trouble));
        let time = start.elapsed();
        if answer.is_ok() {
            announced.started(running);
        }
        (answer, time)
    }

    /// Ends a process that broke down.
    fn end(&self, running: &Arc<RunningTestee>, trouble: NoAnswerReason) -> Stopped {
        self.pool.remove(running);
        // What follows a line that is not an answer belongs to that line.
        if !matches!(trouble, NoAnswerReason::Broke(_)) {
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
            self.finish_process(running, start);
        }
        self.misconduct.take()
    }

    /// Waits for the end of a process whose input is closed since `start`, and records what it did wrong.
    fn finish_process(&self, running: &RunningTestee, start: Instant) {
        let ended = running.conversation.finish(start, self.command.timeout);
        self.misconduct.add_stray(&running.conversation);
        if let Err(breakdown) = ended {
            self.misconduct.add_end(&breakdown);
        }
    }

    /// Ends all processes without waiting for them, and says what they wrote outside of requests since the last call,
    /// if they did.
    pub fn abandon(&self) -> Option<Diagnostic> {
        for running in &self.pool.take_all() {
            running.conversation.close();
            self.misconduct.add_stray(&running.conversation);
        }
        self.misconduct.take()
    }
}

/// A request whose answer is read as it is.
struct PlainExchange(Request);

impl Exchange for PlainExchange {
    type Answer = ProtocolAnswer;

    fn write(&self, id: u64, lines: &mut String) {
        lines.push_str(&self.0.clone().numbered(id).line());
    }

    fn read(&self, line: Vec<u8>, id: u64) -> Result<ProtocolAnswer, NoAnswerReason> {
        read_answer(&line, Some(id))
    }
}

/// How a process broke down the first time, and after which time, if the request was repeated; or why there is no
/// answer.
type AnswerEnd = Result<Option<(Stopped, Duration)>, Stopped>;

/// How a process broke down that had a request for this time.
fn first_try((stopped, time): (Stopped, Duration)) -> Option<FirstTry> {
    match stopped {
        Stopped::Crash(breakdown) | Stopped::Timeout(breakdown) => Some(FirstTry { breakdown, time }),
        Stopped::Unsupported(_) | Stopped::Error(_) | Stopped::Interrupted => None,
    }
}

impl fmt::Debug for ProcessVm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessVm")
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
        let program = command.words.first().unwrap_or(&command.name);
        let what = format!("{program} cannot be started: {error}");
        Stopped::Crash(Breakdown { what, stderr: String::new() })
    })?;
    let hello = Request::Hello(Greeting { version: VERSION, vmconf: env!("CARGO_PKG_VERSION").to_owned() });
    let asking = Asking { line: hello.line(), id: None, timeout: command.start };
    let hello = conversation.ask(asking, interrupt).and_then(|line| read_hello(&line));
    let hello = hello.and_then(|hello| {
        if hello.version == VERSION {
            return hello.limited().map_err(NoAnswerReason::Broke);
        }
        let its = hello.version;
        let what = format!("speaks version {its} of the protocol, and vmconf speaks version {VERSION}");
        Err(NoAnswerReason::Broke(what))
    });
    match hello {
        Ok(hello) => Ok((hello, RunningTestee::new(conversation))),
        Err(trouble) => Err(conversation.end(trouble)),
    }
}

/// A program and its steps in the form of a request. Fails if the program has a mnemonic that does not exist.
pub fn written(
    info: &'static MachineInfo,
    program: &Program,
    steps: &[Step],
) -> Result<(serde_json::Value, Vec<protocol::WireStep>), Stopped> {
    let program = (info.assemble)(program).map_err(Stopped::not_loadable)?;
    Ok(case::written(info, &program, steps))
}

/// The request for a case, to a process that reports every field; `None` if the case has an action that its machine does
/// not have, or a program that cannot be loaded.
pub fn example_request(info: &'static MachineInfo, program: &Program, steps: &[Step]) -> Option<String> {
    if machines::by_name(info.name).is_some() {
        let (program, steps) = written(info, program, steps).ok()?;
        let (machine, limits) = (info.name.to_owned(), BTreeMap::new());
        return Some(Request::Run(protocol::RunRequest { id: 1, machine, program, steps, limits }).line());
    }
    let actions = [WireAction::Execute, WireAction::StepInto, WireAction::StepOver, WireAction::StepOut];
    let offer = Offer {
        machine: info.name.to_owned(),
        fields: info.fields.iter().map(|field| field.name.to_owned()).collect(),
        actions: actions.iter().map(|action| action.name().to_owned()).collect(),
        ..Offer::default()
    };
    let (offer, limits) = (DeclaredOffer::new(info, &offer), BTreeMap::new());
    let run = DeclaredRun::new(info, &offer, program, steps, &limits).ok()?;
    let mut line = String::new();
    run.write(1, &mut line);
    Some(line)
}

/// A machine in another process as a testee.
pub struct Process {
    vm: Arc<ProcessVm>,
    info: &'static MachineInfo,
    limits: Limits,
    interrupt: Interrupt,
    /// [`Testee::times`] of the last run.
    times: Vec<Duration>,
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
        Process { vm, info, limits, interrupt, times: Vec::new() }
    }

    /// Runs what was prepared, or says why that is not possible.
    fn run_prepared<E: Exchange<Answer = RunStates>>(
        &mut self,
        prepared: &[Result<E, Stopped>],
        observer: &mut dyn RunObserver,
    ) -> Vec<RunEnd> {
        let (numbers, exchanges): (Vec<_>, Vec<_>) = prepared
            .iter()
            .enumerate()
            .filter_map(|(number, run)| Some((number, run.as_ref().ok()?)))
            .unzip();
        let mut refused: Vec<_> = exchanges.iter().map(|_| None).collect();
        let take = &mut |index: usize, exchanged: Exchanged<RunStates>| match exchanged {
            Exchanged::Started => observer.starts(numbers[index]),
            Exchanged::Answered(Ok(states)) => {
                let states = states.iter().enumerate();
                states.for_each(|(step, state)| observer.see(numbers[index], step, state));
            }
            Exchanged::Answered(Err(stopped)) => refused[index] = Some(stopped),
        };
        let answers = self.vm.exchange(&exchanges, &self.interrupt, take);
        self.times = vec![Duration::ZERO; prepared.len()];
        for (number, (_, time)) in numbers.iter().zip(&answers) {
            self.times[*number] = *time;
        }
        let mut ends = answers.into_iter().zip(refused).map(|((end, _), refused)| {
            let first = end?.and_then(first_try);
            match (refused, &first) {
                (None, _) => Ok(first),
                (Some(refused), None) => Err(refused),
                (Some(refused), Some(first)) => Err(refused_after(refused, first)),
            }
        });
        let end = |run: &Result<E, Stopped>| match run {
            Ok(_) => ends.next().unwrap_or(Err(Stopped::Interrupted)),
            Err(stopped) => Err(stopped.clone()),
        };
        prepared.iter().map(end).collect()
    }
}

impl Testee for Process {
    fn times(&self) -> Option<&[Duration]> {
        Some(&self.times)
    }

    fn run(&mut self, program: &Program, steps: &[Step], see: StateObserver<'_>) -> RunEnd {
        let end = self.run_each(&[(program, steps)], &mut OnlyRun(see)).pop();
        end.unwrap_or(Err(Stopped::Interrupted))
    }

    fn run_each(&mut self, runs: &[(&Program, &[Step])], observer: &mut dyn RunObserver) -> Vec<RunEnd> {
        self.times.clear();
        let Some(offer) = self.vm.offer(self.info.name) else {
            let unsupported = || Err(Stopped::Unsupported(format!("no machine {}", self.info.name)));
            return runs.iter().map(|_| unsupported()).collect();
        };
        let limits = limits_of(&self.limits);
        if self.info.engine == Engine::Elsewhere {
            let offer = DeclaredOffer::new(self.info, offer);
            let run = runs.iter().map(|run| DeclaredRun::new(self.info, &offer, run.0, run.1, &limits));
            return self.run_prepared(&run.collect::<Vec<_>>(), observer);
        }
        let run = runs.iter().map(|(program, steps)| {
            let program = (self.info.assemble)(program).map_err(Stopped::not_loadable)?;
            TesteeRun::new(self.info, offer, &program, steps, &limits)
        });
        self.run_prepared(&run.collect::<Vec<_>>(), observer)
    }
}
