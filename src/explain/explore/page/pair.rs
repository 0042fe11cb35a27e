//! What differs in the states of two runs, in the form that the script of a page reads.

use indexmap::IndexSet;
use serde_json::{Value as Json, json};

use crate::explain::explore::beside::PairedExplorer;
use crate::explain::explore::id_text;

/// The maximum number of states that are compared.
const MAX_COMPARED: u64 = 100_000;

/// The maximum size of the different lines, and of all references to them, in bytes.
const MAX_BYTES: usize = 1 << 23;

/// About how many bytes a reference takes.
const BYTES_OF_REFERENCE: usize = 8;

/// The differences from the first state that differs on; without one, of all states.
#[derive(Default)]
pub(super) struct PairDifferences {
    /// The different lines about what differs.
    lines: IndexSet<String>,
    /// The different sets of data whose rows differ, by name.
    data: IndexSet<Vec<String>>,
    /// The number of each state in which other lines or data differ than in the one before it, its lines, and the data
    /// of each run.
    found: Vec<(u64, Vec<usize>, [usize; 2])>,
    bytes: usize,
    /// The number of the last state that is compared.
    compared: u64,
}

impl PairDifferences {
    /// Compares the states from the first one that differs on, as many as there is room for.
    pub(super) fn of(pair: &mut PairedExplorer) -> PairDifferences {
        let end = pair.sides().iter().map(|side| side.explorer.recording.steps()).max().unwrap_or(0);
        let mut found = PairDifferences { compared: end, ..PairDifferences::default() };
        // Without a first one, a search for it may not have been possible.
        let first = pair.first().unwrap_or(0);
        for step in first..=end.min(first.saturating_add(MAX_COMPARED)) {
            if found.bytes > MAX_BYTES {
                break;
            }
            pair.compare_at(step);
            found.add(step, pair);
        }
        found
    }

    fn add(&mut self, step: u64, pair: &PairedExplorer) {
        let lines = pair.difference_lines().into_iter();
        let lines = lines.map(|line| add(&mut self.lines, &mut self.bytes, line.len(), line)).collect();
        let data = pair.differing().map(|ids| {
            let names: Vec<_> = ids.iter().map(id_text).collect();
            let length = names.iter().map(String::len).sum();
            add(&mut self.data, &mut self.bytes, length, names)
        });
        self.compared = step;
        if self.found.last().is_none_or(|last| (&last.1, last.2) != (&lines, data)) {
            self.bytes += (lines.len() + 3) * BYTES_OF_REFERENCE;
            self.found.push((step, lines, data));
        }
    }

    /// The members of the page's data about what differs.
    pub(super) fn json(&self) -> [(&'static str, Json); 4] {
        [
            ("compared", json!(self.compared)),
            ("differs", json!(self.found)),
            ("differing", json!(self.lines.iter().collect::<Vec<_>>())),
            ("differingData", json!(self.data.iter().collect::<Vec<_>>())),
        ]
    }

    /// Which states are not compared, in a sentence.
    pub(super) fn cut(&self, last: u64) -> Option<String> {
        let compared = self.compared;
        (compared < last).then(|| format!("states are compared up to step {compared} of {last}"))
    }
}

/// The index of an item of this size, which is added if it is new.
fn add<T: std::hash::Hash + Eq>(items: &mut IndexSet<T>, bytes: &mut usize, size: usize, item: T) -> usize {
    let (index, is_new) = items.insert_full(item);
    *bytes += if is_new { size } else { 0 };
    index
}
