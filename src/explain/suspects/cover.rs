//! A small set of instructions of which each failing case executes at least one.

use super::score::ranked;
use super::table::{OpRow, SpectrumTable};

/// The suspects, the best first: each explains all remaining cases that execute it.
pub(super) fn cover<'c>(table: &SpectrumTable<'c>) -> Vec<&'c str> {
    cover_by(table, |row| row.executed.failing.clone())
}

/// The suspects if each explains only the cases with a condition under which most fail: more than necessary.
pub(super) fn thorough_cover<'c>(table: &SpectrumTable<'c>) -> Vec<&'c str> {
    cover_by(table, separated)
}

fn separated(row: &OpRow<'_>) -> Vec<usize> {
    row.separated()
}

/// Takes the best suspect, sets aside what it `explains`, and goes on with the rest.
fn cover_by<'c>(table: &SpectrumTable<'c>, explains: impl Fn(&OpRow<'_>) -> Vec<usize>) -> Vec<&'c str> {
    let mut remaining = table.failing.clone();
    let mut found = Vec::new();
    while let Some(best) = ranked(table, &remaining).into_iter().find(|op| !found.contains(op)) {
        found.push(best);
        let explained = explains(table.row(best));
        remaining.retain(|case| explained.binary_search(case).is_err());
    }
    found
}

/// The failing cases that each of these suspects explains, by their indices. A case that executes several belongs to the
/// one that fits best, then to the better one.
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
