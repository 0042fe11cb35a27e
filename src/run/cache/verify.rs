//! Reports on cases that pass according to the cache but do not pass without notes.

use crate::model::{CaseDifference, Diagnostic, Failure, FirstTry, Verdict, counted, vector_step};

/// The verdict on a case that the cache says passes, but that has this verdict or these notes, or opens other
/// files.
pub(crate) fn refuted(verdict: &Verdict, notes: &[Diagnostic]) -> Verdict {
    let wrong = Diagnostic::new("this case passes according to the cache, but does not");
    let now = match verdict {
        Verdict::Fail(failure) => failed(failure),
        Verdict::Error(diagnostics) => diagnostics.clone(),
        Verdict::Pass if notes.is_empty() => vec![Diagnostic::new("it passes, and opens other files")],
        Verdict::Unsupported(reason) => vec![Diagnostic::new(format!("it is not supported: {reason}"))],
        Verdict::Crash(breakdown)
        | Verdict::Timeout(breakdown)
        | Verdict::Flaky(FirstTry { breakdown, .. }) => {
            vec![Diagnostic::new(format!("the machine broke down: {}", breakdown.what))]
        }
        Verdict::Pass | Verdict::Known(..) | Verdict::Fixed(_) | Verdict::Skip(_) => notes.to_vec(),
    };
    Verdict::Error([vec![wrong], now].concat())
}

/// The first difference, and the number of the others.
fn failed(failure: &Failure) -> Vec<Diagnostic> {
    let first = failure.differences.first().map(|difference| {
        let CaseDifference { step, at, expected, actual, place, .. } = difference;
        let step = vector_step(*step);
        let actual = actual.as_ref().map_or("absent".to_owned(), ToString::to_string);
        Diagnostic::new(format!("it fails: {step}{at} is {actual}"))
            .expected(expected.to_string())
            .with_place(Some(place.clone()))
    });
    let more = failure.differences.len().saturating_sub(1);
    let more = (more > 0).then(|| Diagnostic::new(format!("and {}", counted(more, "more difference"))));
    first.into_iter().chain(more).collect()
}
