//! The memory of documents that are no longer needed, for the next ones.

use std::sync::{Arc, Mutex};

use super::slot::JsonSlot;
use crate::model::lock;

/// The most bytes of texts, and of tables, that are kept.
const MAX_KEPT_BYTES: usize = 24 << 20;

/// The most bytes of one of them: what a single large file needed is freed.
const MAX_BYTES_OF_ONE: usize = 8 << 20;

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
    let bytes = |one: &Vec<T>| one.capacity() * size_of::<T>();
    let (all, own) = (kept.iter().map(bytes).sum::<usize>(), bytes(&spare));
    if own > 0 && own <= MAX_BYTES_OF_ONE && all + own <= MAX_KEPT_BYTES {
        kept.push(spare);
    }
}

#[cfg(test)]
mod tests {
    use super::super::document::Document;
    use super::super::node::JsonNode;
    use super::*;

    /// How many texts and tables are kept.
    fn kept(spare: &SpareMemory) -> (usize, usize) {
        let parts = lock(&spare.0);
        (parts.texts.len(), parts.tables.len())
    }

    #[test]
    fn the_memory_of_a_document_is_that_of_the_next_one() {
        let spare = SpareMemory::default();
        let parse = |text: &str| Document::parse_with(&spare, text.to_owned(), 4).expect("JSON");
        let (one, other) = (parse("[1, 2, 3]"), parse("[4]"));
        assert_eq!(kept(&spare), (0, 0));
        drop((one, other));
        assert_eq!(kept(&spare), (2, 2));
        let document = parse("{\"a\": [5, 6]}");
        assert_eq!(kept(&spare), (2, 1));
        let list = document.root().member("a").expect("a list");
        assert_eq!(list.items().map(JsonNode::raw).collect::<Vec<_>>(), ["5", "6"]);
        assert!(spare.text().is_empty() && kept(&spare) == (1, 1));
    }

    #[test]
    fn what_a_large_file_needed_is_freed() {
        let spare = SpareMemory::default();
        spare.keep(Vec::with_capacity(MAX_BYTES_OF_ONE + 1), Vec::new());
        assert_eq!(kept(&spare), (0, 0));
        for _ in 0..10 {
            spare.keep(Vec::with_capacity(MAX_BYTES_OF_ONE), Vec::new());
        }
        assert_eq!(kept(&spare), (MAX_KEPT_BYTES / MAX_BYTES_OF_ONE, 0));
    }
}
