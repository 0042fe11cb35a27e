//! The machine's limit on items, which it finds out by an estimate and a recount.
//!
//! Each instruction says how it changes the number of items. Some know exactly; others can only
//! give a bound, as for a DROP of one of several references. Only when the estimate is above the
//! limit are the items counted, and not even then if all that was said was exact. The estimate can
//! be wrong both ways, and whether there are too many items is what it says.

use super::fault::{Fault, Flow, Stop};
use super::frame::Frame;

/// The most items.
const LIMIT: i64 = 2048;

/// What the machine believes of how many items there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Estimate {
    pub(super) count: i64,
    /// Whether every change since the last recount was said to be exact.
    pub(super) exact: bool,
}

impl Default for Estimate {
    fn default() -> Estimate {
        Estimate { count: 0, exact: true }
    }
}

/// By how many items an instruction changes their number.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// By exactly this number.
    Strict(i32),
    /// By at most this number.
    Loose(i32),
    /// Nobody knows: count.
    Unknown,
}

impl Frame<'_> {
    /// Changes the estimate; a fault where there are too many items.
    #[inline(always)]
    pub(super) fn charge(&mut self, change: Change) -> Flow {
        let (by, exact) = match change {
            Change::Strict(by) => (by, true),
            Change::Loose(by) => (by, false),
            Change::Unknown => (i32::MAX, false),
        };
        let estimate = &mut self.core.estimate;
        estimate.exact &= exact;
        estimate.count += i64::from(by);
        if (0..=LIMIT).contains(&estimate.count) { Ok(()) } else { self.recount() }
    }

    /// As [`Frame::charge`], but that there are too many items remains to be found out later.
    #[inline(always)]
    pub(super) fn note(&mut self, change: Change) -> Flow {
        match self.charge(change) {
            Err(Stop::Faulted(Fault::TooManyItems)) => Ok(()),
            flow => flow,
        }
    }

    #[cold]
    #[inline(never)]
    fn recount(&mut self) -> Flow {
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
        Err(Fault::TooManyItems.into())
    }
}
