//! Searches the instructions of a run before or after a state: which one wrote a datum, where is an
//! instruction executed next.

use std::ops::{ControlFlow, Range};

use super::Recording;
use super::datum::Datum;
use super::moment::{Direction, FoundMoment, FoundWrite, KeepGoing, Moment};
use super::writes::{Cellless, StepWrites, WriteWatch};
use crate::machines::machine::{At, Watch};

/// The length of the first part of the run that is searched; each further part is longer.
const FIRST: u64 = 1 << 10;

/// The length of the longest part.
const MAX_LENGTH: u64 = 1 << 20;

/// Which of the instructions that wrote a datum are sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SoughtWriters {
    First,
    All,
}

impl Recording {
    /// What last wrote a datum before the current state, or writes it next. Does not change the current state.
    pub fn write_of(&mut self, datum: &Datum, direction: Direction, keep_going: KeepGoing<'_>) -> FoundWrite {
        let set = self.set_state(datum, direction).map(Moment::step);
        let writers = if direction == Direction::Forward { SoughtWriters::First } else { SoughtWriters::All };
        let found = self.search(self.now.step, direction, keep_going, &mut |recording, range| {
            recording.writers(datum, range, writers).pop()
        });
        // The vector sets it after the instruction with the same number.
        let is_nearer = |set: u64, step: u64| (direction == Direction::Back) == (set >= step);
        match (found, set) {
            (FoundMoment::Cancelled, _) => FoundWrite::Cancelled,
            (FoundMoment::At(step), Some(set)) if is_nearer(set, step) => FoundWrite::Vector(set),
            (FoundMoment::At(step), _) => FoundWrite::Instruction(step),
            (FoundMoment::Nothing, Some(set)) => FoundWrite::Vector(set),
            (FoundMoment::Nothing, None) => FoundWrite::Nothing,
        }
    }

    /// The numbers of the instructions of a part of the run that wrote a datum.
    pub(super) fn writers(&mut self, datum: &Datum, range: Range<u64>, which: SoughtWriters) -> Vec<u64> {
        let cellless = if datum.cells.is_empty() { Cellless::Compared } else { Cellless::Ignored };
        let mut found = Vec::new();
        let mut watch = WriteWatch::new(range.start, cellless, |step, writes| {
            let wrote = writes.wrote(datum);
            found.extend(wrote.then_some(step));
            if wrote && which == SoughtWriters::First {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        self.watch(range, &mut watch);
        found
    }

    /// What the instruction wrote that leads to the current state, which does not change.
    pub fn written_last(&mut self) -> StepWrites {
        let start = self.now;
        let mut last = StepWrites::default();
        if let Some(before) = start.step.checked_sub(1) {
            let mut watch = WriteWatch::new(before, Cellless::Compared, |_, writes| {
                last = writes;
                ControlFlow::Continue(())
            });
            self.watch(before..start.step, &mut watch);
            self.go_to(start);
        }
        last
    }

    /// The next or previous execution of the instruction at `pc` of a code unit.
    pub fn execution_of(
        &mut self,
        pc: usize,
        unit: usize,
        direction: Direction,
        keep_going: KeepGoing<'_>,
    ) -> FoundMoment {
        self.execution_where(direction, keep_going, move |at| {
            match at.state.playback().filter(|playback| playback.lists_executions()) {
                Some(playback) => playback.is_same_instruction(at.pc, pc),
                None => at.pc == pc && at.state.unit() == unit,
            }
        })
    }

    /// The next or previous instruction that `matches` accepts, given the state before it.
    pub fn execution_where(
        &mut self,
        direction: Direction,
        keep_going: KeepGoing<'_>,
        matches: impl Fn(&At<'_>) -> bool,
    ) -> FoundMoment {
        // The instruction about to be executed is not searched.
        let from = self.now.step + u64::from(direction == Direction::Forward);
        self.search(from, direction, keep_going, &mut |recording, range| {
            let mut watch = Executions { matches: &matches, direction, step: range.start, found: None };
            recording.watch(range, &mut watch);
            watch.found
        })
    }

    /// Searches one part of the run after another until a match is found.
    pub(super) fn search(
        &mut self,
        mut from: u64,
        direction: Direction,
        keep_going: KeepGoing<'_>,
        part: &mut dyn FnMut(&mut Recording, Range<u64>) -> Option<u64>,
    ) -> FoundMoment {
        let start = self.now;
        let (mut length, mut seen) = (FIRST, 0);
        let found = loop {
            let range = match direction {
                Direction::Back => from.saturating_sub(length)..from,
                Direction::Forward => from..from.saturating_add(length).min(self.steps()),
            };
            if range.is_empty() {
                break FoundMoment::Nothing;
            }
            if let Some(step) = part(self, range.clone()) {
                break FoundMoment::At(step);
            }
            seen += range.end - range.start;
            if !keep_going(seen) {
                break FoundMoment::Cancelled;
            }
            from = if direction == Direction::Back { range.start } else { range.end };
            length = (length * 4).min(MAX_LENGTH);
        };
        self.go_to(start);
        found
    }

    /// Runs a part of the run again, with a watch. If the watch ends that early, the state is that before the
    /// instruction that it saw last.
    pub(in crate::explain) fn watch(&mut self, range: Range<u64>, watch: &mut dyn Watch) {
        self.go_to(self.moment(range.start));
        while self.now.step < range.end {
            let end = self.stretches[self.now.stretch].end();
            if self.now.step == end {
                self.now.stretch += 1;
                self.stretches[self.now.stretch].apply_watched(&mut *self.machine, watch);
                continue;
            }
            let until = end.min(range.end);
            // All searches together may watch more than a run of the case may.
            self.machine.account().watch_without_limit();
            let before = self.machine.account().instructions();
            self.machine.run(until - self.now.step, Some(watch));
            watch.pause(&*self.machine);
            if watch.is_done() {
                self.now.step += self.machine.account().instructions() - before;
                return;
            }
            self.now.step = until;
        }
    }
}

/// Finds the instruction that `matches` accepts and is closest to the current state: the last one, or forward the first.
struct Executions<F> {
    matches: F,
    direction: Direction,
    step: u64,
    found: Option<u64>,
}

impl<F: Fn(&At<'_>) -> bool> Watch for Executions<F> {
    fn before(&mut self, at: &At<'_>) {
        self.step += 1;
        if !self.is_done() && (self.matches)(at) {
            self.found = Some(self.step);
        }
    }

    fn is_done(&self) -> bool {
        self.direction == Direction::Forward && self.found.is_some()
    }
}
