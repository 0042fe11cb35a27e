//! The lines of a state: sections, rows, and which of them the last instruction wrote.

use std::collections::HashMap;

use crate::explain::recording::{Datum, DatumId, StateSection, StepWrites};
use crate::machines::view::ViewRow;

/// A line of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateLine {
    /// The title of a section.
    Heading(String),
    /// A datum.
    Row {
        /// The name and the value.
        row: ViewRow,
        /// What it is in all states.
        datum: Datum,
        /// What happened to it in the last step.
        change: StateChange,
    },
    /// The number of rows that are omitted.
    LeftOut(usize),
}

/// What happened to a datum in the last step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateChange {
    /// Nothing. It may only have come into view.
    None,
    /// The instruction wrote it, perhaps with the same value.
    Written,
    /// It has another value, but the instruction did not write it: the case changed it, or what an instruction
    /// causes besides its own writes.
    Otherwise,
}

impl StateChange {
    /// The sign in front of a datum.
    pub fn sign(self) -> char {
        match self {
            StateChange::None => ' ',
            StateChange::Written => '*',
            StateChange::Otherwise => '~',
        }
    }
}

impl StateLine {
    /// The row and its datum, if this line is one.
    pub fn row(&self) -> Option<(&ViewRow, &Datum)> {
        match self {
            StateLine::Row { row, datum, .. } => Some((row, datum)),
            StateLine::Heading(_) | StateLine::LeftOut(_) => None,
        }
    }
}

/// The values of a state.
pub(super) type Values = HashMap<DatumId, String>;

/// The values of a state.
pub(super) fn values(sections: Vec<StateSection>) -> Values {
    let rows = sections.into_iter().flat_map(|section| section.rows);
    rows.map(|shown| (shown.datum.id, shown.row.value)).collect()
}

/// The lines of a state; `before` are the values of the state before it, `None` for the initial one.
pub(super) fn lines(
    sections: Vec<StateSection>,
    before: Option<&Values>,
    writes: &StepWrites,
) -> Vec<StateLine> {
    let mut lines = Vec::new();
    for section in sections {
        lines.push(StateLine::Heading(section.title));
        for shown in section.rows {
            let (row, datum) = (shown.row, shown.datum);
            let last = before.and_then(|before| before.get(&datum.id));
            let change = if writes.wrote(&datum) {
                StateChange::Written
            } else if last.is_some_and(|last| *last != row.value) {
                StateChange::Otherwise
            } else {
                StateChange::None
            };
            lines.push(StateLine::Row { row, datum, change });
        }
        if section.left_out > 0 {
            lines.push(StateLine::LeftOut(section.left_out));
        }
    }
    lines
}
