//! Why cases did not run, each reason once, for reports that do not list every case.

use std::cmp::Reverse;

use indexmap::IndexMap;

use crate::model::{CaseReport, Verdict, VerdictKind};

/// The maximum number of reasons that are kept.
const MAX_KEPT: usize = 1_000;

/// The maximum number of reasons that are shown.
const MAX_SHOWN: usize = 10;

/// The reasons of skipped and unsupported cases.
#[derive(Default)]
pub(super) struct NotRun {
    /// How many cases have each reason.
    reasons: IndexMap<(VerdictKind, String), u64>,
    /// How many cases have a reason that is not kept.
    others: u64,
}

impl NotRun {
    /// Adds a case if it was skipped or is not supported.
    pub(super) fn add(&mut self, report: &CaseReport) {
        let (Verdict::Skip(reason) | Verdict::Unsupported(reason)) = &report.verdict else { return };
        let key = (report.verdict.kind(), reason.clone());
        if self.reasons.len() < MAX_KEPT || self.reasons.contains_key(&key) {
            *self.reasons.entry(key).or_default() += 1;
        } else {
            self.others += 1;
        }
    }

    /// The most frequent reasons, each with its verdict and the number of cases; and the number of cases with other
    /// reasons.
    pub(super) fn reasons(&self) -> (Vec<(VerdictKind, &str, u64)>, u64) {
        let rows = self.reasons.iter().map(|((kind, reason), count)| (*kind, reason.as_str(), *count));
        let mut rows: Vec<_> = rows.collect();
        // A stable sort: reasons with equal numbers stay in the order of their first cases.
        rows.sort_by_key(|(.., count)| Reverse(*count));
        let further = rows.split_off(rows.len().min(MAX_SHOWN));
        (rows, self.others + further.iter().map(|(.., count)| count).sum::<u64>())
    }
}
