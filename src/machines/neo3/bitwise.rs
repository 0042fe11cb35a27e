//! Bitwise operations on numbers, in two's complement of unlimited length.

use super::fault::Neo3Flow;
use super::frame::Neo3Frame;

pub(super) fn invert(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.unary(|a| Some(!a), |a| !a)
}

#[inline(always)]
pub(super) fn and(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.binary(|a, b| Some(a & b), |a, b| Ok(a & b))
}

#[inline(always)]
pub(super) fn or(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.binary(|a, b| Some(a | b), |a, b| Ok(a | b))
}

#[inline(always)]
pub(super) fn xor(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.binary(|a, b| Some(a ^ b), |a, b| Ok(a ^ b))
}
