//! What shells offer for arguments whose values are not a fixed list.

use std::env;
use std::ffi::OsStr;
use std::path::Path;

use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter};
use vmconf::model::Renderer;
use vmconf::report::REPORTS;
use vmconf::run::anchor::Anchor;
use vmconf::run::{self, Families, LoadOptions};
use vmconf::text::config::{CONFIG_FILE, FileConfig};
use vmconf::wire::schema::SCHEMAS;

use super::input::read_written;

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
    starting_with(typed, Renderer::names(REPORTS).into_iter().map(str::to_owned)).collect()
}

/// The names of families, and files.
pub(super) fn families(typed: &OsStr) -> Vec<CompletionCandidate> {
    let names = starting_with(typed, family_names());
    names.chain(PathCompleter::any().complete(typed)).collect()
}

/// The names of families.
pub(super) fn known_families(typed: &OsStr) -> Vec<CompletionCandidate> {
    starting_with(typed, family_names()).collect()
}

/// The names of schemas, and of families, which have one.
pub(super) fn schemas(typed: &OsStr) -> Vec<CompletionCandidate> {
    let names = SCHEMAS.iter().map(|schema| schema.name.to_owned()).chain(family_names());
    starting_with(typed, names).collect()
}

/// The machines of `vmconf.toml`.
pub(super) fn vms(typed: &OsStr) -> Vec<CompletionCandidate> {
    starting_with(typed, config().vms.into_iter().map(|vm| vm.name)).collect()
}

fn family_names() -> impl Iterator<Item = String> {
    let built_in =
        Families::default().iter().map(|known| known.family.machine.to_owned()).collect::<Vec<_>>();
    let configured = config().families.into_iter().map(|family| family.name);
    let added = configured.filter(|name| !built_in.contains(name)).collect::<Vec<_>>();
    built_in.into_iter().chain(added)
}

fn starting_with(
    typed: &OsStr,
    names: impl Iterator<Item = String>,
) -> impl Iterator<Item = CompletionCandidate> {
    let typed = typed.to_string_lossy().into_owned();
    names.filter(move |name| name.starts_with(&typed)).map(CompletionCandidate::new)
}

/// The nearest `vmconf.toml`; an empty one if there is none or it cannot be read.
fn config() -> FileConfig {
    let read = || {
        let working = env::current_dir().ok()?;
        let folder = working.ancestors().find(|folder| folder.join(CONFIG_FILE).is_file())?;
        Some(FileConfig::parse_partly(&read_written(&folder.join(CONFIG_FILE)).ok()?, folder))
    };
    read().unwrap_or_default()
}
