//! Finds all writes of a datum, with its values.

use std::ops::ControlFlow;

use super::Recording;
use super::datum::{Datum, sections_of};
use super::datum_write::{DatumWrite, DatumWriter};
use super::moment::{FoundMoment, KeepGoing, Moment};
use super::search::SoughtWriters;
use crate::machines::inspect::Inspect;

/// How many instructions are searched at once.
const PART: u64 = 1 << 12;

impl Recording {
    /// Passes the writes of a datum after the first `from` instructions to `each`, in order, and returns the write at
    /// which `each` broke off. Does not change the current state.
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
            let writes = self.writers(datum, first..end, SoughtWriters::All);
            let mut after: Vec<_> = writes.into_iter().map(|step| self.moment_after(step)).collect();
            let sets = self.set_states(datum).filter(|state| first < state.step && state.step <= end);
            let sets: Vec<_> = sets.collect();
            after.extend(&sets);
            after.sort_unstable();
            for state in after {
                let write = if sets.contains(&state) {
                    self.set_write(datum, state)
                } else {
                    self.write(datum, state)
                };
                if each(write).is_break() {
                    return FoundMoment::At(state.step);
                }
            }
            first = end;
            if !keep_going(first - from) {
                return FoundMoment::Cancelled;
            }
        }
        FoundMoment::Nothing
    }

    /// The write by the instruction that leads to a state.
    fn write(&mut self, datum: &Datum, after: Moment) -> DatumWrite {
        let before = self.go_to(self.moment(after.step - 1)).inspect();
        let (by, old) = (DatumWriter::Instruction(before.instruction()), value_of(before, datum));
        let new = value_of(self.go_to(after).inspect(), datum);
        DatumWrite { step: after.step, by, old, new }
    }

    /// The write by the vector that leads to a state.
    fn set_write(&mut self, datum: &Datum, after: Moment) -> DatumWrite {
        let old = value_of(self.go_to(self.moment_after(after.step)).inspect(), datum);
        let new = value_of(self.go_to(after).inspect(), datum);
        DatumWrite { step: after.step, by: DatumWriter::Vector, old, new }
    }
}

/// The value of a datum as its row shows it.
fn value_of(state: &dyn Inspect, datum: &Datum) -> Option<String> {
    let mut rows = sections_of(state).into_iter().flat_map(|section| section.rows);
    rows.find(|shown| shown.datum.id == datum.id).map(|shown| shown.row.value)
}
