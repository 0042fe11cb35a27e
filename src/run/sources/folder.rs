//! The vector files of a folder.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::listing::{Kind, Listing};
use super::seen::Seen;
use crate::run::anchor::Anchor;
use crate::run::source::{Source, SourceOrigin};

/// If a folder has more files, they are searched again rather than kept: a file takes some 200 bytes.
const MOST_KEPT: usize = 4096;

/// A folder that is searched with its subfolders.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    path: PathBuf,
    /// The path with symbolic links resolved.
    real: PathBuf,
    anchor: Anchor,
    /// The files, after they were counted, if there are few.
    kept: Option<Arc<[Source]>>,
}

impl Folder {
    pub(super) fn new(path: PathBuf, anchor: &Anchor) -> Folder {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        Folder { path, real, anchor: anchor.clone(), kept: None }
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
    pub(super) fn files<'f>(
        &'f self,
        others: Option<&'f Seen>,
    ) -> Box<dyn Iterator<Item = Source> + Send + 'f> {
        if let Some(kept) = &self.kept {
            return Box::new(kept.iter().cloned());
        }
        let mut names = Names::default();
        Box::new(self.search(others).filter_map(move |(path, found)| self.source(path, found, &mut names)))
    }

    /// The number of [`Folder::files`], and why others are skipped.
    pub(super) fn count(&mut self, others: Option<&Seen>) -> (usize, Vec<String>) {
        let (mut count, mut skipped) = (0, Vec::new());
        let (mut kept, mut names) = (Vec::new(), Names::default());
        for (path, found) in self.search(others) {
            let mut skip = |why| skipped.push(format!("{}: {why}", self.name_of(&path)));
            match found {
                Ok(Kind::Link) => skip("a symbolic link, not followed"),
                Ok(Kind::Special) => skip("not a regular file"),
                Ok(Kind::Folder) => {}
                Ok(Kind::Vector) | Err(_) => {
                    count += 1;
                    if count <= MOST_KEPT {
                        kept.extend(self.source(path, found, &mut names));
                    }
                }
            }
        }
        self.kept = (count <= MOST_KEPT).then(|| kept.into());
        (count, skipped)
    }

    /// The entry as a source, if it is one.
    fn source(&self, path: PathBuf, found: io::Result<Kind>, names: &mut Names) -> Option<Source> {
        match found {
            Ok(Kind::Vector) => {
                let name = names.name_of(self, &path);
                Some(Source::new(path, name, SourceOrigin::Folder))
            }
            Ok(Kind::Folder | Kind::Link | Kind::Special) => None,
            Err(error) => Some(self.unreadable(path, &error)),
        }
    }

    fn search<'f>(&'f self, others: Option<&'f Seen>) -> Search<'f> {
        Search { folder: self, others, entered: Some(self.path.clone()), open: Vec::new() }
    }

    /// A folder that cannot be searched, as a source.
    fn unreadable(&self, path: PathBuf, error: &io::Error) -> Source {
        let unreadable = Some(format!("the folder cannot be searched: {error}").into());
        let name = self.name_of(&path);
        Source { unreadable, ..Source::new(path, name, SourceOrigin::Folder) }
    }

    /// The name of something in the folder. No link below the folder is followed, so its real path is known.
    fn name_of(&self, path: &Path) -> Arc<str> {
        match path.strip_prefix(&self.path) {
            Ok(below) if !below.as_os_str().is_empty() => self.anchor.name_of_real(&self.real.join(below)),
            _ => self.name(),
        }
    }
}

/// What is in a folder and its subfolders, sorted by name, each with its path; an error for a folder that cannot be
/// searched.
struct Search<'f> {
    folder: &'f Folder,
    others: Option<&'f Seen>,
    /// The folder to search next.
    entered: Option<PathBuf>,
    /// Its unfinished parent folders, the innermost last.
    open: Vec<(PathBuf, Listing)>,
}

impl Iterator for Search<'_> {
    type Item = (PathBuf, io::Result<Kind>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(folder) = self.entered.take() {
                match Listing::of(&folder) {
                    Ok(listing) => self.open.push((folder, listing)),
                    Err(error) => return Some((folder, Err(error))),
                }
            }
            let (folder, left) = self.open.last_mut()?;
            let Some((path, kind)) = left.next_in(folder) else {
                self.open.pop();
                continue;
            };
            if self.others.is_some_and(|others| others.has_whole(self.folder.name_of(&path))) {
                continue;
            }
            if kind == Kind::Folder {
                self.entered = Some(path);
            } else {
                return Some((path, Ok(kind)));
            }
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
