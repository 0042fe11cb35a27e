//! Powers modulo 2^256, for machines with 256-bit words.

use super::record::EvmWord;

/// `base` to the power `exponent`, modulo 2^256.
// A single copy for both tiers: if inlined in each, it would not be equally fast in both.
#[inline(never)]
pub(super) fn pow(base: EvmWord, exponent: EvmWord) -> EvmWord {
    match u64::try_from(exponent) {
        Ok(exponent @ ..LONG) => short_power(base, exponent),
        _ if base.bit(0) => long_power(base, exponent),
        // An even base: the power is divisible by 2^exponent.
        _ => EvmWord::ZERO,
    }
}

/// From this exponent on, [`long_power`] is faster.
const LONG: u64 = 1 << 44;

/// How many low bits of a long exponent are processed digit by digit.
const BITS: usize = 30;

/// The number of bits in a digit of an exponent.
const DIGIT: usize = 2;

/// Processes the exponent from the highest digit to the lowest.
fn short_power(base: EvmWord, exponent: u64) -> EvmWord {
    let Some(highest) = exponent.checked_ilog2() else { return EvmWord::ONE };
    if highest == 0 {
        return base;
    }
    let second = square(base);
    let powers = [base, second, second.wrapping_mul(base)];
    let digit = |at: u32| (exponent >> (DIGIT as u32 * at) & 3) as usize;
    let first = highest / DIGIT as u32;
    (0..first).rev().fold(powers[digit(first) - 1], |power, at| {
        let fourth = square(square(power));
        match digit(at) {
            0 => fourth,
            digit => fourth.wrapping_mul(powers[digit - 1]),
        }
    })
}

/// An odd number to any power.
///
/// The square of an odd number is 1 modulo 8, and each further squaring adds one bit to the modulus: the base
/// to the power 2^30 is 1 + 2^32 c. In the binomial series of a power of that, the term with 2^256 and all
/// later ones are 0.
fn long_power(base: EvmWord, exponent: EvmWord) -> EvmWord {
    // For each digit value, the product of the powers of the base at the positions of this digit.
    let mut products = [EvmWord::ONE; 3];
    let mut power = base;
    let low = exponent.as_limbs()[0];
    for at in (0..BITS).step_by(DIGIT) {
        if let digit @ 1.. = (low >> at & 3) as usize {
            products[digit - 1] = products[digit - 1].wrapping_mul(power);
        }
        power = square(square(power));
    }
    let [first, second, third] = products;
    // `all` is the first product, times the second one squared, times the third one cubed.
    let twice = square(second.wrapping_mul(third));
    let all = first.wrapping_mul(third).wrapping_mul(twice);
    all.wrapping_mul(binomial_series(power >> 32, exponent >> BITS))
}

/// 1 + 2^32 `c` to the power `exponent`.
fn binomial_series(c: EvmWord, exponent: EvmWord) -> EvmWord {
    // The factor from one term to the next: c times the exponent, decreased by c for each term.
    let mut factor = c.wrapping_mul(exponent);
    let (mut term, mut series) = (EvmWord::ONE, EvmWord::ONE);
    for (divisor, shift) in DIVISORS.iter().zip((32..).step_by(32)) {
        // Wrong high bits from a division's shift are dropped by the next shift to the left.
        term = divisor.divide(term.wrapping_mul(factor));
        series = series.wrapping_add(term << shift);
        factor = factor.wrapping_sub(c);
    }
    series
}

/// The square. It takes six products of limbs instead of the ten in a product of words, since those of two
/// different limbs count twice.
#[inline(always)]
pub(super) fn square(word: EvmWord) -> EvmWord {
    let [a, b, c, d] = *word.as_limbs();
    let product = |one: u64, other: u64| u128::from(one) * u128::from(other);
    let halves = |low: u64, high: u64| u128::from(low) | u128::from(high) << 64;
    // The sum of the products of different limbs, from its second limb on.
    let second = product(a, b);
    let third = product(a, c) + (second >> 64);
    let fourth = ((third >> 64) as u64).wrapping_add(a.wrapping_mul(d)).wrapping_add(b.wrapping_mul(c));
    let (second, third) = (second as u64, third as u64);
    let (low, carry) = product(a, a).overflowing_add(halves(0, second << 1));
    let twice = halves(third << 1 | second >> 63, fourth << 1 | third >> 63);
    let high = product(b, b).wrapping_add(twice).wrapping_add(carry.into());
    EvmWord::from_limbs([low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64])
}

/// A divisor for exact divisions: the product of an odd number, given by its inverse modulo 2^256, and a
/// power of two.
struct Divisor {
    inverse: Option<EvmWord>,
    shift: usize,
}

/// The numbers from 1 to 7.
const DIVISORS: [Divisor; 7] = [
    Divisor { inverse: None, shift: 0 },
    Divisor { inverse: None, shift: 1 },
    Divisor { inverse: Some(THIRD), shift: 0 },
    Divisor { inverse: None, shift: 2 },
    Divisor { inverse: Some(FIFTH), shift: 0 },
    Divisor { inverse: Some(THIRD), shift: 1 },
    Divisor { inverse: Some(SEVENTH), shift: 0 },
];

const THIRD: EvmWord = EvmWord::from_limbs([0xaaaa_aaaa_aaaa_aaab, EVEN, EVEN, EVEN]);
const EVEN: u64 = 0xaaaa_aaaa_aaaa_aaaa;
const FIFTH: EvmWord = EvmWord::from_limbs([0xcccc_cccc_cccc_cccd, FOURS, FOURS, FOURS]);
const FOURS: u64 = 0xcccc_cccc_cccc_cccc;
const SEVENTH: EvmWord = EvmWord::from_limbs([
    0x6db6_db6d_b6db_6db7,
    0xb6db_6db6_db6d_b6db,
    0xdb6d_b6db_6db6_db6d,
    0x6db6_db6d_b6db_6db6,
]);

impl Divisor {
    fn divide(&self, dividend: EvmWord) -> EvmWord {
        let odd = dividend >> self.shift;
        self.inverse.map_or(odd, |inverse| odd.wrapping_mul(inverse))
    }
}
