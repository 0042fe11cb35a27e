//! What an instruction wrote: the one computation behind the marks of a state, searches for writes, and pages.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::datum::{Datum, DatumId, StateSection, sections_of};
use crate::explain::blame::{moved, taken, top, written};
use crate::machines::inspect::{Effects, Inspect, written_cells};
use crate::machines::machine::{At, Watch};
use crate::model::Cell;

/// What an instruction wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct StepWrites {
    /// Values of the operand stack, counted as in [`Cell::Stack`].
    pub stack: Vec<usize>,
    /// Other cells.
    pub cells: Vec<Cell>,
    /// The data without a cell whose value it changed.
    pub changed: Vec<DatumId>,
}

impl StepWrites {
    /// Whether it wrote the datum.
    pub fn wrote(&self, datum: &Datum) -> bool {
        if datum.cells.is_empty() {
            return self.changed.contains(&datum.id);
        }
        datum.cells.iter().any(|cell| {
            let is_pushed = matches!(cell, Cell::Stack(place) if self.stack.contains(place));
            is_pushed || self.cells.iter().any(|written| written.touches(cell))
        })
    }
}

/// The values of the data without a cell.
pub type CelllessValues = HashMap<DatumId, String>;

/// The values of the data of a state that no cell holds.
pub fn cellless(sections: &[StateSection]) -> CelllessValues {
    let rows = sections.iter().flat_map(|section| &section.rows).filter(|row| row.datum.cells.is_empty());
    rows.map(|row| (row.datum.id.clone(), row.row.value.clone())).collect()
}

/// The data whose values differ, or that only one of the states has.
pub fn differing(before: &CelllessValues, after: &CelllessValues) -> Vec<DatumId> {
    let appeared = after.iter().filter(|(id, value)| before.get(*id) != Some(value)).map(|(id, _)| id);
    let gone = before.keys().filter(|id| !after.contains_key(*id));
    let mut differing: Vec<_> = appeared.chain(gone).cloned().collect();
    differing.sort_unstable_by_key(ToString::to_string);
    differing
}

/// An instruction between the states before and after it.
pub struct PendingWrites {
    /// How many stack values are below those that it popped, and how many it pushed.
    left: usize,
    pushes: usize,
    /// The number of the slot above the top one.
    top: usize,
    /// Which values it only moves: its [`Effects::moves`].
    moves: Vec<usize>,
    cells: Vec<Cell>,
}

impl PendingWrites {
    /// An instruction that is about to be executed.
    pub fn of(at: &At<'_>) -> PendingWrites {
        let Effects { takes, writes, moves, .. } = at.state.effects();
        let (top, taken) = (top(at.state), taken(takes, at.op, at.state.height()));
        let pushes = at.op.map_or(0, |op| op.pushes.into());
        PendingWrites { left: top - taken, pushes, top, moves, cells: writes }
    }

    /// What it wrote, without data that have no cell; `state` is the state after it.
    pub fn done(self, state: &dyn Inspect) -> StepWrites {
        let cells = written_cells(self.cells, state);
        if state.failure().is_some() {
            return StepWrites { cells, ..StepWrites::default() };
        }
        let after = top(state);
        let stayed: Vec<_> =
            moved(&self.moves, self.top, after).filter(|(to, from)| to == from).map(|(to, _)| to).collect();
        let written = written(self.left, self.pushes, after);
        let in_place =
            cells.iter().filter_map(|cell| if let Cell::Stack(at) = cell { Some(*at) } else { None });
        let stack = written.chain(in_place).filter(|slot| stayed.binary_search(slot).is_err()).collect();
        StepWrites { stack, cells, changed: Vec::new() }
    }
}

/// Passes what each instruction wrote to a function, with the instruction's number, until the function ends that.
pub(super) struct WriteWatch<F> {
    /// The data without cells are compared only if this is true, since it takes time.
    compared: Option<CelllessValues>,
    pending: Option<PendingWrites>,
    step: u64,
    each: F,
    flow: ControlFlow<()>,
}

/// Whether data that no cell holds are compared, which takes time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cellless {
    Compared,
    Ignored,
}

impl<F: FnMut(u64, StepWrites) -> ControlFlow<()>> WriteWatch<F> {
    /// A watch of the instructions after the first `step` ones.
    pub(super) fn new(step: u64, cellless: Cellless, each: F) -> WriteWatch<F> {
        let compared = (cellless == Cellless::Compared).then(CelllessValues::new);
        WriteWatch { compared, pending: None, step, each, flow: ControlFlow::Continue(()) }
    }

    /// The state before an instruction, or the last one.
    fn state(&mut self, state: &dyn Inspect) {
        let after = self.compared.as_ref().map(|_| cellless(&sections_of(state)));
        if let Some(pending) = self.pending.take() {
            let mut writes = pending.done(state);
            if let (Some(before), Some(after)) = (&self.compared, &after) {
                writes.changed = differing(before, after);
            }
            self.flow = (self.each)(self.step, writes);
        }
        self.compared = after;
    }
}

impl<F: FnMut(u64, StepWrites) -> ControlFlow<()>> Watch for WriteWatch<F> {
    fn before(&mut self, at: &At<'_>) {
        self.state(at.state);
        if self.flow.is_continue() {
            self.pending = Some(PendingWrites::of(at));
            self.step += 1;
        }
    }

    fn pause(&mut self, state: &dyn Inspect) {
        self.state(state);
    }

    fn is_done(&self) -> bool {
        self.flow.is_break()
    }
}
