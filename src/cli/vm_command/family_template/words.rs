//! What C and Go have a type for.

use vmconf::model::{FieldType, MemoryType};

/// Whether the addresses and cells of a memory are numbers from 0 up of at most 64 bits.
pub(super) fn is_of_words(memory: &MemoryType) -> bool {
    let is_word = |number: &FieldType| matches!(number, FieldType::Unsigned(0..=64));
    is_word(&memory.address) && is_word(&memory.cell)
}
