//! Finds the last instructions that wrote some data, however far back, and counts instructions.

use super::question::BlameQuestion;
use super::stack::{CompoundCreation, taken, top, written};
use crate::machines::inspect::{Effects, Inspect, written_cells};
use crate::machines::machine::{At, Watch};
use crate::model::{Cell, Value};

/// A datum that no kept instruction wrote, if some instructions were dropped.
#[derive(Debug, Clone)]
pub struct SoughtDatum {
    /// The index of its answer.
    pub answer: usize,
    /// The question, about this datum alone.
    pub question: BlameQuestion,
    /// The cells that hold it.
    pub(super) cells: Vec<Cell>,
    /// How many instructions were executed before the question.
    pub end: u64,
}

/// Watches a run and finds the last instructions that wrote some data, however far back.
pub struct WriterSearch {
    sought: Vec<SoughtDatum>,
    /// For each sought datum and each of its cells, the number of the last instruction that wrote the cell.
    writers: Vec<Vec<Option<u64>>>,
    step: u64,
    /// How many stack values the last instruction left in place, how many it pushed, and the other cells that it wrote.
    last: Option<(usize, usize, Vec<Cell>)>,
    creates: Option<CompoundCreation>,
}

impl WriterSearch {
    /// A search for the writers of these data.
    pub fn new(sought: Vec<SoughtDatum>) -> WriterSearch {
        let writers = sought.iter().map(|sought| vec![None; sought.cells.len()]).collect();
        WriterSearch { sought, writers, step: 0, last: None, creates: None }
    }

    /// The data whose writer was found, each with the writer's instruction number.
    pub fn found(self) -> impl Iterator<Item = (SoughtDatum, u64)> {
        let found = self.sought.into_iter().zip(self.writers);
        found.filter_map(|(sought, writers)| Some((sought, writers.into_iter().flatten().next()?)))
    }

    /// Records `number` as the last writer of the sought cells that `is_written` accepts, unless the search for them
    /// ends earlier.
    fn wrote(&mut self, number: u64, is_written: impl Fn(&Cell) -> bool) {
        for (sought, writers) in self.sought.iter().zip(&mut self.writers) {
            for (cell, writer) in sought.cells.iter().zip(writers) {
                if self.step <= sought.end && is_written(cell) {
                    *writer = Some(number);
                }
            }
        }
    }

    /// Completes the record of the last instruction with what only the state after it shows.
    fn complete(&mut self, state: &dyn Inspect) {
        let Some((left, pushes, declared)) = self.last.take() else { return };
        let mut wrote = written_cells(declared, state);
        wrote.extend(self.creates.take().and_then(|creation| creation.created(state)));
        // Of an instruction that could not be executed, the operands stay.
        let places = if state.failure().is_none() { written(left, pushes, top(state)) } else { 0..0 };
        self.wrote(self.step - 1, |cell| match cell {
            Cell::Stack(at) if places.contains(at) => true,
            other => wrote.iter().any(|written| written.touches(other)),
        });
    }
}

impl Watch for WriterSearch {
    fn before(&mut self, at: &At<'_>) {
        self.complete(at.state);
        self.step += 1;
        let effects = at.state.effects();
        self.creates = CompoundCreation::before(&effects, at.state);
        let Effects { takes, writes, .. } = effects;
        let left = top(at.state) - taken(takes, at.op, at.state.height());
        self.last = Some((left, at.op.map_or(0, |op| op.pushes.into()), writes));
    }

    /// Counts changes by the vector as writes of the instruction before them: the recorder that keeps the instructions
    /// up to that one sees the changes, too, and says that the vector made them.
    fn set(&mut self, changes: &Value, state: &dyn Inspect) {
        self.complete(state);
        let changed = state.set_cells(changes);
        self.wrote(self.step, |cell| changed.iter().any(|changed| changed.touches(cell)));
    }

    fn pause(&mut self, state: &dyn Inspect) {
        self.complete(state);
    }

    fn after_step(&mut self, _: usize, state: &dyn Inspect) {
        self.complete(state);
    }
}

/// Counts the instructions up to the end of each step of a case, which run unwatched.
#[derive(Debug, Default)]
pub struct Counter {
    count: u64,
    /// The count at the end of each step.
    pub ends: Vec<u64>,
}

impl Counter {
    /// How many instructions were executed.
    pub fn count(&self) -> u64 {
        self.count
    }
}

impl Watch for Counter {
    fn before(&mut self, _: &At<'_>) {}

    fn passes_over(&self) -> u64 {
        u64::MAX
    }

    fn passed_over(&mut self, count: u64) {
        self.count += count;
    }

    fn after_step(&mut self, _: usize, _: &dyn Inspect) {
        self.ends.push(self.count);
    }
}
