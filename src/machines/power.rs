//! Powers modulo 2^256, for the machines whose words have 256 bits.

use super::record::Word;

/// `base` to the power `exponent`, modulo 2^256.
// One copy for both tiers: inlined in each, it is not equally fast in both.
#[inline(never)]
pub(super) fn pow(base: Word, exponent: Word) -> Word {
    match u64::try_from(exponent) {
        Ok(exponent @ ..LONG) => short_power(base, exponent),
        _ if base.bit(0) => long_power(base, exponent),
        // At least as many factors of two as the exponent says.
        _ => Word::ZERO,
    }
}

/// From here on, [`long_power`] is faster.
const LONG: u64 = 1 << 44;

/// The bits of a long exponent that are used digit by digit.
const BITS: usize = 30;

/// The digits of an exponent have two bits.
const DIGIT: usize = 2;

/// From the highest digit of the exponent to the lowest.
fn short_power(base: Word, exponent: u64) -> Word {
    let Some(highest) = exponent.checked_ilog2() else { return Word::ONE };
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
/// The square of an odd number is 1 modulo 8, and each further squaring keeps one bit more: the base to the power
/// 2^30 is 1 + 2^32 c. Of the binomial series of a power of that, the term with 2^256 and all later ones are 0.
fn long_power(base: Word, exponent: Word) -> Word {
    // For each digit, the product of the powers of the base that have it as a factor of their exponent.
    let mut products = [Word::ONE; 3];
    let mut power = base;
    let low = exponent.as_limbs()[0];
    for at in (0..BITS).step_by(DIGIT) {
        if let digit @ 1.. = (low >> at & 3) as usize {
            products[digit - 1] = products[digit - 1].wrapping_mul(power);
        }
        power = square(square(power));
    }
    let [first, second, third] = products;
    // The second one to the power of 2, the third one to the power of 3.
    let twice = square(second.wrapping_mul(third));
    let all = first.wrapping_mul(third).wrapping_mul(twice);
    all.wrapping_mul(binomial_series(power >> 32, exponent >> BITS))
}

/// 1 + 2^32 `c` to the power `exponent`.
fn binomial_series(c: Word, exponent: Word) -> Word {
    // What each term has more than the one before: c times the exponent, less c for each term.
    let mut factor = c.wrapping_mul(exponent);
    let (mut term, mut series) = (Word::ONE, Word::ONE);
    for (divisor, shift) in DIVISORS.iter().zip((32..).step_by(32)) {
        // What a shift moves in at the top is moved out again by the next one.
        term = divisor.divide(term.wrapping_mul(factor));
        series = series.wrapping_add(term << shift);
        factor = factor.wrapping_sub(c);
    }
    series
}

/// The square. Of the ten products of limbs in a product of words it takes six: those of two different limbs count
/// twice.
#[inline(always)]
pub(super) fn square(word: Word) -> Word {
    let [a, b, c, d] = *word.as_limbs();
    let product = |one: u64, other: u64| u128::from(one) * u128::from(other);
    let halves = |low: u64, high: u64| u128::from(low) | u128::from(high) << 64;
    // The limbs of the products of different limbs, from the second one on.
    let second = product(a, b);
    let third = product(a, c) + (second >> 64);
    let fourth = ((third >> 64) as u64).wrapping_add(a.wrapping_mul(d)).wrapping_add(b.wrapping_mul(c));
    let (second, third) = (second as u64, third as u64);
    let (low, carry) = product(a, a).overflowing_add(halves(0, second << 1));
    let twice = halves(third << 1 | second >> 63, fourth << 1 | third >> 63);
    let high = product(b, b).wrapping_add(twice).wrapping_add(carry.into());
    Word::from_limbs([low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64])
}

/// A number that divides another without remainder: an odd one, by its inverse modulo 2^256, times a power of two.
struct Divisor {
    inverse: Option<Word>,
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

const THIRD: Word = Word::from_limbs([0xaaaa_aaaa_aaaa_aaab, EVEN, EVEN, EVEN]);
const EVEN: u64 = 0xaaaa_aaaa_aaaa_aaaa;
const FIFTH: Word = Word::from_limbs([0xcccc_cccc_cccc_cccd, FOURS, FOURS, FOURS]);
const FOURS: u64 = 0xcccc_cccc_cccc_cccc;
const SEVENTH: Word = Word::from_limbs([
    0x6db6_db6d_b6db_6db7,
    0xb6db_6db6_db6d_b6db,
    0xdb6d_b6db_6db6_db6d,
    0x6db6_db6d_b6db_6db6,
]);

impl Divisor {
    fn divide(&self, dividend: Word) -> Word {
        let odd = dividend >> self.shift;
        self.inverse.map_or(odd, |inverse| odd.wrapping_mul(inverse))
    }
}
