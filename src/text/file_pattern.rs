//! Files that a setting is for.

use std::path::Path;

use globset::GlobSet;

use super::glob::{GlobError, Wildcards, glob};

/// A file, all files below a folder, or those whose paths match a glob.
#[derive(Debug, Clone)]
pub struct FilePattern {
    text: String,
    paths: GlobSet,
}

impl FilePattern {
    /// The files that a text names, which is a glob.
    pub fn new(text: &str) -> Result<FilePattern, GlobError> {
        let glob = |text: &str| glob(text, Wildcards::StopAtSlashes);
        let name = text.trim_end_matches('/');
        let mut paths = GlobSet::builder();
        paths.add(glob(name)?);
        if !name.contains(['*', '?', '[', '{', '\\']) {
            paths.add(glob(&format!("{name}/**"))?);
        }
        Ok(FilePattern { text: text.to_owned(), paths: paths.build()? })
    }

    /// The text that names them.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a file is one of them.
    pub fn is_match(&self, path: &Path) -> bool {
        self.paths.is_match(path)
    }
}
