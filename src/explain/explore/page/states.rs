//! The states of a page with their values, in the form that the script of the page reads.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

use indexmap::IndexSet;
use serde_json::{Value as Json, json};

use super::places::PagePlaces;
use super::steps::PageSteps;
use crate::explain::explore::id_text;
use crate::explain::recording::{
    CelllessValues, DatumId, Recording, ShownDatum, StateSection, StepWrites, cellless, differing,
    sections_of,
};
use crate::machines::inspect::Inspect;
use crate::machines::machine::{At, Watch};
use crate::machines::view::{StackCount, ViewScope};
use crate::model::escaped;

/// The maximum number of rows of all states in a page; formatting one takes about a microsecond.
pub(super) const MAX_ROWS: usize = 4_000_000;

/// The maximum size of the different rows in a page, in bytes.
const MAX_BYTES: usize = 1 << 26;

/// Every `BLOCK`-th state is written in full, so that each state can be rebuilt quickly.
const BLOCK: u64 = 500;

/// States of a run; each line is stored once.
#[derive(Default)]
pub(super) struct PageStates {
    /// How many states there are at least, however large they are.
    least: u64,
    /// The number of the first state of the current span, and of the next state.
    first: u64,
    step: u64,
    /// The number of the first state of each span, and how many follow each other there.
    spans: Vec<(u64, u64)>,
    lines: IndexSet<String>,
    /// The identities of data, as text.
    data: IndexSet<String>,
    places: PagePlaces,
    /// Whether an instruction was executed since the last state.
    is_pending: bool,
    cellless: CelllessValues,
    /// The data without a cell that instructions changed; the first set is empty.
    changes: IndexSet<Vec<DatumId>>,
    /// The index in `changes` of what the last instruction changed.
    changed_last: usize,
    /// For each state, the index in `changes` of what the instruction before it changed.
    changed: Vec<usize>,
    /// The states as JSON, with commas between.
    found: String,
    /// The sections of the last state: their titles and lines.
    sections: Vec<(usize, Vec<usize>)>,
    /// How many rows there are in all states.
    rows: usize,
    /// The size of all different lines, in bytes.
    bytes: usize,
}

impl PageStates {
    /// Without states; of large states there is room for at least `least`.
    pub(super) fn new(least: u64) -> PageStates {
        PageStates { least, changes: IndexSet::from_iter([Vec::new()]), ..PageStates::default() }
    }

    /// Adds the states with these numbers, as long as there is room.
    pub(super) fn add_span(&mut self, recording: &mut Recording, span: &RangeInclusive<u64>) {
        let (first, last) = (*span.start(), *span.end());
        let before = first.saturating_sub(1);
        (self.first, self.step) = (first, before);
        self.spans.push((first, 0));
        (self.is_pending, self.changed_last) = (false, 0);
        self.cellless.clear();
        // The instruction before the first state shows what it changed there.
        recording.watch(before..last, self);
        if self.is_within_limits() {
            let sections = self.complete(recording.go_to(recording.moment(last)).inspect());
            self.add(&sections);
        }
    }

    /// How many states there are.
    pub(super) fn count(&self) -> u64 {
        self.changed.len() as u64
    }

    /// Whether there is room for more.
    pub(super) fn is_within_limits(&self) -> bool {
        self.count() < self.least || self.rows <= MAX_ROWS && self.bytes + self.found.len() <= MAX_BYTES
    }

    /// Completes what the last instruction changed, and returns the sections of the state after it.
    fn complete(&mut self, state: &dyn Inspect) -> Vec<StateSection> {
        let sections = sections_of(state);
        let after = cellless(&sections);
        if std::mem::take(&mut self.is_pending) {
            self.changed_last = self.changes.insert_full(differing(&self.cellless, &after)).0;
        }
        self.cellless = after;
        sections
    }

    /// Adds a state, as the sections that differ from the one before: for each its index, how many lines at its start
    /// and at its end are unchanged, and the lines between. If the state has different sections, at the beginning of a
    /// span and for every [`BLOCK`]-th state, `null` and all sections are written instead.
    fn add(&mut self, shown: &[StateSection]) {
        let sections: Vec<_> = shown.iter().map(|section| self.section(section)).collect();
        let is_alike = sections.len() == self.sections.len()
            && sections.iter().zip(&self.sections).all(|(one, other)| one.0 == other.0);
        let in_span = self.spans.last().map_or(0, |span| span.1);
        let changes = if is_alike && !in_span.is_multiple_of(BLOCK) {
            let pairs = self.sections.iter().zip(&sections).enumerate();
            pairs.filter_map(|(index, (before, after))| splice(index, &before.1, &after.1)).collect()
        } else {
            json!([null, sections])
        };
        self.sections = sections;
        let comma = if self.found.is_empty() { "" } else { "," };
        // Writing to a string succeeds.
        let _ = write!(self.found, "{comma}{changes}");
        self.changed.push(std::mem::take(&mut self.changed_last));
        if let Some(span) = self.spans.last_mut() {
            span.1 += 1;
        }
    }

    fn section(&mut self, section: &StateSection) -> (usize, Vec<usize>) {
        self.rows += section.rows.len() + 1;
        let counts = section.counts.map(|counts| u8::from(counts == StackCount::FromTop));
        let title = self.text(&json!([escaped(&section.title), counts]));
        let mut lines: Vec<_> = section.rows.iter().map(|row| self.line(row)).collect();
        if section.left_out > 0 {
            lines.push(self.text(&json!([0, "…", format!("{} more", section.left_out), 0, null, []])));
        }
        (title, lines)
    }

    /// The index of a row, which is stored as its depth, its name, its value, 1 if it is out of scope, its identity and
    /// its places; at the end the whole value, if it is longer.
    fn line(&mut self, shown: &ShownDatum) -> usize {
        let ShownDatum { row, datum } = shown;
        let out = u8::from(row.scope == ViewScope::Out);
        let (name, value, id) = (escaped(&row.name), escaped(&row.value), self.datum(&datum.id));
        let places = self.places.of(datum);
        let mut line = json!([row.depth, name, value, out, id, places]);
        if let (Json::Array(members), Some(whole)) = (&mut line, &row.whole) {
            members.push(escaped(whole).into());
        }
        self.text(&line)
    }

    /// The index of the identity of a datum.
    pub(super) fn datum(&mut self, id: &DatumId) -> usize {
        self.data.insert_full(id_text(id)).0
    }

    fn text(&mut self, line: &Json) -> usize {
        let line = line.to_string();
        let length = line.len();
        let (index, is_new) = self.lines.insert_full(line);
        if is_new {
            self.bytes += length;
        }
        index
    }

    /// The members of the page's data that describe states and, with `steps`, what was written; and what was written
    /// before each state, as an index of the member `writes`.
    pub(super) fn json(&self, steps: &PageSteps) -> (Vec<(&'static str, Json)>, Vec<u32>) {
        let ranked = self.places.ranked();
        let mut writes = PageWrites::default();
        // The first one is nothing.
        writes.ranges.insert(Vec::new());
        let mut changed = vec![0; steps.wrote.len()];
        let index = |step: u64| usize::try_from(step - steps.first()).unwrap_or(usize::MAX);
        let shown = self.spans.iter().flat_map(|(first, count)| *first..first + count);
        shown.zip(&self.changed).for_each(|(step, its)| changed[index(step)] = *its);
        let mut number = |wrote: usize, changed: usize| {
            *writes.numbers.entry((wrote, changed)).or_insert_with(|| {
                let written =
                    StepWrites { changed: self.changes[changed].clone(), ..steps.writes[wrote].clone() };
                u32::try_from(writes.ranges.insert_full(ranked.written(&written)).0).unwrap_or(u32::MAX)
            })
        };
        let wrote = steps.wrote.iter().zip(changed);
        let wrote: Vec<_> = wrote.map(|(wrote, changed)| number(*wrote as usize, changed)).collect();
        let sets: Vec<_> = steps.sets().map(|(index, set)| (index, number(set, 0))).collect();
        let spans = self.spans.iter().map(|(first, count)| (first - steps.first(), count));
        let members = vec![
            ("spans", json!(spans.collect::<Vec<_>>())),
            ("lines", json!(self.lines.iter().collect::<Vec<_>>())),
            ("data", json!(self.data.iter().collect::<Vec<_>>())),
            ("places", json!(ranked.rank_of)),
            ("compounds", json!(ranked.compounds)),
            ("cellless", json!(ranked.cellless)),
            ("writes", json!(writes.ranges.iter().collect::<Vec<_>>())),
            ("sets", json!(sets)),
        ];
        (members, wrote)
    }

    /// The states as JSON, with commas between.
    pub(super) fn states(&self) -> &str {
        &self.found
    }
}

/// What was written, as ranges of places, each once: most writes of a long run are to places that no row of the page
/// has.
#[derive(Default)]
struct PageWrites {
    ranges: IndexSet<Vec<usize>>,
    /// The index of the ranges of each write with what it changed besides.
    numbers: HashMap<(usize, usize), u32>,
}

impl Watch for PageStates {
    fn before(&mut self, at: &At<'_>) {
        let sections = self.complete(at.state);
        if self.step >= self.first {
            self.add(&sections);
        }
        self.is_pending = true;
        self.step += 1;
    }

    /// The case may change the machine before the next instruction.
    fn pause(&mut self, state: &dyn Inspect) {
        self.complete(state);
    }

    fn is_done(&self) -> bool {
        !self.is_within_limits()
    }
}

/// The part of a section that differs.
fn splice(index: usize, before: &[usize], after: &[usize]) -> Option<Json> {
    if before == after {
        return None;
    }
    let start = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let (before, after) = (&before[start..], &after[start..]);
    let end = before.iter().rev().zip(after.iter().rev()).take_while(|(one, other)| one == other).count();
    Some(json!([index, start, end, after[..after.len() - end]]))
}
