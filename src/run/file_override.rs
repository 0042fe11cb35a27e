//! Files with options of their own.

use std::path::PathBuf;

use globset::GlobMatcher;

use super::file_options::FileOptions;
use super::sources::Source;

/// Options for some of the files.
#[derive(Clone)]
pub struct FileOverride {
    /// The folder to which their paths are relative, without links in it.
    pub folder: PathBuf,
    /// Which files.
    pub path: GlobMatcher,
    /// Their options.
    pub options: FileOptions,
}

impl FileOverride {
    /// Whether a file has these options.
    pub fn applies_to(&self, source: &Source) -> bool {
        let path = source.path.canonicalize();
        path.is_ok_and(|path| path.strip_prefix(&self.folder).is_ok_and(|below| self.path.is_match(below)))
    }
}
