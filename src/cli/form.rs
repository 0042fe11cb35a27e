//! `--output` of the commands that print text or JSON.

use clap::ValueEnum;

/// An output form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum OutputForm {
    /// For people
    Text,
    /// For programs, one object a line
    Json,
}
