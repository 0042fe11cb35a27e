//! What shells offer for arguments whose values are not a fixed list.

use std::ffi::OsStr;
use std::path::Path;

use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter};
use vmconf::model::Renderer;
use vmconf::report::REPORTS;
use vmconf::run::anchor::Anchor;
use vmconf::run::{self, LoadOptions};

/// The ids of the cases of a file after `FILE::`, files and folders otherwise.
pub(super) fn paths(typed: &OsStr) -> Vec<CompletionCandidate> {
    match typed.to_str().and_then(|typed| typed.split_once("::")) {
        Some((file, _)) => case_ids(file, &typed.to_string_lossy()),
        None => PathCompleter::any().complete(typed),
    }
}

fn case_ids(file: &str, typed: &str) -> Vec<CompletionCandidate> {
    // A shell waits for its completions, and a pipe may never be written to.
    if !Path::new(file).is_file() {
        return Vec::new();
    }
    let Ok(anchor) = Anchor::at(Path::new(".")) else { return Vec::new() };
    let Ok(found) = run::sources::find(&[file.into()], &anchor) else { return Vec::new() };
    let options = LoadOptions::default();
    let ids = found
        .sources
        .iter()
        .flat_map(|source| run::open(&source, &options).ids().cloned().collect::<Vec<_>>());
    // The file as it was typed, which may differ from its name in ids.
    let ids = ids.map(|id| format!("{file}::{}", id.in_file())).filter(|id| id.starts_with(typed));
    ids.map(CompletionCandidate::new).collect()
}

/// The names of the reports; after `NAME=`, files.
pub(super) fn reports(typed: &OsStr) -> Vec<CompletionCandidate> {
    if let Some((name, file)) = typed.to_str().and_then(|typed| typed.split_once('=')) {
        let files = PathCompleter::any().complete(OsStr::new(file));
        return files.into_iter().map(|file| file.add_prefix(format!("{name}="))).collect();
    }
    let typed = typed.to_string_lossy();
    let names = Renderer::names(REPORTS).into_iter().filter(|name| name.starts_with(&*typed));
    names.map(CompletionCandidate::new).collect()
}
