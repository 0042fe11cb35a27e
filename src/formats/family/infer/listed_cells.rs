//! What cases say about the cells of a memory that they give, and do not list after.

use num_bigint::BigInt;

use super::observed_memory::cells_of;
use crate::model::{UnlistedCells, counted};
use crate::text::json::JsonNode;
use crate::text::typed::MemoryCell;

/// The cells of the cases that list a memory both before and after.
#[derive(Debug, Default)]
pub(super) struct ListedCells {
    /// Cells that are given and not listed after.
    missing: u64,
    /// Cells that are listed after with the value that was given.
    same: u64,
    /// Cells that are listed as 0, before or after.
    zeros: u64,
}

impl ListedCells {
    /// Adds a memory before and after.
    pub(super) fn add(&mut self, before: JsonNode<'_>, after: JsonNode<'_>) {
        let is_container = |node: JsonNode<'_>| node.is_array() || node.is_object();
        if ![before, after].into_iter().all(is_container) {
            return;
        }
        let (Some(before), Some(after)) = (cells_of(before), cells_of(after)) else { return };
        let is_zero = |cell: &&MemoryCell| cell.value == BigInt::ZERO;
        self.zeros += before.iter().chain(&after).filter(is_zero).count() as u64;
        for MemoryCell { address, value, .. } in &before {
            match after.binary_search_by_key(address, |cell| cell.address) {
                Ok(index) => self.same += u64::from(after[index].value == *value),
                Err(_) => self.missing += 1,
            }
        }
    }

    /// What an expectation says about cells that it does not list, and what makes that uncertain.
    pub(super) fn unlisted(&self) -> (UnlistedCells, Option<String>) {
        let ListedCells { missing: 1.., same, zeros } = self else { return (UnlistedCells::Unchanged, None) };
        let missing = format!("{} given before and missing after", counted(self.missing, "cell"));
        // If vectors list unchanged cells but never a 0, the cells that they leave out became 0.
        if *same > 0 && *zeros == 0 {
            (UnlistedCells::Zero, Some(format!("{missing}, and no cell is listed as 0")))
        } else {
            let options = "unlisted = \"zero\" if they are 0 then, \"any\" if they may have any value";
            (UnlistedCells::Unchanged, Some(format!("{missing}: {options}")))
        }
    }
}
