//! The lines that a process writes, and who waits for them.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::mailbox::Mailbox;
use super::trouble::NoAnswerReason;
use crate::model::lock;
use crate::wire::line::quoted_bytes;
use crate::wire::protocol::{AnswerHeader, MAX_MESSAGE_LINE};

/// How many bytes of a line without an end are kept.
const MAX_SHOWN_BYTES: usize = 200;

/// The most bytes of answers to requests that a thread sent together: it takes all of them at once. When a process
/// answers more, those without an answer are asked one by one.
const MAX_TOGETHER: usize = 4 * MAX_MESSAGE_LINE;

/// How many times the limit on the first answer begins anew, at most, because the process says that it is alive.
const MAX_ALIVE: u32 = 10;

/// What a process wrote, for the thread that waits for it.
pub(super) enum IncomingLine {
    /// The line that answers the request, and when it came.
    Answer(Result<Vec<u8>, NoAnswerReason>, Instant),
    /// The process is alive, so that the time for its first answer begins anew.
    Alive(Instant),
    /// All requests before this one are answered, so that its time begins.
    Due(Instant),
}

/// A thread that waits for the answers to requests which it sent together.
pub(super) struct WaitingThread {
    /// The numbers of the requests without an answer, in order; `None` for `hello`.
    unanswered: VecDeque<Option<u64>>,
    /// How many bytes the answers have.
    bytes: usize,
    /// What came. The thread is woken after its last answer, since waking it takes as long as comparing some cases;
    /// it wakes by itself from time to time.
    incoming: Arc<Mailbox<IncomingLine>>,
}

impl WaitingThread {
    /// A thread that waits for answers to requests with these numbers; `None` is the number of `hello`.
    pub(super) fn new(ids: &[Option<u64>], incoming: Arc<Mailbox<IncomingLine>>) -> WaitingThread {
        WaitingThread { unanswered: ids.iter().copied().collect(), bytes: 0, incoming }
    }

    /// Whether the answer to the request with this number is due.
    fn waits_for(&self, id: Option<u64>) -> bool {
        self.unanswered.front() == Some(&id)
    }

    /// Says that there are no more answers.
    fn end(mut self, end: &NoAnswerReason) {
        for _ in self.unanswered.drain(..) {
            self.incoming.add(IncomingLine::Answer(Err(end.clone()), Instant::now()));
        }
    }
}

/// The thread gets no more answers.
impl Drop for WaitingThread {
    fn drop(&mut self) {
        self.incoming.close();
    }
}

/// What a process wrote that answers nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stray {
    /// What the first one is, with its start.
    pub first: String,
    /// How many followed.
    pub more: u64,
}

#[derive(Default)]
pub(super) struct TesteeLines {
    state: Mutex<LineState>,
    /// Signalled when the output of the process has ended.
    ended: Condvar,
}

#[derive(Default)]
struct LineState {
    /// Who waits, in the order of the requests.
    waiting: VecDeque<WaitingThread>,
    /// Whether `hello` is answered, and the number of the last request that is.
    said_hello: bool,
    answered: u64,
    /// How often the process said in time that it is alive.
    alive: u32,
    /// A line that came before `hello` was sent: a process need not wait for it.
    early: Option<Vec<u8>>,
    stray: Option<Stray>,
    /// What was written since the last answer and answers nothing: the first line, as in [`Stray::first`].
    instead: Option<String>,
    /// The lowest number of a request that was sent.
    first_id: Option<u64>,
    /// The start of a line that has no end yet, and how long it is.
    unfinished: (Vec<u8>, usize),
    /// Why there are no more lines; `None` while there are.
    end: Option<NoAnswerReason>,
}

impl TesteeLines {
    /// Adds a thread that waits.
    pub(super) fn expect(&self, waiting: WaitingThread) {
        let mut state = lock(&self.state);
        state.first_id = waiting.unanswered.iter().flatten().copied().chain(state.first_id).min();
        state.waiting.push_back(waiting);
        if let Some(line) = state.early.take() {
            // A single line is not too long.
            let _ = state.answer(line);
        } else if state.waiting.len() == 1 {
            state.announce_due(Instant::now());
        }
        if let Some(end) = state.end.clone() {
            state.end_waiting(&end);
        }
    }

    /// Reads lines until the output ends or a line is too long.
    pub(super) fn read(&self, output: impl Read) {
        let mut output = BufReader::with_capacity(1 << 16, output);
        let end = loop {
            if let Err(end) = self.read_line(&mut output).and_then(|line| self.deliver(line)) {
                break end;
            }
        };
        let mut state = lock(&self.state);
        if state.waiting.is_empty()
            && let Some(wrote) = state.unfinished()
        {
            state.add_stray(wrote);
        }
        state.end_waiting(&end);
        state.end = Some(end);
        self.ended.notify_all();
    }

    /// Gives a line to the thread that waits for it. Fails if its answers have too many bytes.
    fn deliver(&self, line: Vec<u8>) -> Result<(), NoAnswerReason> {
        let mut state = lock(&self.state);
        state.unfinished = (Vec::new(), 0);
        let header = AnswerHeader::read(&line);
        if header.is_alive() {
            // Only those that count are passed on: a process may write any number of them.
            if state.alive < MAX_ALIVE
                && let Some(waiting) = state.waiting.front().filter(|waiting| waiting.waits_for(None))
            {
                waiting.incoming.add(IncomingLine::Alive(Instant::now()));
                state.alive += 1;
            }
            return Ok(());
        }
        if let Some(what) = state.stray_of(&header) {
            let wrote = format!("{what}: {}", quoted_bytes(&line));
            state.instead.get_or_insert_with(|| wrote.clone());
            state.add_stray(wrote);
            return Ok(());
        }
        if state.waiting.is_empty() {
            state.early = Some(line);
            return Ok(());
        }
        state.answer(line)
    }

    /// Reads a line with its terminator. Until its end is read, the part read so far is kept in the state.
    fn read_line(&self, output: &mut impl BufRead) -> Result<Vec<u8>, NoAnswerReason> {
        let mut line = Vec::new();
        loop {
            let bytes = match output.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return Err(NoAnswerReason::Closed),
            };
            if bytes.is_empty() {
                return Err(NoAnswerReason::Closed);
            }
            let end = memchr::memchr(b'\n', bytes);
            let taken = end.map_or(bytes.len(), |end| end + 1);
            line.extend_from_slice(&bytes[..taken]);
            output.consume(taken);
            if line.len() > MAX_MESSAGE_LINE + usize::from(end.is_some()) {
                let start = quoted_bytes(&line);
                return Err(NoAnswerReason::Broke(format!(
                    "wrote a line of more than {MAX_MESSAGE_LINE} bytes: {start}"
                )));
            }
            if end.is_some() {
                return Ok(line);
            }
            let mut state = lock(&self.state);
            state.unfinished = (line[..line.len().min(MAX_SHOWN_BYTES)].to_vec(), line.len());
        }
    }

    /// What was written since the last answer: of a line without its end, or what answers nothing.
    pub(super) fn instead_of_answer(&self) -> Option<String> {
        let state = lock(&self.state);
        state.unfinished().or_else(|| state.instead.clone())
    }

    /// What was written that answers nothing, since the last call.
    pub(super) fn take_stray(&self) -> Option<Stray> {
        lock(&self.state).stray.take()
    }

    /// Waits until the output has ended, for at most this time.
    pub(super) fn wait_for_end(&self, patience: Duration) {
        let state = lock(&self.state);
        let waited = self.ended.wait_timeout_while(state, patience, |state| state.end.is_none());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

impl LineState {
    /// What a line is if it cannot answer the request whose answer is due. Whether the request came before the line or
    /// after it makes no difference to lines that answer others.
    fn stray_of(&self, header: &AnswerHeader<'_>) -> Option<String> {
        let first = self.waiting.front();
        match header.id() {
            Some(id) if first.is_some_and(|first| first.waits_for(Some(id))) => None,
            _ if header.is_hello() && self.said_hello => Some("a second hello".to_owned()),
            Some(id) if self.said_hello && self.first_id.is_some_and(|first| id < first) => {
                Some(format!("an answer to request {id}, which it did not get"))
            }
            Some(id) if self.said_hello && id <= self.answered => {
                Some(format!("a second answer to request {id}"))
            }
            _ if first.is_none() && (self.said_hello || self.early.is_some()) => {
                Some("an unexpected line".to_owned())
            }
            _ => None,
        }
    }

    /// Gives a line to the first thread that waits. Fails if its answers have too many bytes.
    fn answer(&mut self, line: Vec<u8>) -> Result<(), NoAnswerReason> {
        let Some(waiting) = self.waiting.front_mut() else { return Ok(()) };
        waiting.bytes += line.len();
        if waiting.bytes > MAX_TOGETHER {
            let what = format!("wrote more than {MAX_TOGETHER} bytes to requests in flight");
            return Err(NoAnswerReason::Broke(what));
        }
        self.said_hello = true;
        self.instead = None;
        self.answered = waiting.unanswered.pop_front().flatten().unwrap_or(0);
        let now = Instant::now();
        waiting.incoming.add(IncomingLine::Answer(Ok(line), now));
        if waiting.unanswered.is_empty() {
            self.waiting.pop_front();
        }
        self.announce_due(now);
        Ok(())
    }

    /// Says that the next answer is due.
    fn announce_due(&self, now: Instant) {
        if let Some(next) = self.waiting.front() {
            next.incoming.add(IncomingLine::Due(now));
        }
    }

    /// Says to all threads that there are no more answers.
    fn end_waiting(&mut self, end: &NoAnswerReason) {
        self.waiting.drain(..).for_each(|waiting| waiting.end(end));
    }

    fn add_stray(&mut self, first: String) {
        match &mut self.stray {
            Some(stray) => stray.more += 1,
            None => self.stray = Some(Stray { first, more: 0 }),
        }
    }

    fn unfinished(&self) -> Option<String> {
        let (start, length) = &self.unfinished;
        let bytes = if *length > start.len() { format!(" ({length} bytes)") } else { String::new() };
        (*length > 0).then(|| format!("{} without the end of the line{bytes}", quoted_bytes(start)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testees::process::mailbox::NoMail;

    /// What came for a thread since the last call.
    fn came(incoming: &Mailbox<IncomingLine>) -> Vec<IncomingLine> {
        incoming.take(Duration::ZERO).unwrap_or_default()
    }

    /// A thread that waits for the answers to these requests.
    fn waiting(lines: &TesteeLines, ids: &[Option<u64>]) -> Arc<Mailbox<IncomingLine>> {
        let incoming = Arc::default();
        lines.expect(WaitingThread::new(ids, Arc::clone(&incoming)));
        incoming
    }

    fn taken(lines: &TesteeLines, line: &str) {
        assert!(lines.deliver(line.as_bytes().to_vec()).is_ok(), "{line}");
    }

    /// A thread takes all its answers at once, so that they have to fit in memory together.
    #[test]
    fn answers_to_requests_in_flight_have_a_limit_together() {
        let lines = TesteeLines::default();
        let large = |id: u64| {
            let line = format!(
                "{{\"type\":\"done\",\"id\":{id},\"x\":\"{}\"}}\n",
                "x".repeat(MAX_MESSAGE_LINE - 100)
            );
            lines.deliver(line.into_bytes())
        };
        let (first, second) = ([1, 2, 3, 4].map(Some), [5, 6, 7, 8, 9].map(Some));
        let _first = waiting(&lines, &first);
        assert!((1..=4).all(|id| large(id).is_ok()));
        let _second = waiting(&lines, &second);
        assert!((5..=8).all(|id| large(id).is_ok()));
        assert!(
            matches!(large(9), Err(NoAnswerReason::Broke(what)) if what.contains("to requests in flight"))
        );
    }

    /// The others of a flood are dropped as they come.
    #[test]
    fn a_process_that_says_that_it_is_alive_gets_ten_times_as_long_for_its_first_answer() {
        let lines = TesteeLines::default();
        let say = || (0..50).for_each(|_| taken(&lines, "{\"type\":\"alive\"}\n"));
        let count = |incoming: &Mailbox<IncomingLine>| {
            came(incoming).iter().filter(|it| matches!(it, IncomingLine::Alive(_))).count()
        };
        let first = waiting(&lines, &[None]);
        say();
        assert_eq!(count(&first), 10);
        taken(&lines, "{\"type\":\"hello\"}\n");
        let second = waiting(&lines, &[Some(1)]);
        say();
        assert_eq!(count(&second), 0);
    }

    /// The time of a request begins when those before it are answered.
    #[test]
    fn a_request_is_due_after_the_one_before_it() {
        let lines = TesteeLines::default();
        let (both, last) = (waiting(&lines, &[Some(1), Some(2)]), waiting(&lines, &[Some(3)]));
        let answer = |id: u64| taken(&lines, &format!("{{\"type\":\"done\",\"id\":{id}}}\n"));
        assert!(matches!(came(&both)[..], [IncomingLine::Due(_)]));
        answer(1);
        let [IncomingLine::Answer(Ok(_), answered), IncomingLine::Due(due)] = came(&both)[..] else {
            panic!("the second request is due")
        };
        assert_eq!(answered, due);
        assert!(came(&last).is_empty());
        answer(2);
        assert!(matches!(came(&both)[..], [IncomingLine::Answer(Ok(_), _)]));
        assert!(matches!(both.take(Duration::MAX), Err(NoMail::Closed)));
        assert!(matches!(came(&last)[..], [IncomingLine::Due(_)]));
    }

    /// A process need not wait for `hello` to answer it, but says nothing else before.
    #[test]
    fn one_line_may_come_before_hello_is_sent() {
        let lines = TesteeLines::default();
        taken(&lines, "{\"type\":\"hello\"}\n");
        taken(&lines, "{\"type\":\"later\"}\n");
        let first = waiting(&lines, &[None]);
        assert!(
            matches!(&came(&first)[..], [IncomingLine::Answer(Ok(line), _)] if line.ends_with(b"hello\"}\n"))
        );
        assert!(lines.take_stray().is_some_and(|stray| stray.first.starts_with("an unexpected line: ")));
    }

    #[test]
    fn each_request_without_an_answer_ends_as_the_output_does() {
        let lines = TesteeLines::default();
        let incoming = waiting(&lines, &[Some(1), Some(2)]);
        lines.read(&b""[..]);
        let ended = |it: &IncomingLine| matches!(it, IncomingLine::Answer(Err(NoAnswerReason::Closed), _));
        assert_eq!(came(&incoming).iter().filter(|it| ended(it)).count(), 2);
        let late = waiting(&lines, &[Some(3)]);
        assert_eq!(came(&late).iter().filter(|it| ended(it)).count(), 1);
    }
}
