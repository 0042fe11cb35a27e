//! A machine of this crate as a testee.

use super::Testee;
use crate::machines::MachineInfo;
use crate::machines::inspect::Inspect;
use crate::machines::machine::{LoadError, Machine, Status, Watch, perform};
use crate::model::case::{Action, Program};
use crate::model::interrupt::Interrupt;
use crate::model::limits::Limits;
use crate::model::path::Path;

/// A machine of this crate.
pub struct Embedded(Box<dyn Machine>);

impl Embedded {
    /// A testee with a new machine.
    pub fn new(info: &MachineInfo, limits: &Limits, interrupt: &Interrupt) -> Embedded {
        Embedded::of((info.new)(limits), interrupt)
    }

    /// A testee with this machine.
    pub fn of(mut machine: Box<dyn Machine>, interrupt: &Interrupt) -> Embedded {
        machine.account().heed(interrupt.clone());
        Embedded(machine)
    }
}

impl Testee for Embedded {
    fn load(&mut self, program: &Program) -> Result<(), LoadError> {
        self.0.load(program)
    }

    fn perform(&mut self, action: &Action, watch: Option<&mut dyn Watch>) -> Status {
        perform(&mut *self.0, action, watch)
    }

    fn state(&self) -> &dyn Inspect {
        &*self.0
    }

    fn describe(&self) -> String {
        self.0.describe()
    }

    fn explain(&self, at: &Path) -> Option<String> {
        self.0.explain(at)
    }
}
