//! The memory of documents that are no longer needed, for the next ones.

use std::sync::{Arc, Mutex};

use super::slot::JsonSlot;
use crate::model::lock;

/// The most texts, and the most tables, that are kept.
const MAX_KEPT: usize = 16;

/// The most bytes that each of them has room for: what a single large file needed is freed.
const MAX_KEPT_BYTES: usize = 8 << 20;

/// Texts and tables of documents that are no longer needed, for the next documents. If each one were freed, the
/// allocator would scatter small data over their megabytes, and a run of many files would keep twice the memory.
#[derive(Debug, Clone, Default)]
pub struct SpareMemory(Arc<Mutex<SpareParts>>);

#[derive(Debug, Default)]
struct SpareParts {
    texts: Vec<Vec<u8>>,
    tables: Vec<Vec<JsonSlot>>,
}

impl SpareMemory {
    /// Room for a text.
    pub(crate) fn text(&self) -> Vec<u8> {
        lock(&self.0).texts.pop().unwrap_or_default()
    }

    /// An empty table.
    pub(super) fn table(&self) -> Vec<JsonSlot> {
        lock(&self.0).tables.pop().unwrap_or_default()
    }

    /// Keeps the memory of a document that is dropped.
    pub(super) fn keep(&self, text: Vec<u8>, table: Vec<JsonSlot>) {
        let mut spare = lock(&self.0);
        keep(&mut spare.texts, text);
        keep(&mut spare.tables, table);
    }
}

fn keep<T>(kept: &mut Vec<Vec<T>>, mut spare: Vec<T>) {
    spare.clear();
    let bytes = spare.capacity() * size_of::<T>();
    if kept.len() < MAX_KEPT && (1..=MAX_KEPT_BYTES).contains(&bytes) {
        kept.push(spare);
    }
}
