//! Numbers on the command line.

use std::num::{IntErrorKind, NonZeroU64, ParseIntError};
use std::str::FromStr;

/// Parses a whole number that fits the type. The error says what is wrong.
pub(super) fn number<T: FromStr<Err = ParseIntError>>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => "the number is too large",
        IntErrorKind::NegOverflow => "must not be negative",
        IntErrorKind::Zero => "must be at least 1",
        _ if text.starts_with('-') => "must not be negative",
        _ => "not a number",
    })
}

/// Parses a whole number of at most 64 bits that is at least 1. The error says what is wrong.
pub(super) fn positive_u64(text: &str) -> Result<u64, &'static str> {
    number(text).map(NonZeroU64::get)
}

/// Parses a whole number of at most 16 bits that is at least 1. The error says what is wrong.
pub(super) fn positive_u16(text: &str) -> Result<u16, &'static str> {
    number(text).and_then(|number| if number == 0 { Err("must be at least 1") } else { Ok(number) })
}

/// Parses a number of jobs: each may take a thread and a process. The error says what is wrong.
pub(super) fn jobs(text: &str) -> Result<u16, &'static str> {
    const MAX_JOBS: u16 = 1024;
    positive_u16(text).and_then(|jobs| if jobs > MAX_JOBS { Err("must be at most 1024") } else { Ok(jobs) })
}

/// Parses a share in percent, which may have a fraction. The error says what is wrong.
pub(super) fn percent(text: &str) -> Result<f64, &'static str> {
    let number: f64 = text.parse().map_err(|_| "not a number")?;
    if (0.0..=100.0).contains(&number) { Ok(number) } else { Err("must be between 0 and 100") }
}
