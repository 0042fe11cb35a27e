//! What planted faults change in a machine between two instructions, though no instruction does.

use crate::model::{Cell, Program, Value};

/// A machine with cells that can be changed.
pub trait PlantInCells {
    /// The whole value of a cell; `None` if it cannot be changed.
    fn content(&self, cell: &Cell) -> Option<Value>;

    /// Gives a cell a value; false if that is impossible in this state.
    fn write(&mut self, cell: &Cell, value: &Value) -> bool;
}

/// A machine in which faults of instructions can be planted. What changes it returns false if that is impossible in
/// this state, or on this machine.
pub trait PlantFaults: PlantInCells {
    /// The value that a cell keeps if writes to it are forgotten: usually the current one.
    fn unwritten(&self, _program: &Program, cell: &Cell) -> Option<Value> {
        self.content(cell)
    }

    /// Continues at this program counter.
    fn go_to(&mut self, pc: usize) -> bool;

    /// Pushes the number 0.
    fn push(&mut self) -> bool {
        false
    }

    /// Removes the top value.
    fn pop(&mut self) -> bool {
        false
    }

    /// Takes this much gas from the running frame, or gives it some.
    fn spend(&mut self, _gas: i64) -> bool {
        false
    }

    /// Fails as if the limit on the stack, or on the number of items, were exceeded.
    fn overflow(&mut self) -> bool {
        false
    }

    /// Replaces the failure of the last instruction by a different one.
    fn fail_otherwise(&mut self) -> bool {
        false
    }

    /// If the next instruction fails, the run continues as the excuse says, and
    /// [`Inspect::failure`](super::inspect::Inspect::failure) tells that it failed.
    fn excuse(&mut self, _excuse: &Excuse) -> bool {
        false
    }

    /// The machine as one with compounds, if it has any.
    fn compounds(&mut self) -> Option<&mut dyn PlantInCompounds> {
        None
    }
}

/// How a run continues in place of an instruction that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excuse {
    /// How many values are popped.
    pub pops: usize,
    /// How many zeros are pushed.
    pub pushes: usize,
    /// Where the run continues.
    pub next: usize,
}

/// A machine whose values can refer to compounds, and that counts such references. What changes it returns false if
/// that is impossible in this state.
pub trait PlantInCompounds {
    /// Replaces the compound that the top value refers to by a copy.
    fn copy_top(&mut self) -> bool;

    /// Adds this number to the count of references.
    fn count_more(&mut self, references: usize) -> bool;

    /// Turns the Struct on top into an Array with the same items, so that it is stored without being copied.
    fn top_as_array(&mut self) -> bool;

    /// Turns this compound back into a Struct wherever it is stored in another one.
    fn stored_as_struct(&mut self, compound: usize) -> bool;
}
