//! The machine's limit on items, which it enforces with an estimate and a recount.
//!
//! Each instruction states how it changes the number of items. Some state an exact number; others can only
//! give a bound, such as a DROP of one of several references. The items are counted only if the estimate is
//! negative or above the limit, and not even then if all changes were stated as exact. The estimate can be
//! wrong both ways, and it decides whether there are too many items.

use super::fault::{Neo2Fault, Neo2Flow, Neo2Stop};
use super::frame::Neo2Frame;

/// The maximum number of items.
pub(super) const LIMIT: i64 = 2048;

/// How an instruction changes the number of items.
#[derive(Debug, Clone, Copy)]
pub(super) enum CountChange {
    /// By exactly this number.
    Strict(i32),
    /// By at most this number.
    Loose(i32),
    /// By an unknown number: the items must be counted.
    Unknown,
}

impl Neo2Frame<'_> {
    /// Changes the estimate; a fault if there are too many items.
    #[inline(always)]
    pub(super) fn charge(&mut self, change: CountChange) -> Neo2Flow {
        let (by, exact) = match change {
            CountChange::Strict(by) => (by, true),
            CountChange::Loose(by) => (by, false),
            CountChange::Unknown => (i32::MAX, false),
        };
        let estimate = &mut self.core.estimate;
        estimate.exact &= exact;
        estimate.count += i64::from(by);
        if (0..=LIMIT).contains(&estimate.count) { Ok(()) } else { self.recount() }
    }

    /// Like [`Neo2Frame::charge`], but too many items are left to be detected later.
    #[inline(always)]
    pub(super) fn note(&mut self, change: CountChange) -> Neo2Flow {
        match self.charge(change) {
            Err(Neo2Stop::Faulted(Neo2Fault::TooManyItems)) => Ok(()),
            flow => flow,
        }
    }

    #[cold]
    #[inline(never)]
    fn recount(&mut self) -> Neo2Flow {
        let estimate = &mut self.core.estimate;
        if !(0..=i64::from(i32::MAX)).contains(&estimate.count) {
            estimate.count = i64::from(i32::MAX);
        }
        if !estimate.exact {
            let count = self.core.survey()? as i64;
            self.core.estimate.count = count;
            if count <= LIMIT {
                self.core.estimate.exact = true;
                return Ok(());
            }
        }
        Err(Neo2Fault::TooManyItems.into())
    }
}
