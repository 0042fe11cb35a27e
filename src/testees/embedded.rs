//! A machine of this crate as a testee.

use super::Testee;
use crate::machines::MachineInfo;
use crate::machines::inspect::Inspect;
use crate::machines::machine::{Budget, LoadError, Machine, Status, Watch, perform};
use crate::model::case::{Action, Program};
use crate::model::limits::Limits;
use crate::model::path::Path;

/// A machine of this crate, with an instruction budget for each program it loads.
pub struct Embedded {
    machine: Box<dyn Machine>,
    budget: Budget,
    steps: u64,
}

impl Embedded {
    /// A testee with a new machine.
    pub fn new(info: &MachineInfo, limits: &Limits) -> Embedded {
        Embedded::of((info.new)(limits), limits)
    }

    /// A testee with this machine.
    pub fn of(machine: Box<dyn Machine>, limits: &Limits) -> Embedded {
        Embedded { machine, budget: Budget::new(limits.steps), steps: limits.steps }
    }
}

impl Testee for Embedded {
    fn load(&mut self, program: &Program) -> Result<(), LoadError> {
        self.budget = Budget::new(self.steps);
        self.machine.load(program)
    }

    fn perform(&mut self, action: &Action, watch: Option<&mut dyn Watch>) -> Status {
        perform(&mut *self.machine, action, &mut self.budget, watch)
    }

    fn state(&self) -> &dyn Inspect {
        &*self.machine
    }

    fn describe(&self) -> String {
        self.machine.describe()
    }

    fn explain(&self, at: &Path) -> Option<String> {
        self.machine.explain(at)
    }
}
