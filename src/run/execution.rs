//! The result of executing a case, before caches and lists of expected failures apply to it.

use std::time::{Duration, Instant};

use crate::model::case::Case;
use crate::model::case_report::CaseReport;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::FieldNotCompared;

/// The result of executing a case.
pub(super) struct Execution {
    pub(super) report: CaseReport,
    pub(super) notes: Vec<Diagnostic>,
    /// The case; `None` if it is malformed.
    pub(super) case: Option<Case>,
    /// Whether the case passes without notes, and its file and options alone determine that.
    pub(super) is_cacheable: bool,
    /// Assertions that were not compared.
    pub(super) not_compared: Vec<FieldNotCompared>,
}

impl Execution {
    /// The execution of a case that was not read or is not supported.
    pub(super) fn without_case(report: CaseReport, notes: Vec<Diagnostic>) -> Execution {
        Execution { report, notes, case: None, is_cacheable: false, not_compared: Vec::new() }
    }
}

/// An execution and how long it took.
pub(super) struct TimedExecution {
    pub(super) execution: Execution,
    pub(super) time: Duration,
}

impl TimedExecution {
    /// Executes a case.
    pub(super) fn of(execute: impl FnOnce() -> Execution) -> TimedExecution {
        let start = Instant::now();
        let execution = execute();
        TimedExecution { execution, time: start.elapsed() }
    }
}
