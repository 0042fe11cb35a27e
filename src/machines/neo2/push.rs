//! Constants.

use super::count::CountChange;
use super::fault::{Neo2Fault, Neo2Flow};
use super::frame::Neo2Frame;
use crate::isa::unsigned;

/// The maximum length of a byte array, in bytes.
pub(super) const MAX_ITEM: usize = 1 << 20;

#[inline(never)]
pub(super) fn empty(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.push_bytes(Vec::new())?;
    frame.charge(CountChange::Strict(1))
}

// One function for all lengths: 75 separate ones would only be spread over more code.
#[inline(always)]
pub(super) fn bytes<const LENGTH: usize>(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    literal(frame, LENGTH)
}

#[inline(never)]
pub(super) fn data<const SIZE: usize>(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let length = unsigned(frame.data(SIZE)?).unwrap_or(0);
    // The length of four bytes is signed.
    match length as i32 {
        ..=0 => Err(Neo2Fault::NoLength.into()),
        length if length as usize > MAX_ITEM => Err(Neo2Fault::ItemSize.into()),
        length => literal(frame, length as usize),
    }
}

#[inline(never)]
fn literal(frame: &mut Neo2Frame<'_>, length: usize) -> Neo2Flow {
    let bytes = frame.data(length)?.to_vec();
    frame.push_bytes(bytes)?;
    frame.charge(CountChange::Strict(1))
}

#[inline(always)]
pub(super) fn number<const NUMBER: i64>(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.push(NUMBER);
    frame.charge(CountChange::Strict(1))
}
