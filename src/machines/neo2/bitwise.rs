//! Bits of numbers, which are infinite two's complement.

use super::fault::Flow;
use super::frame::Frame;
use super::number::Bounded;

#[inline(always)]
pub(super) fn invert(f: &mut Frame<'_>) -> Flow {
    f.unary(Bounded::Nothing, |a| Some(!a), |a| !a)
}

#[inline(always)]
pub(super) fn and(f: &mut Frame<'_>) -> Flow {
    f.binary(Bounded::Nothing, |b, a| Some(b & a), |b, a| Ok(b & a))
}

#[inline(always)]
pub(super) fn or(f: &mut Frame<'_>) -> Flow {
    f.binary(Bounded::Nothing, |b, a| Some(b | a), |b, a| Ok(b | a))
}

#[inline(always)]
pub(super) fn xor(f: &mut Frame<'_>) -> Flow {
    f.binary(Bounded::Nothing, |b, a| Some(b ^ a), |b, a| Ok(b ^ a))
}
