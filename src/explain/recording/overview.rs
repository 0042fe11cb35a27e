//! Watches a whole run for its time line.

use std::ops::Range;

use super::Recording;
use super::datum::Datum;
use super::moment::KeepGoing;
use super::search::SoughtWriters;
use super::time_line::TimeLine;
use crate::machines::machine::{At, Watch};

/// How many instructions are watched at once.
const AT_ONCE: u64 = 1 << 16;

impl Recording {
    /// How many frames there are over the run; `None` if that was cancelled. Does not change the current state.
    pub fn time_line(&mut self, keep_going: KeepGoing<'_>) -> Option<TimeLine> {
        let start = self.now;
        let mut watch = DepthWatch { line: TimeLine::new(self.steps()), step: 0 };
        let is_whole = self.in_parts(keep_going, &mut |recording, range| recording.watch(range, &mut watch));
        let depth = self.go_to(self.moment(u64::MAX)).depth();
        watch.add(depth);
        self.go_to(start);
        is_whole.then_some(watch.line)
    }

    /// Adds the writes of a datum to a time line; false if that was cancelled. Does not change the current state.
    pub fn add_writes(&mut self, line: &mut TimeLine, datum: &Datum, keep_going: KeepGoing<'_>) -> bool {
        let start = self.now;
        let mut counted = line.for_datum(datum);
        let is_whole = self.in_parts(keep_going, &mut |recording, range| {
            for step in recording.writers(datum, range, SoughtWriters::All) {
                counted.add_write(step);
            }
        });
        self.go_to(start);
        self.set_states(datum).for_each(|state| counted.add_write(state.step()));
        if is_whole {
            *line = counted;
        }
        is_whole
    }

    /// Calls `each` with one part of the run after another; false if `keep_going` ended that.
    fn in_parts(
        &mut self,
        keep_going: KeepGoing<'_>,
        each: &mut dyn FnMut(&mut Recording, Range<u64>),
    ) -> bool {
        let mut first = 0;
        while first < self.steps() {
            let end = first.saturating_add(AT_ONCE).min(self.steps());
            each(self, first..end);
            first = end;
            if !keep_going(first) {
                return false;
            }
        }
        true
    }
}

struct DepthWatch {
    line: TimeLine,
    /// The number of the next state.
    step: u64,
}

impl DepthWatch {
    fn add(&mut self, depth: usize) {
        self.line.add_depth(self.step, depth);
        self.step += 1;
    }
}

impl Watch for DepthWatch {
    fn before(&mut self, at: &At<'_>) {
        self.add(at.state.depth());
    }
}
