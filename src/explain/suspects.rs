//! Which few instructions explain all failures: spectrum-based fault localisation.
//!
//! The spectrum says what each case executes, whether it passes, and under which conditions it executes each
//! instruction: classes of operands and results, stack heights, jumps, failures.
//!
//! - An instruction is scored by the measure of Ochiai (A. Ochiai, Zoogeographical studies on the soleoid fishes
//!   found in Japan, 1957; R. Abreu, P. Zoeteweij, A. van Gemund, An evaluation of similarity coefficients for
//!   software fault localization, PRDC 2006): `ef / sqrt((ef + nf) (ef + ep))`, where `ef` failing and `ep` passing
//!   cases execute it and `nf` failing ones do not. DStar (W. E. Wong et al., The DStar method for effective software
//!   fault localization, IEEE Transactions on Reliability, 2014) ranks about as well: of 1364 planted faults, 1277
//!   first against 1275. Ochiai's values are from 0 to 1, so that those of instructions and conditions combine.
//! - The best condition of the instruction is scored in the same way, since many faults show only at a boundary.
//! - A reason for which several instructions fail is scored beside them: a machine may check a limit, or leave a
//!   stack, in the same wrong way in all of them.
//! - What nearly all cases execute is no suspect, unless cases with it fail clearly more often than others.
//! - Where a machine reports its steps, an instruction after which it first differs from the embedded one is preferred.
//! - Where a machine differs only in data, instructions that did not make these data are less likely.
//! - Several faults hide each other. The best suspect sets aside the failing cases that execute it, and the search goes
//!   on with the rest.
//! - If nearly all cases differ in one number only, by the same amount, and no instruction explains half of them, none
//!   is to blame.
//! - If a failing case does nothing that other cases do not do without failing, its vector is probably wrong.
//!
//! Nothing here executes anything: [`super::spectrum`] makes the spectrum.

#![expect(clippy::cast_precision_loss, reason = "numbers of cases are far below 2^53")]

mod case;
mod cover;
mod doubt;
mod ochiai;
mod score;
mod shifted;
mod table;

use std::cmp::Reverse;
use std::collections::BTreeSet;

pub use self::case::{
    CountedPasses, FailureEvidence, NumberShift, SpectrumCase, SpectrumOutcome, SpectrumPoints,
};
use self::cover::{Cover, OvershadowedSuspects, assigned, cover, thorough_cover};
use self::doubt::VectorDoubt;
pub(super) use self::ochiai::ochiai;
use self::table::{SpectrumTable, kind};
use crate::model::{DoubtfulCase, SeparatingCondition, Suspect, SuspectAnalysis, SuspectName};

/// Of how many failures one may be a stray, which no instruction explains; a single one may always be, beside others.
const MAX_STRAY_PART: u64 = 10;

/// How many other instructions are named after the suspects.
const MAX_OTHERS: usize = 5;

/// Explains the failures of the cases of a machine, which do these things, beside passing cases that are only counted.
/// The order of the cases changes nothing.
pub fn locate(
    machine: &str,
    points: &SpectrumPoints<'_>,
    cases: &[SpectrumCase],
    passes: &CountedPasses,
) -> SuspectAnalysis {
    // What no instruction explains is compared with nothing.
    let (mut set_aside, mut cases): (Vec<&SpectrumCase>, Vec<_>) =
        cases.iter().partition(|case| case.evidence.is_loaded_wrongly);
    cases.sort_by(|a, b| (a.length, &a.id).cmp(&(b.length, &b.id)));
    let mut table = SpectrumTable::new(points, cases.clone(), passes);
    let mut is_comparable = table.is_comparable();
    let mut covered = if is_comparable { cover(&table) } else { Cover::default() };
    if let Some(shift) = shifted::everywhere(&table, &covered.suspects) {
        let (shifted, others): (Vec<_>, Vec<_>) =
            cases.into_iter().partition(|case| case.evidence.shift.as_ref() == Some(&shift));
        set_aside.extend(shifted);
        table = SpectrumTable::new(points, others, passes);
        is_comparable = table.is_comparable();
        covered = if is_comparable { cover(&table) } else { Cover::default() };
    }
    let Cover { suspects: covering, rivals } = covered;
    let parts = assigned(&table, &covering);
    let doubt = VectorDoubt::new(&table);
    let name = |op: &str| SuspectName { machine: machine.to_owned(), op: op.to_owned() };
    let mut analysis = SuspectAnalysis {
        failures: (table.failing_everywhere().len() + table.failing.len() + set_aside.len()) as u64,
        passing: table.passing,
        uncleared: table.uncleared().map(name).collect(),
        is_comparable,
        ..SuspectAnalysis::default()
    };
    for case in table.failing_everywhere() {
        let why = "the embedded machine fails it, too".to_owned();
        analysis.doubtful.push(DoubtfulCase { id: case.id.clone(), why });
    }
    let mut suspects = Vec::new();
    for (op, part) in covering.iter().zip(&parts) {
        if part.is_empty() {
            continue;
        }
        let (doubtful, explained) = doubt.split(op, part);
        analysis.doubtful.extend(doubtful);
        if !explained.is_empty() {
            suspects.push((*op, explained));
        }
    }
    // A few cases that fail beside others may have any reason.
    let is_stray = |op: &str, explained: &[usize]| {
        table.says_little_about(op, explained.len()) && !doubt.is_significant(op)
    };
    let strays = suspects.iter().filter(|(op, explained)| is_stray(op, explained));
    let strays: usize = strays.map(|(_, explained)| explained.len()).sum();
    let are_few = 2 * strays < table.failing.len() + set_aside.len()
        && (strays == 1 || MAX_STRAY_PART * strays as u64 <= analysis.failures);
    let (weak, suspects): (Vec<_>, Vec<_>) = suspects.into_iter().partition(|(op, explained)| {
        table.is_weak(op, explained.len()) || are_few && is_stray(op, explained)
    });
    let unexplained = weak.iter().flat_map(|(_, explained)| explained);
    analysis.unexplained.extend(unexplained.map(|case| table.cases[*case].id.clone()));
    let ops: Vec<&str> = suspects.iter().map(|(op, _)| *op).collect();
    let suspects = suspects.iter().map(|(op, explained)| suspect(&table, name(op), explained, &ops));
    analysis.suspects = suspects.collect();
    let without = table.failing_without(&covering);
    analysis.unexplained.extend(without.chain(set_aside).map(|case| case.id.clone()));
    if !ops.is_empty() {
        let others = weak.iter().map(|(op, _)| *op).chain(others(&table, &covering, &rivals));
        let mut named: BTreeSet<&str> = ops.into_iter().map(kind).collect();
        analysis.others = others.filter(|op| named.insert(kind(op))).take(MAX_OTHERS).map(name).collect();
    }
    analysis.suspects.sort_by_key(|suspect| Reverse(suspect.cases.len()));
    analysis.doubtful.sort_by(|a, b| a.id.cmp(&b.id));
    analysis.unexplained.sort();
    analysis
}

/// The instructions beside the suspects, the most likely first.
fn others<'c>(
    table: &SpectrumTable<'c>,
    suspects: &[&'c str],
    rivals: &[&'c str],
) -> impl Iterator<Item = &'c str> + use<'c> {
    let OvershadowedSuspects { strong, weak } = OvershadowedSuspects::of(table, suspects);
    let thorough = thorough_cover(table);
    let rivals: Vec<_> = rivals.iter().copied().filter(|op| !thorough.contains(op)).collect();
    let (best, rest) = rivals.split_at(rivals.len().min(1));
    let without_steps: Vec<_> = score::best_without_steps(table).into_iter().collect();
    let ranked = score::ranked(table, &table.failing);
    let all = [&strong, best, &weak, &thorough, &without_steps, rest, &ranked].concat();
    all.into_iter()
}

/// Joins the analyses of several machines.
pub fn joined(analyses: impl IntoIterator<Item = SuspectAnalysis>) -> SuspectAnalysis {
    let mut all = SuspectAnalysis::default();
    for analysis in analyses {
        all.failures += analysis.failures;
        all.passing += analysis.passing;
        all.suspects.extend(analysis.suspects);
        all.others.extend(analysis.others);
        all.doubtful.extend(analysis.doubtful);
        all.unexplained.extend(analysis.unexplained);
        all.uncleared.extend(analysis.uncleared);
        all.is_comparable &= analysis.is_comparable;
    }
    all.suspects.sort_by_key(|suspect| Reverse(suspect.cases.len()));
    all
}

/// Describes an instruction that explains these failing cases, by their indices.
fn suspect(table: &SpectrumTable<'_>, name: SuspectName, explained: &[usize], suspects: &[&str]) -> Suspect {
    let row = table.row(&name.op);
    let executes_other = |case: &usize| {
        let is_other = |op: &&&str| **op != name.op && table.row(op).executed.has(*case);
        suspects.iter().any(|op| is_other(&op))
    };
    let alone: Vec<usize> = explained.iter().copied().filter(|case| !executes_other(case)).collect();
    let best = row.best_condition(explained.len());
    Suspect {
        score: ochiai(explained.len() as f64, row.executed.passing, explained.len() as f64),
        cases: explained.iter().map(|case| table.cases[*case].id.clone()).collect(),
        alone: alone.len() as u64,
        diverging: explained.iter().filter(|case| row.diverging.contains(case)).count() as u64,
        failing: row.executed.failing.len() as u64,
        passing: row.executed.passing,
        condition: best.map(|(what, condition)| SeparatingCondition {
            what: what.to_owned(),
            failing: condition.failing.len() as u64,
            passing: condition.passing,
        }),
        example: alone.first().map(|case| table.cases[*case].id.clone()),
        name,
    }
}

#[cfg(test)]
mod tests;
