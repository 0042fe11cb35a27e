//! Finds the files to read, in a fixed order, from the paths of a command line.

use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use walkdir::WalkDir;

use super::anchor::Anchor;
use crate::model::case::CaseId;

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
}

/// Why a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceOrigin {
    /// The user named the file, or a case in it: it must be a vector file.
    Named,
    /// It was found in a folder: it may be another JSON file.
    Folder,
}

/// A path of the command line that does not exist, or a folder that cannot be read.
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
/// a case id for the file of the case; from the working folder, else from the anchor. Symbolic links inside a
/// folder are skipped, so that nothing outside it is read.
///
/// # Errors
///
/// The first path that does not exist or cannot be read.
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

fn find_one(typed: &Path, anchor: &Anchor, found: &mut Found) -> Result<(), NotFound> {
    let path = anchor.resolve(typed, Path::exists);
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => walk(&path, anchor, found),
        Ok(_) => {
            let shown = anchor.name(&path);
            found.sources.push(Source { path, shown, origin: SourceOrigin::Named, only: None });
            Ok(())
        }
        Err(error) => {
            let not_found =
                || NotFound { path: typed.to_string_lossy().into_owned(), reason: error.to_string() };
            found.sources.push(case_in_file(typed, anchor).ok_or_else(not_found)?);
            Ok(())
        }
    }
}

/// The file of a case id, if it exists.
fn case_in_file(id: &Path, anchor: &Anchor) -> Option<Source> {
    let (file, case) = split_id(id.to_str()?, anchor)?;
    let shown = anchor.name(&file);
    Some(Source {
        path: file,
        shown,
        origin: SourceOrigin::Named,
        only: Some(BTreeSet::from([case.to_owned()])),
    })
}

/// The existing file of a case id, and the part of the id after it.
fn split_id<'i>(id: &'i str, anchor: &Anchor) -> Option<(PathBuf, &'i str)> {
    id.match_indices("::").find_map(|(at, _)| {
        let file = anchor.resolve(Path::new(&id[..at]), Path::is_file);
        file.is_file().then(|| (file, &id[at + 2..]))
    })
}

/// The name of what an argument selects: a file, a folder, or a case id with the name of its file.
pub fn name_of(typed: &Path, anchor: &Anchor) -> String {
    match typed.to_str().and_then(|id| split_id(id, anchor)).filter(|_| !typed.exists()) {
        Some((file, case)) => format!("{}::{case}", anchor.name(&file)),
        None => anchor.name(&anchor.resolve(typed, Path::exists)).to_string(),
    }
}

/// The part of a case id after the file; `None` if the id is that of the file as a whole.
pub fn case_in<'i>(id: &'i str, file: &str) -> Option<&'i str> {
    id.strip_prefix(&*crate::model::escape::escaped(file))?.strip_prefix("::")
}

fn walk(folder: &Path, anchor: &Anchor, found: &mut Found) -> Result<(), NotFound> {
    let not_found = |path: &Path, error: &dyn ToString| NotFound {
        path: path.to_string_lossy().into_owned(),
        reason: error.to_string(),
    };
    let real = folder.canonicalize().map_err(|error| not_found(folder, &error))?;
    // No link below the folder is followed.
    let shown = |path: &Path| {
        anchor
            .name_of_real(&path.strip_prefix(folder).map_or_else(|_| real.clone(), |below| real.join(below)))
    };
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(folder).to_owned();
            not_found(&path, &error.io_error().map_or_else(|| error.to_string(), io::Error::to_string))
        })?;
        let is_json =
            entry.path().extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        if entry.path_is_symlink() && entry.depth() > 0 {
            found.passed_over.push(format!("{}: a symbolic link, not followed", shown(entry.path())));
        } else if is_json && entry.file_type().is_file() {
            let (path, shown) = (entry.path().to_owned(), shown(entry.path()));
            found.sources.push(Source { path, shown, origin: SourceOrigin::Folder, only: None });
        }
    }
    Ok(())
}

impl Source {
    /// The file with this name, of which all cases are selected, or those with these parts of an id after the
    /// file.
    pub fn named(name: &str, anchor: &Anchor, only: Option<BTreeSet<String>>) -> Source {
        Source { path: anchor.path(name), shown: name.into(), origin: SourceOrigin::Named, only }
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
        let file = File::open(&self.path)?;
        let metadata = file.metadata()?;
        if self.origin == SourceOrigin::Folder && !metadata.is_file() {
            return Err(io::Error::other("not a regular file"));
        }
        let too_large = || io::Error::other(format!("larger than {limit} bytes (--max-file-size)"));
        if metadata.len() > limit {
            return Err(too_large());
        }
        let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit { Err(too_large()) } else { Ok(bytes) }
    }
}
