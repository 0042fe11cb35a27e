//! Which items of the stack an instruction takes and leaves, if other items say so.

use crate::machines::inspect::Inspect;
use crate::machines::machine::At;
use crate::machines::moves;
use crate::model::Cell;

/// A machine whose instructions find counts and indexes on the stack.
pub(in crate::machines) trait NeoOperands: Inspect {
    /// The next instruction.
    fn next(&self) -> Option<At<'_>>;

    /// A stack item as a count.
    fn count(&self, below: usize) -> Option<usize>;

    /// This number of items, but at most as many as the instruction may pop.
    fn at_most_own(&self, count: usize) -> usize {
        count
    }

    /// The operand of the next instruction; empty without one.
    fn operand(&self) -> &[u8] {
        self.next().map_or(&[], |at| at.operand)
    }

    /// The distance from the top of the item that an index on top refers to.
    fn picked(&self) -> Option<usize> {
        Some(self.count(0)? + 1)
    }

    /// The cell of the item at this distance from the top of the stack.
    fn stacked(&self, below: usize) -> Option<Cell> {
        self.height().checked_sub(below + 1).map(Cell::Stack)
    }
}

/// How many items an instruction with an index on top pops: down to the item at the index.
pub(in crate::machines) fn indexed(machine: &impl NeoOperands) -> Option<usize> {
    Some(machine.at_most_own(machine.count(0)? + 2))
}

/// How many items an instruction pops if their number is on top.
pub(in crate::machines) fn counted(machine: &impl NeoOperands) -> Option<usize> {
    Some(machine.at_most_own(machine.count(0)? + 1))
}

/// How many of the items that [`indexed`] counts remain, without the item at the index.
pub(in crate::machines) fn index(machine: &impl NeoOperands) -> Option<usize> {
    machine.count(0)
}

/// How many of the items that [`indexed`] counts remain, with the item at the index.
pub(in crate::machines) fn index_and_one(machine: &impl NeoOperands) -> Option<usize> {
    indexed(machine)?.checked_sub(1)
}

/// Which items are moved, see [`Effect::Moves`], if the item at the index on top is removed.
///
/// [`Effect::Moves`]: crate::machines::effects::Effect::Moves
pub(in crate::machines) fn without_indexed(machine: &impl NeoOperands) -> Vec<usize> {
    (1..=own_index(machine)).rev().collect()
}

/// The same if the item at the index moves to the top.
pub(in crate::machines) fn rolled(machine: &impl NeoOperands) -> Vec<usize> {
    let index = own_index(machine);
    (1..=index).rev().chain([index + 1]).collect()
}

/// The same if a copy of the item at the index replaces the index.
pub(in crate::machines) fn copied(machine: &impl NeoOperands) -> Vec<usize> {
    vec![own_index(machine) + 1]
}

/// The same if the item below the index stays, which the row of the instruction counts.
pub(in crate::machines) fn copied_above(machine: &impl NeoOperands) -> Vec<usize> {
    [1].into_iter().chain(copied(machine)).collect()
}

/// The same if the items whose number is on top are reversed.
pub(in crate::machines) fn reversed(machine: &impl NeoOperands) -> Vec<usize> {
    (1..=own_index(machine)).collect()
}

/// The same if the item at the index and the one below the index are exchanged.
pub(in crate::machines) fn exchanged(machine: &impl NeoOperands) -> Vec<usize> {
    moves::exchanged(1, own_index(machine) + 1).collect()
}

/// The same if a copy of the item below the number on top is inserted below that many items.
pub(in crate::machines) fn tucked(machine: &impl NeoOperands) -> Vec<usize> {
    [1].into_iter().chain((1..=own_index(machine)).rev()).collect()
}

/// The index or number on top. The instruction fails if the stack has too few items for it.
fn own_index(machine: &impl NeoOperands) -> usize {
    machine.count(0).unwrap_or_default().min(machine.height())
}

/// The position that the operand refers to.
pub(in crate::machines) fn at_offset(machine: &impl NeoOperands) -> Option<usize> {
    machine.next()?.at_offset()
}
