//! A number that a machine has wrong by the same amount in every case, such as a count that begins with 1, which no
//! instruction explains.

use std::collections::BTreeMap;

use super::case::NumberShift;
use super::cover::assigned;
use super::table::SpectrumTable;

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
    let most = assigned(table, suspects).iter().map(Vec::len).max()?;
    let are_nearly_all = 10 * count >= 9 * table.failing.len();
    (count >= MIN_CASES && are_nearly_all && 2 * most < count).then(|| shift.clone())
}
