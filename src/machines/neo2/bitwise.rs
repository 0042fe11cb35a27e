//! Bitwise operations on numbers, in two's complement of unlimited length.

use super::fault::Neo2Flow;
use super::frame::Neo2Frame;
use super::number::BoundedNumbers;

#[inline(always)]
pub(super) fn invert(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.unary(BoundedNumbers::Nothing, |a| Some(!a), |a| !a)
}

#[inline(always)]
pub(super) fn and(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.binary(BoundedNumbers::Nothing, |b, a| Some(b & a), |b, a| Ok(b & a))
}

#[inline(always)]
pub(super) fn or(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.binary(BoundedNumbers::Nothing, |b, a| Some(b | a), |b, a| Ok(b | a))
}

#[inline(always)]
pub(super) fn xor(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.binary(BoundedNumbers::Nothing, |b, a| Some(b ^ a), |b, a| Ok(b ^ a))
}
