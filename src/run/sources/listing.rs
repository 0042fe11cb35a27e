//! The contents of a folder, kept in little memory: a folder may have a million files.

use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

/// What an entry of a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListingKind {
    Folder,
    Vector,
    /// A symbolic link.
    Link,
    /// Named like a vector, but not a regular file.
    Special,
}

impl ListingKind {
    /// `None` if the entry is ignored.
    fn of(name: &OsStr, file: FileType) -> Option<ListingKind> {
        match is_json(Path::new(name)) {
            _ if file.is_symlink() => Some(ListingKind::Link),
            _ if file.is_dir() => Some(ListingKind::Folder),
            true => Some(if file.is_file() { ListingKind::Vector } else { ListingKind::Special }),
            false => None,
        }
    }
}

/// Whether a file is named like a vector, which may be compressed.
pub(super) fn is_json(path: &Path) -> bool {
    let has = |path: &Path, ending: &str| path.extension().is_some_and(|it| it.eq_ignore_ascii_case(ending));
    has(path, "json") || has(path, "gz") && path.file_stem().is_some_and(|stem| has(Path::new(stem), "json"))
}

/// The entries of a folder that were not visited yet.
#[derive(Default)]
pub(super) struct FolderListing {
    /// The names that are UTF-8, concatenated.
    text: String,
    /// All other names.
    not_utf8: Vec<OsString>,
    /// In descending order of their names, so that the next one is at the end.
    entries: Vec<ListingEntry>,
}

struct ListingEntry {
    name: ListedName,
    kind: ListingKind,
}

/// Where a name is kept.
#[derive(Clone, Copy)]
enum ListedName {
    /// Its offset in the text and its length, in bytes.
    Utf8(u32, u16),
    /// Its index in the other names.
    Other(u32),
}

// There is one for each file of a folder.
const _: () = assert!(size_of::<ListingEntry>() == 12);

impl FolderListing {
    /// Lists a folder. Fails if it cannot be read, or its names take 4 GiB or more.
    pub(super) fn of(folder: &Path) -> io::Result<FolderListing> {
        let mut listing = FolderListing::default();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if let Some(kind) = ListingKind::of(&name, entry.file_type()?) {
                let name = listing.add(name).map_err(io::Error::other)?;
                listing.entries.push(ListingEntry { name, kind });
            }
        }
        let mut entries = std::mem::take(&mut listing.entries);
        entries.sort_unstable_by(|a, b| listing.name(b.name).cmp(listing.name(a.name)));
        Ok(FolderListing { entries, ..listing })
    }

    fn add(&mut self, name: OsString) -> Result<ListedName, std::num::TryFromIntError> {
        Ok(match name.into_string() {
            Ok(name) => {
                let at = self.text.len().try_into()?;
                self.text += &name;
                ListedName::Utf8(at, name.len().try_into()?)
            }
            Err(name) => {
                self.not_utf8.push(name);
                ListedName::Other((self.not_utf8.len() - 1).try_into()?)
            }
        })
    }

    fn name(&self, name: ListedName) -> &OsStr {
        match name {
            ListedName::Utf8(at, length) => OsStr::new(&self.text[at as usize..][..usize::from(length)]),
            ListedName::Other(index) => &self.not_utf8[index as usize],
        }
    }

    /// Removes the next entry; returns its path below `folder`.
    pub(super) fn next_in(&mut self, folder: &Path) -> Option<(PathBuf, ListingKind)> {
        let ListingEntry { name, kind } = self.entries.pop()?;
        Some((folder.join(self.name(name)), kind))
    }
}
