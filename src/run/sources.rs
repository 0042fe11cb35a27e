//! Finds the files to read, in a fixed order, from the paths of a command line.

mod folder;
mod listing;
mod missing_path;
mod selected_paths;

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use self::folder::ListedFolder;
use self::listing::is_json;
use self::selected_paths::SelectedPaths;
use super::anchor::Anchor;
pub use super::source::{SourceOrigin, VectorSource, case_in};
use crate::text::file_name::{path_of, typed};

/// A path of the command line that cannot be used: nothing is there, or it cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}{instead}")]
pub struct UnusablePath {
    /// The path.
    pub path: String,
    /// Why.
    pub reason: String,
    /// What may have been meant, with leading punctuation; empty if nothing is known.
    pub instead: String,
}

/// The result of [`find`].
#[derive(Debug, Default)]
pub struct FoundSources {
    /// The files.
    pub sources: Sources,
    /// Files and folders that were skipped, and why, one line each.
    pub passed_over: Vec<String>,
}

/// The files to read: in the order of the paths, those of a folder sorted by name, without duplicates.
///
/// A list of files is kept in memory only for small folders; larger ones are searched again in each iteration.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    paths: Vec<Selected>,
    /// Files of which single cases are named although all cases are selected. They are not read again, but the names
    /// are checked.
    named_again: Vec<VectorSource>,
    seen: SelectedPaths,
    len: usize,
}

/// What a path of the command line selects.
#[derive(Debug, Clone)]
enum Selected {
    File(VectorSource),
    Folder(ListedFolder),
}

impl Sources {
    /// The number of files; those in folders were counted when the folders were first searched.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The files.
    pub fn iter(&self) -> SourceIter<'_> {
        let others = (self.paths.len() > 1).then_some(&self.seen);
        Box::new(self.paths.iter().flat_map(move |selected| -> SourceIter<'_> {
            match selected {
                Selected::File(source) => Box::new(std::iter::once(source.clone())),
                Selected::Folder(folder) => folder.files(others),
            }
        }))
    }

    /// Whether all cases whose ids begin with `start` are among those of these files: it names one of the files, or
    /// something in one of the folders.
    pub fn have_all(&self, start: &str) -> bool {
        self.paths.iter().any(|selected| match selected {
            Selected::File(source) => {
                let rest = start.strip_prefix(&*source.shown);
                source.only.is_none() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
            }
            Selected::Folder(folder) => match &*folder.name() {
                "." => !start.starts_with("../") && !start.starts_with('/'),
                name => start.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')),
            },
        })
    }

    /// The files of which some cases are selected by their names.
    pub fn with_named_cases(&self) -> impl Iterator<Item = &VectorSource> {
        let listed = self.paths.iter().filter_map(|selected| match selected {
            Selected::File(source) => Some(source).filter(|source| source.only.is_some()),
            Selected::Folder(_) => None,
        });
        listed.chain(&self.named_again)
    }

    /// Lists a case once if its whole file is selected, too.
    fn remove_repeats(&mut self) {
        for selected in std::mem::take(&mut self.paths) {
            match selected {
                Selected::File(source) if source.only.is_some() && self.has_whole(&source) => {
                    self.named_again.push(source);
                    self.len -= 1;
                }
                selected => self.paths.push(selected),
            }
        }
    }

    fn has_whole(&self, source: &VectorSource) -> bool {
        self.seen.has_whole(source.shown.clone()) || self.is_in_folder(&source.path)
    }

    fn add_file(&mut self, source: VectorSource) {
        let is_found = source.only.is_none() && self.is_in_folder(&source.path);
        if !is_found && self.seen.names.insert((source.shown.clone(), source.only.clone())) {
            self.len += 1;
            self.paths.push(Selected::File(source));
        }
    }

    /// Whether the search of a folder finds the file at this path.
    fn is_in_folder(&self, path: &Path) -> bool {
        let is_found = |real: PathBuf| is_json(&real) && real.is_file() && self.seen.has_above(&real);
        !self.seen.folders.is_empty() && path.canonicalize().is_ok_and(is_found)
    }

    /// Adds the files of a folder. Returns why some were skipped.
    fn add_folder(&mut self, mut folder: ListedFolder) -> Vec<String> {
        if self.seen.has_above(&folder.real) {
            return Vec::new();
        }
        let others = Some(&self.seen).filter(|seen| !seen.is_empty());
        let (count, mut passed_over) = folder.count(others);
        if count == 0 && !folder.has_files() {
            passed_over.push(format!("{}: no .json file in it", folder.name()));
        }
        self.len += count;
        self.seen.names.insert((folder.name(), None));
        self.seen.folders.insert(folder.real.clone());
        self.paths.push(Selected::Folder(folder));
        passed_over
    }
}

/// Files to read, in order.
pub type SourceIter<'s> = Box<dyn Iterator<Item = VectorSource> + Send + 's>;

impl<'s> IntoIterator for &'s Sources {
    type Item = VectorSource;
    type IntoIter = SourceIter<'s>;

    fn into_iter(self) -> SourceIter<'s> {
        self.iter()
    }
}

/// Without duplicates.
impl FromIterator<VectorSource> for Sources {
    fn from_iter<I: IntoIterator<Item = VectorSource>>(sources: I) -> Sources {
        let mut all = Sources::default();
        sources.into_iter().for_each(|source| all.add_file(source));
        all
    }
}

/// The files that `paths` name: a path is a file, a folder for all `.json` files in it and its subfolders, or a case
/// id for the file of the case; from the working folder, else from the anchor, and the other way round for an id. A
/// path that does not exist as it is typed is read as ids show it. Symbolic links inside a folder are skipped, so that
/// nothing outside it is read. A folder that cannot be searched becomes a source that cannot be read. The error is the
/// first path that does not exist or cannot be opened.
pub fn find(paths: &[PathBuf], anchor: &Anchor) -> Result<FoundSources, UnusablePath> {
    let mut found = FoundSources::default();
    for path in paths {
        find_one(path, anchor, &mut found)?;
    }
    found.sources.remove_repeats();
    Ok(found)
}

fn find_one(argument: &Path, anchor: &Anchor, found: &mut FoundSources) -> Result<(), UnusablePath> {
    let path = anchor.resolve(argument, Path::exists);
    let unusable = |error: &io::Error| UnusablePath {
        path: typed(argument.as_os_str()),
        reason: error.to_string(),
        instead: String::new(),
    };
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => {
            path.read_dir().map_err(|error| unusable(&error))?;
            found.passed_over.extend(found.sources.add_folder(ListedFolder::new(path, anchor)));
        }
        Ok(metadata) => {
            let origin = if metadata.is_file() { SourceOrigin::Named } else { SourceOrigin::Stream };
            let source = VectorSource::new(path.clone(), anchor.name(&path), origin);
            source.try_open().map_err(|error| unusable(&error))?;
            found.sources.add_file(source);
        }
        Err(error) => {
            let text = typed(argument.as_os_str());
            let not_found = || match error.kind() {
                ErrorKind::NotFound => UnusablePath {
                    path: text.clone(),
                    reason: "no such file or folder".to_owned(),
                    instead: missing_path::suggestion(&text),
                },
                _ => unusable(&error),
            };
            let source = case_in_file(&text, anchor).ok_or_else(not_found)?;
            source.try_open().map_err(|error| unusable(&error))?;
            found.sources.add_file(source);
        }
    }
    Ok(())
}

/// The file of a case id, if it exists.
fn case_in_file(id: &str, anchor: &Anchor) -> Option<VectorSource> {
    let (file, case) = split_id(id, anchor)?;
    let name = anchor.name(&file);
    let only = Some(BTreeSet::from([case.to_owned()]));
    Some(VectorSource { only, ..VectorSource::new(file, name, SourceOrigin::Named) })
}

/// The existing file of a case id, and the part of the id after it.
fn split_id<'i>(id: &'i str, anchor: &Anchor) -> Option<(PathBuf, &'i str)> {
    id.match_indices("::").find_map(|(at, _)| {
        let (file, case) = (&id[..at], &id[at + 2..]);
        // Ids are printed with names from the anchor, and name the same case wherever they are typed. No name begins
        // with `./`, unless it would look like a flag.
        let is_name = !file.starts_with("./") || file.starts_with("./-");
        let named = Some(anchor.path(file)).filter(|path| is_name && path.is_file());
        let paths = [path_of(file), file.into()].map(|path| anchor.resolve(&path, Path::is_file));
        Some((named.or_else(|| paths.into_iter().find(|path| path.is_file()))?, case))
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
