//! The verdict of a case, as a run reports it.

use std::time::Duration;

use super::case::CaseId;
use super::name::Name;
use super::verdict::Verdict;

/// A case and its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseReport {
    /// Which case.
    pub id: CaseId,
    /// The format it is written in; `None` when it is not recognised.
    pub format: Option<Name>,
    /// The machine it is written for; `None` when it cannot be read.
    pub machine: Option<Name>,
    /// The line of its file where it begins, from 1; `None` for a file as a whole.
    pub line: Option<u32>,
    /// Its verdict.
    pub verdict: Verdict,
    /// Why an entry of a list of known failures that names the case does not apply, in one line.
    pub listed: Option<String>,
    /// Whether the verdict comes from an earlier run and the case did not run.
    pub cached: bool,
    /// How long the case took to read, run and compare; `None` if it did not run. Only this differs from run to
    /// run.
    pub time: Option<Duration>,
}
