//! The verdict of a case, as a run reports it.

use std::time::Duration;

use super::case::CaseId;
use super::content::ContentDigest;
use super::diagnostic::Diagnostic;
use super::name::Name;
use super::signature::{cause, signature};
use super::verdict::Verdict;

/// A case and its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseReport {
    /// Which case.
    pub id: CaseId,
    /// The format that it is written in; `None` if not recognised.
    pub format: Option<Name>,
    /// The machine that it is written for; `None` if the case cannot be read.
    pub machine: Option<Name>,
    /// The line of the file where it begins, from 1; `None` for a file as a whole.
    pub line: Option<u32>,
    /// Its verdict.
    pub verdict: Verdict,
    /// In one line, why an entry in a list of known failures names this case but does not apply.
    pub listed: Option<String>,
    /// Whether the verdict comes from an earlier run and the case did not run.
    pub cached: bool,
    /// The digest of its file and of the files that it opened. `None` if no report needs digests; in the events of a run
    /// also if the case before in the same file has the same digest.
    pub content: Option<ContentDigest>,
    /// How long the case took to read, run and compare; `None` if it did not run. The only field that differs
    /// from run to run.
    pub time: Option<Duration>,
}

impl CaseReport {
    /// A report with only an id and a verdict.
    pub fn new(id: CaseId, verdict: Verdict) -> CaseReport {
        CaseReport {
            id,
            format: None,
            machine: None,
            line: None,
            verdict,
            listed: None,
            cached: false,
            content: None,
            time: None,
        }
    }

    /// The report on a file, list or machine that is broken as a whole.
    pub fn broken(source: &CaseId, errors: &[Diagnostic]) -> CaseReport {
        CaseReport::new(source.clone(), Verdict::Error(errors.to_vec()))
    }

    /// The [`signature`](signature()) of the case.
    pub fn signature(&self) -> Option<String> {
        signature(self.machine.as_deref(), &self.verdict)
    }

    /// The [`cause`](cause()) of the case.
    pub fn cause(&self) -> Option<String> {
        cause(self.machine.as_deref(), &self.verdict)
    }

    /// As [`CaseReport::cause`], also of a failure that a list of known failures expects.
    pub fn unlisted_cause(&self) -> Option<String> {
        match &self.verdict {
            Verdict::Known(not_passed, _) => cause(self.machine.as_deref(), &not_passed.clone().into()),
            _ => self.cause(),
        }
    }

    /// What reports group the case by; `None` if it passed, failed as expected or did not run.
    pub fn group(&self) -> Option<String> {
        match &self.verdict {
            Verdict::Pass | Verdict::Known(..) | Verdict::Skip(_) | Verdict::Unsupported(_) => None,
            // Each entry is reported, since each has to be removed from the list or to name fewer cases.
            Verdict::Fixed(listing) => Some(format!("fixed: {}", listing.place)),
            _ => Some(self.cause().unwrap_or_default()),
        }
    }
}
