//! Reproducible random numbers: SplitMix64 from a seed, or a list.

/// Where random numbers come from.
#[derive(Debug, Clone)]
pub(super) enum Random {
    /// The state of SplitMix64.
    Seeded { state: u64, used: bool },
    /// The numbers to return, the next one last.
    Listed { left: Vec<u16>, used: bool },
}

impl Default for Random {
    fn default() -> Random {
        Random::seeded(0)
    }
}

impl Random {
    /// Numbers from a seed.
    pub(super) fn seeded(seed: u64) -> Random {
        Random::Seeded { state: seed, used: false }
    }

    /// These numbers, in this order.
    pub(super) fn listed(mut numbers: Vec<u16>) -> Random {
        numbers.reverse();
        Random::Listed { left: numbers, used: false }
    }

    /// Whether a number was requested.
    pub(super) fn was_used(&self) -> bool {
        match self {
            Random::Seeded { used, .. } | Random::Listed { used, .. } => *used,
        }
    }

    /// A number from 0 to `most`; `None` if the list is used up or its next number is larger.
    pub(super) fn next(&mut self, most: u16) -> Option<u16> {
        match self {
            Random::Seeded { state, used } => {
                *used = true;
                Some((draw(state) % (u64::from(most) + 1)) as u16)
            }
            Random::Listed { left, used } => {
                *used = true;
                left.pop().filter(|number| *number <= most)
            }
        }
    }
}

/// The next 64 bits of SplitMix64.
fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = *state;
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::Random;

    /// The numbers given in the specification.
    #[test]
    fn seeds_give_the_numbers_of_the_reference() {
        fn check(seed: u64, numbers: [u16; 8]) {
            let mut random = Random::seeded(seed);
            assert_eq!(numbers.map(|_| random.next(9).unwrap_or(u16::MAX)), numbers);
        }
        check(0, [5, 0, 9, 4, 7, 0, 3, 0]);
        check(1, [5, 9, 0, 5, 1, 8, 5, 3]);
        assert_eq!(super::draw(&mut 0), 0xe220_a839_7b1d_cdaf);
    }
}
