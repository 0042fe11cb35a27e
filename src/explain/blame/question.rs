//! What a recorder is asked.

use crate::model::path::Path;

/// A question about the state: the number of the step after which it is asked, from 1, and the data.
pub type Question = (usize, Vec<Datum>);

/// A datum to trace.
#[derive(Debug, Clone)]
pub struct Datum {
    /// Its path.
    pub at: Path,
    /// What of it is wrong.
    pub wrong: Wrong,
}

/// What of a datum is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// All of it.
    Whole,
    /// From this byte on.
    Byte(usize),
    /// It is one too many.
    Surplus,
}

impl Wrong {
    pub(super) fn byte(self) -> Option<usize> {
        if let Wrong::Byte(byte) = self { Some(byte) } else { None }
    }
}
