//! A state before a step, as it must be afterwards and as it is, in the notation of a family's declaration.

use serde::{Deserialize, Serialize};

use super::path::Path;

/// What a case of a family makes of the state, for people. A row whose datum differs has the path of a difference of
/// the same step.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct StateTable {
    /// The step, from 1; `None` if the case has only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// Data that differ or that the case changes, in the order of the declaration.
    pub rows: Vec<StateRow>,
    /// For each memory that differs, the cells around its first difference.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<MemoryWindow>,
}

/// A datum, or a cell of a memory. Values are texts; `None` where nothing says the value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct StateRow {
    /// Which datum.
    #[serde(rename = "path")]
    pub at: Path,
    /// What the case gives to the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What the case demands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What the machine has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// Whether the actual value is wrong.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub differs: bool,
}

/// A part of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
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
