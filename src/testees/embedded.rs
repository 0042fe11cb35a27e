//! An embedded machine as a testee.

use super::testee::{RunEnd, StateObserver, Stopped, Testee, TesteeState};
use crate::machines::inspect::Inspect;
use crate::machines::machine::{Machine, Watch, perform, reborrow};
use crate::machines::observe::Observe;
use crate::machines::status::{LoadError, Status};
use crate::model::{Interrupt, Path, Program, Step, Value};

/// An embedded machine.
pub struct Embedded(Box<dyn Machine>);

impl Embedded {
    /// A testee with this machine, whose runs end when `interrupt` is requested.
    pub fn of(mut machine: Box<dyn Machine>, interrupt: &Interrupt) -> Embedded {
        machine.account().heed(interrupt.clone());
        Embedded(machine)
    }

    /// The state of the machine.
    pub fn state(&self) -> &dyn Inspect {
        &*self.0
    }

    /// The machine, to drive it in another way than [`Embedded::watch`].
    pub fn machine(&mut self) -> &mut dyn Machine {
        &mut *self.0
    }

    /// Returns the machine itself.
    pub fn into_machine(self) -> Box<dyn Machine> {
        self.0
    }

    /// The units that the last case has used; see [`crate::machines::account`].
    pub fn units(&mut self) -> u64 {
        self.0.account().units()
    }

    /// Like [`Testee::run`], but observed by `watch`.
    pub fn watch(
        &mut self,
        program: &Program,
        steps: &[Step],
        mut watch: Option<&mut dyn Watch>,
        see: StateObserver<'_>,
    ) -> Result<(), Stopped> {
        self.0.load(program).map_err(Stopped::not_loadable)?;
        for (index, step) in steps.iter().enumerate() {
            let done = self.step(step, &mut watch);
            if let Some(watch) = &mut watch
                && matches!(done, Ok(()) | Err(EmbeddedStop::Limit(_)))
            {
                watch.after_step(index + 1, self.state());
            }
            done.map_err(|stop| match stop {
                EmbeddedStop::Limit(what) => Stopped::Error(LoadError::new(what)),
                EmbeddedStop::Other(stopped) => stopped,
            })?;
            see(index, self);
        }
        Ok(())
    }

    fn step(&mut self, step: &Step, watch: &mut Option<&mut dyn Watch>) -> Result<(), EmbeddedStop> {
        for action in &step.actions {
            let status = perform(&mut *self.0, action, reborrow(watch));
            if let Some(watch) = watch {
                watch.pause(self.state());
            }
            match status {
                Status::Running | Status::Ended => {}
                Status::Limit(reached) => {
                    return Err(EmbeddedStop::Limit(format!("{reached}; {}", self.describe())));
                }
                // Observing the state would need more memory.
                Status::OutOfMemory => {
                    return Err(EmbeddedStop::Other(Stopped::Error(LoadError::new(OUT_OF_MEMORY))));
                }
                Status::Interrupted => return Err(EmbeddedStop::Other(Stopped::Interrupted)),
                Status::Refused(reason) => {
                    let what = format!("the run cannot go on: {}", reason.what);
                    return Err(EmbeddedStop::Other(Stopped::Error(LoadError { what, ..reason })));
                }
            }
        }
        Ok(())
    }
}

/// The message for a case that needs more memory than the system provides.
const OUT_OF_MEMORY: &str = "out of memory: the system refuses what the machine needs, below --max-memory; run fewer cases at once (--jobs)";

/// Why a step ended early. Unlike a [`Stopped`], it tells a limit apart, after which the watch still sees the state.
enum EmbeddedStop {
    /// A limit of the runner was reached.
    Limit(String),
    Other(Stopped),
}

impl Testee for Embedded {
    fn run(&mut self, program: &Program, steps: &[Step], see: StateObserver<'_>) -> RunEnd {
        self.watch(program, steps, None, see).map(|()| None)
    }

    fn instructions(&mut self) -> Option<u64> {
        Some(self.0.account().instructions())
    }
}

impl TesteeState for Embedded {
    fn describe(&self) -> String {
        self.0.describe()
    }

    fn explain(&self, at: &Path) -> Option<String> {
        self.0.explain(at)
    }
}

impl Observe for Embedded {
    fn has_field(&self, field: &str) -> bool {
        self.0.has_field(field)
    }

    fn observe(&self, field: &str) -> Option<Value> {
        self.0.observe(field)
    }
}
