//! States of a recorded run, and answers about them.

/// A state of a recorded run.
///
/// Between two actions a case may change the machine, so there can be several states with the number of one step:
/// one at the end of a stretch of instructions, one at the beginning of the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// The stretch of instructions that it belongs to.
    pub(super) stretch: usize,
    /// How many instructions were executed.
    pub(super) step: u64,
}

impl Moment {
    /// How many instructions were executed: the number of the last one.
    pub fn step(self) -> u64 {
        self.step
    }
}

/// Where to look, from the current state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Among the instructions before, the last one first.
    Back,
    /// Among those after.
    Forward,
}

/// What a search ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// The instruction with this number.
    At(u64),
    /// There is no such instruction.
    Nothing,
    /// The search was ended before its end.
    Cancelled,
}

/// Asked from time to time, with the number of instructions looked at; false ends the search.
pub type KeepGoing<'k> = &'k mut dyn FnMut(u64) -> bool;
