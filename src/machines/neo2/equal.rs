//! EQUAL.

use super::core::ALLOCATION;
use super::count::CountChange;
use super::fault::{Neo2Fault, Neo2Flow, Neo2Stop};
use super::frame::Neo2Frame;
use super::item::Neo2Item;

/// The charge for comparing two items, in units.
const UNITS_OF_PAIR: u64 = 3;

#[inline(never)]
pub(super) fn equal(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let a = frame.pop()?;
    let b = frame.pop()?;
    let equal = are_equal(frame, b, a)?;
    frame.push(equal);
    frame.note(CountChange::Loose(-1))
}

/// Whether two items are equal. Pairs of Structs are compared item by item, the last one first.
fn are_equal(frame: &mut Neo2Frame<'_>, one: Neo2Item, other: Neo2Item) -> Result<bool, Neo2Stop> {
    frame.core.work(ALLOCATION)?;
    let mut pairs = vec![(one, other)];
    while let Some(pair) = pairs.pop() {
        let (Neo2Item::Struct(one), Neo2Item::Struct(other)) = pair else {
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
fn are_equal_leaves(frame: &mut Neo2Frame<'_>, one: &Neo2Item, other: &Neo2Item) -> Result<bool, Neo2Stop> {
    match (one, other) {
        (Neo2Item::Integer(one), Neo2Item::Integer(other)) => Ok(one == other),
        (Neo2Item::Boolean(one), Neo2Item::Boolean(other)) => Ok(one == other),
        (Neo2Item::Array(one), Neo2Item::Array(other)) | (Neo2Item::Map(one), Neo2Item::Map(other)) => {
            Ok(one == other)
        }
        (Neo2Item::Interop(one), Neo2Item::Interop(other)) if one == other => Ok(true),
        (Neo2Item::Interop(_), Neo2Item::Interop(_)) => Err(Neo2Fault::NoMessage.into()),
        _ => match (one.bytes(), other.bytes()) {
            (Some(one), Some(other)) => {
                frame.core.work_on_bytes(one.len().min(other.len()))?;
                Ok(one == other)
            }
            _ => Ok(false),
        },
    }
}
