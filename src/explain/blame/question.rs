//! Questions for a recorder.

use crate::model::path::Path;

/// A question about the state: the number, from 1, of the case's step after which it is asked, and the data.
pub type Question = (usize, Vec<Datum>);

/// A datum to trace.
#[derive(Debug, Clone)]
pub struct Datum {
    /// Its path.
    pub at: Path,
    /// Which part of it is wrong.
    pub wrong: Wrong,
}

/// Which part of a datum is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// All of it.
    Whole,
    /// From this byte on.
    Byte(usize),
    /// It should not exist.
    Surplus,
}

impl Wrong {
    pub(super) fn byte(self) -> Option<usize> {
        if let Wrong::Byte(byte) = self { Some(byte) } else { None }
    }
}
