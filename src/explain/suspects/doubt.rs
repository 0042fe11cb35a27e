//! Whether the vector is probably wrong, not an instruction.

use super::case::SpectrumOutcome;
use super::table::SpectrumTable;
use crate::model::{DoubtfulCase, counted};

/// The chance from which on failures may be spread over the cases at random.
const CHANCE: f64 = 0.01;

/// What is needed to doubt vectors.
pub(super) struct VectorDoubt<'t, 'c> {
    table: &'t SpectrumTable<'c>,
    /// The share of all cases that fail.
    rate: f64,
}

impl<'t, 'c> VectorDoubt<'t, 'c> {
    pub(super) fn new(table: &'t SpectrumTable<'c>) -> VectorDoubt<'t, 'c> {
        let failing = table.failing.len() as f64;
        VectorDoubt { table, rate: failing / (failing + table.passing as f64).max(1.0) }
    }

    /// Splits the failing cases of a suspect into those whose vector is probably wrong, and the others. A vector that
    /// passes on the embedded machine is not doubted, nor one that executes what no passing case does.
    pub(super) fn split(&self, op: &str, cases: &[usize]) -> (Vec<DoubtfulCase>, Vec<usize>) {
        if self.is_significant(op) {
            return (Vec::new(), cases.to_vec());
        }
        let (doubted, explained): (Vec<usize>, Vec<usize>) =
            cases.iter().copied().partition(|case| self.table.cases[*case].outcome == SpectrumOutcome::Fails);
        let passing = counted(self.table.row(op).executed.passing, "case");
        let doubtful = |case: usize| DoubtfulCase {
            id: self.table.cases[case].id.clone(),
            why: format!(
                "each of its instructions passes in other cases; {op}, the most suspicious one, in {passing}"
            ),
        };
        (doubted.into_iter().map(doubtful).collect(), explained)
    }

    /// Whether so many of the cases that execute the instruction fail that chance does not explain it.
    pub(super) fn is_significant(&self, op: &str) -> bool {
        let row = self.table.row(op);
        let executed = &row.executed;
        executed.passing == 0
            || chance(executed.failing.len(), executed.passing, self.rate)
                * (self.table.instructions() as f64)
                < CHANCE
    }
}

/// An upper bound on the probability that at least this number of cases fail, if each fails with this probability: the
/// Chernoff bound.
fn chance(failing: usize, passing: u64, rate: f64) -> f64 {
    let count = failing as f64 + passing as f64;
    let share = failing as f64 / count;
    if share <= rate {
        return 1.0;
    }
    let term = |part: f64, whole: f64| if part == 0.0 { 0.0 } else { part * (part / whole).ln() };
    (-count * (term(share, rate) + term(1.0 - share, 1.0 - rate))).exp()
}

#[cfg(test)]
mod tests {
    use super::chance;

    /// The probability of 3 heads in 3 throws is 1/8, and the bound is exact there.
    #[test]
    fn chance_of_heads() {
        assert!((chance(3, 0, 0.5) - 0.125).abs() < 1e-9);
        assert!((chance(1, 3, 0.5) - 1.0).abs() < 1e-9);
        assert!(chance(9, 1, 0.1) < 1e-6);
    }
}
