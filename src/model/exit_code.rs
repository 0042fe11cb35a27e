//! The exit codes of the command, and how a run ends.

use super::event::RunSummary;

/// An exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "MEANINGS documents them, for users as well")]
pub enum Exit {
    Passed = 0,
    Failed = 1,
    Usage = 2,
    Broken = 3,
    NothingRan = 4,
    Interrupted = 130,
}

/// The meaning of each exit code, for help texts and the manual.
pub const MEANINGS: &[(Exit, &str)] = &[
    (Exit::Passed, "every case that ran passed"),
    (Exit::Failed, "a case failed or got worse (compare), or two runs differ (bisect)"),
    (Exit::Usage, "the command line, vmconf.toml, a list of known failures, a family or a report is wrong"),
    (Exit::Broken, "a vector, another input file or a machine is broken, or a file cannot be written"),
    (Exit::NothingRan, "no case ran"),
    (Exit::Interrupted, "Ctrl-C or SIGTERM ended the run"),
];

impl RunSummary {
    /// How the process should exit: interrupted takes precedence over broken, broken over failed.
    pub fn exit(&self) -> Exit {
        match self {
            RunSummary { interrupted: true, .. } => Exit::Interrupted,
            RunSummary { errors: 1.., .. }
            | RunSummary { crashed: 1.., .. }
            | RunSummary { timed_out: 1.., .. }
            | RunSummary { flaky: 1.., .. } => Exit::Broken,
            RunSummary { failed: 1.., .. } | RunSummary { fixed: 1.., .. } => Exit::Failed,
            RunSummary { is_empty_part: true, .. } => Exit::Passed,
            RunSummary { passed: 0, known: 0, .. } => Exit::NothingRan,
            _ => Exit::Passed,
        }
    }
}
