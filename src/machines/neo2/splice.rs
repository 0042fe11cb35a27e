//! Byte arrays put together and cut.

use super::count::Change;
use super::fault::{Fault, Flow};
use super::frame::Frame;
use super::push::MAX_ITEM;

#[inline(never)]
pub(super) fn cat(f: &mut Frame<'_>) -> Flow {
    let a = f.pop_bytes()?;
    let b = f.pop_bytes()?;
    // A number can be longer than a byte array may, and stays so with nothing put to it.
    if !a.is_empty() && !b.is_empty() && a.len() + b.len() > MAX_ITEM {
        return Err(Fault::ItemSize.into());
    }
    f.push_bytes([&b[..], &a[..]].concat())?;
    f.note(Change::Strict(-1))
}

#[inline(never)]
pub(super) fn substr(f: &mut Frame<'_>) -> Flow {
    let count = f.pop_count()?;
    let index = f.pop_count()?;
    let bytes = f.pop_bytes()?;
    let part = bytes.iter().skip(index).take(count).copied().collect();
    f.push_bytes(part)?;
    f.note(Change::Strict(-2))
}

#[inline(never)]
pub(super) fn left(f: &mut Frame<'_>) -> Flow {
    let count = f.pop_count()?;
    let bytes = f.pop_bytes()?;
    f.push_bytes(bytes[..count.min(bytes.len())].to_vec())?;
    f.note(Change::Strict(-1))
}

#[inline(never)]
pub(super) fn right(f: &mut Frame<'_>) -> Flow {
    let count = f.pop_count()?;
    let bytes = f.pop_bytes()?;
    let Some(start) = bytes.len().checked_sub(count) else { return Err(Fault::OutOfRange.into()) };
    f.push_bytes(bytes[start..].to_vec())?;
    f.note(Change::Strict(-1))
}

#[inline(never)]
pub(super) fn size(f: &mut Frame<'_>) -> Flow {
    let length = f.pop_bytes()?.len();
    f.push(length);
    Ok(())
}
