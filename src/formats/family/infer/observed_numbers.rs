//! What whole numbers have in common.

use std::collections::BTreeSet;

use num_bigint::{BigInt, Sign};

/// The maximum number of different numbers that are kept.
const MAX_DISTINCT: usize = 256;

/// Whole numbers.
#[derive(Debug, Default)]
pub(super) struct ObservedNumbers {
    pub(super) count: u64,
    pub(super) least: BigInt,
    pub(super) greatest: BigInt,
    /// How many numbers have each number of bits, at most 257: more than 256 are no number of a width.
    lengths: Vec<u64>,
    /// Some of them.
    pub(super) distinct: BTreeSet<BigInt>,
}

impl ObservedNumbers {
    pub(super) fn add(&mut self, number: BigInt) {
        let bits = number.bits().min(257) as usize;
        if self.lengths.len() <= bits {
            self.lengths.resize(bits + 1, 0);
        }
        self.lengths[bits] += 1;
        if self.count == 0 || number < self.least {
            self.least.clone_from(&number);
        }
        if self.count == 0 || number > self.greatest {
            self.greatest.clone_from(&number);
        }
        self.count += 1;
        if self.distinct.len() < MAX_DISTINCT {
            self.distinct.insert(number);
        }
    }

    pub(super) fn with(&self, others: &ObservedNumbers) -> ObservedNumbers {
        let all = || [self, others].into_iter().filter(|numbers| numbers.count > 0);
        let mut lengths = vec![0; self.lengths.len().max(others.lengths.len())];
        for numbers in all() {
            lengths.iter_mut().zip(&numbers.lengths).for_each(|(sum, count)| *sum += count);
        }
        ObservedNumbers {
            count: self.count + others.count,
            least: all().map(|numbers| &numbers.least).min().cloned().unwrap_or_default(),
            greatest: all().map(|numbers| &numbers.greatest).max().cloned().unwrap_or_default(),
            lengths,
            distinct: self.distinct.union(&others.distinct).cloned().collect(),
        }
    }

    /// The number of bits that all of them need, without a sign.
    pub(super) fn bits(&self) -> u32 {
        self.lengths.len().saturating_sub(1) as u32
    }

    /// The number of bits that all of them need in two's complement, or without a sign if none is below 0.
    pub(super) fn signed_bits(&self) -> u32 {
        if !self.are_signed() {
            return self.bits();
        }
        let magnitude: BigInt = -&self.least - 1;
        magnitude.bits().max(self.greatest.bits()).min(256) as u32 + 1
    }

    /// Whether some are below 0.
    pub(super) fn are_signed(&self) -> bool {
        self.least.sign() == Sign::Minus
    }

    /// The share of numbers that have this number of bits, in percent.
    pub(super) fn percent_of(&self, bits: u32) -> u64 {
        100 * self.lengths.get(bits as usize).copied().unwrap_or(0) / self.count.max(1)
    }
}
