//! Concatenation and slices of byte arrays.

use super::count::CountChange;
use super::fault::{Neo2Fault, Neo2Flow};
use super::frame::Neo2Frame;
use super::push::MAX_ITEM;

#[inline(never)]
pub(super) fn cat(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let a = frame.pop_bytes()?;
    let b = frame.pop_bytes()?;
    // A number can be longer than the limit for byte arrays, and stays so if nothing is appended to it.
    if !a.is_empty() && !b.is_empty() && a.len() + b.len() > MAX_ITEM {
        return Err(Neo2Fault::ItemSize.into());
    }
    frame.push_bytes([&b[..], &a[..]].concat())?;
    frame.note(CountChange::Strict(-1))
}

#[inline(never)]
pub(super) fn substr(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let count = frame.pop_count()?;
    let index = frame.pop_count()?;
    let bytes = frame.pop_bytes()?;
    let part = bytes.iter().skip(index).take(count).copied().collect();
    frame.push_bytes(part)?;
    frame.note(CountChange::Strict(-2))
}

#[inline(never)]
pub(super) fn left(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let count = frame.pop_count()?;
    let bytes = frame.pop_bytes()?;
    frame.push_bytes(bytes[..count.min(bytes.len())].to_vec())?;
    frame.note(CountChange::Strict(-1))
}

#[inline(never)]
pub(super) fn right(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let count = frame.pop_count()?;
    let bytes = frame.pop_bytes()?;
    let Some(start) = bytes.len().checked_sub(count) else { return Err(Neo2Fault::OutOfRange.into()) };
    frame.push_bytes(bytes[start..].to_vec())?;
    frame.note(CountChange::Strict(-1))
}

#[inline(never)]
pub(super) fn size(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let length = frame.pop_bytes()?.len();
    frame.push(length);
    Ok(())
}
