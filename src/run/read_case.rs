//! Reads a case, and turns the verdict on it into a report.

use super::demanded_state::{fails_in_state, wrong_root};
use super::judged_case::JudgedCase;
use super::load::LoadedCase;
use crate::model::{Case, CaseReport, Diagnostic, Severity, Verdict};

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
        let notes: Vec<_> = diagnostics(Severity::Note);
        let Some(case) = reading.case else {
            let unsupported = reading.unsupported.map(Verdict::Unsupported);
            report.verdict = unsupported.unwrap_or_else(|| Verdict::Error(diagnostics(Severity::Error)));
            return Err(Box::new(JudgedCase { notes, ..JudgedCase::new(report) }));
        };
        report.machine = Some(case.machine.into());
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

/// Reads a case, and runs it with `run`, whose error is an error of the case.
pub(super) fn execute(
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
