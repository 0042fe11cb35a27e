//! Access to the files that a vector names, as far as a format may read them.

/// Provides the files that vectors name. Implementations ensure that a vector reads nothing else.
pub trait Files {
    /// The contents of the file `name` in a folder, at most `limit` bytes. Fails if the file does not exist, or this
    /// vector may not read it.
    fn read(&self, folder: VectorFolder, name: &str, limit: u64) -> Result<Vec<u8>, Unreadable>;

    /// The names of the regular files in a folder itself, in order. Names that are not UTF-8 are omitted. Fails if
    /// this vector may not read the folder.
    fn list(&self, folder: VectorFolder) -> Result<Vec<String>, Unreadable>;
}

/// A folder, relative to a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VectorFolder {
    /// The folder that contains the vector's file, after symbolic links are resolved, and those below it.
    Own,
    /// The parent folder of [`VectorFolder::Own`] and those below it, if [`VectorFolder::Own`] is called `tests`.
    Above,
}

/// Why a file is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// No file has this name.
    #[error("there is no such file")]
    Missing,
    /// This vector may not read it, or it is invalid.
    #[error("{0}")]
    Refused(String),
}

/// No files: for a vector that was not read from a file.
pub struct NoFiles;

/// See [`NoFiles`].
pub(super) static NO_FILES: NoFiles = NoFiles;

impl Files for NoFiles {
    fn read(&self, _: VectorFolder, _: &str, _: u64) -> Result<Vec<u8>, Unreadable> {
        Err(Unreadable::Refused("a vector that is in no file can name none".to_owned()))
    }

    fn list(&self, _: VectorFolder) -> Result<Vec<String>, Unreadable> {
        Err(Unreadable::Refused("a vector that is in no file has no folder".to_owned()))
    }
}
