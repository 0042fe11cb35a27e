//! Durations on the command line and in `vmconf.toml`.

use std::time::Duration;

/// A duration: a number of seconds, or a number with a unit: `10`, `0.5`, `10s`, `500ms`. The error says what was
/// expected.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds
        .or_else(|| humantime::parse_duration(text).ok())
        .ok_or_else(|| "expected a duration, such as 10s, 500ms or 0.5 for seconds".to_owned())
}

/// A [`duration`] that is not 0. The error says what was expected.
pub(super) fn time_limit(text: &str) -> Result<Duration, String> {
    let limit = duration(text)?;
    if limit.is_zero() { Err("expected a duration above 0".to_owned()) } else { Ok(limit) }
}
