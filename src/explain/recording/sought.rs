//! What is searched in a run: an instruction, a value that a datum gets, or a text that a row of the state gets.

use std::collections::HashSet;

use super::Recording;
use super::datum::{Datum, DatumId, StateRow, StateSection, sections_of};
use super::datum_write::is_value;
use super::moment::{Direction, FoundMoment, KeepGoing};
use crate::machines::inspect::Inspect;
use crate::machines::machine::{At, Watch};
use crate::model::escape::escaped;

/// What is sought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sought {
    /// An instruction with this text, in small letters.
    Instruction(String),
    /// A row that appears or changes, and has this value.
    Value(String),
    /// A row that appears or changes, and has this text, in small letters.
    Text(String),
}

/// A place that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundPlace {
    /// The state before the instruction with this number.
    Instruction(u64),
    /// The state with this number, in which a row with this datum appears or changes.
    Row(u64, Datum),
    /// There is no such place.
    Nothing,
    /// The search was cancelled.
    Cancelled,
}

impl Sought {
    /// Reads `sstore`, the text of an instruction; `=7`, a value; or `"r1: 7`, the text of a row.
    pub fn parse(text: &str) -> Sought {
        let text = text.trim();
        match (text.strip_prefix('='), text.strip_prefix('"')) {
            (Some(value), _) => Sought::Value(value.trim().to_owned()),
            (None, Some(row)) => Sought::Text(row.strip_suffix('"').unwrap_or(row).to_lowercase()),
            (None, None) => Sought::Instruction(text.to_lowercase()),
        }
    }

    /// Whether a row has it; `name` is what the row is called in the section.
    fn is_in(&self, name: &str, value: &str) -> bool {
        match self {
            Sought::Instruction(_) => false,
            Sought::Value(sought) => is_value(&escaped(value), sought),
            Sought::Text(text) => {
                format!("{}: {}", escaped(name), escaped(value)).to_lowercase().contains(text)
            }
        }
    }
}

impl Recording {
    /// The next or previous place from the current state, which does not change.
    pub fn search_for(
        &mut self,
        sought: &Sought,
        direction: Direction,
        keep_going: KeepGoing<'_>,
    ) -> FoundPlace {
        if let Sought::Instruction(text) = sought {
            let is_it = |at: &At<'_>| listed(at.state).to_lowercase().contains(text);
            return match self.execution_where(direction, keep_going, is_it) {
                FoundMoment::At(step) => FoundPlace::Instruction(step),
                FoundMoment::Nothing => FoundPlace::Nothing,
                FoundMoment::Cancelled => FoundPlace::Cancelled,
            };
        }
        let now = self.now.step;
        // What is in the current state was found before.
        let from = if direction == Direction::Back { now.saturating_sub(1) } else { now };
        let mut found = None;
        let moment = self.search(from, direction, keep_going, &mut |recording, range| {
            let mut watch = RowWatch::new(range.start, direction, sought);
            recording.watch(range.clone(), &mut watch);
            if !watch.is_done() {
                // The case may have changed the machine since its last instruction.
                let last = recording.moment(range.end);
                watch.state(recording.go_to(last).inspect());
            }
            found = watch.best;
            found.as_ref().map(|(step, _)| *step)
        });
        match (moment, found) {
            (FoundMoment::At(step), Some((_, datum))) => FoundPlace::Row(step, datum),
            (FoundMoment::Cancelled, _) => FoundPlace::Cancelled,
            _ => FoundPlace::Nothing,
        }
    }
}

/// The next instruction as a line of the code has it, without the name of what executes it.
fn listed(state: &dyn Inspect) -> String {
    let text = state.instruction();
    match text.split_once(": ") {
        Some((name, line)) if state.function().as_deref() == Some(name) => line.to_owned(),
        _ => text,
    }
}

/// Finds the states in which a row appears or changes that is sought.
struct RowWatch<'s> {
    sought: &'s Sought,
    direction: Direction,
    /// The number of the next state.
    step: u64,
    /// The state before it.
    before: Option<Vec<StateSection>>,
    best: Option<(u64, Datum)>,
}

impl RowWatch<'_> {
    fn new(step: u64, direction: Direction, sought: &Sought) -> RowWatch<'_> {
        RowWatch { sought, direction, step, before: None, best: None }
    }

    fn state(&mut self, state: &dyn Inspect) {
        let sections = sections_of(state);
        if let Some(before) = &self.before
            && let Some(datum) = self.appeared(before, &sections)
        {
            self.best = Some((self.step, datum));
        }
        self.before = Some(sections);
        self.step += 1;
    }

    /// The datum of the first row that is sought, and that the state before did not have with this value.
    fn appeared(&self, before: &[StateSection], after: &[StateSection]) -> Option<Datum> {
        let mut known: Option<HashSet<(&DatumId, &str)>> = None;
        for (index, section) in after.iter().enumerate() {
            let old = before.get(index).map_or(&[][..], |section| &section.rows);
            for (place, (name, row)) in section.named(section.counts).enumerate() {
                let is_same = |old: &StateRow| old.row.value == row.row.value && old.datum.id == row.datum.id;
                if old.get(place).is_some_and(is_same) || !self.sought.is_in(&name, &row.row.value) {
                    continue;
                }
                let known = known.get_or_insert_with(|| {
                    let rows = before.iter().flat_map(|section| &section.rows);
                    rows.map(|old| (&old.datum.id, &*old.row.value)).collect()
                });
                if !known.contains(&(&row.datum.id, &*row.row.value)) {
                    return Some(row.datum.clone());
                }
            }
        }
        None
    }
}

impl Watch for RowWatch<'_> {
    fn before(&mut self, at: &At<'_>) {
        if !self.is_done() {
            self.state(at.state);
        }
    }

    fn is_done(&self) -> bool {
        self.direction == Direction::Forward && self.best.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_character_says_what_is_sought() {
        let text = str::to_owned;
        for (typed, expected) in [
            ("SStore ", Sought::Instruction(text("sstore"))),
            ("= 0x07", Sought::Value(text("0x07"))),
            ("\"R1: 7", Sought::Text(text("r1: 7"))),
            ("\"R1: 7\"", Sought::Text(text("r1: 7"))),
        ] {
            assert_eq!(Sought::parse(typed), expected);
        }
    }
}
