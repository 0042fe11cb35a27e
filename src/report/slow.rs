//! The slow cases of a run, for the reports that list them.

use std::time::Duration;

use super::kind::ReportOptions;
use crate::model::{CaseReport, counted};

/// The maximum number of slow cases that a report names.
const NAMED: usize = 10;

pub(super) struct SlowCases {
    /// The time from which on a case is slow; `None` if no case is.
    threshold: Option<Duration>,
    count: usize,
    /// The slowest cases with their times, the slowest first.
    slowest: Vec<(Duration, String)>,
}

impl SlowCases {
    /// Creates an empty collection.
    pub(super) fn new(options: &ReportOptions) -> SlowCases {
        SlowCases { threshold: options.slow, count: 0, slowest: Vec::new() }
    }

    /// Adds a case if it is slow.
    pub(super) fn add(&mut self, report: &CaseReport) {
        let Some(time) = report.time.filter(|time| self.threshold.is_some_and(|least| *time >= least)) else {
            return;
        };
        self.count += 1;
        let at = self.slowest.partition_point(|(other, _)| *other >= time);
        if at < NAMED {
            self.slowest.insert(at, (time, report.id.to_string()));
            self.slowest.truncate(NAMED);
        }
    }

    /// The number of slow cases in words: `2 cases took at least 1 s`; `None` if there are none.
    pub(super) fn counted(&self) -> Option<String> {
        let threshold = self.threshold.filter(|_| self.count > 0)?;
        Some(format!("{} took at least {} s", counted(self.count, "case"), threshold.as_secs_f64()))
    }

    /// The slowest cases, each with its time, and how many more there are.
    pub(super) fn slowest(&self) -> (impl Iterator<Item = (String, &str)>, usize) {
        let rows = self.slowest.iter().map(|(time, id)| (seconds(*time), id.as_str()));
        (rows, self.count - self.slowest.len())
    }
}

/// A time for people: `1.25 s`.
pub(super) fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}
