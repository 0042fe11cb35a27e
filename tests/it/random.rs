//! Random numbers that a test can repeat. Also compiled into the tests beside revm.

#![allow(dead_code, reason = "each test binary uses a part of it")]

/// The value of the environment variable `variable`, or `default`. It is printed.
#[allow(clippy::print_stdout, reason = "the output of a failed test says how to repeat it")]
pub(crate) fn number(variable: &str, default: u64) -> u64 {
    let parsed = |text: String| text.parse().unwrap_or_else(|_| panic!("{variable}={text} is no number"));
    let number = std::env::var(variable).map_or(default, parsed);
    println!("{variable}={number}");
    number
}

/// The generator SplitMix64: neighbouring seeds give unrelated numbers, the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The seed is the value of the environment variable `variable`, or 1, and is printed.
    pub(crate) fn seeded_by(variable: &str) -> Random {
        Random::new(number(variable, 1))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// True once in this number of times.
    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    pub(crate) fn bytes(&mut self, size: usize) -> Vec<u8> {
        (0..size).map(|_| self.next() as u8).collect()
    }

    pub(crate) fn one_of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        if all.is_empty() { None } else { Some(all[self.below(all.len())]) }
    }
}
