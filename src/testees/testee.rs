//! The interface of testees, and how a run can end.

use std::time::Duration;

use crate::machines::observe::Observe;
use crate::machines::status::LoadError;
use crate::model::{Breakdown, Expected, FirstTry, Path, Program, Step, Value};

/// Something that runs programs: an embedded machine, or one in another process.
pub trait Testee {
    /// Runs a program on a fresh machine: performs the actions of each step, and calls `see` with the index of the
    /// step and the state after it. Without steps, only loads the program. Returns how the testee broke down the first
    /// time if it was tried twice. Fails if the run ends before the last step is done.
    fn run(&mut self, program: &Program, steps: &[Step], see: StateObserver<'_>) -> RunEnd;

    /// Runs programs as [`Testee::run`] runs one. Several of them may be in flight at the same time.
    fn run_each(&mut self, runs: &[(&Program, &[Step])], observer: &mut dyn RunObserver) -> Vec<RunEnd> {
        let mut run = |(number, (program, steps)): (usize, &(&Program, &[Step]))| {
            observer.starts(number);
            self.run(program, steps, &mut |step, state| observer.see(number, step, state))
        };
        runs.iter().enumerate().map(&mut run).collect()
    }

    /// How long the machine took for each program of the last run, without the wait for a free process; `None` if the
    /// testee does not measure it.
    fn times(&self) -> Option<&[Duration]> {
        None
    }

    /// How many instructions the last run executed; `None` if that is not known.
    fn instructions(&mut self) -> Option<u64> {
        None
    }
}

/// Called with the index of each step and the state after it.
pub type StateObserver<'s> = &'s mut dyn FnMut(usize, &dyn TesteeState);

/// Sees several programs run. Each is known by its index.
pub trait RunObserver {
    /// The testee works on this program from now on; on the others, it does not yet or not any more.
    fn starts(&mut self, number: usize);

    /// The state of the program after the step at an index.
    fn see(&mut self, number: usize, step: usize, state: &dyn TesteeState);
}

/// Sees the only program of a run.
pub(super) struct OnlyRun<'s>(pub(super) StateObserver<'s>);

impl RunObserver for OnlyRun<'_> {
    fn starts(&mut self, _number: usize) {}

    fn see(&mut self, _number: usize, step: usize, state: &dyn TesteeState) {
        self.0(step, state);
    }
}

/// How the testee broke down the first time if it was tried twice, or why a run ended before its last step was done.
pub type RunEnd = Result<Option<FirstTry>, Stopped>;

/// The state of a machine after a step.
pub trait TesteeState: Observe {
    /// A description, in one line, of how the machine ended or where it is.
    fn describe(&self) -> String;

    /// The fields that are not compared, since the testee reports only their hashes.
    fn left_out(&self) -> &[&'static str] {
        &[]
    }

    /// The name of a datum in the program's source; see
    /// [`Machine::explain`](crate::machines::machine::Machine::explain).
    fn explain(&self, at: &Path) -> Option<String>;

    /// What differs between the expected and the actual value of a datum, for people, if that says more than both:
    /// `Z set, must be clear; C clear, must be set`.
    fn tell_apart(&self, _at: &Path, _expected: &Expected, _actual: Option<&Value>) -> Option<String> {
        None
    }
}

/// Why a run ended before its last step was done. Unlike the [`Status`](crate::machines::status::Status) of a machine,
/// it is always an early end, and may be one that only another process can have: a crash or a time-out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stopped {
    /// The program cannot be run, or a limit of the runner was reached; as a full sentence.
    Error(LoadError),
    /// The run was interrupted.
    Interrupted,
    /// The testee lacks what the program needs.
    Unsupported(String),
    /// The testee crashed, or broke the protocol.
    Crash(Breakdown),
    /// The testee did not answer in time.
    Timeout(Breakdown),
}

impl Stopped {
    /// The machine does not accept the program.
    pub(crate) fn not_loadable(reason: LoadError) -> Stopped {
        let what = format!("the program cannot be loaded: {}", reason.what);
        Stopped::Error(LoadError { what, ..reason })
    }

    /// The testee does not perform an action that the case needs.
    pub(crate) fn lacks_action(name: &str) -> Stopped {
        Stopped::Unsupported(format!("no action {name}"))
    }

    /// The testee does not report a field that the case compares.
    pub(crate) fn lacks_field(name: &str) -> Stopped {
        Stopped::Unsupported(format!("no field {name}"))
    }

    /// Whether the testee crashed or did not answer in time.
    pub(crate) fn is_breakdown(&self) -> bool {
        matches!(self, Stopped::Crash(_) | Stopped::Timeout(_))
    }
}
