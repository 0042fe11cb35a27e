//! Judges a case on which the testee broke down, and which was answered when it was repeated alone.

use super::judged_case::JudgedCase;
use super::options::Flaky;
use crate::model::{Breakdown, Diagnostic, FirstTry, Verdict};

/// Judges a case by both tries, or by the second one if breakdowns that do not repeat are forgiven.
pub(super) fn judge_tries(judged: &mut JudgedCase, flaky: Flaky) {
    match flaky {
        Flaky::Pass => forgive(judged),
        Flaky::Report => blame_first(&mut judged.report.verdict),
    }
}

/// Judges by the second try, with a note on the first.
fn forgive(judged: &mut JudgedCase) {
    let case = judged.report.id.name.as_deref().map_or_else(String::new, |name| format!("{name}: "));
    let note = |breakdown: &Breakdown, then: &str| {
        let what = &breakdown.what;
        Diagnostic::new(format!("{case}{what} the first time, and {then} alone in a new process"))
    };
    match &mut judged.report.verdict {
        Verdict::Flaky(FirstTry { breakdown, .. }) => {
            judged.notes.push(note(breakdown, "passed"));
            judged.report.verdict = Verdict::Pass;
        }
        Verdict::Fail(failure) => {
            judged.notes.extend(failure.first.take().map(|first| note(&first.breakdown, "failed")));
        }
        _ => {}
    }
}

/// Turns a failure into a crash if the testee broke down before it. A failure must not hide a crash, and a known
/// failure least of all.
fn blame_first(verdict: &mut Verdict) {
    let Verdict::Fail(failure) = verdict else { return };
    let Some(first) = failure.first.take() else { return };
    let Breakdown { what, stderr } = first.breakdown;
    let at = failure.differences.first().map_or(String::new(), |first| format!(": {} differs", first.at));
    *verdict =
        Verdict::Crash(Breakdown { what: format!("{what}; alone in a new process, it failed{at}"), stderr });
}
