//! A run at a glance: how many frames there are over its states, and where a datum is written.

use std::ops::ControlFlow;

use super::Recording;
use super::datum::Datum;
use super::moment::KeepGoing;
use super::search::Writers;
use crate::machines::machine::{At, Watch};

/// The most parts that a run is divided into, so that a long one takes no more memory than this.
const MAX_PARTS: u64 = 1 << 16;

/// How many instructions are watched at once.
const AT_ONCE: u64 = 1 << 16;

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

impl Recording {
    /// How many frames there are over the run; `None` if that was cancelled. Does not change the current state.
    pub fn time_line(&mut self, keep_going: KeepGoing<'_>) -> Option<TimeLine> {
        let start = self.now;
        let length = (self.steps() + 1).div_ceil(MAX_PARTS);
        let parts = usize::try_from((self.steps() + 1).div_ceil(length)).unwrap_or(1);
        let line = TimeLine { length, last: self.steps(), depths: vec![0; parts], writes: None };
        let mut watch = DepthWatch { line, step: 0 };
        let is_whole = self.in_parts(keep_going, &mut |recording, range| {
            recording.watch(range, &mut watch);
            ControlFlow::Continue(())
        });
        let depth = self.go_to(self.moment(u64::MAX)).depth();
        watch.add(depth);
        self.go_to(start);
        is_whole.is_continue().then_some(watch.line)
    }

    /// Adds the writes of a datum to a time line; false if that was cancelled. Does not change the current state.
    pub fn add_writes(&mut self, line: &mut TimeLine, datum: &Datum, keep_going: KeepGoing<'_>) -> bool {
        let start = self.now;
        let mut writes = vec![0; line.depths.len()];
        let flow = self.in_parts(keep_going, &mut |recording, range| {
            for step in recording.writers(datum, range, Writers::All) {
                writes[line.part_of(step)] += 1;
            }
            ControlFlow::Continue(())
        });
        self.go_to(start);
        if flow.is_continue() {
            line.writes = Some((datum.clone(), writes));
        }
        flow.is_continue()
    }

    /// Calls `each` with one part of the run after another, until it or `keep_going` ends that.
    fn in_parts(
        &mut self,
        keep_going: KeepGoing<'_>,
        each: &mut dyn FnMut(&mut Recording, std::ops::Range<u64>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut first = 0;
        while first < self.steps() {
            let end = first.saturating_add(AT_ONCE).min(self.steps());
            each(self, first..end)?;
            first = end;
            if !keep_going(first) {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

struct DepthWatch {
    line: TimeLine,
    /// The number of the next state.
    step: u64,
}

impl DepthWatch {
    fn add(&mut self, depth: usize) {
        let part = self.line.part_of(self.step);
        self.line.depths[part] = self.line.depths[part].max(depth);
        self.step += 1;
    }
}

impl Watch for DepthWatch {
    fn before(&mut self, at: &At<'_>) {
        self.add(at.state.depth());
    }
}
