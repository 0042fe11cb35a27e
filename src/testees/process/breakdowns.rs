//! How often the processes of a machine broke down over a request, and what two breakdowns over one say together.

use std::sync::Mutex;

use crate::model::{Breakdown, FirstTry, counted, lock};
use crate::testees::testee::Stopped;

/// How often a machine broke down over a request, by whether the request was answered when it was repeated alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Breakdowns {
    /// There was no answer then either.
    pub steady: BreakdownCount,
    /// There was one.
    pub unrepeated: BreakdownCount,
}

/// A number of crashes and time-outs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BreakdownCount {
    crashes: u64,
    timeouts: u64,
    /// How the first one happened.
    first: String,
}

/// The breakdowns of a machine so far.
#[derive(Default)]
pub(super) struct SeenBreakdowns(Mutex<Breakdowns>);

impl BreakdownCount {
    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        self.crashes + self.timeouts == 0
    }

    /// How the first one happened.
    pub fn first(&self) -> &str {
        &self.first
    }

    /// The numbers, in words.
    pub fn in_words(&self) -> String {
        let crash = if self.crashes == 1 { "crash" } else { "crashes" };
        let crashes = (self.crashes > 0).then(|| format!("{} {crash}", self.crashes));
        let timeouts = (self.timeouts > 0).then(|| counted(self.timeouts, "time-out"));
        let all: Vec<_> = crashes.into_iter().chain(timeouts).collect();
        all.join(" and ")
    }

    fn add(&mut self, stopped: &Stopped) {
        let (count, Breakdown { what, .. }) = match stopped {
            Stopped::Crash(breakdown) => (&mut self.crashes, breakdown),
            Stopped::Timeout(breakdown) => (&mut self.timeouts, breakdown),
            Stopped::Unsupported(_) | Stopped::Error(_) | Stopped::Interrupted => return,
        };
        *count += 1;
        if self.crashes + self.timeouts == 1 {
            self.first.clone_from(what);
        }
    }
}

impl SeenBreakdowns {
    /// Adds one, if that is why there was no answer.
    pub(super) fn add_steady(&self, stopped: &Stopped) {
        lock(&self.0).steady.add(stopped);
    }

    /// Adds one whose request was answered when it was repeated.
    pub(super) fn add_unrepeated(&self, stopped: &Stopped) {
        lock(&self.0).unrepeated.add(stopped);
    }

    pub(super) fn so_far(&self) -> Breakdowns {
        lock(&self.0).clone()
    }
}

/// How a case ended that crashed the process, and timed out when it was repeated: the crash is not forgotten. The
/// process may have crashed for another request, so the time-out decides.
pub(super) fn late_after(second: &Breakdown, Breakdown { what, stderr }: &Breakdown) -> Stopped {
    let parts = [&**stderr, &*second.stderr].map(str::trim_end);
    let parts: Vec<_> = parts.into_iter().filter(|it| !it.is_empty()).collect();
    let what = format!("{}; the first time, {what}", second.what);
    Stopped::Timeout(Breakdown { what, stderr: parts.join("\n") })
}

/// How a run ended that was refused when it was repeated: the breakdown is not forgotten.
pub(super) fn refused_after(refused: Stopped, first: &FirstTry) -> Stopped {
    let Breakdown { what, stderr } = first.breakdown.clone();
    let why = match refused {
        Stopped::Unsupported(reason) => format!("unsupported: {reason}"),
        Stopped::Error(error) => format!("an error: {error}"),
        Stopped::Interrupted | Stopped::Crash(_) | Stopped::Timeout(_) => return refused,
    };
    Stopped::Crash(Breakdown { what: format!("{what}; alone in a new process, {why}"), stderr })
}
