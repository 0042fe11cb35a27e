//! A machine of this crate as a testee.

use super::Testee;
use crate::machines::MachineInfo;
use crate::machines::inspect::{Effects, Inspect};
use crate::machines::machine::{Budget, LoadError, Machine, Status, Watch, perform};
use crate::machines::observe::Observe;
use crate::model::case::{Action, Program};
use crate::model::cell::Cell;
use crate::model::limits::Limits;
use crate::model::path::Path;
use crate::model::value::Value;

/// A machine of this crate, with a budget of instructions for each program it loads.
pub struct Embedded {
    machine: Box<dyn Machine>,
    budget: Budget,
    steps: u64,
}

impl Embedded {
    /// A new machine.
    pub fn new(info: &MachineInfo, limits: &Limits) -> Embedded {
        Embedded::of((info.new)(limits), limits)
    }

    /// This machine.
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

    fn describe(&self) -> String {
        self.machine.describe()
    }

    fn explain(&self, at: &Path) -> Option<String> {
        self.machine.explain(at)
    }
}

impl Observe for Embedded {
    fn has_field(&self, field: &str) -> bool {
        self.machine.has_field(field)
    }

    fn observe(&self, field: &str) -> Option<Value> {
        self.machine.observe(field)
    }
}

impl Inspect for Embedded {
    fn instruction(&self) -> String {
        self.machine.instruction()
    }

    fn source(&self) -> Option<String> {
        self.machine.source()
    }

    fn height(&self) -> usize {
        self.machine.height()
    }

    fn item(&self, below: usize) -> Option<Value> {
        self.machine.item(below)
    }

    fn compound(&self, below: usize) -> Option<usize> {
        self.machine.compound(below)
    }

    fn gas(&self) -> Option<u64> {
        self.machine.gas()
    }

    fn given_back(&self) -> u64 {
        self.machine.given_back()
    }

    fn failure(&self) -> Option<String> {
        self.machine.failure()
    }

    fn effects(&self) -> Effects {
        self.machine.effects()
    }

    fn declared(&self, counts: &dyn Fn(usize) -> bool) -> Effects {
        self.machine.declared(counts)
    }

    fn value(&self, cell: &Cell) -> Option<Value> {
        self.machine.value(cell)
    }

    fn cells(&self, at: &Path) -> Vec<Cell> {
        self.machine.cells(at)
    }
}
