//! A second machine that runs in parallel on the plain loop only: `--engine both`.

use super::frame::{Frame, Halves, Stop};
use super::machine::Evm;
use crate::machines::machine::{LoadError, Machine};
use crate::machines::tiers::Tiers;
use crate::model::case::Program;
use crate::model::limits::Limits;
use crate::model::value::Value;

/// The machine that another one is compared with.
#[derive(Clone)]
pub(super) struct Reference(Box<Evm>);

impl Reference {
    /// A reference for a machine with these limits.
    pub(super) fn new(limits: &Limits) -> Reference {
        let mut machine = Evm::new(limits);
        machine.choose(Tiers::Plain);
        Reference(Box::new(machine))
    }

    /// Loads what the other machine loads.
    pub(super) fn load(&mut self, program: &Program) -> Result<(), LoadError> {
        self.0.load(program)
    }

    /// Changes what is changed in the other machine.
    pub(super) fn set(&mut self, changes: &Value) -> Result<(), LoadError> {
        self.0.set(changes)
    }

    /// Executes as many instructions as the other machine executed, and the one that ended it.
    ///
    /// # Panics
    ///
    /// If the machines differ after that.
    pub(super) fn follow(&mut self, frame: &Frame<'_>, stop: Option<Stop>) {
        if let Some(Stop::Limited(_)) = stop {
            return;
        }
        let executed = frame.context.count.at(frame.pc) - self.0.executed();
        let ends = stop.is_some();
        let plain_stop = self.0.execute(executed as u64 + u64::from(ends));
        let difference = self.difference(frame).or_else(|| (ends && stop != plain_stop).then_some("the end"));
        if let Some(what) = difference {
            panic!(
                "the engines differ in {what} after {} instructions: hot at {:#x}, plain at {:#x}",
                self.0.executed(),
                frame.pc,
                self.0.pc
            );
        }
    }

    /// What differs.
    fn difference(&self, frame: &Frame<'_>) -> Option<&'static str> {
        let (plain, context) = (&self.0, &*frame.context);
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
