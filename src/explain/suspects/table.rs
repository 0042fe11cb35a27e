//! The spectrum by instructions and conditions.

use std::collections::{BTreeMap, BTreeSet};

use super::case::{CountedPasses, SpectrumCase, SpectrumOutcome, SpectrumPoints};
use super::ochiai::ochiai;
use crate::explain::circumstances::is_circumstance;
use crate::explain::observer::{ANY_OPERAND, EXECUTED};

/// How many passing cases are needed at least: fewer clear too few instructions.
const MIN_PASSING: u64 = 3;

/// How the points of instructions that fail begin.
const FAILS: &str = "fails: ";

/// For how many instructions a reason must hold in failing cases until it is a suspect beside them.
const MIN_FAILING_OPS: usize = 3;

/// The spectrum of the cases of a machine, by its instructions.
pub(super) struct SpectrumTable<'c> {
    /// The cases, those with the fewest instructions first.
    pub(super) cases: Vec<&'c SpectrumCase>,
    /// The failing cases that an instruction may explain, by their indices, in ascending order.
    pub(super) failing: Vec<usize>,
    /// The number of passing cases.
    pub(super) passing: u64,
    rows: BTreeMap<&'c str, OpRow<'c>>,
    /// How many instructions the cases execute.
    instructions: usize,
    /// How many instructions each case executes, each counted once.
    breadth: Vec<usize>,
}

/// The cases that execute an instruction.
#[derive(Default)]
pub(super) struct OpRow<'c> {
    pub(super) executed: CaseCounts,
    /// Those that do so under a condition.
    pub(super) conditions: BTreeMap<&'c str, CaseCounts>,
    /// The failing cases in which the machine first differs after it, by their indices, in ascending order.
    pub(super) diverging: Vec<usize>,
}

/// Some cases.
#[derive(Default)]
pub(super) struct CaseCounts {
    /// The failing ones, by their indices, in ascending order.
    pub(super) failing: Vec<usize>,
    /// The number of passing ones.
    pub(super) passing: u64,
}

impl CaseCounts {
    /// Whether this failing case is one of them.
    pub(super) fn has(&self, case: usize) -> bool {
        self.failing.binary_search(&case).is_ok()
    }

    /// The share of them that fail.
    pub(super) fn failure_rate(&self) -> f64 {
        let failing = self.failing.len() as f64;
        failing / (failing + self.passing as f64).max(1.0)
    }

    fn add(&mut self, index: usize, outcome: SpectrumOutcome) {
        match outcome {
            SpectrumOutcome::Passes => self.passing += 1,
            SpectrumOutcome::Fails | SpectrumOutcome::FailsOnlyElsewhere => self.failing.push(index),
            SpectrumOutcome::FailsEverywhere => {}
        }
    }
}

impl OpRow<'_> {
    /// The failing cases with one of the conditions under which most cases fail, or all if there is none.
    pub(super) fn separated(&self) -> Vec<usize> {
        let counts = self.conditions.values().chain([&self.executed]);
        let mut separated: Vec<usize> =
            counts.filter(|it| it.failure_rate() >= 0.5).flat_map(|it| it.failing.iter().copied()).collect();
        separated.sort_unstable();
        separated.dedup();
        if separated.is_empty() { self.executed.failing.clone() } else { separated }
    }

    /// The share of cases that fail like this one, under the condition that says most; more than 1 if the machine first
    /// differs after the instruction.
    pub(super) fn fit(&self, case: usize) -> f64 {
        if self.diverging.binary_search(&case).is_ok() {
            return 2.0;
        }
        let counts = self.conditions.values().chain([&self.executed]);
        counts.filter(|it| it.has(case)).map(CaseCounts::failure_rate).fold(0.0, f64::max)
    }

    /// The condition that separates this number of explained cases from the passing ones better than the instruction
    /// itself.
    pub(super) fn best_condition(&self, explained: usize) -> Option<(&str, &CaseCounts)> {
        let score = |it: &CaseCounts| ochiai(it.failing.len() as f64, it.passing, explained as f64);
        let mut best = None;
        let mut most = score(&self.executed);
        for (what, counts) in &self.conditions {
            if score(counts) > most && counts.failure_rate() >= 0.5 {
                most = score(counts);
                best = Some((*what, counts));
            }
        }
        best
    }
}

impl<'c> SpectrumTable<'c> {
    pub(super) fn new(
        points: &'c SpectrumPoints<'c>,
        cases: Vec<&'c SpectrumCase>,
        passes: &CountedPasses,
    ) -> SpectrumTable<'c> {
        let points: Vec<(&'c str, &'c str)> = points.iter().collect();
        let counted = passes.doing.iter().copied().chain(std::iter::repeat(0));
        let mut counts: Vec<CaseCounts> = points
            .iter()
            .zip(counted)
            .map(|(_, passing)| CaseCounts { passing, ..CaseCounts::default() })
            .collect();
        let mut breadth = vec![0; cases.len()];
        let (mut failing, mut passing) = (Vec::new(), passes.count);
        for (index, case) in cases.iter().enumerate() {
            match case.outcome {
                SpectrumOutcome::Passes => passing += 1,
                SpectrumOutcome::Fails | SpectrumOutcome::FailsOnlyElsewhere => failing.push(index),
                SpectrumOutcome::FailsEverywhere => continue,
            }
            for number in case.executes.iter() {
                counts[*number as usize].add(index, case.outcome);
            }
        }
        let reasons = reasons(&points, &cases);
        let mut rows: BTreeMap<&'c str, OpRow<'c>> = BTreeMap::new();
        for ((op, what), counts) in points.into_iter().zip(counts) {
            if counts.failing.is_empty() && counts.passing == 0 {
                continue;
            }
            if what == EXECUTED {
                let of_breadth = counts.failing.iter().filter(|_| !is_circumstance(op));
                of_breadth.for_each(|case| breadth[*case] += 1);
                rows.entry(op).or_default().executed = counts;
            } else if !counts.failing.is_empty() {
                rows.entry(op).or_default().conditions.insert(what, counts);
            }
        }
        let instructions = rows.keys().filter(|op| !is_circumstance(op)).count();
        for case in &failing {
            if let Some(row) = cases[*case].evidence.diverges_at.and_then(|op| rows.get_mut(op)) {
                row.diverging.push(*case);
            }
        }
        rows.extend(reasons);
        SpectrumTable { cases, failing, passing, rows, instructions, breadth }
    }

    /// The row of an instruction that a case executes.
    pub(super) fn row(&self, op: &str) -> &OpRow<'c> {
        &self.rows[op]
    }

    /// The instructions that failing cases execute, and the reasons for which instructions fail in them.
    pub(super) fn suspicious(&self) -> impl Iterator<Item = (&'c str, &OpRow<'c>)> {
        self.rows.iter().filter(|(_, row)| !row.executed.failing.is_empty()).map(|(op, row)| (*op, row))
    }

    /// The instructions that failing cases execute and no passing one does.
    pub(super) fn uncleared(&self) -> impl Iterator<Item = &'c str> {
        let instructions = self.suspicious().filter(|(op, _)| !is_reason(op) && !is_circumstance(op));
        instructions.filter(|(_, row)| row.executed.passing == 0).map(|(op, _)| op)
    }

    /// Whether enough cases pass to compare with: otherwise, the instructions that all cases execute are as suspicious
    /// as any.
    pub(super) fn is_comparable(&self) -> bool {
        let are_many = 2 * self.passing >= self.failing.len() as u64;
        let are_broad = 2 * self.uncleared().count() <= self.suspicious().count();
        self.passing >= MIN_PASSING && (are_many || are_broad)
    }

    /// Whether little speaks for an instruction that explains so many cases: most cases with it pass, and neither a
    /// condition nor a step separates them.
    pub(super) fn says_little_about(&self, op: &str, explained: usize) -> bool {
        let row = self.row(op);
        row.executed.failure_rate() < 0.5
            && row.best_condition(explained).is_none()
            && row.diverging.is_empty()
    }

    /// Whether little speaks for an instruction that explains so many cases, and others explain most of its failing
    /// ones.
    pub(super) fn is_weak(&self, op: &str, explained: usize) -> bool {
        self.says_little_about(op, explained) && 2 * explained < self.row(op).executed.failing.len()
    }

    /// The number of instructions that cases execute.
    pub(super) fn instructions(&self) -> usize {
        self.instructions
    }

    /// Whether the machine first differs after another instruction than this one in a failing case.
    pub(super) fn diverges_elsewhere(&self, op: &str, case: usize) -> bool {
        // A circumstance may show after any instruction.
        !is_circumstance(op) && self.cases[case].evidence.diverges_at.is_some_and(|other| other != op)
    }

    /// Whether other instructions than this one made the data that differ in a failing case.
    pub(super) fn is_made_by_others(&self, op: &str, case: usize) -> bool {
        self.cases[case].evidence.made_by.as_ref().is_some_and(|ops| !ops.contains(op))
    }

    /// How much a failing case says about each of its instructions: the fewer they are, the more.
    pub(super) fn weight(&self, case: usize) -> f64 {
        1.0 / self.breadth[case].max(1) as f64
    }

    /// The failing cases that execute none of these instructions.
    pub(super) fn failing_without(&self, ops: &[&str]) -> impl Iterator<Item = &'c SpectrumCase> {
        let executes = |case: usize| ops.iter().any(|op| self.rows[*op].executed.has(case));
        self.failing.iter().filter(move |case| !executes(**case)).map(|case| self.cases[*case])
    }

    /// The cases that fail on the embedded machine, too.
    pub(super) fn failing_everywhere(&self) -> Vec<&'c SpectrumCase> {
        let fails = |case: &&&SpectrumCase| case.outcome == SpectrumOutcome::FailsEverywhere;
        self.cases.iter().filter(fails).copied().collect()
    }
}

/// Whether several instructions may be wrong for the same reason: how they fail, or what is unusual about an operand.
fn is_reason(what: &str) -> bool {
    const UNUSUAL: [&str; 5] = ["2^", "-2^", "magnitude", "negative", "more than"];
    let unusual = |operand: &str| UNUSUAL.iter().any(|start| operand.starts_with(start));
    what.starts_with(FAILS) || what.strip_prefix(ANY_OPERAND).is_some_and(unusual)
}

/// The same for all reasons that are a large operand, and else what was given. On a machine without negative numbers, a
/// magnitude is a number, and large numbers are larger than less large ones.
pub(super) fn kind(op: &str) -> &str {
    let kinds = [("2^", "2^"), ("magnitude", "2^"), ("-2^", "-2^")];
    let operand = op.strip_prefix(ANY_OPERAND);
    let kind = operand.and_then(|operand| kinds.into_iter().find(|(start, _)| operand.starts_with(start)));
    kind.map_or(op, |(_, kind)| kind)
}

/// The reasons for which several instructions are wrong: a machine may check a limit, leave a stack or take operands in
/// the same wrong way in all of them.
fn reasons<'c>(points: &[(&'c str, &'c str)], cases: &[&SpectrumCase]) -> Vec<(&'c str, OpRow<'c>)> {
    let mut found: BTreeMap<&'c str, FailureReason<'c>> = BTreeMap::new();
    for (index, case) in cases.iter().enumerate() {
        for (op, what) in case.executes.iter().map(|number| points[*number as usize]) {
            if is_reason(what) {
                found.entry(what).or_default().add(index, case.outcome, op);
            }
        }
    }
    let shared = found.into_iter().filter(|(_, reason)| reason.ops.len() >= MIN_FAILING_OPS);
    shared.map(|(what, reason)| (what, OpRow { executed: reason.counts, ..OpRow::default() })).collect()
}

/// The cases in which an instruction fails for a reason.
#[derive(Default)]
struct FailureReason<'c> {
    counts: CaseCounts,
    /// The instructions that do so in failing cases.
    ops: BTreeSet<&'c str>,
    /// The last case, by its index: several of its instructions may fail for the reason.
    last: Option<usize>,
}

impl<'c> FailureReason<'c> {
    fn add(&mut self, index: usize, outcome: SpectrumOutcome, op: &'c str) {
        if self.last.replace(index) != Some(index) {
            self.counts.add(index, outcome);
        }
        if self.counts.has(index) {
            self.ops.insert(op);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where no number is negative, `2^15 or more` and its magnitude are one condition.
    #[test]
    fn sizes_of_an_operand_are_one_kind_of_reason() {
        let of = |what: &str| format!("{ANY_OPERAND}{what}");
        let large = of("2^7 or more");
        for what in ["2^15 or more", "magnitude 2^7 or more"] {
            assert_eq!(kind(&of(what)), kind(&large), "{what}");
        }
        let others = ["-2^15 or less", "negative", "more than 32 bytes"].map(of);
        for what in others.iter().map(String::as_str).chain(["SHL", "fails: out of gas"]) {
            assert_ne!(kind(what), kind(&large), "{what}");
        }
        assert_eq!(kind("SHL"), "SHL");
    }

    #[test]
    fn the_size_of_an_operand_is_a_reason_whatever_its_sign() {
        for what in ["2^15 or more", "-2^15 or less", "negative"] {
            assert!(is_reason(&format!("{ANY_OPERAND}{what}")), "{what}");
        }
        for what in ["0", "a number", "between 1 and (2^7 - 1)"] {
            assert!(!is_reason(&format!("{ANY_OPERAND}{what}")), "{what}");
        }
    }
}
