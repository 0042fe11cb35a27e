//! The last line of a report, and times.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::Exit;
use crate::model::event;

/// The last line of a report, or of a recorded run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ReportedSummary {
    /// The counts; the fields below replace its other fields, which are not written.
    #[serde(flatten)]
    pub counts: event::RunSummary,
    /// The exit code.
    pub exit: u8,
    /// The duration of the run, in seconds.
    pub seconds: f64,
}

impl From<&event::RunSummary> for ReportedSummary {
    fn from(summary: &event::RunSummary) -> ReportedSummary {
        let counts = event::RunSummary { seconds: 0.0, interrupted: false, is_empty_part: false, ..*summary };
        ReportedSummary { counts, exit: summary.exit() as u8, seconds: summary.seconds }
    }
}

impl TryFrom<ReportedSummary> for event::RunSummary {
    type Error = String;

    fn try_from(
        ReportedSummary { counts, exit, seconds }: ReportedSummary,
    ) -> Result<event::RunSummary, String> {
        duration(seconds)?;
        let interrupted = exit == Exit::Interrupted as u8;
        let is_empty_part = exit == Exit::Passed as u8 && counts.passed + counts.known == 0;
        Ok(event::RunSummary { seconds, interrupted, is_empty_part, ..counts })
    }
}

/// To the microsecond: more digits only make reports longer.
pub(super) fn rounded_seconds(time: Duration) -> f64 {
    Duration::from_micros(time.as_micros() as u64).as_secs_f64()
}

/// The duration of this number of seconds. Fails if the number is not a valid duration.
pub(super) fn duration(seconds: f64) -> Result<Duration, String> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| format!("has {seconds:?} seconds where a number from 0 on is expected"))
}
