//! The vectors of findings, and what machines did with them, in words.

use serde_json::Map;

use crate::model::{CaseDifference, Program, Verdict, brief};
use crate::run::LoadedFile;
use crate::run::sources::{SourceOrigin, VectorSource};
use crate::text::edit::apply;

/// How many differences are named in what a machine did.
const MAX_DIFFERENCES: usize = 3;

/// The maximum number of characters of a value in what a machine did.
const MAX_VALUE: usize = 80;

/// What a machine did with a vector, in one line.
pub(super) fn verdict_text(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Pass => "as the vector demands".to_owned(),
        Verdict::Fail(failure) => {
            let one = |difference: &CaseDifference| {
                let CaseDifference { at, expected, actual, .. } = difference;
                let actual =
                    actual.as_ref().map_or_else(|| "nothing".to_owned(), |value| brief(value, MAX_VALUE));
                format!("{}: {actual} instead of {}", brief(at, MAX_VALUE), brief(expected, MAX_VALUE))
            };
            let all = failure.differences.len();
            let shown: Vec<_> = failure.differences.iter().take(MAX_DIFFERENCES).map(one).collect();
            let more = (all > shown.len()).then(|| format!("; {} more", all - shown.len()));
            shown.join("; ") + &more.unwrap_or_default()
        }
        other => other.in_a_line(),
    }
}

/// The vector with what each machine did; `None` if its format has no place for that.
pub(super) fn with_machines(file: &LoadedFile<'_>, machines: &[(String, String)]) -> Option<String> {
    let case = file.case(0)?;
    let said: Map<_, _> = machines.iter().map(|(name, said)| (name.clone(), said.clone().into())).collect();
    let change = case.format.info_change(case.root(), "machines", said.into())?;
    Some(apply(case.document, &[change]))
}

/// The source that stands for a generated vector.
pub(super) fn source() -> VectorSource {
    VectorSource::new("program.json".into(), "program.json".into(), SourceOrigin::Stream)
}

/// The program of the only case of a file.
pub(super) fn program_of(file: &LoadedFile<'_>) -> Option<Program> {
    Some(file.case(0)?.read().ok()?.case?.program)
}
