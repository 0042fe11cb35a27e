//! How well an instruction explains failures.

use std::cmp::Ordering;

use super::ochiai::ochiai;
use super::table::{CaseCounts, OpRow, SpectrumTable};

/// How well an instruction explains these failing cases, from 0 to 1: the measure of Ochiai for the instruction and for
/// its best condition, and the share of the cases that execute it, in which a case counts more the fewer instructions it
/// executes. The exponents are those with which most planted faults come first; small changes make no difference.
fn score(table: &SpectrumTable<'_>, row: &OpRow<'_>, remaining: &[usize]) -> f64 {
    let remain = |counts: &CaseCounts| {
        let is_left = |case: &&usize| remaining.binary_search(case).is_ok();
        counts.failing.iter().filter(is_left).count() as f64
    };
    let of = |counts| ochiai(remain(counts), counts.passing, remaining.len() as f64);
    let own = of(&row.executed);
    let best = row.conditions.values().map(of).fold(own, f64::max);
    let weight = |cases: &mut dyn Iterator<Item = &usize>| cases.map(|it| table.weight(*it)).sum::<f64>();
    let share =
        weight(&mut remaining.iter().filter(|case| row.executed.has(**case))) / weight(&mut remaining.iter());
    own.powf(0.4) * best.powf(0.6) * share.powf(0.3)
}

/// The instructions that any of these failing cases executes, the best first.
pub(super) fn ranked<'c>(table: &SpectrumTable<'c>, remaining: &[usize]) -> Vec<&'c str> {
    let mut scores: Vec<_> = table
        .suspicious()
        .map(|(op, row)| (score(table, row, remaining), op))
        .filter(|it| it.0 > 0.0)
        .collect();
    // Equal scores are in the order of names.
    scores.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal).then(a.1.cmp(b.1)));
    scores.into_iter().map(|(_, op)| op).collect()
}
