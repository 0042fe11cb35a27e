//! EQUAL.

use super::core::ALLOCATION;
use super::count::Change;
use super::fault::{Fault, Flow, Stop};
use super::frame::Frame;
use super::item::Item;

/// The charge for comparing two items, in units.
const UNITS_OF_PAIR: u64 = 3;

#[inline(never)]
pub(super) fn equal(frame: &mut Frame<'_>) -> Flow {
    let a = frame.pop()?;
    let b = frame.pop()?;
    let equal = are_equal(frame, b, a)?;
    frame.push(equal);
    frame.note(Change::Loose(-1))
}

/// Whether two items are equal. Pairs of Structs are compared item by item, the last one first.
fn are_equal(frame: &mut Frame<'_>, one: Item, other: Item) -> Result<bool, Stop> {
    frame.core.work(ALLOCATION)?;
    let mut pairs = vec![(one, other)];
    while let Some(pair) = pairs.pop() {
        let (Item::Struct(one), Item::Struct(other)) = pair else {
            if are_equal_leaves(frame, &pair.0, &pair.1)? {
                continue;
            }
            return Ok(false);
        };
        if one == other {
            continue;
        }
        let (one, other) = (frame.core.heap.list(one), frame.core.heap.list(other));
        if one.len() != other.len() {
            return Ok(false);
        }
        pairs.extend(one.iter().cloned().zip(other.iter().cloned()));
        let count = one.len();
        frame.core.work(UNITS_OF_PAIR * (1 + count as u64))?;
    }
    Ok(true)
}

/// Like [`are_equal`], for two items that are not both Structs.
fn are_equal_leaves(frame: &mut Frame<'_>, one: &Item, other: &Item) -> Result<bool, Stop> {
    match (one, other) {
        (Item::Integer(one), Item::Integer(other)) => Ok(one == other),
        (Item::Boolean(one), Item::Boolean(other)) => Ok(one == other),
        (Item::Array(one), Item::Array(other)) | (Item::Map(one), Item::Map(other)) => Ok(one == other),
        (Item::Interop(one), Item::Interop(other)) if one == other => Ok(true),
        (Item::Interop(_), Item::Interop(_)) => Err(Fault::NoMessage.into()),
        _ => match (one.bytes(), other.bytes()) {
            (Some(one), Some(other)) => {
                frame.core.work_on_bytes(one.len().min(other.len()))?;
                Ok(one == other)
            }
            _ => Ok(false),
        },
    }
}
