//! Bits of numbers, which are infinite two's complement; and EQUAL.

use super::count::Change;
use super::frame::{Fault, Flow, Frame, Stop};
use super::item::Item;
use super::number::Bounded;

#[inline(always)]
pub(super) fn invert(f: &mut Frame<'_>) -> Flow {
    f.unary(Bounded::Nothing, |a| Some(!a), |a| !a)
}

#[inline(always)]
pub(super) fn and(f: &mut Frame<'_>) -> Flow {
    f.binary(Bounded::Nothing, |b, a| Some(b & a), |b, a| Ok(b & a))
}

#[inline(always)]
pub(super) fn or(f: &mut Frame<'_>) -> Flow {
    f.binary(Bounded::Nothing, |b, a| Some(b | a), |b, a| Ok(b | a))
}

#[inline(always)]
pub(super) fn xor(f: &mut Frame<'_>) -> Flow {
    f.binary(Bounded::Nothing, |b, a| Some(b ^ a), |b, a| Ok(b ^ a))
}

#[inline(never)]
pub(super) fn equal(f: &mut Frame<'_>) -> Flow {
    let a = f.pop()?;
    let b = f.pop()?;
    let same = same(f, b, a)?;
    f.push(same);
    f.note(Change::Loose(-1))
}

/// Whether two items are equal. Pairs of Structs are compared item by item, the last one first.
fn same(f: &mut Frame<'_>, one: Item, other: Item) -> Result<bool, Stop> {
    let mut pairs = vec![(one, other)];
    while let Some(pair) = pairs.pop() {
        let (Item::Struct(one), Item::Struct(other)) = pair else {
            if same_leaf(f, &pair.0, &pair.1)? {
                continue;
            }
            return Ok(false);
        };
        if one == other {
            continue;
        }
        let (one, other) = (f.context.heap.list(one), f.context.heap.list(other));
        if one.len() != other.len() {
            return Ok(false);
        }
        pairs.extend(one.iter().cloned().zip(other.iter().cloned()));
        let count = one.len();
        f.context.work(2 + count as u64)?;
    }
    Ok(true)
}

/// As [`same`], for two items that are not both Structs.
fn same_leaf(f: &mut Frame<'_>, one: &Item, other: &Item) -> Result<bool, Stop> {
    match (one, other) {
        (Item::Integer(one), Item::Integer(other)) => Ok(one == other),
        (Item::Boolean(one), Item::Boolean(other)) => Ok(one == other),
        (Item::Array(one), Item::Array(other)) | (Item::Map(one), Item::Map(other)) => Ok(one == other),
        (Item::Interop(one), Item::Interop(other)) if one == other => Ok(true),
        (Item::Interop(_), Item::Interop(_)) => Err(Fault::NoMessage.into()),
        _ => match (one.bytes(), other.bytes()) {
            (Some(one), Some(other)) => {
                f.context.work_on_bytes(one.len().min(other.len()))?;
                Ok(one == other)
            }
            _ => Ok(false),
        },
    }
}
