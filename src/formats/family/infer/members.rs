//! What the cases have: the values of each field, before and after.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::layout::{CaseLayout, PairedData};
use super::listed_cells::ListedCells;
use super::observed::ObservedValues;
use crate::text::json::JsonNode;

/// What the cases have.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// The number of cases.
    pub(super) cases: u64,
    pub(super) fields: IndexMap<String, Member>,
}

/// A member of the program or a field of the state.
#[derive(Debug, Default)]
pub(super) struct Member {
    /// Its values before and after.
    pub(super) values: ObservedValues,
    /// Its cells, if it is a memory.
    pub(super) cells: ListedCells,
    /// The number of cases that give it.
    pub(super) given: u64,
    /// The number of cases that demand it.
    pub(super) demanded: u64,
}

impl Member {
    /// Whether it is a result that only some of the cases demand, of which there are `cases`.
    pub(super) fn is_result_of_some(&self, cases: u64) -> bool {
        self.given == 0 && (1..cases).contains(&self.demanded)
    }
}

impl Members {
    pub(super) fn add(&mut self, layout: &CaseLayout, case: JsonNode<'_>) {
        self.cases += 1;
        let mut before = HashMap::new();
        let mut after = Vec::new();
        for (name, data) in layout.data(case) {
            match data {
                PairedData::Before(node) => drop(before.insert(name.clone(), node)),
                PairedData::After(node) => after.push((name.clone(), node)),
            }
            let member = self.fields.entry(name).or_default();
            match data {
                PairedData::Before(node) => {
                    member.given += 1;
                    member.values.add(node);
                }
                PairedData::After(node) => {
                    member.demanded += 1;
                    member.values.add(node);
                }
            }
        }
        for (name, node) in after {
            if let (Some(given), Some(member)) = (before.get(&name), self.fields.get_mut(&name)) {
                member.cells.add(*given, node);
            }
        }
    }
}
