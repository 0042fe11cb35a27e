//! The rows of a state, each with what identifies its datum in other states.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use crate::machines::inspect::{Inspect, cells_of};
use crate::machines::view::{CONTAINS_ITSELF, Section, SectionRows, StackCount, ViewRow};
use crate::model::{Cell, compound_name};

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
pub struct ShownDatum {
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
    pub rows: Vec<ShownDatum>,
    /// How many rows are omitted at the end.
    pub left_out: usize,
    /// How the values of a stack are numbered; `None` for what is no stack.
    pub counts: Option<StackCount>,
}

impl StateSection {
    /// The rows, each with what it is called if the values of a stack are numbered so.
    pub fn named(&self, counts: Option<StackCount>) -> impl Iterator<Item = (Cow<'_, str>, &ShownDatum)> {
        let mut above = 0;
        self.rows.iter().map(move |shown| {
            if counts != Some(StackCount::FromTop) || shown.row.depth > 0 {
                return ((&*shown.row.name).into(), shown);
            }
            above += 1;
            (format!("[{}]", above - 1).into(), shown)
        })
    }
}

/// The sections of a state.
pub fn sections_of(state: &dyn Inspect) -> Vec<StateSection> {
    let mut compounds = ShownCompounds::default();
    let sections = state.sections().into_iter().map(|section| {
        let Section { title, rows, left_out, shows, counts } = section;
        let mut around: Vec<(String, DatumId)> = Vec::new();
        let rows = rows.into_iter().map(|row| {
            around.truncate(row.depth);
            let cells = row.datum.as_ref().map_or_else(Vec::new, |datum| cells_of(state, datum));
            let holder = cells.last().cloned();
            let names = match around.last() {
                Some((_, outer)) if holder.is_some() && outer.holder == holder => {
                    outer.names.iter().chain([&row.name]).cloned().collect()
                }
                _ if holder.is_some() && shows == SectionRows::Own => Vec::new(),
                _ => {
                    let names = around.iter().map(|(name, _)| name).chain([&row.name]);
                    [&title].into_iter().chain(names).cloned().collect()
                }
            };
            let id = DatumId { holder, names };
            around.push((row.name.clone(), id.clone()));
            compounds.named(ShownDatum { row, datum: Datum { id, cells } })
        });
        StateSection { rows: rows.collect(), title, left_out, counts }
    });
    sections.collect()
}

/// The compounds of a state that were shown, with the first datum that refers to each.
#[derive(Default)]
struct ShownCompounds(HashMap<usize, DatumId>);

impl ShownCompounds {
    /// The row, with the name of the compound that it refers to, and where that was shown before.
    fn named(&mut self, mut shown: ShownDatum) -> ShownDatum {
        let Some(Cell::Compound(compound)) = shown.datum.cells.first() else { return shown };
        let name = compound_name(*compound);
        let value = &mut shown.row.value;
        let (kind, rest) = value.split_once(' ').unwrap_or((value, ""));
        // It is a text in the state, in quotes.
        let is_inside_itself = rest.trim_matches('"') == CONTAINS_ITSELF;
        let rest = if is_inside_itself { CONTAINS_ITSELF } else { rest };
        let separator = if rest.is_empty() { "" } else { " " };
        *value = format!("{kind} {name}{separator}{rest}");
        match self.0.get(compound) {
            Some(first) if is_inside_itself || first.holder.is_none() => {}
            Some(first) => *value = format!("{value}, same as {first}"),
            None => drop(self.0.insert(*compound, shown.datum.id.clone())),
        }
        shown
    }
}

/// Formatted for people: `stack [0], [2]`, `status, gas`.
impl fmt::Display for DatumId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.holder {
            // Instructions of some machines count from the top.
            Some(holder @ Cell::Stack(_)) => write!(f, "{holder} from the bottom")?,
            Some(holder) => write!(f, "{holder}")?,
            None => {}
        }
        for (index, name) in self.names.iter().enumerate() {
            let comma = if index > 0 || self.holder.is_some() { ", " } else { "" };
            write!(f, "{comma}{name}")?;
        }
        Ok(())
    }
}
