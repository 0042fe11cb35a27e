//! `--quiet`, `--verbose` and `--slow`, for the commands that report a run.

use std::time::Duration;

use clap::{ArgAction, Args};
use vmconf::report::Verbosity;

use super::duration::duration;

/// How much is printed on standard output.
#[derive(Debug, Args)]
pub(super) struct VerbosityArgs {
    /// Print only the summary
    #[arg(short, long)]
    quiet: bool,

    /// Print a line for each case; -vv also prints each note with its case
    #[arg(short, long, action = ArgAction::Count, conflicts_with = "quiet")]
    verbose: u8,

    /// Name cases that take at least this long while they run, and list them at the end
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration)]
    pub(super) slow: Duration,
}

impl VerbosityArgs {
    pub(super) fn level(&self) -> Verbosity {
        match self {
            VerbosityArgs { quiet: true, .. } => Verbosity::Quiet,
            VerbosityArgs { verbose: 0, .. } => Verbosity::Normal,
            VerbosityArgs { verbose: 1, .. } => Verbosity::Cases,
            VerbosityArgs { verbose: 2.., .. } => Verbosity::Notes,
        }
    }
}
