//! How a run ended, and why a program cannot be loaded.

use std::fmt;

use crate::model::Path;

/// How a run of a machine ended. Unlike a [`Stopped`](crate::testees::Stopped), which ends a case early on any testee,
/// it is also the status of a machine that can continue or that ended as it should.
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
#[error("{}", self.in_a_line())]
pub struct LoadError {
    /// The invalid datum of the program record, if it is a single one.
    pub at: Option<Path>,
    /// The column in the text of that datum, in characters from 1, if a part of it is invalid.
    pub column: Option<usize>,
    /// What is wrong.
    pub what: String,
    /// What else is wrong with the program, in its order.
    pub further: Vec<LoadError>,
}

impl LoadError {
    /// The maximum number of errors of one program that are told apart.
    pub const MAX_COUNT: usize = 20;

    /// An error of the program as a whole.
    pub fn new(what: impl Into<String>) -> LoadError {
        LoadError { at: None, column: None, what: what.into(), further: Vec::new() }
    }

    /// An error of one datum of the program.
    pub fn at(at: Path, what: impl Into<String>) -> LoadError {
        LoadError { at: Some(at), ..LoadError::new(what) }
    }

    /// The error, of the part of the text of its datum that starts in this column.
    #[must_use]
    pub fn in_column(self, column: usize) -> LoadError {
        LoadError { column: Some(column), ..self }
    }

    /// All errors of a program as one; `None` if there are none. The last one of too many says how many it stands for.
    pub fn of_all(errors: impl IntoIterator<Item = LoadError>) -> Option<LoadError> {
        let mut errors = errors.into_iter();
        let mut kept: Vec<_> = errors.by_ref().take(LoadError::MAX_COUNT).collect();
        let more = errors.count();
        if more > 0 {
            kept.pop();
            kept.push(LoadError::new(format!("and {} more errors", more + 1)));
        }
        let mut kept = kept.into_iter();
        let first = kept.next()?;
        Some(LoadError { further: kept.collect(), ..first })
    }

    /// This error, then the further ones.
    pub fn each(&self) -> impl Iterator<Item = &LoadError> {
        std::iter::once(self).chain(&self.further)
    }

    fn in_a_line(&self) -> String {
        self.each().map(|error| &*error.what).collect::<Vec<_>>().join("; ")
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
