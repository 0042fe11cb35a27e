//! The limits of the runner that a program can reach while it runs.

use std::fmt;

use super::machine::Status;
use crate::model::limits::Limits;

/// A limit of the runner. Limits of the machine itself (stack, gas) are state, not this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Instructions, and bulk work as if it were instructions.
    Steps,
    /// Bytes of memory.
    Memory,
    /// Bytes of output.
    Output,
    /// Entries that the machine keeps.
    Items,
}

impl Limit {
    /// Fails when `count` is above `most`, the value of this limit.
    #[inline(always)]
    pub(crate) fn check(self, count: u64, most: u64) -> Result<(), Limit> {
        if count <= most { Ok(()) } else { Err(self) }
    }

    /// The status of a run that reached this limit.
    pub(crate) fn reached(self, limits: &Limits) -> Status {
        let (flag, limit) = match self {
            Limit::Steps => ("max-steps", limits.steps),
            Limit::Memory => ("max-memory", limits.memory),
            Limit::Output => ("max-output", limits.output),
            Limit::Items => ("max-items", limits.items),
        };
        Status::Limit(LimitReached { flag, limit })
    }
}

/// The limit of the runner that ended a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitReached {
    /// Its flag, a row of [`crate::model::limits`].
    pub flag: &'static str,
    /// Its value in this run.
    pub limit: u64,
}

impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LimitReached { flag, limit } = self;
        write!(f, "limit of the runner reached: --{flag} {limit}")
    }
}
