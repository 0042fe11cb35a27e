//! Compares the arithmetic of both tiers with `num-bigint`, and vmconf's own methods also with `ruint`.

use num_bigint::{BigInt, BigUint, Sign};

use super::{Word, div_rem, exp, pow};
use crate::machines::evm::arith;
use crate::machines::evm::operands::{Operands, WordPrice};
use crate::machines::evm::stop::EvmFlow;
use crate::machines::power::square;

/// The generator SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Limbs that are often at a boundary, and words of every length.
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

/// `few` sets of operands, or as many as `VMCONF_WORDS` says at compile time.
fn operands(few: u64) -> impl Iterator<Item = [Word; 3]> {
    let count = option_env!("VMCONF_WORDS").map_or(few, |count| count.parse().expect("a number"));
    let mut random = Random(1);
    (0..count).map(move |_| {
        let (a, b, c) = (random.word(), random.word(), random.word());
        // Numbers that are close to multiples of each other.
        let near = b.wrapping_mul(Word::from(random.next() & 7)).wrapping_sub(Word::from(random.next() & 1));
        [if random.next().is_multiple_of(4) { near } else { a }, b, c]
    })
}

/// Operands of an instruction, and its result.
struct Computed {
    operands: [Word; 3],
    result: Word,
}

impl Operands for Computed {
    fn unary(&mut self, operation: impl FnOnce(Word) -> Word) -> EvmFlow {
        self.result = operation(self.operands[0]);
        Ok(())
    }

    fn binary(&mut self, operation: impl FnOnce(Word, Word) -> Word) -> EvmFlow {
        self.result = operation(self.operands[0], self.operands[1]);
        Ok(())
    }

    fn ternary(&mut self, operation: impl FnOnce(Word, Word, Word) -> Word) -> EvmFlow {
        self.result = operation(self.operands[0], self.operands[1], self.operands[2]);
        Ok(())
    }

    fn priced(&mut self, _: fn(Word) -> WordPrice, operation: impl FnOnce(Word, Word) -> Word) -> EvmFlow {
        self.binary(operation)
    }

    fn work(&mut self, _: u64) -> EvmFlow {
        Ok(())
    }
}

/// The result of an instruction's handler for these operands, as an unsigned number.
fn computed(handler: fn(&mut Computed) -> EvmFlow, operands: [Word; 3]) -> BigInt {
    let mut computed = Computed { operands, result: Word::ZERO };
    assert_eq!(handler(&mut computed), Ok(()));
    big(computed.result).into()
}

fn big(word: Word) -> BigUint {
    BigUint::from_bytes_le(&word.to_le_bytes::<32>())
}

/// The number in two's complement.
fn signed(word: Word) -> BigInt {
    BigInt::from_signed_bytes_le(&word.to_le_bytes::<32>())
}

/// A number modulo 2^256, not negative.
fn wrapped(number: BigInt) -> BigInt {
    let modulus = BigInt::from(1) << 256;
    let rest: BigInt = number % &modulus;
    if rest.sign() == Sign::Minus { rest + modulus } else { rest }
}

#[test]
fn sums_and_products() {
    for all in operands(20_000) {
        let [a, b, c] = all.map(|word| BigInt::from(big(word)));
        assert_eq!(computed(arith::add, all), wrapped(&a + &b), "{all:x?}");
        assert_eq!(computed(arith::sub, all), wrapped(&a - &b), "{all:x?}");
        assert_eq!(computed(arith::mul, all), wrapped(&a * &b), "{all:x?}");
        let [sum, product] = match c.sign() {
            Sign::NoSign => [BigInt::ZERO, BigInt::ZERO],
            _ => [(&a + &b) % &c, &a * &b % &c],
        };
        assert_eq!(computed(arith::addmod, all), sum, "{all:x?}");
        assert_eq!(computed(arith::mulmod, all), product, "{all:x?}");
    }
}

#[test]
fn quotients_and_remainders() {
    for all @ [a, b, _] in operands(20_000) {
        let (quotient, remainder) = a.checked_div(b).zip(a.checked_rem(b)).unwrap_or_default();
        assert_eq!(div_rem(a, b), (quotient, remainder), "{all:x?}");
        let divided = |a: BigInt, b: BigInt| match b.sign() {
            Sign::NoSign => [BigInt::ZERO, BigInt::ZERO],
            _ => [&a / &b, &a % &b].map(wrapped),
        };
        let unsigned = [computed(arith::div, all), computed(arith::rem, all)];
        assert_eq!(unsigned, divided(big(a).into(), big(b).into()), "{all:x?}");
        let with_sign = [computed(arith::sdiv, all), computed(arith::smod, all)];
        assert_eq!(with_sign, divided(signed(a), signed(b)), "{all:x?}");
    }
}

#[test]
fn powers() {
    let modulus = BigUint::from(1_u8) << 256;
    for (number, all @ [a, b, _]) in operands(10_000).enumerate() {
        assert_eq!(square(a), a.wrapping_mul(a), "{all:x?}");
        assert_eq!(pow(a, b), a.wrapping_pow(b), "{all:x?}");
        // The other library is much slower.
        if number % 64 == 0 {
            assert_eq!(computed(exp, all), big(a).modpow(&big(b), &modulus).into(), "{all:x?}");
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
