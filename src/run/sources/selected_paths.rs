//! What paths of the command line have selected.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the paths before have selected, to find each file once.
#[derive(Debug, Clone, Default)]
pub(super) struct SelectedPaths {
    /// The names of files and folders, with the selected cases.
    pub(super) names: HashSet<(Arc<str>, Option<BTreeSet<String>>)>,
    /// The folders, with symbolic links resolved.
    pub(super) folders: HashSet<PathBuf>,
}

impl SelectedPaths {
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether all of a file or folder is selected by its name.
    pub(super) fn has_whole(&self, name: Arc<str>) -> bool {
        self.names.contains(&(name, None))
    }

    /// Whether one of the folders contains this path, whose symbolic links are resolved.
    pub(super) fn has_above(&self, real: &Path) -> bool {
        real.ancestors().any(|folder| self.folders.contains(folder))
    }
}
