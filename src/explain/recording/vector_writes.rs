//! What the vector itself sets between two instructions.

use super::Recording;
use super::datum::Datum;
use super::moment::{Direction, Moment};
use super::stretches::Stretch;
use super::writes::StepWrites;

impl Recording {
    /// What the vector sets after the first instruction: the number of the instruction before, and the cells.
    pub fn vector_writes(&self) -> impl Iterator<Item = (u64, StepWrites)> {
        let sets = |stretch: &Stretch| {
            let writes = StepWrites { cells: stretch.set.clone(), ..StepWrites::default() };
            (!stretch.set.is_empty()).then_some((stretch.first, writes))
        };
        self.stretches.iter().skip(1).filter_map(sets)
    }

    /// The states in which the vector has just set a datum, in order.
    pub(super) fn set_states(&self, datum: &Datum) -> impl DoubleEndedIterator<Item = Moment> {
        let is_set = |stretch: &Stretch| {
            stretch.set.iter().any(|cell| datum.cells.iter().any(|its| cell.touches(its)))
        };
        let later = self.stretches.iter().enumerate().skip(1);
        later.filter(move |(_, it)| is_set(it)).map(|(stretch, it)| Moment { stretch, step: it.first })
    }

    /// The last of these states up to the current one, or the first one after it.
    pub(super) fn set_state(&self, datum: &Datum, direction: Direction) -> Option<Moment> {
        let mut states = self.set_states(datum);
        match direction {
            Direction::Back => states.rfind(|state| *state <= self.now),
            Direction::Forward => states.find(|state| *state > self.now),
        }
    }

    /// The state that an instruction leads to, before the vector changes it.
    pub(super) fn moment_after(&self, instruction: u64) -> Moment {
        let stretch = self.stretches.partition_point(|stretch| stretch.end() < instruction);
        Moment { stretch, step: instruction }
    }
}
