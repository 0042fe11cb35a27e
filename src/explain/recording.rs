//! Time travel: the state of a machine after any number of instructions of a case.
//!
//! A recording runs the case once and keeps copies of the machine at some steps. To reach any other step, it
//! runs the copy before it from there: machines are deterministic. It works for every machine. A machine that
//! cannot be copied is loaded again instead.
//!
//! Steps are numbered as in `vmconf trace`: instruction `n` leads from state `n - 1` to state `n`, and state
//! 0 is the initial one.

mod cause;
mod checkpoints;
mod datum;
mod datum_write;
mod history;
mod moment;
mod overview;
mod search;
mod sought;
mod sought_search;
mod stretches;
mod time_line;
mod vector_writes;
mod writes;

use crate::machines::machine::Machine;
use crate::machines::status::{LoadError, Status};
use crate::model::{Case, Interrupt, Program};
use crate::testees::StateObserver;
use crate::testees::embedded::Embedded;

use self::checkpoints::Checkpoints;
use self::stretches::{RecordedStretch, Stretch};

pub use self::datum::{Datum, DatumId, ShownDatum, StateSection, sections_of};
pub use self::datum_write::{DatumWrite, DatumWriter, WriteCondition};
pub use self::moment::{Direction, FoundMoment, FoundWrite, KeepGoing, Moment};
pub use self::sought::{FoundPlace, Sought};
pub use self::time_line::{TimeColumns, TimeLine};
pub use self::writes::{CelllessValues, PendingWrites, StepWrites, cellless, differing};

/// A run of a case that allows going to any step.
pub struct Recording {
    program: Program,
    stretches: Vec<Stretch>,
    /// The end of each step of the case that the run reached.
    ends: Vec<Moment>,
    checkpoints: Checkpoints,
    machine: Box<dyn Machine>,
    /// The state that the machine is in.
    now: Moment,
    stopped: Option<String>,
}

/// How many steps before its destination [`Recording::go_to`] keeps a copy, so that small steps back are cheap.
const NEAR: u64 = 4_096;

impl Recording {
    /// Runs a case on a machine. If a limit of the runner ends the run, the recording ends there. Fails if the program
    /// cannot be loaded, or the machine cannot do what the case says.
    pub fn new(machine: Box<dyn Machine>, case: &Case) -> Result<Recording, LoadError> {
        Recording::seen(Embedded::of(machine, &Interrupt::default()), case, &mut |_, _| {})
    }

    /// Like [`Recording::new`], but calls `see` after each step of the case.
    pub fn seen(mut machine: Embedded, case: &Case, see: StateObserver<'_>) -> Result<Recording, LoadError> {
        machine.machine().load(&case.program)?;
        let mut checkpoints = Checkpoints::default();
        let recorded = stretches::record(&mut machine, case, see, &mut checkpoints)?;
        let now = recorded.now();
        let RecordedStretch { stretches, ends, stopped } = recorded;
        let (program, machine) = (case.program.clone(), machine.into_machine());
        Ok(Recording { program, stretches, ends, checkpoints, machine, now, stopped })
    }

    /// How many instructions were executed.
    pub fn steps(&self) -> u64 {
        self.stretches.last().map_or(0, Stretch::end)
    }

    /// Why the run did not reach its end, if a limit of the runner stopped it.
    pub fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
    }

    /// How the run ended: how the machine says it, or which limit of the runner stopped it. `None` before the last state.
    pub fn ended(&self) -> Option<String> {
        match &self.stopped {
            Some(limit) => (self.now == self.moment(u64::MAX)).then(|| limit.clone()),
            None => self.machine().next().is_none().then(|| self.machine().describe()),
        }
    }

    /// The state with this number, or the last one. If there are several, the one right before the next
    /// instruction.
    pub fn moment(&self, step: u64) -> Moment {
        let step = step.min(self.steps());
        let after = self.stretches.partition_point(|stretch| stretch.first <= step);
        Moment { stretch: after.saturating_sub(1), step }
    }

    /// The state that is compared after a step of the case, numbered from 1; the last state if the run did
    /// not get there.
    pub fn end_of_case_step(&self, number: usize) -> Moment {
        let end = number.checked_sub(1).and_then(|index| self.ends.get(index));
        end.copied().unwrap_or_else(|| self.moment(u64::MAX))
    }

    /// The current state.
    pub fn now(&self) -> Moment {
        self.now
    }

    /// The machine in the current state.
    pub fn machine(&self) -> &dyn Machine {
        &*self.machine
    }

    /// Goes to a state.
    pub fn go_to(&mut self, to: Moment) -> &dyn Machine {
        if self.now > to || self.checkpoints.has_between(self.now, to) {
            self.restart(to);
        }
        if to.step - self.now.step > NEAR {
            self.run_to(self.moment_before(to, NEAR));
            self.checkpoints.keep_near(self.now, &mut *self.machine);
        }
        self.run_to(to);
        &*self.machine
    }

    /// Goes forward, at least one step, to the first state with at most this number of frames.
    pub fn go_to_depth(&mut self, depth: usize, keep_going: KeepGoing<'_>) -> FoundMoment {
        let start = self.now;
        for step in start.step + 1..=self.steps() {
            if self.go_to(self.moment(step)).depth() <= depth {
                return FoundMoment::At(step);
            }
            if step % NEAR == 0 && !keep_going(step - start.step) {
                self.go_to(start);
                return FoundMoment::Cancelled;
            }
        }
        FoundMoment::Nothing
    }

    /// Goes to the checkpoint before a state.
    fn restart(&mut self, to: Moment) {
        if let Some((at, machine)) = self.checkpoints.before(to) {
            (self.now, self.machine) = (at, machine);
            return;
        }
        // The same load and changes succeeded before.
        let _ = self.machine.load(&self.program);
        self.stretches[0].apply(&mut *self.machine);
        self.now = Moment { stretch: 0, step: 0 };
    }

    /// Executes the instructions up to a state that is not before the current one.
    fn run_to(&mut self, to: Moment) {
        while self.now.stretch < to.stretch {
            self.execute(self.stretches[self.now.stretch].end());
            self.now.stretch += 1;
            self.stretches[self.now.stretch].apply(&mut *self.machine);
        }
        self.execute(to.step);
    }

    fn execute(&mut self, end: u64) {
        let count = end - self.now.step;
        if count > 0 {
            let _: Status = self.machine.run(count, None);
            self.now.step = end;
        }
        let stretch = &self.stretches[self.now.stretch];
        if stretch.is_over && end == stretch.end() && self.machine.next().is_none() {
            // A program may end without executing an instruction.
            let _: Status = self.machine.run(1, None);
        }
    }

    /// The state this number of instructions earlier.
    fn moment_before(&self, at: Moment, count: u64) -> Moment {
        self.moment(at.step.saturating_sub(count)).min(at)
    }
}
