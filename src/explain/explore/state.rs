//! The lines of a state: sections, rows, and which of them differ from the state before.

use std::collections::HashMap;

use crate::machines::inspect::Inspect;
use crate::machines::view::{Section, ViewRow};

/// A line of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateLine {
    /// The title of a section.
    Heading(String),
    /// A datum.
    Datum {
        /// The name and the value.
        row: ViewRow,
        /// Whether the last instruction changed it.
        change: StateChange,
    },
    /// The number of rows that are omitted.
    LeftOut(usize),
}

/// How a datum differs from the state before the last instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateChange {
    /// It is the same.
    Same,
    /// It is new or has a different value.
    Changed,
}

impl StateLine {
    /// The row, if this line is a datum.
    pub fn row(&self) -> Option<&ViewRow> {
        match self {
            StateLine::Datum { row, .. } => Some(row),
            StateLine::Heading(_) | StateLine::LeftOut(_) => None,
        }
    }
}

/// The values of a state by the names of their sections and rows.
#[derive(Default)]
pub struct Values(HashMap<String, String>);

impl Values {
    /// The values of a state.
    pub fn of(state: &dyn Inspect) -> Values {
        let mut values = HashMap::new();
        for section in state.sections() {
            for (name, row) in named(&section) {
                values.insert(name, row.value.clone());
            }
        }
        Values(values)
    }
}

/// The lines of a state; `before` are the values of the state before it, `None` for the initial one.
pub fn lines(sections: Vec<Section>, before: Option<&Values>) -> Vec<StateLine> {
    let mut lines = Vec::new();
    for section in sections {
        let names: Vec<_> = named(&section).map(|(name, _)| name).collect();
        lines.push(StateLine::Heading(section.title));
        for (row, name) in section.rows.into_iter().zip(names) {
            let is_same = before.is_none_or(|before| before.0.get(&name) == Some(&row.value));
            let change = if is_same { StateChange::Same } else { StateChange::Changed };
            lines.push(StateLine::Datum { row, change });
        }
        if section.left_out > 0 {
            lines.push(StateLine::LeftOut(section.left_out));
        }
    }
    lines
}

/// The rows of a section, each with a unique name that includes the names of the rows around it.
fn named(section: &Section) -> impl Iterator<Item = (String, &ViewRow)> {
    let mut around: Vec<String> = Vec::new();
    section.rows.iter().map(move |row| {
        around.truncate(row.depth);
        around.push(row.name.clone());
        (format!("{}\n{}", section.title, around.join("\n")), row)
    })
}
