//! The lines that a process writes, and who waits for them.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::trouble::{Trouble, lock};
use crate::wire::line::quoted_bytes;
use crate::wire::protocol::{AnswerHeader, MAX_LINE};

/// How many bytes of a line without an end are kept.
const SHOWN: usize = 200;

/// How many times the limit on the first answer begins anew, at most, because the process says that it is alive.
const MAX_ALIVE: u32 = 10;

/// What a process wrote, for the thread that waits for it.
pub(super) enum Incoming {
    /// The line that answers the request.
    Answer(Result<Vec<u8>, Trouble>),
    /// The process is alive, so that the time for its first answer begins anew.
    Alive,
    /// All requests before this one are answered, so that its time begins.
    Due,
}

/// A thread that waits for an answer.
pub(super) struct Waiting {
    /// The number of the request; `None` for `hello`.
    pub(super) id: Option<u64>,
    pub(super) answer: Sender<Incoming>,
}

/// What a process wrote that answers nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stray {
    /// What the first one is, with its start.
    pub first: String,
    /// How many followed.
    pub more: u64,
}

/// The lines of a process.
#[derive(Default)]
pub(super) struct TesteeLines {
    state: Mutex<LineState>,
    /// Signalled when the output of the process has ended.
    ended: Condvar,
}

#[derive(Default)]
struct LineState {
    /// Who waits, in the order of the requests.
    waiting: VecDeque<Waiting>,
    /// Whether `hello` is answered, and the number of the last request that is.
    said_hello: bool,
    answered: u64,
    /// How often the process said in time that it is alive.
    alive: u32,
    /// A line that came before `hello` was sent: a process need not wait for it.
    early: Option<Vec<u8>>,
    stray: Option<Stray>,
    /// The start of a line that has no end yet, and how long it is.
    unfinished: (Vec<u8>, usize),
    /// Why there are no more lines; `None` while there are.
    end: Option<Trouble>,
}

impl TesteeLines {
    /// Adds a thread that waits.
    pub(super) fn expect(&self, waiting: Waiting) {
        let mut state = lock(&self.state);
        // The thread may have stopped waiting.
        match (state.early.take(), &state.end) {
            (Some(line), _) => state.answer(waiting, line),
            (None, Some(end)) => drop(waiting.answer.send(Incoming::Answer(Err(end.clone())))),
            (None, None) => {
                state.waiting.push_back(waiting);
                if state.waiting.len() == 1 {
                    state.begin();
                }
            }
        }
    }

    /// Reads lines until the output ends or a line is too long.
    pub(super) fn read(&self, output: impl Read) {
        let mut output = BufReader::with_capacity(1 << 16, output);
        let end = loop {
            match self.read_line(&mut output) {
                Ok(line) => self.take(line),
                Err(end) => break end,
            }
        };
        let mut state = lock(&self.state);
        if state.waiting.is_empty()
            && let Some(wrote) = state.unfinished()
        {
            state.add_stray(wrote);
        }
        for waiting in state.waiting.drain(..) {
            // The thread may have stopped waiting.
            let _ = waiting.answer.send(Incoming::Answer(Err(end.clone())));
        }
        state.end = Some(end);
        self.ended.notify_all();
    }

    /// Gives a line to the thread that waits for it.
    fn take(&self, line: Vec<u8>) {
        let mut state = lock(&self.state);
        state.unfinished = (Vec::new(), 0);
        let header = AnswerHeader::read(&line);
        if header.is_alive() {
            // Only those that count are passed on: a process may write any number of them.
            if let Some(Waiting { id: None, answer }) = state.waiting.front()
                && state.alive < MAX_ALIVE
            {
                // The thread may have stopped waiting.
                let _ = answer.send(Incoming::Alive);
                state.alive += 1;
            }
            return;
        }
        if let Some(what) = state.stray_of(&header) {
            return state.add_stray(format!("{what}: {}", quoted_bytes(&line)));
        }
        match state.waiting.pop_front() {
            Some(waiting) => {
                state.answer(waiting, line);
                state.begin();
            }
            None => state.early = Some(line),
        }
    }

    /// Reads a line with its terminator. Until its end is read, the part read so far is kept in the state.
    fn read_line(&self, output: &mut impl BufRead) -> Result<Vec<u8>, Trouble> {
        let mut line = Vec::new();
        loop {
            let bytes = match output.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return Err(Trouble::Closed),
            };
            if bytes.is_empty() {
                return Err(Trouble::Closed);
            }
            let end = memchr::memchr(b'\n', bytes);
            let taken = end.map_or(bytes.len(), |end| end + 1);
            line.extend_from_slice(&bytes[..taken]);
            output.consume(taken);
            if line.len() > MAX_LINE + usize::from(end.is_some()) {
                let start = quoted_bytes(&line);
                return Err(Trouble::Broke(format!("wrote a line of more than {MAX_LINE} bytes: {start}")));
            }
            if end.is_some() {
                return Ok(line);
            }
            let mut state = lock(&self.state);
            state.unfinished = (line[..line.len().min(SHOWN)].to_vec(), line.len());
        }
    }

    /// What was written of a line without its end.
    pub(super) fn unfinished(&self) -> Option<String> {
        lock(&self.state).unfinished()
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
        let due = self.waiting.front();
        match header.id() {
            Some(id) if due.is_some_and(|due| due.id == Some(id)) => None,
            _ if header.is_hello() && self.said_hello => Some("a second hello".to_owned()),
            Some(id) if self.said_hello && id <= self.answered => {
                Some(format!("a second answer to request {id}"))
            }
            _ if due.is_none() && (self.said_hello || self.early.is_some()) => {
                Some("an unexpected line".to_owned())
            }
            _ => None,
        }
    }

    /// Gives a line to the thread that waits for it.
    fn answer(&mut self, Waiting { id, answer }: Waiting, line: Vec<u8>) {
        self.said_hello = true;
        self.answered = id.unwrap_or(0);
        // The thread may have stopped waiting.
        let _ = answer.send(Incoming::Answer(Ok(line)));
    }

    /// Says that the next answer is due.
    fn begin(&self) {
        if let Some(next) = self.waiting.front() {
            // The thread may have stopped waiting.
            let _ = next.answer.send(Incoming::Due);
        }
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
    use std::sync::mpsc;

    use super::*;

    /// The others of a flood are dropped as they come.
    #[test]
    fn a_process_that_says_that_it_is_alive_gets_ten_times_as_long_for_its_first_answer() {
        let lines = TesteeLines::default();
        let [(first, to_first), (second, to_second)] = [(); 2].map(|()| mpsc::channel());
        let say = || (0..50).for_each(|_| lines.take(b"{\"type\":\"alive\"}\n".to_vec()));
        let count = |received: &mpsc::Receiver<Incoming>| {
            received.try_iter().filter(|it| matches!(it, Incoming::Alive)).count()
        };
        lines.expect(Waiting { id: None, answer: first });
        say();
        assert_eq!(count(&to_first), 10);
        lines.take(b"{\"type\":\"hello\"}\n".to_vec());
        lines.expect(Waiting { id: Some(1), answer: second });
        say();
        assert_eq!(count(&to_second), 0);
    }

    /// The time of a request begins when those before it are answered.
    #[test]
    fn a_request_is_due_after_the_one_before_it() {
        let lines = TesteeLines::default();
        let [(first, to_first), (second, to_second)] = [(); 2].map(|()| mpsc::channel());
        lines.expect(Waiting { id: Some(1), answer: first });
        lines.expect(Waiting { id: Some(2), answer: second });
        assert!(matches!(to_first.try_recv(), Ok(Incoming::Due)));
        assert!(to_second.try_recv().is_err());
        lines.take(b"{\"type\":\"done\",\"id\":1}\n".to_vec());
        assert!(matches!(to_first.try_recv(), Ok(Incoming::Answer(Ok(_)))));
        assert!(matches!(to_second.try_recv(), Ok(Incoming::Due)));
    }
}
