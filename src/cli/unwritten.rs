//! The error for output that cannot be written: every command then ends with [`Exit::Broken`].
//!
//! [`Exit::Broken`]: vmconf::model::exit_code::Exit::Broken

use std::io;
use std::path::Path;

/// What could not be written, and why.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {error}")]
pub(super) struct Unwritten {
    name: String,
    error: io::Error,
}

impl Unwritten {
    /// The error for a file or folder.
    pub(super) fn file(path: &Path, error: io::Error) -> Unwritten {
        Unwritten { name: path.display().to_string(), error }
    }

    /// The error for standard output, as an error of a writer. A closed pipe keeps its kind.
    pub(super) fn standard_output(error: io::Error) -> io::Error {
        io::Error::new(error.kind(), Unwritten { name: "standard output".to_owned(), error })
    }

    /// Why something could not be written, without its name.
    pub(super) fn reason(error: &io::Error) -> &io::Error {
        Unwritten::of_writer(error).map_or(error, |unwritten| &unwritten.error)
    }

    fn of_writer(error: &io::Error) -> Option<&Unwritten> {
        error.get_ref()?.downcast_ref()
    }

    /// Whether this is why a command ended.
    pub(super) fn is_cause(error: &anyhow::Error) -> bool {
        let of_writer = |error: &io::Error| Unwritten::of_writer(error).is_some();
        error
            .chain()
            .any(|error| error.is::<Unwritten>() || error.downcast_ref::<io::Error>().is_some_and(of_writer))
    }
}
