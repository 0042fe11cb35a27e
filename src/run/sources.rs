//! Finds the files to read, in a fixed order, from the paths of a command line.

use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use walkdir::{DirEntry, WalkDir};

use super::anchor::Anchor;
use super::open_file::{Links, open_regular, read_at_most};
use crate::model::case::CaseId;
use crate::model::escape::escaped;
use crate::text::file_name::{path_of, typed};

/// A file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The path to open.
    pub path: PathBuf,
    /// The name of the file in ids and messages: [`Anchor::name`].
    pub shown: Arc<str>,
    /// Why it is read.
    pub origin: SourceOrigin,
    /// The selected cases, by the part of the id after the file; `None` for all.
    pub only: Option<BTreeSet<String>>,
    /// Why it cannot be read, if it is a folder that could not be searched; `None` for a file.
    pub unreadable: Option<Arc<str>>,
}

/// Why a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceOrigin {
    /// The user named the file, or a case in it: it must be a vector file.
    Named,
    /// The user named something else, such as a pipe or a device: its content, which is waited for, must be
    /// that of a vector file.
    Stream,
    /// It was found in a folder: it may be another JSON file.
    Folder,
}

/// A path of the command line that does not exist.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct NotFound {
    /// The path.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// The result of [`find`].
#[derive(Debug, Default)]
pub struct Found {
    /// The files: in the order of the paths, those of a folder sorted by name, without duplicates.
    pub sources: Vec<Source>,
    /// Files and folders that were skipped, and why, one line each.
    pub passed_over: Vec<String>,
}

/// The files that `paths` name: a path is a file, a folder for all `.json` files in it and its subfolders, or
/// a case id for the file of the case; from the working folder, else from the anchor. A path that does not exist
/// as it is typed is read as ids show it. Symbolic links inside a folder are skipped, so that nothing outside it
/// is read. A folder that cannot be searched becomes a source that cannot be read.
///
/// # Errors
///
/// The first path that does not exist.
pub fn find(paths: &[PathBuf], anchor: &Anchor) -> Result<Found, NotFound> {
    let mut found = Found::default();
    let mut seen = HashSet::new();
    for path in paths {
        let first = found.sources.len();
        find_one(path, anchor, &mut found)?;
        let new = found.sources.split_off(first);
        let once = new.into_iter().filter(|source| seen.insert((source.shown.clone(), source.only.clone())));
        found.sources.extend(once);
    }
    Ok(found)
}

fn find_one(argument: &Path, anchor: &Anchor, found: &mut Found) -> Result<(), NotFound> {
    let path = anchor.resolve(argument, Path::exists);
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => walk(&path, anchor, found),
        Ok(metadata) => {
            let origin = if metadata.is_file() { SourceOrigin::Named } else { SourceOrigin::Stream };
            found.sources.push(Source::new(path.clone(), anchor.name(&path), origin));
        }
        Err(error) => {
            let text = typed(argument.as_os_str());
            let source = case_in_file(&text, anchor);
            found.sources.push(source.ok_or(NotFound { path: text, reason: error.to_string() })?);
        }
    }
    Ok(())
}

/// The file of a case id, if it exists.
fn case_in_file(id: &str, anchor: &Anchor) -> Option<Source> {
    let (file, case) = split_id(id, anchor)?;
    let name = anchor.name(&file);
    let only = Some(BTreeSet::from([case.to_owned()]));
    Some(Source { only, ..Source::new(file, name, SourceOrigin::Named) })
}

/// The existing file of a case id, and the part of the id after it.
fn split_id<'i>(id: &'i str, anchor: &Anchor) -> Option<(PathBuf, &'i str)> {
    id.match_indices("::").find_map(|(at, _)| {
        let (file, case) = (&id[..at], &id[at + 2..]);
        let paths = [path_of(file), file.into()].map(|path| anchor.resolve(&path, Path::is_file));
        Some((paths.into_iter().find(|path| path.is_file())?, case))
    })
}

/// The name of what an argument selects: a file, a folder, or a case id with the name of its file.
pub fn name_of(argument: &Path, anchor: &Anchor) -> String {
    let path = anchor.resolve(argument, Path::exists);
    let text = typed(argument.as_os_str());
    match split_id(&text, anchor).filter(|_| !path.exists()) {
        Some((file, case)) => format!("{}::{case}", anchor.name(&file)),
        None => anchor.name(&path).to_string(),
    }
}

/// The part of a case id after the file; `None` if the id is that of the file as a whole.
pub fn case_in<'i>(id: &'i str, file: &str) -> Option<&'i str> {
    id.strip_prefix(&*escaped(file))?.strip_prefix("::")
}

fn walk(folder: &Path, anchor: &Anchor, found: &mut Found) {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    // No link below the folder is followed.
    let name = |path: &Path| match path.strip_prefix(folder) {
        Ok(below) if !below.as_os_str().is_empty() => anchor.name_of_real(&real.join(below)),
        _ => anchor.name_of_real(&real),
    };
    for entry in WalkDir::new(folder).sort_by_file_name() {
        match entry {
            Ok(entry) => found.entry(&entry, name(entry.path())),
            Err(error) => {
                let path = error.path().unwrap_or(folder);
                found.sources.push(unreadable(path, name(path), &error));
            }
        }
    }
}

impl Found {
    /// Adds a file of a folder, or says why it is skipped.
    fn entry(&mut self, entry: &DirEntry, name: Arc<str>) {
        let path = entry.path();
        let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        if entry.path_is_symlink() && entry.depth() > 0 {
            self.passed_over.push(format!("{name}: a symbolic link, not followed"));
        } else if is_json && entry.file_type().is_file() {
            self.sources.push(Source::new(path.to_owned(), name, SourceOrigin::Folder));
        } else if is_json && !entry.file_type().is_dir() {
            self.passed_over.push(format!("{name}: not a regular file"));
        }
    }
}

/// A folder that cannot be searched, as a source.
fn unreadable(folder: &Path, name: Arc<str>, error: &walkdir::Error) -> Source {
    let reason = error.io_error().map_or_else(|| error.to_string(), io::Error::to_string);
    let unreadable = Some(format!("the folder cannot be searched: {reason}").into());
    Source { unreadable, ..Source::new(folder.to_owned(), name, SourceOrigin::Folder) }
}

impl Source {
    /// All cases of the file at `path`, whose name is [`Anchor::name`].
    pub fn new(path: PathBuf, name: Arc<str>, origin: SourceOrigin) -> Source {
        Source { path, shown: name, origin, only: None, unreadable: None }
    }

    /// The file with this name. `only` selects some of its cases by the part of their ids after the file; `None`
    /// selects all.
    pub fn named(name: &str, anchor: &Anchor, only: Option<BTreeSet<String>>) -> Source {
        Source { only, ..Source::new(anchor.path(name), name.into(), SourceOrigin::Named) }
    }

    /// Whether this case of the file is selected.
    pub fn selects(&self, id: &CaseId) -> bool {
        self.only
            .as_ref()
            .is_none_or(|only| case_in(&id.to_string(), &self.shown).is_some_and(|case| only.contains(case)))
    }

    /// Reads the bytes of the file.
    ///
    /// # Errors
    ///
    /// When it cannot be read or is larger than `limit` bytes.
    pub fn read(&self, limit: u64) -> io::Result<Vec<u8>> {
        if let Some(reason) = &self.unreadable {
            return Err(io::Error::other(&**reason));
        }
        let bytes = read_at_most(self.open()?, limit)?;
        bytes.ok_or_else(|| io::Error::other(format!("larger than {limit} bytes (--max-file-size)")))
    }

    fn open(&self) -> io::Result<File> {
        match self.origin {
            SourceOrigin::Stream => File::open(&self.path),
            SourceOrigin::Named => open_regular(&self.path, Links::Follow),
            // A link that replaced the file after the search is not followed.
            SourceOrigin::Folder => open_regular(&self.path, Links::Refuse),
        }
    }
}
