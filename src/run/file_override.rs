//! Overrides of the options for some files.

use std::path::{Path, PathBuf};

use super::file_options::FileOptions;
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
    /// Whether the override is for a file, whose path has its symbolic links resolved.
    pub fn matches(&self, file: &Path) -> bool {
        file.strip_prefix(&self.folder).is_ok_and(|below| self.path.is_match(below))
    }
}
