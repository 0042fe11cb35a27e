//! Names files relative to one folder, so that the id of a case does not depend on how its path was typed.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::text::file_name::{path_of, shown, typed};

/// The folder that the names of files are relative to: that of `vmconf.toml`, else the working folder.
///
/// A file outside of it is named with `..` if it shares a folder with the anchor, and else by its absolute
/// path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// With symbolic links resolved.
    folder: PathBuf,
}

impl Anchor {
    /// The anchor at this folder, which must exist.
    pub fn at(folder: &Path) -> io::Result<Anchor> {
        Ok(Anchor { folder: folder.canonicalize()? })
    }

    /// The folder, with symbolic links resolved.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The name of a file or folder, as [`shown`] writes it: the same for every path that leads to it.
    pub fn name(&self, path: &Path) -> Arc<str> {
        self.name_of_real(&real_path(path))
    }

    /// Like [`Anchor::name`], for a path whose symbolic links are resolved.
    pub(super) fn name_of_real(&self, real: &Path) -> Arc<str> {
        let relative = self.relative(real);
        if relative.as_os_str().is_empty() { ".".into() } else { shown(&relative).into() }
    }

    fn relative(&self, real: &Path) -> PathBuf {
        if let Ok(below) = real.strip_prefix(&self.folder) {
            return below.to_owned();
        }
        let shared: Vec<_> =
            self.folder.components().zip(real.components()).take_while(|(own, its)| own == its).collect();
        if !shared.iter().any(|(own, _)| matches!(own, Component::Normal(_))) {
            return real.to_owned();
        }
        let up = self.folder.components().skip(shared.len()).map(|_| Component::ParentDir);
        up.chain(real.components().skip(shared.len())).collect()
    }

    /// The absolute path of the file or folder with this name, without `.` and `..`.
    pub fn path(&self, name: &str) -> PathBuf {
        let mut path = PathBuf::new();
        for component in self.folder.join(path_of(name)).components() {
            match component {
                // The folder has no symbolic links, so `..` leads to its parent.
                Component::ParentDir => drop(path.pop()),
                Component::CurDir => {}
                other => path.push(other),
            }
        }
        path
    }

    /// The path that an argument refers to: from the working folder if it exists there, else from the anchor,
    /// so that a name that was printed can be typed in any folder; as it is typed, or as ids show it. `exists`
    /// says whether a path exists.
    pub fn resolve(&self, argument: &Path, exists: impl Fn(&Path) -> bool) -> PathBuf {
        let as_shown = path_of(&typed(argument.as_os_str()));
        let anchored = [self.folder.join(argument), self.folder.join(&as_shown)];
        let mut paths = [argument.to_owned(), as_shown].into_iter().chain(anchored);
        paths.find(|path| exists(path)).unwrap_or_else(|| argument.to_owned())
    }
}

/// The path without symbolic links. If there is no such file, that of its nearest existing folder, joined with
/// the rest.
pub fn real_path(path: &Path) -> PathBuf {
    match path.canonicalize() {
        Ok(real) => real,
        // A pipe that a shell made has a path and no real one.
        Err(_) if path.exists() => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
        Err(_) => {
            let existing = path.ancestors().skip(1).find_map(|above| {
                let folder = if above.as_os_str().is_empty() { Path::new(".") } else { above };
                Some((folder.canonicalize().ok()?, above))
            });
            let Some((real, above)) = existing else { return path.to_owned() };
            path.strip_prefix(above).map_or_else(|_| real.clone(), |rest| real.join(rest))
        }
    }
}
