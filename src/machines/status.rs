//! How a run ended, and why a program cannot be loaded.

use std::fmt;

use crate::model::path::Path;

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// The budget is used up; the machine can continue.
    Running,
    /// Nothing more will happen. How it ended is state.
    Ended,
    /// A limit of the runner was reached: nothing can be said about the case.
    Limit(LimitReached),
    /// The system refused memory although the limit was not reached: nothing can be said about the case.
    OutOfMemory,
    /// The run was interrupted: nothing can be said about the case.
    Interrupted,
    /// The machine cannot perform the requested action: the vector is wrong.
    Refused(LoadError),
}

/// Why a program cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct LoadError {
    /// The invalid datum of the program record, if it is a single one.
    pub at: Option<Path>,
    /// The column in the text of that datum, in characters from 1, if a part of it is invalid.
    pub column: Option<usize>,
    /// What is wrong.
    pub what: String,
}

impl LoadError {
    /// An error of the program as a whole.
    pub fn new(what: impl Into<String>) -> LoadError {
        LoadError { at: None, column: None, what: what.into() }
    }

    /// An error of one datum of the program.
    pub fn at(at: Path, what: impl Into<String>) -> LoadError {
        LoadError { at: Some(at), column: None, what: what.into() }
    }

    /// The error, of the part of the text of its datum that starts in this column.
    #[must_use]
    pub fn in_column(self, column: usize) -> LoadError {
        LoadError { column: Some(column), ..self }
    }
}

/// The limit of the runner that ended a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitReached {
    /// Its flag, a row of [`crate::model::limits`].
    pub flag: &'static str,
    /// Its value in this run.
    pub limit: u64,
}

impl fmt::Display for LimitReached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LimitReached { flag, limit } = self;
        write!(f, "limit of the runner reached: --{flag} {limit}")
    }
}
