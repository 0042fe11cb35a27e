//! The states that explain a failure on a machine of a family.

use serde::{Deserialize, Serialize};

use crate::model::path::Path;
use crate::model::state_table::{MemoryWindow, StateRow, StateTable};

/// What a case makes of the state; see [`StateTable`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct WireStateTable {
    /// The step, from 1; `None` if the case has only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// Data that differ or that the case changes.
    pub rows: Vec<WireStateRow>,
    /// For each memory that differs, the cells around its first difference.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memories: Vec<WireMemoryWindow>,
}

/// A datum, or a cell of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct WireStateRow {
    /// Which datum.
    pub path: Path,
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
pub struct WireMemoryWindow {
    /// The memory.
    pub field: String,
    /// Cells with ascending addresses.
    pub cells: Vec<WireStateRow>,
    /// How many cells differ, here and elsewhere.
    pub differing: usize,
}

impl From<&StateTable> for WireStateTable {
    fn from(StateTable { step, rows, memories }: &StateTable) -> WireStateTable {
        WireStateTable {
            step: *step,
            rows: rows.iter().map(WireStateRow::from).collect(),
            memories: memories.iter().map(WireMemoryWindow::from).collect(),
        }
    }
}

impl From<WireStateTable> for StateTable {
    fn from(WireStateTable { step, rows, memories }: WireStateTable) -> StateTable {
        StateTable {
            step,
            rows: rows.into_iter().map(StateRow::from).collect(),
            memories: memories.into_iter().map(MemoryWindow::from).collect(),
        }
    }
}

impl From<&StateRow> for WireStateRow {
    fn from(row: &StateRow) -> WireStateRow {
        let StateRow { at, before, expected, actual, differs } = row.clone();
        WireStateRow { path: at, before, expected, actual, differs }
    }
}

impl From<WireStateRow> for StateRow {
    fn from(WireStateRow { path, before, expected, actual, differs }: WireStateRow) -> StateRow {
        StateRow { at: path, before, expected, actual, differs }
    }
}

impl From<&MemoryWindow> for WireMemoryWindow {
    fn from(MemoryWindow { field, cells, differing }: &MemoryWindow) -> WireMemoryWindow {
        let cells = cells.iter().map(WireStateRow::from).collect();
        WireMemoryWindow { field: field.clone(), cells, differing: *differing }
    }
}

impl From<WireMemoryWindow> for MemoryWindow {
    fn from(WireMemoryWindow { field, cells, differing }: WireMemoryWindow) -> MemoryWindow {
        MemoryWindow { field, cells: cells.into_iter().map(StateRow::from).collect(), differing }
    }
}
