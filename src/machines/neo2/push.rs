//! Constants.

use super::count::Change;
use super::fault::{Fault, Flow};
use super::frame::Frame;
use crate::isa::unsigned;

/// The maximum length of a byte array, in bytes.
pub(super) const MAX_ITEM: usize = 1 << 20;

#[inline(never)]
pub(super) fn empty(frame: &mut Frame<'_>) -> Flow {
    frame.push_bytes(Vec::new())?;
    frame.charge(Change::Strict(1))
}

// One function for all lengths: 75 separate ones would only be spread over more code.
#[inline(always)]
pub(super) fn bytes<const LENGTH: usize>(frame: &mut Frame<'_>) -> Flow {
    literal(frame, LENGTH)
}

#[inline(never)]
pub(super) fn data<const SIZE: usize>(frame: &mut Frame<'_>) -> Flow {
    let length = unsigned(frame.data(SIZE)?).unwrap_or(0);
    // The length of four bytes is signed.
    match length as i32 {
        ..=0 => Err(Fault::NoLength.into()),
        length if length as usize > MAX_ITEM => Err(Fault::ItemSize.into()),
        length => literal(frame, length as usize),
    }
}

#[inline(never)]
fn literal(frame: &mut Frame<'_>, length: usize) -> Flow {
    let bytes = frame.data(length)?.to_vec();
    frame.push_bytes(bytes)?;
    frame.charge(Change::Strict(1))
}

#[inline(always)]
pub(super) fn number<const NUMBER: i64>(frame: &mut Frame<'_>) -> Flow {
    frame.push(NUMBER);
    frame.charge(Change::Strict(1))
}
