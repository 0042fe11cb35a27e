//! How likely it is by chance that failing cases have something in common.

#![expect(clippy::cast_precision_loss, reason = "numbers of cases are far below 2^53")]

/// The expected number of compared parts that chance alone makes this common. From this number on, sharing a part is no
/// evidence.
const MAX_BY_CHANCE: f64 = 0.1;

/// Terms of a sum below this share of it are left out.
const NEGLIGIBLE: f64 = 1e-12;

/// Failing and passing cases, and how many of each have something in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct SharedBy {
    pub(super) failing: u64,
    pub(super) passing: u64,
    pub(super) failing_with: u64,
    pub(super) passing_with: u64,
}

impl SharedBy {
    /// Whether chance explains it: of `tried` parts, at least [`MAX_BY_CHANCE`] are expected to be this common.
    pub(super) fn may_be_chance(self, tried: usize) -> bool {
        self.probability() * tried as f64 >= MAX_BY_CHANCE
    }

    /// The probability that at least `failing_with` of `failing_with + passing_with` cases fail that are chosen at
    /// random: the tail of the hypergeometric distribution.
    fn probability(self) -> f64 {
        let SharedBy { failing, passing, failing_with, passing_with } = self;
        let chosen = failing_with + passing_with;
        // Not more than expected: the first term of the sum may be too small for a number.
        if failing_with as f64 * (failing + passing) as f64 <= failing as f64 * chosen as f64 {
            return 1.0;
        }
        let ways = |all, some| ln_factorial(all) - ln_factorial(some) - ln_factorial(all - some);
        let first =
            ways(failing, failing_with) + ways(passing, passing_with) - ways(failing + passing, chosen);
        let (mut term, mut sum) = (first.exp(), 0.0);
        for more in failing_with..=chosen.min(failing) {
            sum += term;
            if term <= sum * NEGLIGIBLE {
                break;
            }
            let fewer_passing = chosen - more;
            let others = passing + more + 1 - chosen;
            term *= (failing - more) as f64 * fewer_passing as f64 / ((more + 1) as f64 * others as f64);
        }
        sum.min(1.0)
    }
}

/// The natural logarithm of a factorial; from 20 on by the formula of Stirling, whose error is far below what matters.
fn ln_factorial(number: u64) -> f64 {
    if number < 20 {
        return (2..=number).map(|factor| (factor as f64).ln()).sum();
    }
    let number = number as f64;
    number * number.ln() - number + 0.5 * (std::f64::consts::TAU * number).ln() + 1.0 / (12.0 * number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probability(failing: u64, passing: u64, failing_with: u64, passing_with: u64) -> f64 {
        SharedBy { failing, passing, failing_with, passing_with }.probability()
    }

    /// Counted by hand: the ways to choose cases of which so many fail.
    #[test]
    fn the_probability_is_that_of_choosing_cases_at_random() {
        let is = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-4 * expected, "{found}");
        // 1 of the 15 pairs of 6 cases are the two failing ones.
        is(probability(2, 4, 2, 0), 1.0 / 15.0);
        // Of the 56 triples of 8 cases, 4 have 3 failing ones, and 24 have 2.
        is(probability(4, 4, 3, 0), 4.0 / 56.0);
        is(probability(4, 4, 2, 1), 28.0 / 56.0);
        is(probability(4, 8, 1, 1), 1.0 - 28.0 / 66.0);
        is(probability(4, 4, 4, 4), 1.0);
        // 30 of 60, of which all have it: as likely as any other choice of 30.
        is(probability(30, 30, 30, 0), 1.0 / 118_264_581_564_861_424.0);
        assert!(probability(1_000, 1_000_000, 900, 10) < 1e-300);
        assert!(probability(10_000, 10_000, 100, 3_000) > 0.5);
        assert!(probability(1_000, 1_000_000, 1, 1_000) > 0.5);
    }
}
