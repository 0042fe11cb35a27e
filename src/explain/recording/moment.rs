//! States of a recorded run, and the results of searches.

/// A state of a recorded run.
///
/// A case may change the machine between two actions, so there can be several states with the same step
/// number: one at the end of a stretch of instructions, another at the beginning of the next.
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

/// The direction of a search from the current state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Among earlier instructions, the last one first.
    Back,
    /// Among later instructions, the first one first.
    Forward,
}

/// The result of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundMoment {
    /// The instruction with this number.
    At(u64),
    /// There is no such instruction.
    Nothing,
    /// The search was cancelled.
    Cancelled,
}

/// The result of a search for what wrote a datum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundWrite {
    /// The instruction with this number.
    Instruction(u64),
    /// The vector, after the instruction with this number.
    Vector(u64),
    /// Nothing wrote it.
    Nothing,
    /// The search was cancelled.
    Cancelled,
}

/// Called from time to time with the number of instructions examined so far; returns false to cancel the search.
pub type KeepGoing<'k> = &'k mut dyn FnMut(u64) -> bool;
