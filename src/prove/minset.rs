//! A small subset of a suite with the same coverage.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::mutants::fault::PlantedFault;
use super::mutants::{MutantsOptions, judge};
use super::suite::{SuiteCase, VectorSuite};
use crate::model::split_id;
use crate::wire::minset::{FileShare, Minset};
use crate::wire::mutants::FaultOutcome;

/// Cases with the same instruction coverage as the suite, chosen greedily: each time the one that adds the
/// most; of several, the shortest. With `faults`, they also detect the same faults.
pub fn minset(mut suite: VectorSuite, faults: &[PlantedFault], how: &MutantsOptions) -> Minset {
    let chosen = greedy(&suite.cases);
    let mut kept: BTreeSet<String> = chosen.iter().map(|index| suite.cases[*index].id.clone()).collect();
    if !faults.is_empty() {
        // Kept cases run first, so a case is added only for a fault that no kept case detects.
        suite.cases.sort_by_key(|case| !kept.contains(&case.id));
        kept.extend(killers(&suite, faults, how));
    }
    let mut shares: BTreeMap<&str, FileShare> = BTreeMap::new();
    for id in suite.cases.iter().map(|case| &case.id) {
        let file = split_id(id).0;
        let share =
            shares.entry(file).or_insert_with(|| FileShare { file: file.to_owned(), cases: 0, kept: 0 });
        share.cases += 1;
        share.kept += u64::from(kept.contains(id));
    }
    Minset {
        cases: suite.cases.len() as u64,
        left_out: suite.left_out,
        files: shares.into_values().collect(),
        kept: kept.into_iter().collect(),
    }
}

/// The indices of the cases that the greedy choice keeps.
fn greedy(cases: &[SuiteCase]) -> Vec<usize> {
    let points = numbered_points(cases);
    let mut kept = Vec::new();
    let mut is_covered = vec![false; points.iter().flatten().max().map_or(0, |most| most + 1)];
    // What a case adds only shrinks, so the bounds of earlier rounds show which cases need not be counted.
    let mut bounds: Vec<(usize, usize)> = points.iter().map(Vec::len).zip(0..).collect();
    loop {
        bounds.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut best = (0, usize::MAX);
        for bound in &mut bounds {
            if bound.0 < best.0 || bound.0 == 0 {
                break;
            }
            bound.0 = points[bound.1].iter().filter(|point| !is_covered[**point]).count();
            if bound.0 > best.0 || bound.0 == best.0 && bound.1 < best.1 {
                best = *bound;
            }
        }
        if best.0 == 0 {
            return kept;
        }
        kept.push(best.1);
        points[best.1].iter().for_each(|point| is_covered[*point] = true);
    }
}

fn numbered_points(cases: &[SuiteCase]) -> Vec<Vec<usize>> {
    let mut numbers = HashMap::new();
    let mut of_case = |case: &SuiteCase| {
        let points = case.points.iter().map(|(op, what)| {
            let next = numbers.len();
            *numbers.entry((case.machine.name, *op, what.clone())).or_insert(next)
        });
        points.collect()
    };
    cases.iter().map(&mut of_case).collect()
}

/// The ids of the first cases that detect the faults.
fn killers(
    suite: &VectorSuite,
    faults: &[PlantedFault],
    how: &MutantsOptions,
) -> impl Iterator<Item = String> {
    let judged = judge(faults, suite, how).into_iter();
    judged.filter(|judged| judged.outcome == FaultOutcome::Killed).filter_map(|judged| judged.case)
}
