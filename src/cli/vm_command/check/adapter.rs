//! An adapter under test, and what was tried.

use std::time::Duration;

use vmconf::model::interrupt::Interrupt;
use vmconf::testees::Stopped;
use vmconf::testees::process::{Asking, Conversation, ProcessGroups, START, TesteeCommand};
use vmconf::wire::protocol::{AnswerHeader, Greeting, ProtocolAnswer, Request, VERSION};

/// How long an adapter has for an answer.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

/// The longest request that is recorded, in bytes.
const MAX_LENGTH: usize = 100_000;

/// A point that was tried: what is right, or what is wrong and how to repair it.
pub(super) struct Point {
    pub(super) what: &'static str,
    pub(super) wrong: Option<String>,
}

/// The points that were tried, in order.
#[derive(Default)]
pub(super) struct CheckPoints(pub(super) Vec<Point>);

impl CheckPoints {
    /// Adds a point, which is kept if there is nothing wrong.
    pub(super) fn add(&mut self, what: &'static str, outcome: Result<(), String>) {
        self.0.push(Point { what, wrong: outcome.err() });
    }

    /// Adds a point that is kept if the condition holds. `advice` says what is wrong and how to repair it.
    pub(super) fn hold(&mut self, what: &'static str, condition: bool, advice: &str) {
        self.add(what, if condition { Ok(()) } else { Err(advice.to_owned()) });
    }
}

/// An adapter under test.
pub(super) struct CheckedAdapter {
    pub(super) command: TesteeCommand,
    pub(super) groups: ProcessGroups,
    pub(super) interrupt: Interrupt,
    /// `None` after it broke down.
    pub(super) conversation: Option<Conversation>,
    /// The requests and answers so far, one a line; an empty line for a request that is too long.
    pub(super) recorded: Vec<u8>,
}

impl CheckedAdapter {
    /// Sends a line and reads the answer; the error is what is wrong.
    pub(super) fn line(&mut self, line: String) -> Result<Vec<u8>, String> {
        let conversation = match self.conversation.take() {
            Some(conversation) => conversation,
            None => self.begin()?,
        };
        let timeout = TIMEOUT.max(START);
        let request = if line.len() > MAX_LENGTH { "\n".to_owned() } else { line.clone() };
        match conversation.ask(Asking { id: id_in(&line), line, timeout }, &self.interrupt) {
            Ok(answer) => {
                self.conversation = Some(conversation);
                self.recorded.extend_from_slice(request.as_bytes());
                self.recorded.extend_from_slice(&answer);
                Ok(answer)
            }
            Err(trouble) => Err(said(conversation.end(trouble))),
        }
    }

    /// Sends a request and reads the answer.
    pub(super) fn ask(&mut self, request: &Request) -> Result<ProtocolAnswer, String> {
        let line = self.line(request.line())?;
        ProtocolAnswer::read(&line)
            .map_err(|error| format!("the answer is not one of the protocol: it {error}"))
    }

    /// A new process that has said hello.
    fn begin(&mut self) -> Result<Conversation, String> {
        let conversation = self.start()?;
        let asking = Asking { line: greeting().line(), id: None, timeout: START };
        let hello = conversation.ask(asking, &self.interrupt);
        hello.map(|_| ()).map_err(|_| "it does not answer hello in a new process".to_owned())?;
        Ok(conversation)
    }

    pub(super) fn start(&self) -> Result<Conversation, String> {
        let started = Conversation::start(&self.command, &self.groups);
        started.map_err(|error| format!("{} cannot be started: {error}", self.command.words[0]))
    }
}

pub(super) fn greeting() -> Request {
    Request::Hello(Greeting { version: VERSION, vmconf: env!("CARGO_PKG_VERSION").to_owned() })
}

/// The number of the request in a line; `None` for `hello`.
fn id_in(line: &str) -> Option<u64> {
    AnswerHeader::read(line.as_bytes()).id()
}

/// What happened, with the end of what the adapter wrote to standard error.
fn said(stopped: Stopped) -> String {
    match stopped {
        Stopped::Crash(breakdown) => format!("it {}{}", breakdown.what, breakdown.stderr_in_line()),
        Stopped::Timeout(breakdown) => format!("it gave {}{}", breakdown.what, breakdown.stderr_in_line()),
        _ => "interrupted".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use vmconf::model::verdict::Breakdown;
    use vmconf::testees::Stopped;

    use super::said;

    #[test]
    fn what_happened_is_a_clause() {
        let broke_down =
            |what: &str, stderr: &str| Breakdown { what: what.to_owned(), stderr: stderr.to_owned() };
        let crash = Stopped::Crash(broke_down("ended with exit code 1", "Traceback:\n  no module\n\n"));
        assert_eq!(said(crash), "it ended with exit code 1; standard error: Traceback: | no module");
        assert_eq!(said(Stopped::Timeout(broke_down("no answer in 20 s", ""))), "it gave no answer in 20 s");
    }
}
