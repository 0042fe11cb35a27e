//! One machine, or a driver and its testee.

use super::core::{TinyCore, TinyStop, TinyWords, zeros};
use super::driver::TestDriver;

/// How many machines there are.
#[derive(Clone)]
pub(super) enum MachineMode {
    Single(Box<Single>),
    Driver(Box<TestDriver>),
}

/// One machine, and its state at the start of the current phase.
#[derive(Clone)]
pub(super) struct Single {
    pub(super) core: TinyCore,
    pub(super) stop: Option<TinyStop>,
    pub(super) first_registers: [u16; 16],
    pub(super) first_data: Box<TinyWords>,
}

impl Single {
    pub(super) fn new(core: TinyCore) -> Single {
        let mut single = Single { core, stop: None, first_registers: [0; 16], first_data: zeros() };
        single.begin();
        single
    }

    /// Begins a phase: changes from here on are observable.
    pub(super) fn begin(&mut self) {
        self.first_registers = self.core.registers;
        self.first_data.copy_from_slice(&self.core.data[..]);
    }
}
