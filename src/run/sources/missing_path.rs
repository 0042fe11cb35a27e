//! What may have been meant by a path that does not exist.

use std::path::{Component, Path, PathBuf};

use crate::model::split_id;
use crate::text::file_name::shown;
use crate::text::glob::GLOB_STARTS;
use crate::text::shell::ShellWords;
use crate::text::suggest::nearest;

/// How many entries of a folder are compared with a misspelled name.
const MAX_ENTRIES: usize = 10_000;

/// What to type instead, to be appended to an error; empty if nothing is known.
pub(super) fn suggestion(argument: &str) -> String {
    if let Some(id) = id_with_two_colons(argument) {
        return format!("; a case id has two colons:{}", ShellWords::from_iter([id]));
    }
    let (file, case) = split_id(argument);
    if let Some(near) = near_path(Path::new(file)) {
        let case = case.map_or(String::new(), |case| format!("::{case}"));
        return format!("; did you mean {}{case}?", shown(&near));
    }
    let is_pattern = argument.contains(GLOB_STARTS);
    let is_name = !argument.contains(['/', '.', ':']);
    if is_pattern || is_name {
        let filter = ShellWords::from_iter(["--filter", argument]);
        return format!("; to select cases by a part of their id or by a pattern, use{filter}");
    }
    String::new()
}

/// The case id for `FILE:CASE`, if the file exists.
fn id_with_two_colons(argument: &str) -> Option<String> {
    let colons = argument.match_indices(':').map(|(at, _)| (&argument[..at], &argument[at + 1..]));
    let is_id = |(file, case): &(&str, &str)| !case.starts_with(':') && Path::new(file).is_file();
    colons.filter(is_id).map(|(file, case)| format!("{file}::{case}")).next()
}

/// The path with its first missing component replaced by the most similar name in that folder, as far as it then
/// exists.
fn near_path(path: &Path) -> Option<PathBuf> {
    let mut near = PathBuf::new();
    let mut components = path.components();
    let missing = components.find(|component| {
        near.push(component);
        !near.exists()
    })?;
    let Component::Normal(name) = missing else { return None };
    // A broken link is there, and cannot be opened.
    if near.is_symlink() {
        return None;
    }
    near.pop();
    let folder = if near.as_os_str().is_empty() { Path::new(".") } else { &near };
    let entries = folder.read_dir().ok()?.take(MAX_ENTRIES).flatten();
    let names: Vec<_> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    near.push(nearest(name.to_str()?, names.iter().map(String::as_str))?);
    let whole = near.join(components.as_path());
    Some(if whole.exists() { whole } else { near })
}
