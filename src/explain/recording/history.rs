//! Finds all writes of a datum, with its values.

use std::ops::ControlFlow;

use super::Recording;
use super::datum::{Datum, sections_of};
use super::datum_write::DatumWrite;
use super::moment::{FoundMoment, KeepGoing};
use super::search::Writers;
use crate::machines::inspect::Inspect;

/// How many instructions are searched at once.
const PART: u64 = 1 << 12;

impl Recording {
    /// Passes the writes of a datum after the first `from` instructions to `each`, in order, and returns the one that
    /// ended that. Does not change the current state.
    pub fn writes_of(
        &mut self,
        datum: &Datum,
        from: u64,
        keep_going: KeepGoing<'_>,
        each: &mut dyn FnMut(DatumWrite) -> ControlFlow<()>,
    ) -> FoundMoment {
        let start = self.now;
        let found = self.pass_writes(datum, from, keep_going, each);
        self.go_to(start);
        found
    }

    fn pass_writes(
        &mut self,
        datum: &Datum,
        from: u64,
        keep_going: KeepGoing<'_>,
        each: &mut dyn FnMut(DatumWrite) -> ControlFlow<()>,
    ) -> FoundMoment {
        let mut first = from;
        while first < self.steps() {
            let end = first.saturating_add(PART).min(self.steps());
            for step in self.writers(datum, first..end, Writers::All) {
                let before = self.go_to(self.moment(step - 1)).inspect();
                let (instruction, old) = (before.instruction(), value_of(before, datum));
                let new = value_of(self.go_to(self.moment(step)).inspect(), datum);
                if each(DatumWrite { step, instruction, old, new }).is_break() {
                    return FoundMoment::At(step);
                }
            }
            first = end;
            if !keep_going(first - from) {
                return FoundMoment::Cancelled;
            }
        }
        FoundMoment::Nothing
    }
}

/// The value of a datum as its row shows it.
fn value_of(state: &dyn Inspect, datum: &Datum) -> Option<String> {
    let mut rows = sections_of(state).into_iter().flat_map(|section| section.rows);
    rows.find(|shown| shown.datum.id == datum.id).map(|shown| shown.row.value)
}
