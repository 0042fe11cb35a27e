//! Arithmetic modulo 2^256.

use ruint::aliases::U256;

use super::operands::Operands;
use super::stop::EvmFlow;
use super::wide::div_rem;
use super::word::Word;

/// The charge for a division of words, in units.
const DIVISION: u64 = 6;

#[inline(always)]
pub(super) fn add(f: &mut impl Operands) -> EvmFlow {
    f.binary(Word::wrapping_add)
}

#[inline(always)]
pub(super) fn mul(f: &mut impl Operands) -> EvmFlow {
    f.binary(Word::wrapping_mul)
}

#[inline(always)]
pub(super) fn sub(f: &mut impl Operands) -> EvmFlow {
    f.binary(Word::wrapping_sub)
}

#[inline(never)]
pub(super) fn div(f: &mut impl Operands) -> EvmFlow {
    f.work(DIVISION)?;
    f.binary(quotient)
}

#[inline(never)]
pub(super) fn rem(f: &mut impl Operands) -> EvmFlow {
    f.work(DIVISION)?;
    f.binary(remainder)
}

#[inline(never)]
pub(super) fn sdiv(f: &mut impl Operands) -> EvmFlow {
    f.work(DIVISION)?;
    f.binary(|a, b| with_sign(quotient(magnitude(a), magnitude(b)), is_negative(a) != is_negative(b)))
}

#[inline(never)]
pub(super) fn smod(f: &mut impl Operands) -> EvmFlow {
    f.work(DIVISION)?;
    f.binary(|a, b| with_sign(remainder(magnitude(a), magnitude(b)), is_negative(a)))
}

#[inline(always)]
pub(super) fn addmod(f: &mut impl Operands) -> EvmFlow {
    f.work(DIVISION)?;
    f.ternary(add_mod)
}

#[inline(always)]
pub(super) fn mulmod(f: &mut impl Operands) -> EvmFlow {
    f.work(2 * DIVISION)?;
    f.ternary(mul_mod)
}

#[inline(always)]
pub(super) fn signextend(f: &mut impl Operands) -> EvmFlow {
    f.binary(|a, b| {
        if a >= U256::from(31) {
            return b;
        }
        let sign = 8 * a.to::<usize>() + 7;
        let above = U256::MAX << sign;
        if b.bit(sign) { b | above } else { b & !above }
    })
}

/// Whether the word is negative in two's complement.
pub(super) fn is_negative(word: Word) -> bool {
    word.bit(255)
}

fn magnitude(word: Word) -> Word {
    with_sign(word, is_negative(word))
}

fn with_sign(magnitude: Word, negative: bool) -> Word {
    if negative { magnitude.wrapping_neg() } else { magnitude }
}

fn quotient(a: Word, b: Word) -> Word {
    div_rem(a, b).0
}

fn remainder(a: Word, b: Word) -> Word {
    div_rem(a, b).1
}

#[inline(never)]
fn add_mod(a: Word, b: Word, modulus: Word) -> Word {
    a.add_mod(b, modulus)
}

#[inline(never)]
fn mul_mod(a: Word, b: Word, modulus: Word) -> Word {
    a.mul_mod(b, modulus)
}
