//! What cases say about the cells of a memory that they give, and do not list after.

use std::collections::BTreeMap;

use crate::model::{UnlistedCells, counted};
use crate::text::json::JsonNode;

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
        if !before.is_array() || !after.is_array() {
            return;
        }
        let [before, after] = [before, after].map(cells);
        let is_zero = |cell: &&&str| **cell == "0";
        self.zeros += before.values().chain(after.values()).filter(is_zero).count() as u64;
        for (address, value) in &before {
            match after.get(address) {
                Some(left) => self.same += u64::from(left == value),
                None => self.missing += 1,
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

/// The cells of a memory by address, as they are written.
fn cells(memory: JsonNode<'_>) -> BTreeMap<u64, &str> {
    let mut cells = BTreeMap::new();
    for item in memory.items() {
        let mut values = item.values();
        let address = if item.is_object() { item.member("address") } else { values.next() };
        let Some(address) = address.and_then(|node| node.raw().parse::<u64>().ok()) else { continue };
        match item.values().find(|value| value.is_array()) {
            Some(chunk) => {
                let addresses = (0..).map(|offset| address.wrapping_add(offset));
                cells.extend(addresses.zip(chunk.items().map(JsonNode::raw)));
            }
            None => cells.extend(values.next().map(|cell| (address, cell.raw()))),
        }
    }
    cells
}
