//! Reads a case, and turns the verdict on it into a report.

use super::demanded_state::{fails_in_state, wrong_root};
use super::judged_case::JudgedCase;
use super::load::LoadedCase;
use crate::model::rule::LintRule;
use crate::model::{Case, CaseReport, Diagnostic, Origin, Severity, Verdict};
use crate::text::json::JsonNode;

pub(super) struct ReadCase<'c> {
    report: CaseReport,
    notes: Vec<Diagnostic>,
    pub(super) loaded: &'c LoadedCase<'c>,
    pub(super) case: Case,
}

/// A case that was read, or the judged case if that is not possible.
pub(super) type ReadOr<'c> = Result<ReadCase<'c>, Box<JudgedCase>>;

impl<'c> ReadCase<'c> {
    pub(super) fn new(loaded: &'c LoadedCase<'c>) -> ReadOr<'c> {
        let mut report = loaded.report();
        let reading = match loaded.read() {
            Ok(reading) => reading,
            Err(panicked) => {
                report.verdict = error(panicked);
                return Err(Box::new(JudgedCase::new(report)));
            }
        };
        if let Some(opened) = loaded.files.content() {
            report.content = report.content.map(|content| content.with(&opened));
        }
        let diagnostics = |severity| {
            let diagnostics = reading.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity);
            diagnostics.map(|diagnostic| loaded.document.locate(diagnostic.clone())).collect()
        };
        let mut notes: Vec<_> = diagnostics(Severity::Note);
        let Some(case) = reading.case else {
            let unsupported = reading.unsupported.map(Verdict::Unsupported);
            report.verdict = unsupported.unwrap_or_else(|| Verdict::Error(diagnostics(Severity::Error)));
            return Err(Box::new(JudgedCase { notes, ..JudgedCase::new(report) }));
        };
        report.machine = Some(case.machine.into());
        notes.extend(nothing_compared(loaded, &case, &reading.diagnostics));
        if let Some(fields) = loaded.options.ignored_of(case.machine).all_that_is_demanded(&case.steps) {
            let why = format!("everything that the case demands is ignored: {fields}");
            report.verdict = Verdict::Unsupported(why);
            return Err(Box::new(JudgedCase { notes, ..JudgedCase::new(report) }));
        }
        Ok(ReadCase { report, notes, loaded, case })
    }

    /// The case with its verdict, or with an error.
    pub(super) fn judged(self, verdict: Result<Verdict, String>) -> JudgedCase {
        let ReadCase { mut report, mut notes, loaded, case } = self;
        report.verdict = verdict.unwrap_or_else(error);
        if fails_in_state(&case, &report.verdict) {
            let wrong_root = wrong_root(&case).map(|it| it.severity(Severity::Note));
            notes.extend(wrong_root.map(|it| loaded.document.locate(it)));
        }
        let is_self_contained = !loaded.files.are_requested();
        let is_cacheable =
            loaded.key.is_some() && report.verdict == Verdict::Pass && notes.is_empty() && is_self_contained;
        JudgedCase { notes, case: Some(case), is_self_contained, is_cacheable, ..JudgedCase::new(report) }
    }
}

/// A note on a case that demands nothing, unless its format has one.
fn nothing_compared(
    loaded: &LoadedCase<'_>,
    case: &Case,
    found: &[Diagnostic<Origin>],
) -> Option<Diagnostic> {
    let is_noted = || found.iter().any(|it| it.rule == LintRule::NothingCompared);
    if case.demands().next().is_some() || is_noted() {
        return None;
    }
    let nothing = without_assertions(case, JsonNode::at_index(loaded.document, loaded.node))?;
    Some(loaded.document.locate(nothing.severity(Severity::Note)))
}

/// What is said of a case whose last step asserts nothing.
pub(crate) fn without_assertions(case: &Case, test: JsonNode<'_>) -> Option<Diagnostic<Origin>> {
    let what = match &case.steps[..] {
        // A format decides what that means.
        [] => return None,
        [.., last] if last.demands().next().is_some() => return None,
        _ if case.demands().next().is_none() => "nothing is compared",
        _ => "after the last step, nothing is compared",
    };
    Some(Diagnostic::at(test.at(), what).under(LintRule::NothingCompared))
}

/// Reads a case; its verdict is that of `run`, whose error is an error of the case.
pub(super) fn judged_by(
    loaded: &LoadedCase<'_>,
    run: impl FnOnce(&Case) -> Result<Verdict, String>,
) -> JudgedCase {
    match ReadCase::new(loaded) {
        Ok(read) => {
            let verdict = run(&read.case);
            read.judged(verdict)
        }
        Err(judged) => *judged,
    }
}

/// An error without a place.
pub(super) fn error(what: String) -> Verdict {
    Verdict::Error(vec![Diagnostic::new(what)])
}
