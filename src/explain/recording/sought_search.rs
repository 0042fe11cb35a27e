//! Searches a run for an instruction, or for a row of the state.

use std::collections::HashSet;

use super::Recording;
use super::datum::{Datum, DatumId, ShownDatum, StateSection, sections_of};
use super::moment::{Direction, FoundMoment, KeepGoing};
use super::sought::{FoundPlace, Sought};
use crate::machines::inspect::Inspect;
use crate::machines::machine::{At, Watch};

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
            let mut watch = RowWatch { sought, direction, step: range.start, before: None, best: None };
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
    before: Option<Vec<StateSection>>,
    best: Option<(u64, Datum)>,
}

impl RowWatch<'_> {
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
                let is_same =
                    |old: &ShownDatum| old.row.value == row.row.value && old.datum.id == row.datum.id;
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
