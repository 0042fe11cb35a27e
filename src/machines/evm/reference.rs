//! A second machine that runs in parallel on the plain loop only: `--engine both`.

use super::frame::EvmFrame;
use super::machine::{Evm, Reference};
use super::stop::EvmStop;
use super::word::Halves;
use crate::machines::machine::Machine;
use crate::machines::status::LoadError;
use crate::machines::tiers::Tiers;
use crate::model::limits::Limits;
use crate::model::{Program, Value};

/// The charge for a comparison, in units.
const COMPARISON: u64 = 30;
/// How many of the compared bytes are one unit more.
const BYTES_OF_UNIT: u64 = 16;

impl Reference {
    /// A reference for a machine with these limits.
    pub(super) fn new(limits: &Limits) -> Reference {
        let mut machine = Evm::new(limits);
        machine.choose(Tiers::Plain);
        Reference { machine: Box::new(machine), reached: None }
    }

    /// Loads what the other machine loads.
    pub(super) fn load(&mut self, program: &Program) -> Result<(), LoadError> {
        self.reached = None;
        self.machine.load(program)
    }

    /// Changes what is changed in the other machine.
    pub(super) fn set(&mut self, changes: &Value) -> Result<(), LoadError> {
        self.machine.set(changes)
    }

    /// Executes as many instructions as the other machine executed, and the one that ended it. Returns why the run
    /// ends: as the other machine says, or since comparisons, which are charged to it, reached a limit.
    ///
    /// # Panics
    ///
    /// If the machines differ after that.
    pub(super) fn follow(&mut self, frame: &mut EvmFrame<'_>, stop: Option<EvmStop>) -> Option<EvmStop> {
        if self.reached.is_none() && !matches!(stop, Some(EvmStop::Limited(_))) {
            self.compare(frame, stop);
            self.reached = frame.context.account.charge(self.charge()).err();
        }
        self.reached.map(EvmStop::Limited).or(stop)
    }

    /// What the last comparison is charged.
    fn charge(&self) -> u64 {
        const WORD: usize = 32;
        let Evm { context, height, .. } = &*self.machine;
        let bytes = context.memory.bytes().len() + WORD * (height + 2 * context.storage.len());
        COMPARISON + bytes as u64 / BYTES_OF_UNIT
    }

    fn compare(&mut self, frame: &EvmFrame<'_>, stop: Option<EvmStop>) {
        let executed = frame.context.count.at(frame.pc) - self.machine.executed();
        let ends = stop.is_some();
        let plain_stop = self.machine.execute(executed as u64 + u64::from(ends));
        let difference = self.difference(frame).or_else(|| (ends && stop != plain_stop).then_some("the end"));
        if let Some(what) = difference {
            panic!(
                "the engines differ in {what} after {} instructions: hot at {:#x}, plain at {:#x}",
                self.machine.executed(),
                frame.pc,
                self.machine.pc
            );
        }
    }

    /// What differs.
    fn difference(&self, frame: &EvmFrame<'_>) -> Option<&'static str> {
        let (plain, context) = (&*self.machine, &*frame.context);
        let words = |stack: &[Halves]| stack.iter().map(|item| item.word()).collect::<Vec<_>>();
        let below = words(&frame.stack[1..frame.height.max(1)]);
        let top = (frame.height > 0).then(|| frame.top.word());
        let stack: Vec<_> = below.into_iter().chain(top).collect();
        let is_same = [
            ("the program counter", plain.pc == frame.pc),
            ("gas", plain.gas == frame.gas),
            ("the stack", words(&plain.stack[1..=plain.height]) == stack),
            ("memory", plain.context.memory.bytes() == context.memory.bytes()),
            ("storage", plain.context.storage == context.storage),
            ("the output", plain.context.output == context.output),
            ("the number of log entries", plain.context.logs.len() == context.logs.len()),
            ("the refund", plain.context.refund == context.refund),
        ];
        is_same.iter().find(|(_, is_same)| !is_same).map(|(what, _)| *what)
    }
}
