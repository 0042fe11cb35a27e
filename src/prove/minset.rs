//! The smallest set of cases that does what all of them do.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::mutants::fault::Fault;
use super::mutants::{How, judge};
use super::suite::{Suite, SuiteCase};
use crate::wire::minset::{FileShare, Minset};
use crate::wire::mutants::Outcome;

/// Cases that together do with the instructions what all cases do, chosen greedily: each time the one that adds most,
/// of several the shortest. With `faults`, they notice the same faults as well.
pub fn minset(suite: &Suite, faults: &[Fault], how: &How) -> Minset {
    let files = suite.cases.iter().map(|case| file_of(&case.id).to_owned()).collect::<Vec<_>>();
    let left_out = suite.left_out;
    let all = suite.cases.len() as u64;
    let mut kept: BTreeSet<usize> = greedy(&suite.cases).into_iter().collect();
    if !faults.is_empty() {
        add_killers(suite, faults, how, &mut kept);
    }
    let mut shares: BTreeMap<&str, FileShare> = BTreeMap::new();
    for (index, file) in files.iter().enumerate() {
        let share = shares.entry(file).or_insert_with(|| FileShare { file: file.clone(), cases: 0, kept: 0 });
        share.cases += 1;
        share.kept += u64::from(kept.contains(&index));
    }
    let mut ids: Vec<_> = kept.iter().map(|index| suite.cases[*index].id.clone()).collect();
    ids.sort();
    Minset { cases: all, left_out, kept: ids, files: shares.into_values().collect() }
}

fn file_of(id: &str) -> &str {
    id.split("::").next().unwrap_or(id)
}

/// The indices of the cases that greedy choice keeps.
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

/// The points of each case, as numbers.
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

/// Adds for each fault the first case that notices it, kept or not.
fn add_killers(suite: &Suite, faults: &[Fault], how: &How, kept: &mut BTreeSet<usize>) {
    let judged = judge(faults, suite, how);
    for judged in judged.iter().filter(|judged| judged.outcome == Outcome::Killed) {
        let killer = suite.cases.iter().position(|case| Some(&case.id) == judged.case.as_ref());
        // The first case that notices a fault is the shortest: many faults have the same one.
        kept.extend(killer);
    }
}
