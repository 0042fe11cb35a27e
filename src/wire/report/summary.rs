//! The last line of a report, and times.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::event;
use crate::model::exit::Exit;

/// The last line of a report, or of a recorded run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Cases that passed.
    pub passed: u64,
    /// How many of them passed according to the cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cached: u64,
    /// Cases in which the machine differs from the vector.
    pub failed: u64,
    /// Cases that fail as expected.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub known: u64,
    /// Cases that pass though they are expected to fail.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub fixed: u64,
    /// Cases and files that are broken.
    pub errors: u64,
    /// Cases that did not run.
    pub skipped: u64,
    /// Cases that need something that the testee lacks.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unsupported: u64,
    /// Cases in which the testee ended or broke the protocol.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub crashed: u64,
    /// Cases in which the testee did not answer in time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub timed_out: u64,
    /// The exit code.
    pub exit: u8,
    /// The duration of the run, in seconds.
    pub seconds: f64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl From<&event::Summary> for Summary {
    fn from(summary: &event::Summary) -> Summary {
        let event::Summary { passed, cached, failed, known, fixed, errors, skipped, .. } = *summary;
        let event::Summary { unsupported, crashed, timed_out, seconds, interrupted: _, .. } = *summary;
        let exit = summary.exit() as u8;
        Summary {
            passed,
            cached,
            failed,
            known,
            fixed,
            errors,
            skipped,
            unsupported,
            crashed,
            timed_out,
            exit,
            seconds,
        }
    }
}

impl TryFrom<Summary> for event::Summary {
    type Error = String;

    fn try_from(summary: Summary) -> Result<event::Summary, String> {
        let Summary { passed, cached, failed, known, fixed, errors, skipped, .. } = summary;
        let Summary { unsupported, crashed, timed_out, exit, seconds, .. } = summary;
        duration(seconds)?;
        let interrupted = exit == Exit::Interrupted as u8;
        Ok(event::Summary {
            passed,
            cached,
            failed,
            known,
            fixed,
            errors,
            skipped,
            unsupported,
            crashed,
            timed_out,
            seconds,
            interrupted,
        })
    }
}

/// To the microsecond: more digits only make reports longer.
pub(super) fn rounded_seconds(time: Duration) -> f64 {
    Duration::from_micros(time.as_micros() as u64).as_secs_f64()
}

/// The duration of this number of seconds.
///
/// # Errors
///
/// When the number is not a valid duration, which no report could show.
pub(super) fn duration(seconds: f64) -> Result<Duration, String> {
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("{seconds} seconds is not a duration"))
}
