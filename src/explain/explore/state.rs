//! The lines of a state: sections, rows, and which of them the last instruction wrote.

use std::collections::HashMap;

use crate::explain::recording::{Datum, DatumId, StateSection, StepWrites};
use crate::machines::view::{StackCount, ViewRow};

/// A line of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateLine {
    /// The title of a section.
    Heading(String),
    /// A datum.
    Row {
        /// The name and the value. The name of a value of a stack is its number, counted as the user wants it.
        row: ViewRow,
        /// What it is in all states.
        datum: Datum,
        /// What happened to it in the last step.
        change: DatumChange,
    },
    /// The number of rows that are omitted.
    LeftOut(usize),
}

/// What happened to a datum in the last step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatumChange {
    /// Nothing. It may only have come into view.
    None,
    /// The instruction wrote it, perhaps with the same value.
    Written,
    /// It has another value, but the instruction did not write it: the case changed it, or what an instruction
    /// causes besides its own writes.
    Otherwise,
}

impl DatumChange {
    /// The sign in front of a datum.
    pub fn sign(self) -> char {
        match self {
            DatumChange::None => ' ',
            DatumChange::Written => '*',
            DatumChange::Otherwise => '~',
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

/// The rows of a state, each with the place of its line.
pub(super) fn rows(lines: &[StateLine]) -> impl Iterator<Item = (usize, (&ViewRow, &Datum))> {
    lines.iter().enumerate().filter_map(|(index, line)| Some((index, line.row()?)))
}

/// How the values of stacks are numbered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StackCounting {
    /// As the machine does.
    Own,
    /// From the other end.
    Other,
}

impl StackCounting {
    pub(super) fn other(self) -> StackCounting {
        match self {
            StackCounting::Own => StackCounting::Other,
            StackCounting::Other => StackCounting::Own,
        }
    }

    fn of(self, counts: StackCount) -> StackCount {
        if self == StackCounting::Own { counts } else { counts.other() }
    }

    /// The title of a section, which says how its rows are numbered if the machine does not number them so.
    fn title(self, title: &str, counts: Option<StackCount>) -> String {
        match (self, counts) {
            (StackCounting::Other, Some(StackCount::FromBottom)) => format!("{title}; [0] is the top one"),
            (StackCounting::Other, Some(StackCount::FromTop)) => format!("{title}; [0] is the bottom one"),
            _ => title.to_owned(),
        }
    }
}

/// The values of a state.
pub(super) type Values = HashMap<DatumId, String>;

pub(super) fn values(sections: Vec<StateSection>) -> Values {
    let rows = sections.into_iter().flat_map(|section| section.rows);
    rows.map(|shown| (shown.datum.id, shown.row.value)).collect()
}

/// The lines of a state; `before` are the values of the state before it, `None` for the initial one.
pub(super) fn lines(
    sections: Vec<StateSection>,
    before: Option<&Values>,
    writes: &StepWrites,
    counting: StackCounting,
) -> Vec<StateLine> {
    let mut lines = Vec::new();
    for section in sections {
        lines.push(StateLine::Heading(counting.title(&section.title, section.counts)));
        for (name, shown) in section.named(section.counts.map(|counts| counting.of(counts))) {
            let name = name.into_owned();
            let (row, datum) = (ViewRow { name, ..shown.row.clone() }, shown.datum.clone());
            let last = before.and_then(|before| before.get(&datum.id));
            let change = if writes.wrote(&datum) {
                DatumChange::Written
            } else if last.is_some_and(|last| *last != row.value) {
                DatumChange::Otherwise
            } else {
                DatumChange::None
            };
            lines.push(StateLine::Row { row, datum, change });
        }
        if section.left_out > 0 {
            lines.push(StateLine::LeftOut(section.left_out));
        }
    }
    lines
}
