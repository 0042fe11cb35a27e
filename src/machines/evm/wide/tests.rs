//! The operations beside `ruint` and `num-bigint`.

use num_bigint::BigUint;

use super::{Word, div_rem, pow};

/// The generator SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Limbs that are often at an edge, and words of every length.
    fn word(&mut self) -> Word {
        let kinds = self.next();
        let limbs = std::array::from_fn(|limb| match kinds >> (4 * limb) & 7 {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << (self.next() & 63),
            3 => (1u64 << (self.next() & 63)).wrapping_sub(1),
            4 => 1 << 32,
            _ => self.next(),
        });
        Word::from_limbs(limbs) >> (kinds >> 32 & kinds >> 40 & 255)
    }
}

/// `VMCONF_WORDS` pairs of words, or 100,000.
fn pairs() -> impl Iterator<Item = (Word, Word)> {
    let count = std::env::var("VMCONF_WORDS").map_or(100_000, |count| count.parse().expect("a number"));
    let mut random = Random(1);
    (0..count).map(move |_| {
        let (a, b) = (random.word(), random.word());
        // Numbers that are close to a multiple of each other.
        let near = b.wrapping_mul(Word::from(random.next() & 7)).wrapping_sub(Word::from(random.next() & 1));
        (if random.next() & 3 == 0 { near } else { a }, b)
    })
}

fn big(word: Word) -> BigUint {
    BigUint::from_bytes_le(&word.to_le_bytes::<32>())
}

#[test]
fn quotients_and_remainders() {
    for (a, b) in pairs() {
        let (quotient, remainder) = div_rem(a, b);
        let expected = a.checked_div(b).zip(a.checked_rem(b)).unwrap_or_default();
        assert_eq!((quotient, remainder), expected, "{a:#x} {b:#x}");
        if !b.is_zero() {
            assert_eq!(big(quotient) * big(b) + big(remainder), big(a), "{a:#x} {b:#x}");
        }
    }
}

#[test]
fn powers() {
    let modulus = BigUint::from(1_u8) << 256;
    for (number, (a, b)) in pairs().step_by(10).enumerate() {
        assert_eq!(pow(a, b), a.wrapping_pow(b), "{a:#x} {b:#x}");
        // The other library takes much longer.
        if number % 64 == 0 {
            assert_eq!(big(pow(a, b)), big(a).modpow(&big(b), &modulus), "{a:#x} {b:#x}");
        }
    }
}

#[test]
fn powers_of_small_exponents_and_those_about_the_change_of_method() {
    for base in [0, 1, 2, 3, 6, 7, 255, 256, u64::MAX].map(Word::from) {
        for exponent in (0..600).chain((1 << 44) - 600..(1 << 44) + 600).chain([u64::MAX]) {
            let exponent = Word::from(exponent);
            assert_eq!(pow(base, exponent), base.wrapping_pow(exponent), "{base} {exponent}");
        }
    }
}
