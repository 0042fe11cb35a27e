//! How blame and traces name and show parts of the memory of the Ethereum machines.

use std::ops::Range;

use crate::model::{Cell, Value};

/// The maximum number of bytes that are shown as a value.
const SHOWN: usize = 64;

/// The cell of `length` bytes from `start`; `None` if `length` is 0, or if they end beyond the largest address.
pub(super) fn cell(memory: &'static str, start: usize, length: usize) -> Option<Cell> {
    let end = start.checked_add(length)?;
    (start < end).then_some(Cell::Range(memory, start..end))
}

/// The beginning of the bytes.
pub(super) fn shown(bytes: &[u8]) -> Value {
    Value::Bytes(bytes[..bytes.len().min(SHOWN)].to_vec())
}

/// The beginning of a part of a memory, cut at the end of the memory.
pub(super) fn shown_part(memory: &[u8], part: &Range<usize>) -> Value {
    let end = part.end.min(memory.len());
    shown(memory.get(part.start..end).unwrap_or_default())
}
