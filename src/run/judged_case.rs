//! A case that was judged, on its way from the worker to the reports.

use std::num::NonZeroUsize;
use std::time::Instant;

use super::cache::CacheUpdate;
use crate::model::{Case, CaseReport, Diagnostic, FieldNotCompared, Verdict};

/// A case with its verdict, and what else it contributes to the run.
pub struct JudgedCase {
    /// Its verdict.
    pub report: CaseReport,
    /// Notes on what was ignored in it.
    pub notes: Vec<Diagnostic>,
    /// The case; `None` if it is malformed, did not run, or is about to be reported.
    pub case: Option<Case>,
    /// Whether the case reads no file but its own.
    pub is_self_contained: bool,
    /// Whether the case passes without notes, and its file and options alone determine that.
    pub(super) is_cacheable: bool,
    /// How it changes the cache.
    pub(super) cache_update: Option<CacheUpdate>,
    /// Assertions that were not compared.
    pub(super) not_compared: Vec<FieldNotCompared>,
}

impl JudgedCase {
    /// A case with only a report.
    pub(super) fn new(report: CaseReport) -> JudgedCase {
        JudgedCase {
            report,
            notes: Vec::new(),
            case: None,
            is_self_contained: true,
            is_cacheable: false,
            cache_update: None,
            not_compared: Vec::new(),
        }
    }

    /// Judges a case, and adds how long that took to its report, unless the testee measured the time itself.
    pub(super) fn timed(judge: impl FnOnce() -> JudgedCase) -> JudgedCase {
        let start = Instant::now();
        let mut judged = judge();
        judged.report.time.get_or_insert_with(|| start.elapsed());
        judged
    }

    /// This case with the verdict that it is skipped, since this number of earlier ones failed.
    pub(super) fn skip(self, failures: NonZeroUsize) -> JudgedCase {
        let verdict = Verdict::Skip(format!("--max-fail {failures} was reached"));
        JudgedCase::new(CaseReport { machine: None, verdict, cached: false, time: None, ..self.report })
    }
}
