//! A number that a machine has wrong by the same amount in every case, such as a count that begins with 1, which no
//! instruction explains.

use std::collections::BTreeMap;

use super::case::NumberShift;
use super::cover::assigned;
use super::table::SpectrumTable;

/// The share of the cases with an instruction that fail if it separates them from those that pass.
const MIN_SEPARATING_RATE: f64 = 0.9;

/// The fewest cases that show that the amount is always the same.
const MIN_CASES: usize = 10;

/// The number in which nearly all failing cases alone differ, by the same amount, if none of the suspects explains half of
/// them: a faulty instruction is executed where others are not, and not equally often.
pub(super) fn everywhere(table: &SpectrumTable<'_>, suspects: &[&str]) -> Option<NumberShift> {
    let mut counts: BTreeMap<&NumberShift, usize> = BTreeMap::new();
    for shift in table.failing.iter().filter_map(|case| table.cases[*case].evidence.shift.as_ref()) {
        *counts.entry(shift).or_default() += 1;
    }
    let (shift, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let parts = assigned(table, suspects);
    let most = parts.iter().map(Vec::len).max()?;
    // Instructions without which the number is right may all have the same fault.
    let of_parts = suspects.iter().zip(&parts);
    let separated = of_parts.filter(|(op, _)| table.row(op).executed.failure_rate() >= MIN_SEPARATING_RATE);
    let separated: usize = separated.map(|(_, part)| part.len()).sum();
    let are_nearly_all = 10 * count >= 9 * table.failing.len();
    (count >= MIN_CASES && are_nearly_all && 2 * most < count && 2 * separated < count).then(|| shift.clone())
}
