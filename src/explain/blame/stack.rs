//! Which stack slots an instruction pops and writes.

use std::ops::Range;

use crate::isa::OpInfo;
use crate::machines::inspect::{Effects, Inspect, frame_of};
use crate::model::Cell;

/// The number of the stack slot above the top one.
pub(crate) fn top(state: &dyn Inspect) -> usize {
    frame_of(state).map_or(0, |frame| frame.stack) + state.height()
}

/// How many values an instruction pops from a stack of this height.
pub(crate) fn taken(takes: Option<usize>, op: Option<&OpInfo>, height: usize) -> usize {
    takes.unwrap_or_else(|| op.map_or(0, |op| op.pops.into())).min(height)
}

/// The stack slots that an instruction wrote: it left those below `left` in place and pushed `pushes` values;
/// `top` is the slot above the top one afterwards.
pub(crate) fn written(left: usize, pushes: usize, top: usize) -> Range<usize> {
    left.min(top.saturating_sub(pushes))..top
}

/// The stack slots that a failed instruction may have written: those of its operands, from `left` to `before`, as far
/// as they are still there. If it ended its frame, `after` is the slot above the top one of the caller.
pub(crate) fn written_by_failure(left: usize, before: usize, after: usize) -> Range<usize> {
    left..before.min(after).max(left)
}

/// The stack slots whose values an instruction only moved, each with the slot that held its value before. `moves` are
/// its [`Effects::moves`], `before` and `after` the numbers of the slots above the top one.
///
/// [`Effects::moves`]: crate::machines::inspect::Effects::moves
pub(crate) fn moved(moves: &[usize], before: usize, after: usize) -> impl Iterator<Item = (usize, usize)> {
    let lowest = after.saturating_sub(moves.len());
    (lowest..after).zip(moves).filter_map(move |(to, distance)| Some((to, before.checked_sub(1 + distance)?)))
}

/// The compound on top of the operand stack before an instruction whose row says that it creates one.
pub(super) struct CompoundCreation(Option<usize>);

impl CompoundCreation {
    /// `None` for an instruction that creates no compound.
    pub(super) fn before(effects: &Effects, state: &dyn Inspect) -> Option<CompoundCreation> {
        effects.creates.then(|| CompoundCreation(state.compound(0)))
    }

    /// The new compound after the instruction.
    pub(super) fn created(&self, state: &dyn Inspect) -> Option<Cell> {
        state.compound(0).filter(|created| self.0 != Some(*created)).map(Cell::Compound)
    }
}
