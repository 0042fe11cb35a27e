//! Questions for a recorder.

use crate::machines::inspect::Inspect;
use crate::model::{Cell, Path};

/// A question about the state: the number, from 1, of the case's step after which it is asked, and the data.
pub type BlameQuestion = (usize, Vec<AskedDatum>);

/// A datum to trace.
#[derive(Debug, Clone)]
pub struct AskedDatum {
    /// Its path.
    pub at: Path,
    /// Which part of it is wrong.
    pub wrong: WrongPart,
}

impl AskedDatum {
    /// The cells that hold the wrong part, the most specific one first.
    pub(super) fn cells(&self, state: &dyn Inspect) -> Vec<Cell> {
        let of_byte = self.wrong.byte().map(|byte| state.cells(&self.at.child(byte)));
        of_byte.filter(|cells| !cells.is_empty()).unwrap_or_else(|| state.cells(&self.at))
    }
}

/// Which part of a datum is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrongPart {
    /// All of it.
    Whole,
    /// From this byte on.
    Byte(usize),
    /// It should not exist.
    Surplus,
}

impl WrongPart {
    pub(super) fn byte(self) -> Option<usize> {
        if let WrongPart::Byte(byte) = self { Some(byte) } else { None }
    }
}
