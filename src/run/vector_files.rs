//! Restricts the files that a vector can open.

use std::cell::RefCell;
use std::fs::DirEntry;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::open_file::open_below;
use crate::formats::{Files, Unreadable, VectorFolder};

/// The files that a vector may open: those in the folders that its format allows.
pub struct VectorFiles<'v> {
    vector: &'v Path,
    folders: &'static [VectorFolder],
    requested: RefCell<Vec<PathBuf>>,
    /// A hash of the names and contents of the files that were read.
    content: RefCell<blake3::Hasher>,
}

impl<'v> VectorFiles<'v> {
    /// The files for the vector file at this path.
    pub fn new(vector: &'v Path, folders: &'static [VectorFolder]) -> VectorFiles<'v> {
        VectorFiles { vector, folders, requested: RefCell::default(), content: RefCell::default() }
    }

    /// Whether any file was requested, existing or not: then the verdict does not depend on the vector alone.
    pub(super) fn are_requested(&self) -> bool {
        !self.requested.borrow().is_empty()
    }

    /// The files that were requested, existing or not; for a symbolic link also its target.
    pub(super) fn into_requested(self) -> Vec<PathBuf> {
        self.requested.into_inner()
    }

    /// A hash of the files that were read; `None` if none was requested.
    pub(super) fn content(&self) -> Option<blake3::Hash> {
        self.are_requested().then(|| self.content.borrow().finalize())
    }

    /// The canonical path of a folder.
    fn folder(&self, folder: VectorFolder) -> Result<PathBuf, Unreadable> {
        if !self.folders.contains(&folder) {
            return Err(refused("a vector of this format can name no file there"));
        }
        if !self.vector.metadata().is_ok_and(|vector| vector.is_file()) {
            return Err(refused("a vector that is in no regular file can name none"));
        }
        let vector = self.vector.canonicalize().map_err(|error| unreadable(&error))?;
        let own = vector.parent().ok_or(Unreadable::Missing)?;
        match folder {
            VectorFolder::Own => Ok(own.to_owned()),
            VectorFolder::Above if own.file_name().is_none_or(|name| name != "tests") => {
                Err(refused("the folder of the vector is not called tests"))
            }
            VectorFolder::Above => own.parent().map(Path::to_owned).ok_or(Unreadable::Missing),
        }
    }
}

impl Files for VectorFiles<'_> {
    fn read(&self, folder: VectorFolder, name: &str, limit: u64) -> Result<Vec<u8>, Unreadable> {
        let inside = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        // A backslash is a path separator only on some systems.
        if name.is_empty() || name.contains('\\') || !Path::new(name).components().all(inside) {
            return Err(refused("a file is named by its path below the folder, without .. and backslash"));
        }
        let folder = self.folder(folder)?;
        // Collecting the components removes `.` from the path.
        let path: PathBuf = folder.join(name).components().collect();
        self.requested.borrow_mut().push(path.clone());
        let path = path.canonicalize().map_err(|error| unreadable(&error))?;
        self.requested.borrow_mut().push(path.clone());
        let file = open_below(&folder, &path).map_err(|error| unreadable(&error))?;
        let bytes = file.read_at_most(limit).map_err(|error| unreadable(&error))?;
        let bytes = bytes.ok_or_else(|| refused(&format!("larger than {limit} bytes")))?;
        self.content.borrow_mut().update(format!("{name:?} {}\n", bytes.len()).as_bytes()).update(&bytes);
        Ok(bytes)
    }

    fn list(&self, folder: VectorFolder) -> Result<Vec<String>, Unreadable> {
        let entries = self.folder(folder)?.read_dir().map_err(|error| unreadable(&error))?;
        let is_file = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
        let files = entries.filter_map(Result::ok).filter(is_file);
        let mut names: Vec<_> = files.filter_map(|file| file.file_name().into_string().ok()).collect();
        names.sort_unstable();
        Ok(names)
    }
}

fn refused(why: &str) -> Unreadable {
    Unreadable::Refused(why.to_owned())
}

fn unreadable(error: &io::Error) -> Unreadable {
    match error.kind() {
        io::ErrorKind::NotFound => Unreadable::Missing,
        _ => Unreadable::Refused(error.to_string()),
    }
}
