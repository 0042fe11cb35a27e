//! Comparisons and operations on single bits and bytes.

use super::arith::is_negative;
use super::operands::Operands;
use super::stop::EvmFlow;
use super::word::{Word, equal, is_zero, small};

#[inline(always)]
pub(super) fn lt(f: &mut impl Operands) -> EvmFlow {
    f.binary(|a, b| truth(a < b))
}

#[inline(always)]
pub(super) fn gt(f: &mut impl Operands) -> EvmFlow {
    f.binary(|a, b| truth(a > b))
}

#[inline(always)]
pub(super) fn slt(f: &mut impl Operands) -> EvmFlow {
    f.binary(|a, b| truth(signed_less(a, b)))
}

#[inline(always)]
pub(super) fn sgt(f: &mut impl Operands) -> EvmFlow {
    f.binary(|a, b| truth(signed_less(b, a)))
}

#[inline(always)]
pub(super) fn eq(f: &mut impl Operands) -> EvmFlow {
    f.binary(|a, b| truth(equal(a, b)))
}

#[inline(always)]
pub(super) fn iszero(f: &mut impl Operands) -> EvmFlow {
    f.unary(|a| truth(is_zero(a)))
}

#[inline(always)]
pub(super) fn and(f: &mut impl Operands) -> EvmFlow {
    f.binary(|a, b| a & b)
}

#[inline(always)]
pub(super) fn or(f: &mut impl Operands) -> EvmFlow {
    f.binary(|a, b| a | b)
}

#[inline(always)]
pub(super) fn xor(f: &mut impl Operands) -> EvmFlow {
    f.binary(|a, b| a ^ b)
}

#[inline(always)]
pub(super) fn not(f: &mut impl Operands) -> EvmFlow {
    f.unary(|a| !a)
}

#[inline(always)]
pub(super) fn byte(f: &mut impl Operands) -> EvmFlow {
    f.binary(|a, b| match small(a) {
        Some(index @ 0..32) => Word::from(b.byte(31 - index)),
        _ => Word::ZERO,
    })
}

fn truth(holds: bool) -> Word {
    Word::from_limbs([u64::from(holds), 0, 0, 0])
}

fn signed_less(a: Word, b: Word) -> bool {
    match (is_negative(a), is_negative(b)) {
        (true, false) => true,
        (false, true) => false,
        _ => a < b,
    }
}
