//! Lists over the panes, whose lines are places to go.

use std::collections::VecDeque;

use super::keys::{self, ExplorerCommand, ExplorerKey};
use crate::explain::recording::{Datum, DatumWrite, DatumWriter};
use crate::model::counted;

/// The most writes in a list, the last ones.
const MAX_WRITES: usize = 10_000;

/// Where a line of a list leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListPlace {
    /// To the failing assertion with this index.
    Assertion(usize),
    /// To the state before the instruction with this number.
    Instruction(u64),
    /// To the state with this number.
    State(u64),
    /// To the case with this index.
    Case(usize),
}

/// A list, and its selected line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlaceList {
    pub(super) title: String,
    pub(super) lines: Vec<(String, ListPlace)>,
    pub(super) selected: usize,
}

/// What a key does in a list.
pub(super) enum ListReaction {
    /// The list stays.
    Stay,
    /// It closes.
    Close,
    /// The list does not use this key.
    Other,
    /// It closes, and the explorer goes there.
    Go(ListPlace),
}

impl PlaceList {
    /// Handles a key; `page` is the number of lines per page.
    pub(super) fn press(&mut self, key: ExplorerKey, page: usize) -> ListReaction {
        if key == ExplorerKey::Enter {
            let line = self.lines.get(self.selected);
            return line.map_or(ListReaction::Close, |(_, place)| ListReaction::Go(*place));
        }
        let selected = match keys::command(key) {
            Some(ExplorerCommand::Up) => self.selected.saturating_sub(1),
            Some(ExplorerCommand::Down) => self.selected + 1,
            Some(ExplorerCommand::PageUp) => self.selected.saturating_sub(page),
            Some(ExplorerCommand::PageDown) => self.selected + page,
            Some(ExplorerCommand::Start) => 0,
            Some(ExplorerCommand::Finish) => usize::MAX,
            Some(ExplorerCommand::Quit) => return ListReaction::Close,
            _ if key == ExplorerKey::Esc => return ListReaction::Close,
            _ => return ListReaction::Other,
        };
        self.selected = selected.min(self.lines.len().saturating_sub(1));
        ListReaction::Stay
    }
}

/// The last writes of a datum.
#[derive(Default)]
pub(super) struct LastWrites {
    /// How many there are, with those that are omitted.
    pub(super) count: usize,
    kept: VecDeque<DatumWrite>,
}

impl LastWrites {
    pub(super) fn add(&mut self, write: DatumWrite) {
        self.count += 1;
        if self.kept.len() == MAX_WRITES {
            self.kept.pop_front();
        }
        self.kept.push_back(write);
    }

    /// The list of them; the last one up to the state `now` is selected.
    pub(super) fn list(&self, datum: &Datum, now: u64) -> PlaceList {
        let omitted =
            if self.count > MAX_WRITES { format!(", the last {MAX_WRITES}") } else { String::new() };
        PlaceList {
            title: format!("{} of {}{omitted}", counted(self.count, "write"), datum.id),
            lines: self.kept.iter().map(|it| (write_line(it), place_of(it))).collect(),
            selected: self.kept.partition_point(|write| write.step <= now).saturating_sub(1),
        }
    }
}

/// The state before the instruction that wrote, or the one that the vector made.
fn place_of(write: &DatumWrite) -> ListPlace {
    match write.by {
        DatumWriter::Instruction(_) => ListPlace::Instruction(write.step),
        DatumWriter::Vector => ListPlace::State(write.step),
    }
}

/// A write in a line: `12  SSTORE: 1 -> 2`.
pub(super) fn write_line(write: &DatumWrite) -> String {
    let value = |value: &Option<String>| value.as_ref().map_or("nothing".to_owned(), String::clone);
    let by = match &write.by {
        DatumWriter::Instruction(text) => text,
        DatumWriter::Vector => "the vector",
    };
    format!("{}  {by}: {} -> {}", write.step, value(&write.old), value(&write.new))
}
