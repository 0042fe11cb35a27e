//! What came of the last run from this folder: a list of verdicts and ids in the user's cache folder, never
//! beside the vectors.

use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::{Context, bail};
use etcetera::BaseStrategy;
use sha2::{Digest, Sha256};

use super::output::Replaced;

/// The cache folder: `VMCONF_CACHE`, or vmconf's part of the platform's.
pub(super) fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("VMCONF_CACHE").filter(|folder| !folder.is_empty()) {
        return Some(folder.into());
    }
    Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("vmconf"))
}

/// The file for runs from the working folder.
fn file() -> Option<PathBuf> {
    let working = std::env::current_dir().ok()?;
    let name = hex::encode(Sha256::digest(working.as_os_str().as_encoded_bytes()));
    Some(folder()?.join(format!("run-{}", &name[..16])))
}

/// Keeps what came of each case: its verdict in one word, and its id.
///
/// # Errors
///
/// When the file cannot be written.
pub(super) fn keep(outcomes: &[(&str, String)]) -> io::Result<()> {
    let Some(path) = file() else { return Ok(()) };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let lines: Vec<_> = outcomes.iter().map(|(verdict, id)| format!("{verdict} {id}")).collect();
    Replaced::with(&path, (lines.join("\n") + "\n").as_bytes())
}

/// The ids of the cases in the last run from this folder, each with its verdict.
///
/// # Errors
///
/// When there was no run.
pub(super) fn outcomes() -> anyhow::Result<impl Iterator<Item = (String, String)>> {
    let kept = file().and_then(|path| fs::read_to_string(path).ok());
    let kept = kept.context("there was no run from this folder; name a case, or start with vmconf run")?;
    let outcome = |line: &str| line.split_once(' ').map(|(verdict, id)| (id.to_owned(), verdict.to_owned()));
    Ok(kept.lines().filter_map(outcome).collect::<Vec<_>>().into_iter())
}

/// The ids of what failed or was broken in the last run from this folder, in its order.
///
/// # Errors
///
/// When there was no run, or nothing failed in it.
pub(super) fn failed() -> anyhow::Result<Vec<PathBuf>> {
    let failed = outcomes()?.filter(|(_, verdict)| matches!(verdict.as_str(), "fail" | "error"));
    let ids: Vec<_> = failed.map(|(id, _)| PathBuf::from(id)).collect();
    if ids.is_empty() {
        bail!("nothing failed in the last run from this folder");
    }
    Ok(ids)
}
