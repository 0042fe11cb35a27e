//! A run at a glance: how many frames there are over its states, and where a datum is written.

use super::datum::Datum;

/// The most parts that a run is divided into, so that a long one takes no more memory than this.
const MAX_PARTS: u64 = 1 << 16;

/// The states of a run in parts of the same length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeLine {
    /// How many states there are in a part.
    length: u64,
    /// The number of the last state.
    last: u64,
    /// The most frames in each part.
    depths: Vec<usize>,
    /// The datum whose writes are known, and how many are in each part.
    writes: Option<(Datum, Vec<u64>)>,
}

/// A time line in a number of columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeColumns {
    /// The most frames in each column.
    pub depths: Vec<usize>,
    /// How many writes of the datum are in each column.
    pub writes: Vec<u64>,
}

impl TimeLine {
    /// The time line of a run with this last state, without frames.
    pub(super) fn new(last: u64) -> TimeLine {
        let length = (last + 1).div_ceil(MAX_PARTS);
        let parts = usize::try_from((last + 1).div_ceil(length)).unwrap_or(1);
        TimeLine { length, last, depths: vec![0; parts], writes: None }
    }

    /// Adds the number of frames in a state.
    pub(super) fn add_depth(&mut self, step: u64, depth: usize) {
        let part = self.part_of(step);
        self.depths[part] = self.depths[part].max(depth);
    }

    /// The same line for the writes of another datum, without any yet.
    pub(super) fn for_datum(&self, datum: &Datum) -> TimeLine {
        TimeLine { writes: Some((datum.clone(), vec![0; self.depths.len()])), ..self.clone() }
    }

    pub(super) fn add_write(&mut self, step: u64) {
        let part = self.part_of(step);
        if let Some((_, writes)) = &mut self.writes {
            writes[part] += 1;
        }
    }

    /// The columns, at most this number.
    pub fn columns(&self, most: usize) -> TimeColumns {
        let count = self.depths.len().min(most.max(1));
        let mut columns = TimeColumns { depths: vec![0; count], writes: vec![0; count] };
        for (part, depth) in self.depths.iter().enumerate() {
            let column = part * count / self.depths.len();
            columns.depths[column] = columns.depths[column].max(*depth);
            if let Some((_, writes)) = &self.writes {
                columns.writes[column] += writes[part];
            }
        }
        columns
    }

    /// The column of a state, if there are at most this number.
    pub fn column_of(&self, step: u64, most: usize) -> usize {
        let count = self.depths.len().min(most.max(1));
        self.part_of(step) * count / self.depths.len()
    }

    /// The first state of a column, if there are at most this number.
    pub fn first_of(&self, column: usize, most: usize) -> u64 {
        let parts = self.depths.len();
        let count = parts.min(most.max(1));
        (column.min(count - 1) * parts).div_ceil(count) as u64 * self.length
    }

    /// The datum whose writes it has.
    pub fn datum(&self) -> Option<&Datum> {
        self.writes.as_ref().map(|(datum, _)| datum)
    }

    /// How many writes of that datum there are.
    pub fn count(&self) -> u64 {
        self.writes.iter().flat_map(|(_, writes)| writes).sum()
    }

    /// The most frames.
    pub fn most_frames(&self) -> usize {
        self.depths.iter().copied().max().unwrap_or(0)
    }

    fn part_of(&self, step: u64) -> usize {
        usize::try_from(step.min(self.last) / self.length).unwrap_or(0)
    }
}
