//! Searches the instructions of a run before or after a state: which one wrote a datum, where is an
//! instruction executed next.

use std::ops::Range;

use super::Recording;
use super::moment::{Direction, FoundMoment, KeepGoing};
use crate::explain::blame::{taken, top, written};
use crate::machines::inspect::{Effects, Inspect, cells_of, written_besides};
use crate::machines::machine::{At, Watch};
use crate::machines::view::ViewDatum;
use crate::model::cell::Cell;

/// The length of the first part of the run that is searched; further parts are longer.
const FIRST: u64 = 1 << 10;
const MAX_LENGTH: u64 = 1 << 20;

impl Recording {
    /// The instruction that last wrote a datum of the current state, or that writes it next. Does not change
    /// the current state.
    pub fn write_of(
        &mut self,
        datum: &ViewDatum,
        direction: Direction,
        keep_going: KeepGoing<'_>,
    ) -> FoundMoment {
        let cells = cells_of(self.machine().inspect(), datum);
        if cells.is_empty() {
            return FoundMoment::Nothing;
        }
        self.search(self.now.step, direction, keep_going, |step| {
            let best = Best { direction, step: None };
            Box::new(Writers { cells: &cells, step, best, last: None })
        })
    }

    /// The next or previous execution of the instruction at `pc`, in the code unit of the next instruction.
    pub fn execution_of(
        &mut self,
        pc: usize,
        direction: Direction,
        keep_going: KeepGoing<'_>,
    ) -> FoundMoment {
        let unit = self.machine().unit();
        self.execution_where(direction, keep_going, move |at| at.pc == pc && at.state.unit() == unit)
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
        self.search(from, direction, keep_going, |step| {
            Box::new(Executions { matches: &matches, step, best: Best { direction, step: None } })
        })
    }

    /// Searches one part of the run after another until a match is found.
    fn search<'s>(
        &mut self,
        mut from: u64,
        direction: Direction,
        keep_going: KeepGoing<'_>,
        sought: impl Fn(u64) -> Box<dyn SoughtCell + 's>,
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
            let mut part = sought(range.start);
            self.watch(range.clone(), &mut *part);
            if let Some(step) = part.found() {
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

    /// Runs a part of the run again, with a watch.
    fn watch(&mut self, range: Range<u64>, watch: &mut dyn SoughtCell) {
        self.go_to(self.moment(range.start));
        while self.now.step < range.end {
            let end = self.stretches[self.now.stretch].end();
            if self.now.step == end {
                self.now.stretch += 1;
                self.stretches[self.now.stretch].apply(&mut *self.machine);
                continue;
            }
            let until = end.min(range.end);
            self.machine.run(until - self.now.step, Some(watch));
            watch.pause(&*self.machine);
            self.now.step = until;
        }
    }
}

/// A watch that looks for an instruction.
trait SoughtCell: Watch {
    /// The number of the instruction that was found.
    fn found(&self) -> Option<u64>;
}

/// The match closest to the current state.
struct Best {
    direction: Direction,
    step: Option<u64>,
}

impl Best {
    fn add(&mut self, step: u64) {
        match self.direction {
            Direction::Back => self.step = Some(step),
            Direction::Forward => self.step = self.step.or(Some(step)),
        }
    }

    /// Whether no better match can follow.
    fn is_final(&self) -> bool {
        self.direction == Direction::Forward && self.step.is_some()
    }
}

/// Finds the instructions that write one of the cells.
struct Writers<'c> {
    cells: &'c [Cell],
    step: u64,
    best: Best,
    last: Option<LastWrite>,
}

/// The last instruction; what it pushed is only visible in the state after it.
struct LastWrite {
    /// How many stack values it left in place, and how many it pushed.
    left: usize,
    pushes: usize,
    writes: bool,
}

impl Watch for Writers<'_> {
    fn before(&mut self, at: &At<'_>) {
        self.pause(at.state);
        self.step += 1;
        let Effects { takes, writes, .. } = at.state.effects();
        self.last = Some(LastWrite {
            left: top(at.state) - taken(takes, at.op, at.state.height()),
            pushes: at.op.map_or(0, |op| op.pushes.into()),
            writes: writes.iter().any(|written| self.cells.iter().any(|cell| written.touches(cell))),
        });
    }

    fn pause(&mut self, state: &dyn Inspect) {
        let Some(LastWrite { left, pushes, writes }) = self.last.take() else { return };
        let places = written(left, pushes, top(state));
        let wrote = written_besides(state);
        let is_after = |cell: &Cell| match cell {
            Cell::Stack(place) => places.contains(place),
            other => wrote.iter().any(|written| written.touches(other)),
        };
        // An instruction that could not be executed wrote nothing.
        if (writes || self.cells.iter().any(is_after)) && state.failure().is_none() {
            self.best.add(self.step);
        }
    }

    fn is_done(&self) -> bool {
        self.best.is_final()
    }
}

impl SoughtCell for Writers<'_> {
    fn found(&self) -> Option<u64> {
        self.best.step
    }
}

/// Finds the instructions that `matches` accepts.
struct Executions<F> {
    matches: F,
    step: u64,
    best: Best,
}

impl<F: Fn(&At<'_>) -> bool> Watch for Executions<F> {
    fn before(&mut self, at: &At<'_>) {
        self.step += 1;
        if (self.matches)(at) {
            self.best.add(self.step);
        }
    }

    fn is_done(&self) -> bool {
        self.best.is_final()
    }
}

impl<F: Fn(&At<'_>) -> bool> SoughtCell for Executions<F> {
    fn found(&self) -> Option<u64> {
        self.best.step
    }
}
