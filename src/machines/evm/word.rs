//! 256-bit words, and how they are kept on the stack.

use ruint::aliases::U256;

/// A 256-bit word.
pub(super) type Word = U256;

/// A word on the stack. The compiler keeps two 128-bit numbers in four general registers. It would turn four
/// 64-bit numbers into vectors, and arithmetic would have to take them apart each time, or wait for memory
/// that is read in other pieces than it was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Halves {
    low: u128,
    high: u128,
}

impl Halves {
    #[inline(always)]
    pub(super) fn new(word: Word) -> Halves {
        let [a, b, c, d] = *word.as_limbs();
        let half = |low: u64, high: u64| u128::from(low) | u128::from(high) << 64;
        Halves { low: half(a, b), high: half(c, d) }
    }

    #[inline(always)]
    pub(super) fn word(self) -> Word {
        let Halves { low, high } = self;
        Word::from_limbs([low as u64, (low >> 64) as u64, high as u64, (high >> 64) as u64])
    }

    /// The lower half.
    #[inline(always)]
    pub(super) fn low(self) -> u128 {
        self.low
    }

    /// Adds a number. Only a carry touches the upper half.
    #[inline(always)]
    pub(super) fn increase(&mut self, by: u128) {
        let (low, carry) = self.low.overflowing_add(by);
        self.low = low;
        if carry {
            self.high = self.high.wrapping_add(1);
        }
    }
}

/// The number of 32-byte words that hold this number of bytes.
pub(super) fn words(bytes: usize) -> u64 {
    bytes.div_ceil(32) as u64
}

// Comparing limb by limb keeps words in general registers. The lowest limb comes first, since it usually decides.

#[inline(always)]
pub(super) fn is_zero(word: Word) -> bool {
    let [a, b, c, d] = *word.as_limbs();
    a == 0 && b | c | d == 0
}

#[inline(always)]
pub(super) fn equal(one: Word, other: Word) -> bool {
    let ([a, b, c, d], [e, f, g, h]) = (*one.as_limbs(), *other.as_limbs());
    a == e && (b ^ f) | (c ^ g) | (d ^ h) == 0
}

/// The number as a size or an offset; `None` if it is too large for any size or offset.
#[inline(always)]
pub(super) fn small(word: Word) -> Option<usize> {
    match *word.as_limbs() {
        [low, 0, 0, 0] => usize::try_from(low).ok(),
        _ => None,
    }
}
