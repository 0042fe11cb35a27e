//! The exit codes of the command.

/// The exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Every case that ran passed.
    Passed = 0,
    /// A case failed.
    Failed = 1,
    /// The command line is wrong.
    Usage = 2,
    /// A vector, a file or the testee is broken.
    Broken = 3,
    /// No case ran.
    NothingRan = 4,
    /// The user ended the run before all cases were done.
    Interrupted = 130,
}
