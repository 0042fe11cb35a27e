//! Files that are read and run otherwise than the rest.

use std::path::PathBuf;

use globset::GlobMatcher;

use super::Options;
use super::sources::Source;

/// Some files, and how they are read and run.
#[derive(Clone)]
pub struct FileOverride {
    /// The folder from which their paths are matched, without links in it.
    pub folder: PathBuf,
    /// Which files.
    pub path: GlobMatcher,
    /// The format, the way to read and the limits for them; which cases are meant as for the rest.
    pub options: Options,
}

impl FileOverride {
    fn means(&self, source: &Source) -> bool {
        let path = source.path.canonicalize();
        path.is_ok_and(|path| path.strip_prefix(&self.folder).is_ok_and(|below| self.path.is_match(below)))
    }
}

impl Options {
    /// The options for a file: these, or those of the first exception that means it.
    pub fn of(&self, source: &Source) -> &Options {
        self.under(self.file_override(source))
    }

    /// The number of the first exception that means a file.
    pub(super) fn file_override(&self, source: &Source) -> Option<usize> {
        self.overrides.iter().position(|file_override| file_override.means(source))
    }

    /// The options under the exception of this number.
    pub(super) fn under(&self, file_override: Option<usize>) -> &Options {
        file_override.and_then(|number| self.overrides.get(number)).map_or(self, |it| &it.options)
    }
}
