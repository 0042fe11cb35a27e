//! One machine, or a driver and its testee.

use super::core::{TinyCore, TinyStop, TinyWords, ZEROS, zeros};
use super::driver::TestDriver;

/// How many machines there are.
#[derive(Clone)]
pub(super) enum MachineMode {
    Single(Box<SingleMachine>),
    Driver(Box<TestDriver>),
}

impl MachineMode {
    /// The machines.
    pub(super) fn into_cores(self) -> Vec<TinyCore> {
        match self {
            MachineMode::Single(single) => vec![single.core],
            MachineMode::Driver(driver) => vec![driver.driver, driver.testee],
        }
    }
}

/// One machine, and its state at the start of the current phase.
#[derive(Clone)]
pub(super) struct SingleMachine {
    pub(super) core: TinyCore,
    pub(super) stop: Option<TinyStop>,
    pub(super) first_registers: [u16; 16],
    /// The data at the start of the phase; `None` if all words were zero.
    first_data: Option<Box<TinyWords>>,
}

impl SingleMachine {
    /// A machine whose data are all zero: they are not copied, which takes longer than a short program.
    pub(super) fn without_data(core: TinyCore) -> SingleMachine {
        SingleMachine { first_registers: core.registers, core, stop: None, first_data: None }
    }

    /// Begins a phase: changes from here on are observable.
    pub(super) fn begin(&mut self) {
        self.first_registers = self.core.registers;
        self.first_data.get_or_insert_with(zeros).copy_from_slice(&self.core.data[..]);
    }

    /// The data at the start of the phase.
    pub(super) fn first_data(&self) -> &TinyWords {
        self.first_data.as_deref().unwrap_or(&ZEROS)
    }
}
