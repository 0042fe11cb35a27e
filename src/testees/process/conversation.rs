//! A process, with the lines written to it and read from it.

use std::io::{self, Write};
use std::process::{self, ChildStdin, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use std::vec;

use super::command::{DEFAULT_MEMORY, TesteeCommand};
use super::group::{GroupMember, ProcessGroups};
use super::lines::{IncomingLine, Stray, TesteeLines, WaitingThread};
use super::mailbox::{Mailbox, NoMail};
use super::stderr::Stderr;
use super::trouble::{NoAnswerReason, PATIENCE};
use crate::model::{Breakdown, Interrupt, lock};
use crate::testees::testee::Stopped;

/// How often to check whether the process has ended or the run was interrupted.
const INTERVAL: Duration = Duration::from_millis(25);

/// A process. Dropping this ends it and everything that it started.
///
/// Several threads may send requests at the same time: their lines are written one after another, and the
/// process answers in that order.
pub struct Conversation {
    member: Mutex<GroupMember>,
    /// It is closed as the input of the process is.
    requests: Arc<Mailbox<SentRequests>>,
    lines: Arc<TesteeLines>,
    stderr: Stderr,
    /// The limit on its memory, in bytes.
    memory: u64,
    /// Why the process was ended, as the first thread saw it; the others only see the end of its output.
    first_trouble: Mutex<Option<NoAnswerReason>>,
}

/// Lines to write, and who waits for the lines that answer them.
struct SentRequests {
    lines: String,
    waiting: WaitingThread,
}

/// A line for a process.
pub struct Asking {
    /// The line, with its terminator.
    pub line: String,
    /// The number of the request; `None` for `hello`, whose time begins anew while the process says that it is
    /// alive.
    pub id: Option<u64>,
    /// How long the answer may take.
    pub timeout: Duration,
}

/// Lines that a process was sent and will answer, in this order.
pub struct AwaitedAnswers<'c> {
    conversation: &'c Conversation,
    incoming: Arc<Mailbox<IncomingLine>>,
    /// What was taken together and not returned yet.
    taken: vec::IntoIter<IncomingLine>,
    /// Since when the next answer is due; `None` while the process answers other requests.
    since: Option<Instant>,
    /// How long the last answer took.
    took: Duration,
    timeout: Duration,
}

impl Conversation {
    /// Starts a process.
    pub fn start(command: &TesteeCommand, groups: &ProcessGroups) -> io::Result<Conversation> {
        let mut started = with_memory(command)?;
        started.envs(command.env.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &command.folder {
            started.current_dir(folder);
        }
        started.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut member = groups.start(&mut started)?;
        if command.memory.is_none() {
            limit_data(&member);
        }
        let child = &mut member.child;
        let missing = || io::Error::other("no pipe");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let stderr = Stderr::collect(child.stderr.take().ok_or_else(missing)?);
        let requests = Arc::new(Mailbox::default());
        let lines = Arc::new(TesteeLines::default());
        // The threads are not joined: if a process that left the group keeps a pipe open, they wait for it.
        let (asked, writing) = (Arc::clone(&requests), lines.clone());
        thread::spawn(move || write_lines(&asked, input, &writing));
        let reading = lines.clone();
        thread::spawn(move || reading.read(output));
        let memory = command.memory.unwrap_or(DEFAULT_MEMORY);
        Ok(Conversation {
            member: Mutex::new(member),
            requests,
            lines,
            stderr,
            memory,
            first_trouble: Mutex::default(),
        })
    }

    /// Writes a line and reads the line that answers it, both with their terminators.
    pub fn ask(&self, asking: Asking, interrupt: &Interrupt) -> Result<Vec<u8>, NoAnswerReason> {
        let Asking { line, id, timeout } = asking;
        self.send(line, &[id], timeout).next(interrupt)
    }

    /// Writes lines, each with its terminator, that are answered in their order. `ids` are the numbers of the
    /// requests, and `timeout` is how long each answer may take once those before it are there.
    pub fn send(&self, lines: String, ids: &[Option<u64>], timeout: Duration) -> AwaitedAnswers<'_> {
        self.stderr.clear();
        let incoming = Arc::default();
        let waiting = WaitingThread::new(ids, Arc::clone(&incoming));
        self.requests.add(SentRequests { lines, waiting });
        self.requests.wake();
        let (taken, took) = (Vec::new().into_iter(), Duration::ZERO);
        AwaitedAnswers { conversation: self, incoming, taken, since: None, took, timeout }
    }

    /// Closes the input of the process, so that it ends.
    pub fn close(&self) {
        self.requests.close();
    }

    /// What the process wrote that answers nothing, if it did so since the last call.
    pub fn take_stray(&self) -> Option<Stray> {
        self.lines.take_stray()
    }

    /// Closes the input of the process and waits until it ends by itself, for at most `timeout` from `start` on. An
    /// error says how it ended otherwise than it should.
    pub fn finish(&self, start: Instant, timeout: Duration) -> Result<(), Breakdown> {
        self.close();
        let status = lock(&self.member).end(timeout.saturating_sub(start.elapsed()));
        self.lines.wait_for_end(PATIENCE);
        let what = match status {
            Some(status) if status.success() => return Ok(()),
            Some(status) => format!("{} when its input ended", ended(status)),
            None => format!("did not end within {} s when its input ended", timeout.as_secs_f64()),
        };
        Err(Breakdown { what, stderr: self.stderr.text() })
    }

    /// Ends the process, and returns how the trouble ends the case.
    pub fn end(&self, trouble: NoAnswerReason) -> Stopped {
        let first = lock(&self.first_trouble).get_or_insert_with(|| trouble.clone()).clone();
        self.close();
        let patience = if trouble == NoAnswerReason::Closed { PATIENCE } else { Duration::ZERO };
        let status = lock(&self.member).end(patience);
        let stderr = self.stderr.text();
        let wrote = self.lines.instead_of_answer().map_or(String::new(), |wrote| format!(", after {wrote}"));
        let memory = if mentions_memory(&stderr) {
            format!(" with at most {} bytes of memory (--vm-memory)", self.memory)
        } else {
            String::new()
        };
        let broke_down = |what| Breakdown { what, stderr };
        match trouble {
            NoAnswerReason::Interrupted => Stopped::Interrupted,
            NoAnswerReason::Late(timeout) => {
                Stopped::Timeout(broke_down(format!("no answer in {} s{wrote}", timeout.as_secs_f64())))
            }
            NoAnswerReason::Broke(what) => Stopped::Crash(broke_down(what)),
            NoAnswerReason::Closed => {
                let what = status.map_or_else(|| closed(&first), ended);
                Stopped::Crash(broke_down(what + &memory + &wrote))
            }
        }
    }
}

impl AwaitedAnswers<'_> {
    /// How long the process has had the request that [`AwaitedAnswers::next`] waited for last.
    pub(super) fn time(&self) -> Duration {
        self.since.map_or(self.took, |since| since.elapsed())
    }

    /// The next line that answers one of those that were sent.
    pub fn next(&mut self, interrupt: &Interrupt) -> Result<Vec<u8>, NoAnswerReason> {
        let mut has_ended = false;
        self.took = Duration::ZERO;
        loop {
            match self.taken.next() {
                Some(IncomingLine::Answer(answer, came)) => {
                    self.took = self.since.take().map_or(Duration::ZERO, |since| came - since);
                    return answer;
                }
                Some(IncomingLine::Due(since) | IncomingLine::Alive(since)) => {
                    self.since = Some(since);
                    continue;
                }
                None => {}
            }
            let left = self.timeout.saturating_sub(self.time());
            match self.incoming.take(left.min(INTERVAL)) {
                Ok(incoming) => self.taken = incoming.into_iter(),
                Err(NoMail::Closed) => return Err(NoAnswerReason::Closed),
                Err(NoMail::Late) if interrupt.is_requested() => return Err(NoAnswerReason::Interrupted),
                // Another process that it started keeps the pipe open.
                Err(NoMail::Late) if has_ended => return Err(NoAnswerReason::Closed),
                Err(NoMail::Late) if left.is_zero() => return Err(NoAnswerReason::Late(self.timeout)),
                Err(NoMail::Late) => has_ended = lock(&self.conversation.member).has_ended(),
            }
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.close();
        lock(&self.member).end(PATIENCE);
    }
}

/// The command to run, with a limit on its memory if one is set.
fn with_memory(TesteeCommand { words, memory, .. }: &TesteeCommand) -> io::Result<process::Command> {
    let program = words.first().ok_or_else(|| io::Error::other("there is no command"))?;
    let Some(memory) = memory else {
        let mut command = process::Command::new(program);
        command.args(&words[1..]);
        return Ok(command);
    };
    if !cfg!(unix) {
        return Err(io::Error::other("memory cannot be limited on this system"));
    }
    // The limit must be set between fork and exec, which safe code cannot do without a shell.
    let mut command = process::Command::new("sh");
    command.args(["-c", "ulimit -v \"$0\" && exec \"$@\"", &(memory / 1024).to_string()]).args(words);
    Ok(command)
}

/// Whether a process says that it got no memory, as usual runtimes do.
fn mentions_memory(stderr: &str) -> bool {
    const WORDS: [&str; 7] = [
        "MemoryError",
        "bad_alloc",
        "OutOfMemory",
        "out of memory",
        "Out of space",
        "annot allocate memory",
        "memory allocation of",
    ];
    WORDS.iter().any(|words| stderr.contains(words))
}

/// Limits the data of a process that was started without a limit on its address space. Where this is not possible, the
/// process has no limit.
fn limit_data(member: &GroupMember) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};
        let limit = Rlimit { current: Some(DEFAULT_MEMORY), maximum: Some(DEFAULT_MEMORY) };
        // It fails if the process has ended, or has a lower limit already.
        let _ = prlimit(Pid::from_raw(member.child.id() as i32), Resource::Data, limit);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = member;
}

/// Why there is no more output of a process that did not end by itself.
fn closed(first: &NoAnswerReason) -> String {
    match first {
        NoAnswerReason::Late(timeout) => {
            format!("vmconf ended it, since it gave another request no answer in {} s", timeout.as_secs_f64())
        }
        NoAnswerReason::Broke(what) => format!("vmconf ended it, since it {what}"),
        NoAnswerReason::Closed | NoAnswerReason::Interrupted => "closed its standard output".to_owned(),
    }
}

/// How a process ended: `killed by SIGSEGV`.
fn ended(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            let name = nix::sys::signal::Signal::try_from(signal).map(nix::sys::signal::Signal::as_str);
            return name
                .map_or_else(|_| format!("killed by signal {signal}"), |name| format!("killed by {name}"));
        }
    }
    status.code().map_or_else(|| "ended".to_owned(), |code| format!("ended with exit code {code}"))
}

/// Writes lines until either side closes. Those that wait are written together.
fn write_lines(asked: &Mailbox<SentRequests>, mut input: ChildStdin, answers: &TesteeLines) {
    while let Ok(together) = asked.take(Duration::MAX) {
        let mut written = String::new();
        for SentRequests { lines, waiting } in together {
            written.push_str(&lines);
            // Announced before the lines are written, since a process that does not read its input may still have
            // answered.
            answers.expect(waiting);
        }
        if input.write_all(written.as_bytes()).is_err() {
            asked.close();
            // Who sent requests in the meantime waits no longer.
            drop(asked.take(Duration::ZERO));
            return;
        }
    }
}
