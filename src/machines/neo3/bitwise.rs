//! Bitwise operations on numbers, in two's complement of unlimited length.

use super::fault::Flow;
use super::frame::Frame;

/// INVERT
pub(super) fn invert(frame: &mut Frame<'_>) -> Flow {
    frame.unary(|a| Some(!a), |a| !a)
}

/// AND
#[inline(always)]
pub(super) fn and(frame: &mut Frame<'_>) -> Flow {
    frame.binary(|a, b| Some(a & b), |a, b| Ok(a & b))
}

/// OR
#[inline(always)]
pub(super) fn or(frame: &mut Frame<'_>) -> Flow {
    frame.binary(|a, b| Some(a | b), |a, b| Ok(a | b))
}

/// XOR
#[inline(always)]
pub(super) fn xor(frame: &mut Frame<'_>) -> Flow {
    frame.binary(|a, b| Some(a ^ b), |a, b| Ok(a ^ b))
}
