//! What applies to one file: how it is read, its limits, its expected failures.

use std::sync::Arc;

use super::expected_failures::ExpectedFailures;
use crate::formats::{self, Format};
use crate::model::limits::Limits;

/// What applies to one file.
#[derive(Clone, Default)]
pub struct FileOptions {
    /// Its format; `None` to detect it.
    pub format: Option<&'static Format>,
    /// How its vectors are read.
    pub read: formats::Options,
    /// Limits on it, its cases and the machines that run them.
    pub limits: Limits,
    /// Which of its cases are expected to fail.
    pub expected_failures: Option<Arc<ExpectedFailures>>,
}
