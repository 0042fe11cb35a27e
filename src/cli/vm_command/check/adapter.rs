//! An adapter under test, and what was tried.

use std::time::{Duration, Instant};

use vmconf::model::Interrupt;
use vmconf::testees::Stopped;
use vmconf::testees::process::{
    Asking, Conversation, DEFAULT_START_TIMEOUT, NoAnswerReason, ProcessGroups, Stray, TesteeCommand,
    read_answer,
};
use vmconf::wire::protocol::{AnswerHeader, Greeting, ObservedState, ProtocolAnswer, Request, VERSION};

/// How long an adapter has to end after its input.
const MOST_TO_END: Duration = Duration::from_secs(2);

/// How long it has for an answer after it left a request without one.
const MOST_AFTER_LATE: Duration = Duration::from_secs(3);

/// The longest request that is recorded, in bytes.
const MAX_LENGTH: usize = 100_000;

/// A point that was tried: what is right, or what is wrong and how to repair it.
pub(super) struct CheckedPoint {
    pub(super) what: &'static str,
    pub(super) wrong: Option<String>,
}

/// The points that were tried, in order.
#[derive(Default)]
pub(super) struct CheckPoints(pub(super) Vec<CheckedPoint>);

impl CheckPoints {
    /// Adds a point, which is kept if there is nothing wrong.
    pub(super) fn add(&mut self, what: &'static str, outcome: Result<(), String>) {
        self.0.push(CheckedPoint { what, wrong: outcome.err() });
    }

    /// Adds a point that is kept if the condition holds. `advice` says what is wrong and how to repair it.
    pub(super) fn hold(&mut self, what: &'static str, condition: bool, advice: &str) {
        self.add(what, if condition { Ok(()) } else { Err(advice.to_owned()) });
    }

    /// Adds a point that is kept if there is an answer and it is right. Without one, what happened instead is wrong,
    /// and `advice` is not given: it is about the answer.
    pub(super) fn answer<T>(
        &mut self,
        what: &'static str,
        answer: Result<T, String>,
        is_right: impl FnOnce(&T) -> bool,
        advice: &str,
    ) {
        let outcome =
            answer.and_then(|answer| if is_right(&answer) { Ok(()) } else { Err(advice.to_owned()) });
        self.add(what, outcome);
    }

    /// Adds whether the answer to the request with this number repeats it.
    pub(super) fn repeats_id(&mut self, answer: &Result<ProtocolAnswer, String>, id: u64) {
        let answered = answer.as_ref().ok().and_then(ProtocolAnswer::id);
        self.hold("repeats the id", answered == Some(id) || answer.is_err(), "copy \"id\" from the request");
    }

    /// Adds whether a state has all expected fields and only those that were requested; `unrequested` says what is
    /// wrong with another one.
    pub(super) fn has_fields<'f>(
        &mut self,
        state: &ObservedState,
        mut expected: impl Iterator<Item = &'f String>,
        is_requested: impl Fn(&str) -> bool,
        unrequested: &str,
    ) {
        let extra = state.fields.keys().find(|name| !is_requested(name));
        let advice = format!("{} {unrequested}", extra.map_or("", |name| name));
        self.hold("reports only what was requested", extra.is_none(), &advice);
        let missing = expected.find(|name| !state.fields.contains_key(*name));
        let advice =
            format!("{} is missing; report each field that hello lists", missing.map_or("", |name| name));
        self.hold("reports all that was requested", missing.is_none(), &advice);
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
    /// What it wrote that answers nothing.
    pub(super) stray: Option<Stray>,
    /// Whether it left the last request without an answer: it has less time for the next one, which it mostly leaves as
    /// well.
    pub(super) was_late: bool,
}

impl CheckedAdapter {
    /// Sends a line and reads the answer; the error is what is wrong.
    pub(super) fn line(&mut self, line: &str) -> Result<Vec<u8>, String> {
        let asking = Asking { id: id_in(line), line: line.to_owned(), timeout: self.timeout() };
        let answer = self.converse(|conversation, interrupt| conversation.ask(asking, interrupt))?;
        self.record(line, &answer);
        Ok(answer)
    }

    /// Talks to the process, or to a new one if it broke down; the error is what is wrong.
    fn converse<T>(
        &mut self,
        talk: impl FnOnce(&Conversation, &Interrupt) -> Result<T, NoAnswerReason>,
    ) -> Result<T, String> {
        let conversation = match self.conversation.take() {
            Some(conversation) => conversation,
            None => self.begin()?,
        };
        self.add_stray(conversation.take_stray());
        match talk(&conversation, &self.interrupt) {
            Ok(told) => {
                self.was_late = false;
                self.conversation = Some(conversation);
                Ok(told)
            }
            Err(trouble) => {
                self.was_late |= matches!(trouble, NoAnswerReason::Late(_));
                // What it wrote since then is part of the trouble.
                Err(said(conversation.end(trouble)))
            }
        }
    }

    /// How long an answer may take.
    fn timeout(&self) -> Duration {
        let timeout = self.command.timeout.max(DEFAULT_START_TIMEOUT);
        if self.was_late { timeout.min(MOST_AFTER_LATE) } else { timeout }
    }

    fn record(&mut self, request: &str, answer: &[u8]) {
        self.recorded.extend_from_slice(if request.len() > MAX_LENGTH { b"\n" } else { request.as_bytes() });
        self.recorded.extend_from_slice(answer);
    }

    fn add_stray(&mut self, stray: Option<Stray>) {
        match (&mut self.stray, stray) {
            (Some(seen), Some(Stray { more, .. })) => seen.more += 1 + more,
            (seen, Some(first)) => *seen = Some(first),
            (_, None) => {}
        }
    }

    /// Sends requests together and reads their answers.
    pub(super) fn ask_together(&mut self, requests: &[Request]) -> Result<Vec<ProtocolAnswer>, String> {
        let lines: Vec<_> = requests.iter().map(Request::line).collect();
        let ids: Vec<_> = requests.iter().map(Request::id).collect();
        let timeout = self.timeout();
        let answered = self.converse(|conversation, interrupt| {
            let mut awaited = conversation.send(lines.concat(), &ids, timeout);
            let mut answer = |id: &Option<u64>| {
                let line = awaited.next(interrupt)?;
                read_answer(&line, *id).map(|answer| (line, answer))
            };
            ids.iter().map(&mut answer).collect::<Result<Vec<_>, NoAnswerReason>>()
        })?;
        let each = lines.iter().zip(answered).map(|(request, (line, answer))| {
            self.record(request, &line);
            answer
        });
        Ok(each.collect())
    }

    /// Closes the input of the process and waits until it ends; the error is what is wrong.
    pub(super) fn finish(&mut self) -> Result<(), String> {
        let Some(conversation) = self.conversation.take() else { return Ok(()) };
        let ended = conversation.finish(Instant::now(), MOST_TO_END);
        self.add_stray(conversation.take_stray());
        ended.map_err(|breakdown| format!("it {}", breakdown.clause()))
    }

    pub(super) fn ask(&mut self, request: &Request) -> Result<ProtocolAnswer, String> {
        self.ask_line(&request.line())
    }

    /// Sends a request as it is written here and reads the answer.
    pub(super) fn ask_line(&mut self, line: &str) -> Result<ProtocolAnswer, String> {
        let line = self.line(line)?;
        ProtocolAnswer::read(&line)
            .map_err(|error| format!("the answer is not one of the protocol: it {error}"))
    }

    /// A new process that has said hello.
    fn begin(&mut self) -> Result<Conversation, String> {
        let conversation = self.start()?;
        let asking = Asking { line: greeting().line(), id: None, timeout: DEFAULT_START_TIMEOUT };
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
        Stopped::Crash(breakdown) => format!("it {}", breakdown.clause()),
        Stopped::Timeout(breakdown) => format!("it gave {}{}", breakdown.what, breakdown.stderr_in_line()),
        _ => "interrupted".to_owned(),
    }
}

/// The outcome of a point whose answer must be of one kind.
pub(super) fn expect(
    answer: Result<ProtocolAnswer, String>,
    is_right: bool,
    advice: &str,
) -> Result<(), String> {
    if is_right && answer.is_ok() { Ok(()) } else { Err(unexpected(answer, advice)) }
}

/// What is wrong with an answer of another kind than expected.
pub(super) fn unexpected(answer: Result<ProtocolAnswer, String>, advice: &str) -> String {
    match answer {
        Ok(ProtocolAnswer::Skip(skip)) => format!("it answers skip ({}); {advice}", skip.reason),
        Ok(ProtocolAnswer::Error(failure)) => format!("it answers error ({}); {advice}", failure.message),
        Ok(_) => format!("it answers something else; {advice}"),
        Err(why) => format!("{why}; {advice}"),
    }
}

#[cfg(test)]
mod tests {
    use vmconf::model::Breakdown;
    use vmconf::testees::Stopped;

    use super::said;

    #[test]
    fn what_happened_is_a_clause() {
        let broke_down =
            |what: &str, stderr: &str| Breakdown { what: what.to_owned(), stderr: stderr.to_owned() };
        let crash = Stopped::Crash(broke_down("ended with exit code 1", "Traceback:\n  no module\n\n"));
        assert_eq!(said(crash), "it ended with exit code 1; standard error: Traceback: | no module");
        let killed = Stopped::Crash(broke_down("killed by SIGSEGV", ""));
        assert_eq!(said(killed), "it was killed by SIGSEGV");
        assert_eq!(said(Stopped::Timeout(broke_down("no answer in 20 s", ""))), "it gave no answer in 20 s");
    }
}
