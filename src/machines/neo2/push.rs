//! Constants.

use super::count::Change;
use super::fault::{Fault, Flow};
use super::frame::Frame;
use crate::isa::unsigned;

/// The longest byte array, in bytes.
pub(super) const MAX_ITEM: usize = 1 << 20;

#[inline(never)]
pub(super) fn empty(f: &mut Frame<'_>) -> Flow {
    f.push_bytes(Vec::new())?;
    f.charge(Change::Strict(1))
}

// One function for all lengths: 75 would only be further away from each other.
#[inline(always)]
pub(super) fn bytes<const LENGTH: usize>(f: &mut Frame<'_>) -> Flow {
    literal(f, LENGTH)
}

#[inline(never)]
pub(super) fn data<const SIZE: usize>(f: &mut Frame<'_>) -> Flow {
    let length = unsigned(f.data(SIZE)?).unwrap_or(0);
    // The length of four bytes is signed.
    match length as i32 {
        ..=0 => Err(Fault::NoLength.into()),
        length if length as usize > MAX_ITEM => Err(Fault::ItemSize.into()),
        length => literal(f, length as usize),
    }
}

#[inline(never)]
fn literal(f: &mut Frame<'_>, length: usize) -> Flow {
    let bytes = f.data(length)?.to_vec();
    f.core.work_on_bytes(length)?;
    f.push_bytes(bytes)?;
    f.charge(Change::Strict(1))
}

#[inline(always)]
pub(super) fn number<const NUMBER: i64>(f: &mut Frame<'_>) -> Flow {
    f.push(NUMBER);
    f.charge(Change::Strict(1))
}
