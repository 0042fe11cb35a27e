//! What lists and objects have in common if they are memories.

use super::observed_numbers::ObservedNumbers;
use crate::model::{FieldType, MemoryType};
use crate::text::json::JsonNode;
use crate::text::typed::{self, MemoryCell};

/// The cells of lists or objects, if all of these are memories in a notation of the type.
#[derive(Debug, Default)]
pub(super) struct ObservedMemory {
    addresses: ObservedNumbers,
    cells: ObservedNumbers,
    /// Whether one is no memory.
    has_other: bool,
}

impl ObservedMemory {
    /// Adds a list or an object.
    pub(super) fn add(&mut self, node: JsonNode<'_>) {
        if self.has_other {
            return;
        }
        let Some(cells) = cells_of(node) else {
            self.has_other = true;
            return;
        };
        for MemoryCell { address, value, .. } in cells {
            self.addresses.add(address.into());
            self.cells.add(value);
        }
    }

    /// The addresses and the cells; `None` if there are none, or if something else was seen.
    pub(super) fn numbers(&self) -> Option<(&ObservedNumbers, &ObservedNumbers)> {
        (!self.has_other && self.cells.count > 0).then_some((&self.addresses, &self.cells))
    }
}

/// The cells of a memory; `None` if it is none in any notation, or has an address twice.
pub(super) fn cells_of(node: JsonNode<'_>) -> Option<Vec<MemoryCell>> {
    let unsigned = |bits| Box::new(FieldType::Unsigned(bits));
    // An address with what lies from there on: bytes.
    let has_chunks = node.items().next().is_some_and(JsonNode::is_object);
    let cell = unsigned(if has_chunks { 8 } else { 256 });
    typed::cells(node, &MemoryType { address: unsigned(64), cell }, "memory").ok()
}
