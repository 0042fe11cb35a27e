//! How a search for a smaller case ends, or why there is none.

/// How often the machine may take too long while a case is made small: each time takes as long as `--timeout` says.
pub const MAX_TIMEOUTS: usize = 20;

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchEnd {
    /// No single change makes the case smaller.
    Minimal,
    /// As many changes were tried as the options allow.
    Tries,
    /// The changed texts had as many bytes as the options allow.
    Bytes,
    /// The deadline of the options was reached.
    Deadline,
    /// The machine took too long [`MAX_TIMEOUTS`] times.
    Timeouts,
    /// The user interrupted it.
    Interrupt,
}

/// Why a case cannot be made small.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotMinimized {
    /// It does not fail.
    #[error("the case does not fail, so there is nothing to keep")]
    Passes,
    /// It is broken, or the machine does not support it.
    #[error("the case did not run to a verdict; vmconf run says why")]
    NotRun,
    /// The other cases of its file cannot be removed.
    #[error("the case cannot be separated from the other cases of its file")]
    NotSeparable,
    /// The embedded machine does not run it to its end, and why.
    #[error("the embedded machine does not say what to demand of the case: {0}")]
    NoReference(String),
    /// What the embedded machine does cannot be written into the file.
    #[error("the file cannot demand what the embedded machine does; vmconf bless says why")]
    NotWritten,
    /// With expectations of the embedded machine, it passes.
    #[error(
        "the case passes once it expects what the embedded machine does, so the vector is probably wrong"
    )]
    WrongVector,
    /// The machine does something else when it runs the case again.
    #[error("the case does not fail in the same way when it runs again")]
    NotRepeated,
}
