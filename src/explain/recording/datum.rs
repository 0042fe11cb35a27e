//! The rows of a state, each with what identifies its datum in other states.

use std::fmt;

use crate::machines::inspect::{Inspect, cells_of};
use crate::machines::view::{SectionRows, ViewRow};
use crate::model::cell::Cell;

/// What identifies a datum in all states of a run, whatever its row is called there and wherever it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DatumId {
    /// The cell that holds it: a slot of a frame, a word of an account's storage.
    holder: Option<Cell>,
    /// The names of the rows from there on to it; from its section on if no cell holds it.
    names: Vec<String>,
}

/// A datum of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Datum {
    /// What identifies it.
    pub id: DatumId,
    /// The cells whose writes change it, the most specific one first. Without any, a change of its value is its write.
    pub cells: Vec<Cell>,
}

impl Datum {
    /// What a cell holds.
    pub fn of(cell: Cell) -> Datum {
        Datum { id: DatumId { holder: Some(cell.clone()), names: Vec::new() }, cells: vec![cell] }
    }
}

/// A row of a state, and its datum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateRow {
    /// Its name and value.
    pub row: ViewRow,
    /// What it shows.
    pub datum: Datum,
}

/// A part of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateSection {
    /// Its title.
    pub title: String,
    /// Its rows.
    pub rows: Vec<StateRow>,
    /// How many rows are omitted at the end.
    pub left_out: usize,
}

/// The sections of a state.
pub fn sections_of(state: &dyn Inspect) -> Vec<StateSection> {
    let sections = state.sections().into_iter().map(|section| {
        let mut around: Vec<(String, DatumId)> = Vec::new();
        let rows = section.rows.into_iter().map(|row| {
            around.truncate(row.depth);
            let cells = row.datum.as_ref().map_or_else(Vec::new, |datum| cells_of(state, datum));
            let holder = cells.last().cloned();
            let names = match around.last() {
                Some((_, outer)) if holder.is_some() && outer.holder == holder => {
                    outer.names.iter().chain([&row.name]).cloned().collect()
                }
                _ if holder.is_some() && section.shows == SectionRows::Own => Vec::new(),
                _ => {
                    let names = around.iter().map(|(name, _)| name).chain([&row.name]);
                    [&section.title].into_iter().chain(names).cloned().collect()
                }
            };
            let id = DatumId { holder, names };
            around.push((row.name.clone(), id.clone()));
            StateRow { row, datum: Datum { id, cells } }
        });
        StateSection { rows: rows.collect(), title: section.title, left_out: section.left_out }
    });
    sections.collect()
}

/// Formatted for people: `stack [0], [2]`, `status, gas`.
impl fmt::Display for DatumId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(holder) = &self.holder {
            write!(f, "{holder}")?;
        }
        for (index, name) in self.names.iter().enumerate() {
            let comma = if index > 0 || self.holder.is_some() { ", " } else { "" };
            write!(f, "{comma}{name}")?;
        }
        Ok(())
    }
}
