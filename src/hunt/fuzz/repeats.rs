//! Whether a case fails again in the same way.

use crate::model::Verdict;

/// How often a case is run again before its difference is reported or its vector is written.
pub(super) const REPEATS: usize = 3;

/// How often a case is run again on which a machine did not answer in time.
const TIMEOUT_REPEATS: usize = 1;

/// Whether a case fails again as before. Breakdowns differ in what the machine wrote.
pub(super) fn is_alike(again: &Verdict, before: &Verdict) -> bool {
    match (again, before) {
        (Verdict::Fail(again), Verdict::Fail(before)) => again.differences == before.differences,
        _ => again.kind() == before.kind(),
    }
}

/// How often machines are asked again about a case that fails like this.
pub(super) fn repeats(verdict: &Verdict) -> usize {
    if matches!(verdict, Verdict::Timeout(_)) { TIMEOUT_REPEATS } else { REPEATS }
}
