//! A small set of instructions of which each failing case executes at least one.

use std::cmp::Ordering;

use super::score::{ranked, rivalry};
use super::table::{OpRow, SpectrumTable};

/// How many instructions after a suspect may be as likely as it.
const MAX_RIVALS: usize = 7;

/// How well a rival must explain what its suspect does, from 0 to 1.
const MIN_RIVALRY: f64 = 0.85;

/// A condition explains the cases under it if at least this share of them fails.
const MIN_EXPLAINS: f64 = 0.9;

/// A condition explains none of the cases under it if less than this share of them fails.
const MAX_UNEXPLAINED: f64 = 0.5;

/// Suspects, the best first, and instructions that are nearly as likely as one of them, the most likely first: a
/// value that is stored and loaded again does not tell which of the two was wrong.
#[derive(Default)]
pub(super) struct Cover<'c> {
    pub(super) suspects: Vec<&'c str>,
    pub(super) rivals: Vec<&'c str>,
}

/// The suspects: each explains all remaining cases that execute it.
pub(super) fn cover<'c>(table: &SpectrumTable<'c>) -> Cover<'c> {
    cover_by(table, |row| row.executed.failing.clone())
}

/// The suspects if each explains only the cases with a condition under which most fail: more than necessary.
pub(super) fn thorough_cover<'c>(table: &SpectrumTable<'c>) -> Vec<&'c str> {
    cover_by(table, separated).suspects
}

fn separated(row: &OpRow<'_>) -> Vec<usize> {
    row.separated()
}

/// Takes the best suspect, sets aside what it `explains`, and goes on with the rest.
fn cover_by<'c>(table: &SpectrumTable<'c>, explains: impl Fn(&OpRow<'_>) -> Vec<usize>) -> Cover<'c> {
    let mut remaining = table.failing.clone();
    let (mut suspects, mut rivals) = (Vec::new(), Vec::new());
    loop {
        let mut likely = ranked(table, &remaining).into_iter().filter(|op| !suspects.contains(op));
        let Some(best) = likely.next() else { break };
        let rated = likely.take(MAX_RIVALS).map(|op| (rivalry(table, best, op, &remaining), op));
        rivals.extend(rated.filter(|(rivalry, _)| *rivalry >= MIN_RIVALRY));
        suspects.push(best);
        let explained = explains(table.row(best));
        // What another instruction does wrong first is left to that one.
        let is_left =
            |case: usize| explained.binary_search(&case).is_err() || table.diverges_elsewhere(best, case);
        remaining.retain(|case| is_left(*case));
    }
    // A stable sort: of equal ones, that of the better suspect and the more likely one comes first.
    rivals.sort_by(|one, other| other.0.partial_cmp(&one.0).unwrap_or(Ordering::Equal));
    let rivals = rivals.into_iter().map(|(_, op)| op).filter(|op| !suspects.contains(op)).collect();
    Cover { suspects, rivals }
}

/// Instructions that explain cases which execute a suspect as most passing cases with it do: a fault of an instruction
/// that is executed only after another faulty one. Those with most cases come first.
#[derive(Default)]
pub(super) struct OvershadowedSuspects<'c> {
    /// Those that explain several such cases.
    pub(super) strong: Vec<&'c str>,
    /// Those that explain one: many things happen in only one case.
    pub(super) weak: Vec<&'c str>,
}

impl<'c> OvershadowedSuspects<'c> {
    pub(super) fn of(table: &SpectrumTable<'c>, suspects: &[&'c str]) -> OvershadowedSuspects<'c> {
        let is_left = |case: &usize| suspects.iter().all(|op| table.row(op).fit(*case) < MAX_UNEXPLAINED);
        let mut left: Vec<usize> = table.failing.iter().copied().filter(is_left).collect();
        let mut found = OvershadowedSuspects::default();
        loop {
            let explained =
                |op: &str| left.iter().filter(|case| table.row(op).fit(**case) >= MIN_EXPLAINS).count();
            // Of those that explain equally many cases, the last one is taken: the best.
            let likely = ranked(table, &left).into_iter().filter(|op| !suspects.contains(op)).rev();
            match likely.map(|op| (explained(op), op)).max_by_key(|(count, _)| *count) {
                None | Some((0, _)) => return found,
                Some((1, op)) => found.weak.push(op),
                Some((_, op)) => found.strong.push(op),
            }
            let newest = found.weak.last().or(found.strong.last()).copied();
            left.retain(|case| newest.is_none_or(|op| table.row(op).fit(*case) < MAX_UNEXPLAINED));
        }
    }
}

/// The failing cases that each of these suspects explains, by their indices. A case that executes several belongs to
/// the one that fits best, then to the better one.
pub(super) fn assigned(table: &SpectrumTable<'_>, suspects: &[&str]) -> Vec<Vec<usize>> {
    let mut parts = vec![Vec::new(); suspects.len()];
    for case in &table.failing {
        let mut best: Option<(f64, usize)> = None;
        for (number, op) in suspects.iter().enumerate() {
            let fit = table.row(op).fit(*case);
            if fit > best.map_or(0.0, |(most, _)| most) {
                best = Some((fit, number));
            }
        }
        if let Some((_, number)) = best {
            parts[number].push(*case);
        }
    }
    parts
}
