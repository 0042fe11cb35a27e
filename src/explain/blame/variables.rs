//! Finds variables that change although no row declares that they are written.

use std::collections::HashMap;

use crate::machines::inspect::Inspect;
use crate::model::{Cell, Value};

/// The maximum number of variables whose values are kept.
const MAX_VARIABLES: usize = 256;

/// The values of named cells that instructions of the current frame read or wrote.
#[derive(Debug, Default)]
pub(super) struct KnownVariables {
    known: HashMap<Cell, Value>,
    depth: usize,
}

impl KnownVariables {
    /// Forgets all values.
    pub(super) fn forget(&mut self) {
        self.known.clear();
    }

    /// Keeps the values of these cells.
    pub(super) fn keep<'c>(&mut self, cells: impl IntoIterator<Item = &'c Cell>, state: &dyn Inspect) {
        if state.depth() != self.depth {
            // Another frame uses the same names for other variables.
            self.forget();
            self.depth = state.depth();
        }
        for cell in cells {
            let is_variable = matches!(cell, Cell::Named(_, name) if !name.is_empty());
            match state.value(cell).filter(|_| is_variable) {
                Some(value) if self.known.len() < MAX_VARIABLES || self.known.contains_key(cell) => {
                    self.known.insert(cell.clone(), value);
                }
                _ => {
                    self.known.remove(cell);
                }
            }
        }
    }

    /// A cell that an instruction changed although it is not in `writes`, among those of the same kind.
    pub(super) fn changed_besides(&self, writes: &[Cell], state: &dyn Inspect) -> Option<Cell> {
        if state.depth() != self.depth {
            return None;
        }
        let is_like = |cell: &Cell| writes.iter().any(|written| written.is_like(cell));
        let is_changed = |cell: &Cell, value: &Value| state.value(cell).is_some_and(|now| now != *value);
        let others = self.known.iter().filter(|(cell, _)| is_like(cell) && !writes.contains(cell));
        let changed = others.filter(|(cell, value)| is_changed(cell, value)).map(|(cell, _)| cell);
        // The order of a hash map is arbitrary.
        changed.min_by_key(ToString::to_string).cloned()
    }
}
