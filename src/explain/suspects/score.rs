//! How well an instruction explains failures.

use std::cmp::Ordering;

use super::ochiai::ochiai;
use super::table::{CaseCounts, OpRow, SpectrumTable};

/// An instruction or a condition stands out if at least this share of its cases fails.
const MIN_RATE: f64 = 0.5;

/// It also stands out if the share of its failing cases is at least so many times that of all other cases.
const MIN_LIFT: f64 = 2.0;

/// How well an instruction explains these failing cases, from 0 to 1: the measure of Ochiai for the instruction and
/// for its best condition, and the share of the cases that execute it, in which a case counts more the fewer
/// instructions it executes. The exponents are those with which most planted faults come first; small changes make no
/// difference. Where it is known what made the data that differ, an instruction that did not counts less.
fn score_without_steps(table: &SpectrumTable<'_>, op: &str, row: &OpRow<'_>, remaining: &[usize]) -> f64 {
    let own = fit(&row.executed, remaining);
    let best = best_fit(row, remaining);
    let weight = |cases: &mut dyn Iterator<Item = &usize>| cases.map(|it| table.weight(*it)).sum::<f64>();
    let share =
        weight(&mut remaining.iter().filter(|case| row.executed.has(**case))) / weight(&mut remaining.iter());
    own.powf(0.4) * best.powf(0.6) * share.powf(0.3) * provenance(table, op, row, remaining)
}

/// The same where steps of the machine are known: an instruction counts more the more often the machine first differs
/// after it.
fn score(table: &SpectrumTable<'_>, op: &str, row: &OpRow<'_>, remaining: &[usize]) -> f64 {
    score_without_steps(table, op, row, remaining) * divergence(table, op, row, remaining)
}

/// How much steps speak for an instruction, from 0.5 to 1.5, by the cases that execute it: in how many the machine
/// first differs after it, and in how many after another one. 0 if it differs after another one in all.
fn divergence(table: &SpectrumTable<'_>, op: &str, row: &OpRow<'_>, remaining: &[usize]) -> f64 {
    let left = shared(&row.executed, remaining);
    let is_left = |case: &&usize| remaining.binary_search(case).is_ok();
    let own = row.diverging.iter().filter(is_left).count();
    let failing = row.executed.failing.iter().filter(is_left);
    let elsewhere = failing.filter(|case| table.diverges_elsewhere(op, **case)).count();
    if elsewhere == left {
        return 0.0;
    }
    1.0 + 0.5 * (own as f64 - elsewhere as f64) / left as f64
}

/// How much the data that differ speak for an instruction, from 0.5 to 1: the fewer of the cases that execute it are
/// known to have got these data from other instructions, the more. It may still be wrong there: a jump not taken.
fn provenance(table: &SpectrumTable<'_>, op: &str, row: &OpRow<'_>, remaining: &[usize]) -> f64 {
    let left = row.executed.failing.iter().filter(|case| remaining.binary_search(case).is_ok());
    let (others, all) = left.fold((0, 0), |(others, all), case| {
        (others + usize::from(table.is_made_by_others(op, *case)), all + 1)
    });
    1.0 - 0.5 * others as f64 / f64::from(all.max(1))
}

/// The measure of Ochiai for these failing cases.
fn fit(counts: &CaseCounts, remaining: &[usize]) -> f64 {
    ochiai(shared(counts, remaining) as f64, counts.passing, remaining.len() as f64)
}

/// The measure of Ochiai for the instruction or its best condition.
fn best_fit(row: &OpRow<'_>, remaining: &[usize]) -> f64 {
    let conditions = row.conditions.values().map(|counts| fit(counts, remaining));
    conditions.fold(fit(&row.executed, remaining), f64::max)
}

fn shared(counts: &CaseCounts, remaining: &[usize]) -> usize {
    counts.failing.iter().filter(|case| remaining.binary_search(case).is_ok()).count()
}

/// How well one instruction explains what a better one does among these failing cases, from 0 to 1: the share of the
/// cases that it executes, too, times how much its best condition says in comparison.
pub(super) fn rivalry(table: &SpectrumTable<'_>, best: &str, rival: &str, remaining: &[usize]) -> f64 {
    let (best, rival) = (table.row(best), table.row(rival));
    let is_left = |case: &&usize| remaining.binary_search(case).is_ok();
    let of_best: Vec<_> = best.executed.failing.iter().copied().filter(|case| is_left(&case)).collect();
    let share = shared(&rival.executed, &of_best) as f64 / of_best.len() as f64;
    share * best_fit(rival, remaining) / best_fit(best, remaining)
}

/// Whether cases that execute an instruction, or do so under a condition, fail clearly more often than the others. Of
/// what most cases execute, that says nothing, since the others are few: they are compared with all.
fn stands_out(table: &SpectrumTable<'_>, row: &OpRow<'_>, remaining: &[usize]) -> bool {
    let rate = |failing: usize, passing: u64| failing as f64 / (failing as f64 + passing as f64).max(1.0);
    let (failing, passing) = (remaining.len(), table.passing);
    let is_more = |it: &CaseCounts| {
        let own = shared(it, remaining);
        let have_most = 2 * (own as u64 + it.passing) > failing as u64 + passing;
        let usual =
            if have_most { rate(failing, passing) } else { rate(failing - own, passing - it.passing) };
        let own = rate(own, it.passing);
        own >= MIN_RATE || own >= MIN_LIFT * usual
    };
    row.conditions.values().chain([&row.executed]).any(is_more)
}

/// The instructions that any of these failing cases executes, the best first.
pub(super) fn ranked<'c>(table: &SpectrumTable<'c>, remaining: &[usize]) -> Vec<&'c str> {
    ranked_by(table, remaining, score)
}

/// The best instruction if steps say nothing: a state may have changed before in what no step shows.
pub(super) fn best_without_steps<'c>(table: &SpectrumTable<'c>) -> Option<&'c str> {
    ranked_by(table, &table.failing, score_without_steps).into_iter().next()
}

fn ranked_by<'c>(
    table: &SpectrumTable<'c>,
    remaining: &[usize],
    score: fn(&SpectrumTable<'_>, &str, &OpRow<'_>, &[usize]) -> f64,
) -> Vec<&'c str> {
    let mut scores: Vec<_> = table
        .suspicious()
        .filter(|(_, row)| stands_out(table, row, remaining))
        .map(|(op, row)| (score(table, op, row, remaining), op))
        .filter(|it| it.0 > 0.0)
        .collect();
    // Equal scores are in the order of names.
    scores.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal).then(a.1.cmp(b.1)));
    scores.into_iter().map(|(_, op)| op).collect()
}
