//! The vector files of a folder.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use walkdir::{DirEntry, WalkDir};

use super::seen::Seen;
use crate::run::anchor::Anchor;
use crate::run::source::{Source, SourceOrigin};

/// A folder that is searched with its subfolders.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    path: PathBuf,
    /// The path with symbolic links resolved.
    real: PathBuf,
    anchor: Anchor,
}

impl Folder {
    pub(super) fn new(path: PathBuf, anchor: &Anchor) -> Folder {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        Folder { path, real, anchor: anchor.clone() }
    }

    /// The name of the folder: [`Anchor::name`].
    pub(super) fn name(&self) -> Arc<str> {
        self.anchor.name_of_real(&self.real)
    }

    /// The path of the folder with symbolic links resolved.
    pub(super) fn real(&self) -> &Path {
        &self.real
    }

    /// The files, sorted by name; without what other paths select.
    pub(super) fn files<'f>(&'f self, others: Option<&'f Seen>) -> impl Iterator<Item = Source> + Send + 'f {
        let mut names = Names::default();
        self.entries(others).filter_map(move |entry| match entry {
            Ok(entry) if kind(&entry) == Kind::Vector => {
                let name = names.name_of(self, entry.path());
                Some(Source::new(entry.into_path(), name, SourceOrigin::Folder))
            }
            Ok(_) => None,
            Err(error) => Some(self.unreadable(&error)),
        })
    }

    /// The number of [`Folder::files`], and why others are skipped.
    pub(super) fn count(&self, others: Option<&Seen>) -> (usize, Vec<String>) {
        let (mut count, mut skipped) = (0, Vec::new());
        for entry in self.entries(others) {
            match entry.as_ref().map_or(Kind::Vector, kind) {
                Kind::Vector => count += 1,
                Kind::Skipped(why) => {
                    skipped.extend(entry.map(|it| format!("{}: {why}", self.name_of(it.path()))));
                }
                Kind::Other => {}
            }
        }
        (count, skipped)
    }

    fn entries<'f>(
        &'f self,
        others: Option<&'f Seen>,
    ) -> impl Iterator<Item = walkdir::Result<DirEntry>> + Send + 'f {
        let is_left = move |entry: &DirEntry| {
            let is_selected = |others: &Seen| others.has_whole(self.name_of(entry.path()));
            entry.depth() == 0 || !others.is_some_and(is_selected)
        };
        let by_name = |a: &DirEntry, b: &DirEntry| a.path().as_os_str().cmp(b.path().as_os_str());
        WalkDir::new(&self.path).sort_by(by_name).into_iter().filter_entry(is_left)
    }

    /// A folder that cannot be searched, as a source.
    fn unreadable(&self, error: &walkdir::Error) -> Source {
        let path = error.path().unwrap_or(&self.path);
        let reason = error.io_error().map_or_else(|| error.to_string(), io::Error::to_string);
        let unreadable = Some(format!("the folder cannot be searched: {reason}").into());
        Source { unreadable, ..Source::new(path.to_owned(), self.name_of(path), SourceOrigin::Folder) }
    }

    /// The name of something in the folder. No link below the folder is followed, so its real path is known.
    fn name_of(&self, path: &Path) -> Arc<str> {
        match path.strip_prefix(&self.path) {
            Ok(below) if !below.as_os_str().is_empty() => self.anchor.name_of_real(&self.real.join(below)),
            _ => self.name(),
        }
    }
}

/// The names of files, mostly of one folder after the other: what they have in common is made once.
#[derive(Default)]
struct Names {
    folder: PathBuf,
    /// The name of the folder, if it is the start of the names of its files.
    start: Option<Arc<str>>,
}

impl Names {
    /// [`Folder::name_of`].
    fn name_of(&mut self, root: &Folder, path: &Path) -> Arc<str> {
        let (Some(folder), Some(file)) = (path.parent(), path.file_name()) else { return root.name_of(path) };
        // Bytes are compared faster than components.
        if self.folder.as_os_str() != folder.as_os_str() {
            folder.clone_into(&mut self.folder);
            let is_start = |name: &str| name != "." && !name.ends_with('/');
            let name = root.name_of(folder);
            self.start = Some(name).filter(|name| is_start(name) && name.split('/').all(is_plain));
        }
        match (&self.start, file.to_str()) {
            (Some(start), Some(file)) if is_plain(file) => format!("{start}/{file}").into(),
            _ => root.name_of(path),
        }
    }
}

/// Whether a file name needs no escape, wherever it stands.
fn is_plain(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
}

/// What is found in a folder.
#[derive(PartialEq)]
enum Kind {
    Vector,
    /// It is named like a vector or leads to one, and is skipped for this reason.
    Skipped(&'static str),
    Other,
}

fn kind(entry: &DirEntry) -> Kind {
    if entry.path_is_symlink() && entry.depth() > 0 {
        Kind::Skipped("a symbolic link, not followed")
    } else if is_json(entry.path()) && entry.file_type().is_file() {
        Kind::Vector
    } else if is_json(entry.path()) && !entry.file_type().is_dir() {
        Kind::Skipped("not a regular file")
    } else {
        Kind::Other
    }
}

/// Whether a file is named like a vector.
pub(super) fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}
