//! Concatenation and slices of byte arrays.

use super::count::Change;
use super::fault::{Fault, Flow};
use super::frame::Frame;
use super::push::MAX_ITEM;

#[inline(never)]
pub(super) fn cat(frame: &mut Frame<'_>) -> Flow {
    let a = frame.pop_bytes()?;
    let b = frame.pop_bytes()?;
    // A number can be longer than the limit for byte arrays, and stays so if nothing is appended to it.
    if !a.is_empty() && !b.is_empty() && a.len() + b.len() > MAX_ITEM {
        return Err(Fault::ItemSize.into());
    }
    frame.push_bytes([&b[..], &a[..]].concat())?;
    frame.note(Change::Strict(-1))
}

#[inline(never)]
pub(super) fn substr(frame: &mut Frame<'_>) -> Flow {
    let count = frame.pop_count()?;
    let index = frame.pop_count()?;
    let bytes = frame.pop_bytes()?;
    let part = bytes.iter().skip(index).take(count).copied().collect();
    frame.push_bytes(part)?;
    frame.note(Change::Strict(-2))
}

#[inline(never)]
pub(super) fn left(frame: &mut Frame<'_>) -> Flow {
    let count = frame.pop_count()?;
    let bytes = frame.pop_bytes()?;
    frame.push_bytes(bytes[..count.min(bytes.len())].to_vec())?;
    frame.note(Change::Strict(-1))
}

#[inline(never)]
pub(super) fn right(frame: &mut Frame<'_>) -> Flow {
    let count = frame.pop_count()?;
    let bytes = frame.pop_bytes()?;
    let Some(start) = bytes.len().checked_sub(count) else { return Err(Fault::OutOfRange.into()) };
    frame.push_bytes(bytes[start..].to_vec())?;
    frame.note(Change::Strict(-1))
}

#[inline(never)]
pub(super) fn size(frame: &mut Frame<'_>) -> Flow {
    let length = frame.pop_bytes()?.len();
    frame.push(length);
    Ok(())
}
