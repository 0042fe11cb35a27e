//! `vmconf vm list`

use std::io::Write;

use clap::Args;
use vmconf::model::Exit;

use crate::cli::adapters::{ADAPTERS, AdapterManifest, ListedAdapter, is_on_path};
use crate::cli::output;

/// List the adapters for other projects' machines, and what they need
///
/// `vmconf vm install NAME` installs one; `--vm NAME` then runs cases on it.
///
/// Example: vmconf vm list
#[derive(Debug, Args)]
pub(super) struct VmListArgs {}

impl VmListArgs {
    #[allow(clippy::unused_self, reason = "as the other commands")]
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let mut out = output::stdout();
        let width = ADAPTERS.iter().map(|adapter| adapter.name.len()).max().unwrap_or(0);
        for adapter in ADAPTERS {
            let manifest = adapter.manifest()?;
            let (machines, state) = (manifest.machines.join(", "), state(adapter, &manifest));
            writeln!(out, "{:<width$}  {machines:<8}  {state}", adapter.name)?;
        }
        out.flush()?;
        Ok(Exit::Passed)
    }
}

/// Whether an adapter is there, or what is missing.
fn state(adapter: &ListedAdapter, manifest: &AdapterManifest) -> String {
    let missing: Vec<_> = manifest.needs.iter().filter(|program| !is_on_path(program)).cloned().collect();
    match &manifest.follows {
        _ if adapter.is_installed() => "installed".to_owned(),
        _ if !missing.is_empty() => format!("needs {}, not found", missing.join(", ")),
        Some(follows) => format!("not installed; install it, and give {follows} after --vm NAME="),
        None => format!("not installed; installs {}", manifest.packages.join(", ")),
    }
}
