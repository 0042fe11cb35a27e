//! Overrides of the options for some files.

use std::path::PathBuf;

use super::file_options::FileOptions;
use super::source::VectorSource;
use crate::text::file_pattern::FilePattern;

/// The options for some files.
#[derive(Clone)]
pub struct FileOverride {
    /// The folder to which the paths of files are relative, with symbolic links resolved.
    pub folder: PathBuf,
    /// The files, relative to the folder.
    pub path: FilePattern,
    /// The options for these files.
    pub options: FileOptions,
}

impl FileOverride {
    /// Whether the override applies to a file.
    pub fn applies_to(&self, source: &VectorSource) -> bool {
        let path = source.path.canonicalize();
        path.is_ok_and(|path| path.strip_prefix(&self.folder).is_ok_and(|below| self.path.is_match(below)))
    }
}
