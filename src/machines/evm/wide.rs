//! Operations on words for which a method specialised for 256 bits is faster than the library's general one.

use super::operands::{Operands, WordPrice};
use super::stop::EvmFlow;
use super::word::{Word, small};
use crate::machines::power::pow;

#[cfg(test)]
mod tests;

/// The maximum charge for a power, in units.
const POWER: u64 = 48;
/// The charge for each bit of a shorter exponent, in units.
const UNITS_OF_BIT: u64 = 1;

#[inline(never)]
pub(super) fn exp(f: &mut impl Operands) -> EvmFlow {
    f.priced(price_of_power, pow)
}

#[inline(always)]
fn price_of_power(exponent: Word) -> WordPrice {
    WordPrice {
        gas: 10 * exponent.byte_len() as u64,
        units: POWER.min(UNITS_OF_BIT * exponent.bit_len() as u64),
    }
}

/// Quotient and remainder; both 0 if the divisor is 0.
pub(super) fn div_rem(a: Word, b: Word) -> (Word, Word) {
    if let (Some(a), Some(b)) = (small(a), small(b)) {
        return (Word::from(a.checked_div(b).unwrap_or(0)), Word::from(a.checked_rem(b).unwrap_or(0)));
    }
    if b.is_zero() {
        return (Word::ZERO, Word::ZERO);
    }
    if b.as_limbs()[3] >= LARGE { div_rem_by_large(a, b) } else { a.div_rem(b) }
}

/// The lowest value of a divisor's highest limb for which a quotient has at most 32 bits.
const LARGE: u64 = 1 << 32;

/// A division of the highest bits gives the quotient or up to 3 more, since cutting off the low bits of both
/// numbers makes it larger by at most one part in 2^31.
fn div_rem_by_large(a: Word, b: Word) -> (Word, Word) {
    let (a, b) = (a.as_limbs(), b.as_limbs());
    let shift = b[3].leading_zeros();
    let mut quotient = ((u128::from(a[3]) << shift >> 32) as u64) / (b[3] << shift >> 32);
    // The remainder for this quotient is `remainder` minus 2^256 times `below`.
    let (mut remainder, mut below) = ([0; 4], 0);
    for limb in 0..4 {
        let product = u128::from(quotient) * u128::from(b[limb]) + u128::from(below);
        let (difference, borrow) = a[limb].overflowing_sub(product as u64);
        remainder[limb] = difference;
        below = (product >> 64) as u64 + u64::from(borrow);
    }
    let mut remainder = Word::from_limbs(remainder);
    while below > 0 {
        let (sum, carry) = remainder.overflowing_add(Word::from_limbs(*b));
        remainder = sum;
        below -= u64::from(carry);
        quotient -= 1;
    }
    (Word::from(quotient), remainder)
}
