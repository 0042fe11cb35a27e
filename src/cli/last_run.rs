//! What failed in the last run from this folder: a list of ids in the user's cache folder, never
//! beside the vectors.

use std::fs;
use std::io;
use std::path::PathBuf;

use anyhow::{Context, bail};
use etcetera::BaseStrategy;
use sha2::{Digest, Sha256};

use super::output::Replaced;

/// The cache folder: `VMCONF_CACHE`, or vmconf's part of the platform's.
fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("VMCONF_CACHE").filter(|folder| !folder.is_empty()) {
        return Some(folder.into());
    }
    Some(etcetera::choose_base_strategy().ok()?.cache_dir().join("vmconf"))
}

/// The file for runs from the working folder.
fn file() -> Option<PathBuf> {
    let working = std::env::current_dir().ok()?;
    let name = hex::encode(Sha256::digest(working.as_os_str().as_encoded_bytes()));
    Some(folder()?.join(format!("failed-{}", &name[..16])))
}

/// Keeps the ids of what failed or is broken.
///
/// # Errors
///
/// When the file cannot be written.
pub(super) fn keep(ids: &[String]) -> io::Result<()> {
    let Some(path) = file() else { return Ok(()) };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    Replaced::with(&path, (ids.join("\n") + "\n").as_bytes())
}

/// The ids of what failed or was broken in the last run from this folder.
///
/// # Errors
///
/// When there was no run, or nothing failed in it.
pub(super) fn failed() -> anyhow::Result<Vec<PathBuf>> {
    let kept = file().and_then(|path| fs::read_to_string(path).ok());
    let kept = kept.context("there was no run from this folder; name a case, or start with vmconf run")?;
    let ids: Vec<_> = kept.lines().filter(|line| !line.is_empty()).map(PathBuf::from).collect();
    if ids.is_empty() {
        bail!("nothing failed in the last run from this folder");
    }
    Ok(ids)
}
