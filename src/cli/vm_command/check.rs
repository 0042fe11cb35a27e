//! `vmconf vm check`

mod hello;
mod run;

use std::io::Write;
use std::time::Duration;

use clap::Args;
use vmconf::model::count::counted;
use vmconf::model::escape::escaped;
use vmconf::model::exit::Exit;
use vmconf::model::interrupt::Interrupt;
use vmconf::testees::Stopped;
use vmconf::testees::process::{Command, Conversation, Groups, START, Trouble};
use vmconf::wire::protocol::{Answer, Greeting, Request, VERSION};

use crate::cli::output;
use crate::cli::vm::end_on_interrupt;

/// Try whether an adapter keeps to the process protocol
///
/// Prints a line for each point: what is wrong, and how to mend it. The exit code is 1 if something is.
///
/// Example: vmconf vm check vmconf serve evm
#[derive(Debug, Args)]
pub(super) struct Check {
    /// The adapter and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<String>,
}

/// How long an adapter has for an answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A point that was tried: what is right, or what is wrong and how to mend it.
struct Point {
    what: &'static str,
    wrong: Option<String>,
}

/// The points that were tried, in order.
#[derive(Default)]
struct Points(Vec<Point>);

impl Points {
    /// Adds a point, which is kept if there is nothing wrong.
    fn add(&mut self, what: &'static str, outcome: Result<(), String>) {
        self.0.push(Point { what, wrong: outcome.err() });
    }

    /// Adds a point that is kept if the condition holds. `mend` says what is wrong and how to mend it.
    fn hold(&mut self, what: &'static str, condition: bool, mend: &str) {
        self.add(what, if condition { Ok(()) } else { Err(mend.to_owned()) });
    }
}

/// An adapter under test.
struct Adapter {
    command: Command,
    groups: Groups,
    interrupt: Interrupt,
    /// `None` after it broke down.
    conversation: Option<Conversation>,
}

impl Adapter {
    /// Sends a line and reads the answer; the error is what is wrong.
    fn line(&mut self, line: String) -> Result<Vec<u8>, String> {
        let mut conversation = match self.conversation.take() {
            Some(conversation) => conversation,
            None => self.begin()?,
        };
        let timeout = TIMEOUT.max(START);
        match conversation.ask(line, timeout, &self.interrupt) {
            Ok(answer) => {
                self.conversation = Some(conversation);
                Ok(answer)
            }
            Err(trouble) => Err(said(conversation.end(trouble))),
        }
    }

    /// Sends a request and reads the answer.
    fn ask(&mut self, request: &Request) -> Result<Answer, String> {
        let line = self.line(request.line())?;
        Answer::read(&line).map_err(|error| format!("the answer is not one of the protocol: it {error}"))
    }

    /// A new process that has said hello.
    fn begin(&mut self) -> Result<Conversation, String> {
        let mut conversation = self.start()?;
        let hello = conversation.ask(greeting().line(), START, &self.interrupt);
        hello.map(|_| ()).map_err(|_| "it does not answer hello in a new process".to_owned())?;
        Ok(conversation)
    }

    fn start(&self) -> Result<Conversation, String> {
        let started = Conversation::start(&self.command, &self.groups);
        started.map_err(|error| format!("{} cannot be started: {error}", self.command.words[0]))
    }
}

fn greeting() -> Request {
    Request::Hello(Greeting { version: VERSION, vmconf: env!("CARGO_PKG_VERSION").to_owned() })
}

/// What happened, with the end of what the adapter wrote to standard error.
fn said(stopped: Stopped) -> String {
    match stopped {
        Stopped::Crash(breakdown) | Stopped::Timeout(breakdown) => {
            let last = breakdown.stderr.trim_end().lines().last().unwrap_or_default();
            let last = if last.is_empty() { String::new() } else { format!("; standard error ends: {last}") };
            format!("it {}{last}", breakdown.what)
        }
        _ => "interrupted".to_owned(),
    }
}

impl Check {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let groups = Groups::default();
        end_on_interrupt(&groups)?;
        let command = Command {
            name: "adapter".to_owned(),
            words: self.command.clone(),
            env: Vec::new(),
            folder: None,
            timeout: TIMEOUT,
            memory: None,
        };
        let mut adapter = Adapter { command, groups, interrupt: Interrupt::default(), conversation: None };
        let mut points = Points::default();
        match adapter.start() {
            Ok(conversation) => {
                adapter.conversation = Some(conversation);
                points.add("starts", Ok(()));
                try_all(&mut adapter, &mut points);
            }
            Err(why) => points.add("starts", Err(format!("{why}; give the path of the program"))),
        }
        print(&points)
    }
}

fn try_all(adapter: &mut Adapter, points: &mut Points) {
    let Some(hello) = hello::try_hello(adapter, points) else { return };
    for offer in &hello.machines {
        run::try_machine(adapter, offer, points);
    }
    let ends = adapter.conversation.take().map(|conversation| conversation.end(Trouble::Closed));
    let ends_by_itself = !matches!(ends, Some(Stopped::Crash(it)) if it.what.contains("standard output"));
    points.hold(
        "ends when its input ends",
        ends_by_itself,
        "it still runs after its standard input was closed; end the loop at the end of the input",
    );
}

fn print(points: &Points) -> anyhow::Result<Exit> {
    let mut out = output::stdout();
    for Point { what, wrong } in &points.0 {
        match wrong {
            None => writeln!(out, "ok     {what}")?,
            Some(wrong) => writeln!(out, "WRONG  {what}: {}", escaped(wrong))?,
        }
    }
    let wrong = points.0.iter().filter(|point| point.wrong.is_some()).count();
    writeln!(out, "{}, {wrong} wrong", counted(points.0.len(), "point"))?;
    out.flush()?;
    Ok(if wrong == 0 { Exit::Passed } else { Exit::Failed })
}
