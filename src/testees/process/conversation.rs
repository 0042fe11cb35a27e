//! A process, with the lines written to it and read from it.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{self, ChildStderr, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::command::Command;
use super::group::{Groups, Member};
use crate::model::interrupt::Interrupt;
use crate::model::verdict::Breakdown;
use crate::testees::testee::Stopped;
use crate::wire::protocol::MOST_LINE;

/// How much of standard error is kept, in bytes.
const MOST_STDERR: usize = 64 << 10;

/// How often to check whether the process has ended or the run was interrupted.
const INTERVAL: Duration = Duration::from_millis(25);

/// How long a process may take to end after its pipes are closed, and its pipes to close after it has ended.
const PATIENCE: Duration = Duration::from_millis(300);

/// A process. Dropping this ends it and everything that it started.
///
/// Several threads may send requests at the same time: their lines are written one after another, and the
/// process answers in that order.
pub struct Conversation {
    member: Mutex<Member>,
    /// `None` if the input of the process is closed.
    requests: Mutex<Option<Sender<Asked>>>,
    stderr: Stderr,
}

/// A line to write, and the channel for the line that answers it.
struct Asked {
    line: String,
    answer: Sender<Result<Vec<u8>, Trouble>>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The output of the process ended.
    Closed,
    /// The process broke the protocol.
    Broke(String),
    /// There was no answer within this time.
    Late(Duration),
    /// The run was interrupted.
    Interrupted,
}

impl Conversation {
    /// Starts a process.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub fn start(command: &Command, groups: &Groups) -> io::Result<Conversation> {
        let mut started = with_memory(command)?;
        started.envs(command.env.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &command.folder {
            started.current_dir(folder);
        }
        started.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut member = groups.start(&mut started)?;
        let child = &mut member.child;
        let missing = || io::Error::other("no pipe");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let stderr = Stderr::collect(child.stderr.take().ok_or_else(missing)?);
        let (requests, asked) = mpsc::channel();
        let (written, waiting) = mpsc::channel();
        // The threads are not joined: if a process that left the group keeps a pipe open, they wait for it.
        thread::spawn(|| write_lines(asked, input, written));
        thread::spawn(|| read_lines(output, waiting));
        Ok(Conversation { member: Mutex::new(member), requests: Mutex::new(Some(requests)), stderr })
    }

    /// Writes a line and reads a line, both with their terminators.
    ///
    /// # Errors
    ///
    /// Why there is no line.
    pub fn ask(&self, line: String, timeout: Duration, interrupt: &Interrupt) -> Result<Vec<u8>, Trouble> {
        self.stderr.clear();
        let (answer, answers) = mpsc::channel();
        let requests = lock(&self.requests).clone().ok_or(Trouble::Closed)?;
        requests.send(Asked { line, answer }).map_err(|_| Trouble::Closed)?;
        let start = Instant::now();
        let mut has_ended = false;
        loop {
            let left = timeout.saturating_sub(start.elapsed());
            match answers.recv_timeout(left.min(INTERVAL)) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Disconnected) => return Err(Trouble::Closed),
                Err(RecvTimeoutError::Timeout) if interrupt.is_requested() => {
                    return Err(Trouble::Interrupted);
                }
                // Another process that it started keeps the pipe open.
                Err(RecvTimeoutError::Timeout) if has_ended => return Err(Trouble::Closed),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(Trouble::Late(timeout)),
                Err(RecvTimeoutError::Timeout) => has_ended = lock(&self.member).has_ended(),
            }
        }
    }

    /// Closes the input of the process, so that it ends.
    pub fn close(&self) {
        *lock(&self.requests) = None;
    }

    /// Ends the process, and returns how the trouble ends the case.
    pub fn end(&self, trouble: Trouble) -> Stopped {
        self.close();
        let patience = if trouble == Trouble::Closed { PATIENCE } else { Duration::ZERO };
        let status = lock(&self.member).end(patience);
        let stderr = self.stderr.text();
        let broke_down = |what| Breakdown { what, stderr };
        match trouble {
            Trouble::Interrupted => Stopped::Interrupted,
            Trouble::Late(timeout) => {
                Stopped::Timeout(broke_down(format!("no answer in {} s", timeout.as_secs_f64())))
            }
            Trouble::Broke(what) => Stopped::Crash(broke_down(what)),
            Trouble::Closed => {
                let what = status.map_or_else(|| "closed its standard output".to_owned(), ended);
                Stopped::Crash(broke_down(what))
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
fn with_memory(Command { words, memory, .. }: &Command) -> io::Result<process::Command> {
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

/// Writes each line until either side closes. Waiting lines are written together.
#[allow(clippy::needless_pass_by_value, reason = "the pipe and the channels close with the thread")]
fn write_lines(
    asked: Receiver<Asked>,
    mut input: ChildStdin,
    written: Sender<Sender<Result<Vec<u8>, Trouble>>>,
) {
    while let Ok(first) = asked.recv() {
        let mut lines = Vec::new();
        for Asked { line, answer } in std::iter::once(first).chain(asked.try_iter()) {
            lines.extend_from_slice(line.as_bytes());
            // Sent before the line is written, since a process that does not read its input may still have
            // answered.
            if written.send(answer).is_err() {
                return;
            }
        }
        if input.write_all(&lines).is_err() {
            return;
        }
    }
}

/// Reads a line for each line that was written, until either side closes.
#[allow(clippy::needless_pass_by_value, reason = "the pipe and the channel close with the thread")]
fn read_lines(output: ChildStdout, waiting: Receiver<Sender<Result<Vec<u8>, Trouble>>>) {
    let mut output = BufReader::with_capacity(1 << 16, output);
    for answer in waiting {
        let line = read_line(&mut output);
        let goes_on = line.is_ok();
        // The thread that asked may have stopped waiting.
        let _ = answer.send(line);
        if !goes_on {
            return;
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read_line(output: &mut impl BufRead) -> Result<Vec<u8>, Trouble> {
    let mut line = Vec::new();
    // One byte more than allowed, to detect a line that is too long.
    let read = output.take(MOST_LINE as u64 + 1).read_until(b'\n', &mut line);
    match line.last() {
        Some(b'\n') => Ok(line),
        Some(_) if line.len() > MOST_LINE => {
            Err(Trouble::Broke(format!("wrote a line of more than {MOST_LINE} bytes")))
        }
        _ => read.and(Err(io::Error::other("the end"))).map_err(|_| Trouble::Closed),
    }
}

/// The end of what a process writes to standard error.
struct Stderr {
    tail: Arc<Mutex<VecDeque<u8>>>,
    /// Closes at the end of the stream.
    end: Mutex<Receiver<()>>,
}

impl Stderr {
    fn collect(mut pipe: ChildStderr) -> Stderr {
        let tail = Arc::new(Mutex::new(VecDeque::new()));
        let (sender, end) = mpsc::channel();
        let collected = tail.clone();
        thread::spawn(move || {
            let mut bytes = vec![0; 1 << 13];
            while let Ok(count @ 1..) = pipe.read(&mut bytes) {
                let mut tail = lock(&collected);
                tail.extend(&bytes[..count]);
                let more = tail.len().saturating_sub(MOST_STDERR);
                tail.drain(..more);
            }
            drop(sender);
        });
        Stderr { tail, end: Mutex::new(end) }
    }

    fn clear(&self) {
        lock(&self.tail).clear();
    }

    /// What the process, which has ended, wrote since the last request.
    fn text(&self) -> String {
        let _ = lock(&self.end).recv_timeout(PATIENCE);
        let tail = lock(&self.tail);
        String::from_utf8_lossy(&tail.iter().copied().collect::<Vec<_>>()).into_owned()
    }
}
