//! What a run tells: the one stream that all reports are made from.

use crate::model::exit::Exit;
use std::sync::Arc;

use super::case::CaseId;
use super::diagnostic::Diagnostic;
use super::name::Name;
use super::verdict::Verdict;

/// The version of events as lines of JSON; counts up when a member changes its meaning.
pub const VERSION: u32 = 1;

/// Something that happened in a run. Events come in the order of the files and of the cases in
/// them, whatever the number of threads.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The run begins.
    Started {
        /// How many files there are to read.
        files: usize,
    },
    /// Something that was ignored and could matter.
    Note {
        /// In which file.
        file: Arc<str>,
        /// What, and where.
        diagnostic: Diagnostic,
    },
    /// A case is done.
    Finished(CaseReport),
    /// All cases of a file are done.
    FileDone,
    /// Why a case that did not pass did not, in full. Comes after all cases, and only where a report
    /// needs it: the runner itself never tells it.
    Explanation {
        /// Which case.
        id: CaseId,
        /// What `vmconf diff` prints, without colours.
        text: String,
    },
    /// The run is over.
    Ended(Summary),
}

/// A case and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseReport {
    /// Which case.
    pub id: CaseId,
    /// The format it is written in; `None` when that is not known.
    pub format: Option<Name>,
    /// The machine it is written for; `None` when that is not known.
    pub machine: Option<Name>,
    /// What came of it.
    pub verdict: Verdict,
    /// Whether that is known from an earlier run, and the case did not run.
    pub cached: bool,
}

/// The numbers of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Summary {
    /// Cases that passed.
    pub passed: u64,
    /// How many of those are known to pass from an earlier run, and did not run.
    pub cached: u64,
    /// Cases in which the machine differs.
    pub failed: u64,
    /// Cases in which the machine differs as a list says.
    pub known: u64,
    /// Cases that passed though a list says otherwise.
    pub fixed: u64,
    /// Cases and files that are broken.
    pub errors: u64,
    /// Cases that were not run.
    pub skipped: u64,
    /// How long it took.
    pub seconds: f64,
    /// Whether the user ended the run before all cases were done.
    pub interrupted: bool,
}

impl Summary {
    /// Counts one more case.
    pub fn count(&mut self, report: &CaseReport) {
        match &report.verdict {
            Verdict::Pass => {
                self.passed += 1;
                self.cached += u64::from(report.cached);
            }
            Verdict::Fail(_) => self.failed += 1,
            Verdict::ExpectedFail(..) => self.known += 1,
            Verdict::UnexpectedPass(_) => self.fixed += 1,
            Verdict::Error(_) => self.errors += 1,
            Verdict::Skip(_) => self.skipped += 1,
        }
    }

    /// How the process should exit; the largest applies: interrupted wins over broken, that over failed.
    pub fn exit(&self) -> Exit {
        match self {
            Summary { interrupted: true, .. } => Exit::Interrupted,
            Summary { errors: 1.., .. } => Exit::Broken,
            Summary { failed: 1.., .. } | Summary { fixed: 1.., .. } => Exit::Failed,
            Summary { passed: 0, known: 0, .. } => Exit::NothingRan,
            _ => Exit::Passed,
        }
    }
}
