//! States in front of an instruction.

use vmconf::machines::MachineInfo;
use vmconf::machines::machine::Machine;
use vmconf::machines::status::Status;
use vmconf::model::limits::Limits;
use vmconf::model::{Cell, Program, Value};

/// A state that can be made any number of times.
#[derive(Clone)]
pub(crate) struct Prepared {
    pub(crate) machine: &'static MachineInfo,
    pub(crate) program: Program,
    /// What is set before the program runs.
    pub(crate) first: Vec<Value>,
    /// The instructions that are executed.
    pub(crate) steps: u64,
    /// The cells that get other values after them.
    pub(crate) changes: Vec<(Cell, Value)>,
}

impl Prepared {
    /// A machine in this state; `None` where the machine cannot be in it.
    pub(crate) fn make(&self) -> Option<Box<dyn Machine>> {
        let mut machine = (self.machine.new)(&Limits::default());
        machine.load(&self.program).unwrap();
        for change in &self.first {
            machine.set(change).ok()?;
        }
        if self.steps > 0 && machine.run(self.steps, None) != Status::Running {
            return None;
        }
        for (cell, value) in &self.changes {
            machine.faults()?.write(cell, value).then_some(())?;
        }
        Some(machine)
    }
}

/// A state in front of the instruction under test, and others that differ from it in a cell or a few.
pub(crate) struct Scene {
    /// What it is, for a message.
    pub(crate) shown: String,
    pub(crate) start: Prepared,
    /// The same state, in front of an instruction that ends the program; of a machine that shows some of
    /// its state only at the end.
    pub(crate) idle: Option<Prepared>,
    /// Each with the cell that differs; `None` where the states themselves show what differs.
    pub(crate) mutants: Vec<(Option<Cell>, Prepared)>,
}
