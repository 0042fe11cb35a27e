//! Bitwise operations on numbers, in two's complement of unlimited length.

use super::fault::Flow;
use super::frame::Frame;
use super::number::Bounded;

#[inline(always)]
pub(super) fn invert(frame: &mut Frame<'_>) -> Flow {
    frame.unary(Bounded::Nothing, |a| Some(!a), |a| !a)
}

#[inline(always)]
pub(super) fn and(frame: &mut Frame<'_>) -> Flow {
    frame.binary(Bounded::Nothing, |b, a| Some(b & a), |b, a| Ok(b & a))
}

#[inline(always)]
pub(super) fn or(frame: &mut Frame<'_>) -> Flow {
    frame.binary(Bounded::Nothing, |b, a| Some(b | a), |b, a| Ok(b | a))
}

#[inline(always)]
pub(super) fn xor(frame: &mut Frame<'_>) -> Flow {
    frame.binary(Bounded::Nothing, |b, a| Some(b ^ a), |b, a| Ok(b ^ a))
}
