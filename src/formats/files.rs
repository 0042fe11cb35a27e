//! The files that a vector names, as far as a format may read them.

/// Gives out the files that vectors name. Whoever implements it sees to it that a vector reads
/// nothing else.
pub trait Files {
    /// The bytes of the file `name` of a folder, at most `limit`.
    ///
    /// # Errors
    ///
    /// When it is not there, or is not for this vector to read.
    fn read(&self, folder: Folder, name: &str, limit: u64) -> Result<Vec<u8>, Unreadable>;

    /// The names of the regular files in a folder itself, in order. Names that are not UTF-8 are left out.
    ///
    /// # Errors
    ///
    /// When the folder is not for this vector to read.
    fn list(&self, folder: Folder) -> Result<Vec<String>, Unreadable>;
}

/// A folder, as seen from a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folder {
    /// The one that the vector's file is really in, and those below it.
    Own,
    /// The one that [`Folder::Own`] is in, and those below it, if the latter is called `tests`.
    Above,
}

/// Why a file is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// No file has this name.
    #[error("there is no such file")]
    Missing,
    /// It is not for this vector, or something is wrong with it.
    #[error("{0}")]
    Refused(String),
}

/// No files: for a vector that was not read from a file.
pub struct NoFiles;

/// See [`NoFiles`].
pub(super) static NO_FILES: NoFiles = NoFiles;

impl Files for NoFiles {
    fn read(&self, _: Folder, _: &str, _: u64) -> Result<Vec<u8>, Unreadable> {
        Err(Unreadable::Refused("a vector that is in no file can name none".to_owned()))
    }

    fn list(&self, _: Folder) -> Result<Vec<String>, Unreadable> {
        Err(Unreadable::Refused("a vector that is in no file has no folder".to_owned()))
    }
}
