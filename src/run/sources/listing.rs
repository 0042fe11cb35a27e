//! What a folder contains, in little memory: a folder may have a million files.

use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

/// What is found in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    Vector,
    /// A symbolic link.
    Link,
    /// It is named like a vector and is no regular file.
    Special,
}

impl Kind {
    /// `None` for what is passed over without a word.
    fn of(name: &OsStr, file: FileType) -> Option<Kind> {
        match is_json(Path::new(name)) {
            _ if file.is_symlink() => Some(Kind::Link),
            _ if file.is_dir() => Some(Kind::Folder),
            true => Some(if file.is_file() { Kind::Vector } else { Kind::Special }),
            false => None,
        }
    }
}

/// Whether a file is named like a vector.
pub(super) fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

/// The entries of a folder that are left to look at.
#[derive(Default)]
pub(super) struct Listing {
    /// The names that are UTF-8, one after the other.
    text: String,
    /// The other ones.
    odd: Vec<OsString>,
    /// Sorted by name, the first one last.
    entries: Vec<Entry>,
}

struct Entry {
    name: Name,
    kind: Kind,
}

/// Where a name is kept.
#[derive(Clone, Copy)]
enum Name {
    /// At this byte of the text, of this length.
    Text(u32, u16),
    /// At this index of the odd names.
    Odd(u32),
}

// Each file of a folder takes one while the others are looked at.
const _: () = assert!(size_of::<Entry>() == 12);

impl Listing {
    /// Lists a folder.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or its names take 4 GiB.
    pub(super) fn of(folder: &Path) -> io::Result<Listing> {
        let mut listing = Listing::default();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            if let Some(kind) = Kind::of(&name, entry.file_type()?) {
                let name = listing.add(name).map_err(io::Error::other)?;
                listing.entries.push(Entry { name, kind });
            }
        }
        let mut entries = std::mem::take(&mut listing.entries);
        entries.sort_unstable_by(|a, b| listing.name(b.name).cmp(listing.name(a.name)));
        Ok(Listing { entries, ..listing })
    }

    fn add(&mut self, name: OsString) -> Result<Name, std::num::TryFromIntError> {
        Ok(match name.into_string() {
            Ok(name) => {
                let at = self.text.len().try_into()?;
                self.text += &name;
                Name::Text(at, name.len().try_into()?)
            }
            Err(odd) => {
                self.odd.push(odd);
                Name::Odd((self.odd.len() - 1).try_into()?)
            }
        })
    }

    fn name(&self, name: Name) -> &OsStr {
        match name {
            Name::Text(at, length) => OsStr::new(&self.text[at as usize..][..usize::from(length)]),
            Name::Odd(index) => &self.odd[index as usize],
        }
    }

    /// Takes the next entry; `folder` is the path that its path begins with.
    pub(super) fn next_in(&mut self, folder: &Path) -> Option<(PathBuf, Kind)> {
        let Entry { name, kind } = self.entries.pop()?;
        Some((folder.join(self.name(name)), kind))
    }
}
