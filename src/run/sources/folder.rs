//! The vector files of a folder.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::listing::{FolderListing, ListingKind};
use super::selected_paths::SelectedPaths;
use crate::run::anchor::Anchor;
use crate::run::source::{SourceOrigin, VectorSource};

/// If a folder has more files, they are searched again rather than kept: a file takes some 200 bytes.
const MAX_KEPT: usize = 4096;

/// A folder that is searched with its subfolders.
#[derive(Debug, Clone)]
pub(super) struct ListedFolder {
    path: PathBuf,
    /// The path with symbolic links resolved.
    pub(super) real: PathBuf,
    anchor: Anchor,
    /// The files, after they were counted, if there are few.
    kept: Option<Arc<[VectorSource]>>,
}

impl ListedFolder {
    pub(super) fn new(path: PathBuf, anchor: &Anchor) -> ListedFolder {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        ListedFolder { path, real, anchor: anchor.clone(), kept: None }
    }

    /// The name of the folder: [`Anchor::name`].
    pub(super) fn name(&self) -> Arc<str> {
        self.anchor.name_of_real(&self.real)
    }

    /// The files, sorted by name; without what other paths select.
    pub(super) fn files<'f>(
        &'f self,
        others: Option<&'f SelectedPaths>,
    ) -> Box<dyn Iterator<Item = VectorSource> + Send + 'f> {
        if let Some(kept) = &self.kept {
            return Box::new(kept.iter().cloned());
        }
        let mut names = FolderNames::default();
        Box::new(self.search(others).filter_map(move |(path, found)| self.source(path, found, &mut names)))
    }

    /// The number of [`ListedFolder::files`], and why others are skipped.
    pub(super) fn count(&mut self, others: Option<&SelectedPaths>) -> (usize, Vec<String>) {
        let (mut count, mut skipped) = (0, Vec::new());
        let (mut kept, mut names) = (Vec::new(), FolderNames::default());
        for (path, found) in self.search(others) {
            let mut skip = |why| skipped.push(format!("{}: {why}", self.name_of(&path)));
            match found {
                Ok(ListingKind::Link) => skip("a symbolic link, not followed"),
                Ok(ListingKind::Special) => skip("not a regular file"),
                Ok(ListingKind::Folder) => {}
                Ok(ListingKind::Vector) | Err(_) => {
                    count += 1;
                    if count <= MAX_KEPT {
                        kept.extend(self.source(path, found, &mut names));
                    }
                }
            }
        }
        self.kept = (count <= MAX_KEPT).then(|| kept.into());
        (count, skipped)
    }

    /// Whether it has a file, or a folder that cannot be searched.
    pub(super) fn has_files(&self) -> bool {
        self.search(None).any(|(_, found)| matches!(found, Ok(ListingKind::Vector) | Err(_)))
    }

    /// The entry as a source, if it is one.
    fn source(
        &self,
        path: PathBuf,
        found: io::Result<ListingKind>,
        names: &mut FolderNames,
    ) -> Option<VectorSource> {
        match found {
            Ok(ListingKind::Vector) => {
                let name = names.name_of(self, &path);
                Some(VectorSource::new(path, name, SourceOrigin::Folder))
            }
            Ok(ListingKind::Folder | ListingKind::Link | ListingKind::Special) => None,
            Err(error) => Some(self.unreadable(path, &error)),
        }
    }

    fn search<'f>(&'f self, others: Option<&'f SelectedPaths>) -> FolderSearch<'f> {
        FolderSearch { folder: self, others, entered: Some(self.path.clone()), open: Vec::new() }
    }

    /// A folder that cannot be searched, as a source.
    fn unreadable(&self, path: PathBuf, error: &io::Error) -> VectorSource {
        let unreadable = Some(format!("the folder cannot be searched: {error}").into());
        let name = self.name_of(&path);
        VectorSource { unreadable, ..VectorSource::new(path, name, SourceOrigin::Folder) }
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
struct FolderSearch<'f> {
    folder: &'f ListedFolder,
    others: Option<&'f SelectedPaths>,
    /// The folder to search next.
    entered: Option<PathBuf>,
    /// Its unfinished parent folders, the innermost last.
    open: Vec<(PathBuf, FolderListing)>,
}

impl Iterator for FolderSearch<'_> {
    type Item = (PathBuf, io::Result<ListingKind>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(folder) = self.entered.take() {
                match FolderListing::of(&folder) {
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
            if kind == ListingKind::Folder {
                self.entered = Some(path);
            } else {
                return Some((path, Ok(kind)));
            }
        }
    }
}

/// The names of files, mostly of one folder after the other: what they have in common is made once.
#[derive(Default)]
struct FolderNames {
    folder: PathBuf,
    /// The name of the folder, if it is the start of the names of its files.
    start: Option<Arc<str>>,
}

impl FolderNames {
    fn name_of(&mut self, root: &ListedFolder, path: &Path) -> Arc<str> {
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
