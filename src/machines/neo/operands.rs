//! Which items of the stack an instruction takes and leaves, if other items say so.

use crate::machines::inspect::Inspect;
use crate::machines::machine::At;
use crate::model::cell::Cell;

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

/// The position that the operand refers to.
pub(in crate::machines) fn at_offset(machine: &impl NeoOperands) -> Option<usize> {
    machine.next()?.at_offset()
}
