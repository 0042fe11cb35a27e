//! A state before a step, as it must be afterwards and as it is, in the notation of a family's declaration.

use super::path::Path;

/// What a case of a family makes of the state, for people. A row whose datum differs has the path of a difference of the
/// same step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StateTable {
    /// The step, from 1; `None` if the case has only one.
    pub step: Option<usize>,
    /// Data that differ or that the case changes, in the order of the declaration.
    pub rows: Vec<StateRow>,
    /// For each memory that differs, the cells around its first difference.
    pub memories: Vec<MemoryWindow>,
}

/// A datum, or a cell of a memory. Values are texts; `None` where nothing says the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateRow {
    /// Which datum.
    pub at: Path,
    /// What the case gives to the machine.
    pub before: Option<String>,
    /// What the case demands.
    pub expected: Option<String>,
    /// What the machine has.
    pub actual: Option<String>,
    /// Whether the actual value is wrong.
    pub differs: bool,
}

/// A part of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryWindow {
    /// The memory.
    pub field: String,
    /// Cells with ascending addresses, of which no address is left out.
    pub cells: Vec<StateRow>,
    /// How many cells differ, here and elsewhere.
    pub differing: usize,
}

impl StateTable {
    /// Whether the table shows a difference of this step at this path.
    pub fn shows(&self, step: Option<usize>, at: &Path) -> bool {
        let is_cell = |window: &MemoryWindow| {
            at.parent().is_some_and(|parent| parent.parent().is_none())
                && at.first().to_string() == window.field
        };
        self.step == step && (self.rows.iter().any(|row| row.at == *at) || self.memories.iter().any(is_cell))
    }
}
