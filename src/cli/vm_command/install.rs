//! `vmconf vm install`

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use vmconf::model::Exit;
use vmconf::text::shell::{ShellWords, quoted};

use crate::cli::adapters::{ADAPTERS, by_name, is_on_path};
use crate::cli::output;

/// Install an adapter for another project's machine
///
/// Prints what it does, asks, and installs the adapter with its packages, at pinned versions, into a folder of its own
/// in the cache folder. `--vm NAME` then runs cases on it.
///
/// Example: vmconf vm install ethereumjs
#[derive(Debug, Args)]
pub(super) struct Install {
    /// The adapter, as `vmconf vm list` names it
    #[arg(value_parser = PossibleValuesParser::new(ADAPTERS.iter().map(|adapter| adapter.name)))]
    name: String,

    /// Do not ask
    #[arg(long)]
    yes: bool,
}

impl Install {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let adapter = by_name(&self.name).context("no such adapter")?;
        let manifest = adapter.manifest()?;
        if let Some(missing) = manifest.needs.iter().find(|program| !is_on_path(program)) {
            bail!("{} needs {missing}, which is not on the path", self.name);
        }
        let folder = adapter.folder()?;
        let mut out = output::stdout();
        writeln!(out, "in {}:", folder.display())?;
        for step in &manifest.install {
            writeln!(out, " {}", step.iter().cloned().collect::<ShellWords>())?;
        }
        out.flush()?;
        if !self.yes && !confirmed()? {
            return Ok(Exit::NothingRan);
        }
        adapter.unpack()?;
        for step in &manifest.install {
            perform(step, &folder)?;
        }
        adapter.mark()?;
        let command = manifest.follows.map_or_else(
            || format!("vmconf run PATHS --vm {}", self.name),
            |follows| {
                let vm = format!("{}={} …", self.name, start(&manifest.command, &folder));
                format!("vmconf run PATHS --vm {}, with {follows}", quoted(&vm))
            },
        );
        writeln!(out, "installed: {command}")?;
        out.flush()?;
        Ok(Exit::Passed)
    }
}

/// The command that starts an adapter from any folder.
fn start(command: &[String], folder: &Path) -> String {
    let word = |word: &String| match folder.join(word) {
        path if path.is_file() => path.display().to_string(),
        _ => word.clone(),
    };
    command.iter().map(word).collect::<ShellWords>().to_string().trim_start().to_owned()
}

/// Asks whether to go on.
fn confirmed() -> anyhow::Result<bool> {
    if !io::stdin().is_terminal() {
        bail!("without a terminal, nothing is installed unless --yes is given");
    }
    write!(io::stderr(), "Install? [y,n] ")?;
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(["y", "yes"].contains(&line.trim()))
}

/// Runs a step in the folder of the adapter.
fn perform(step: &[String], folder: &Path) -> anyhow::Result<()> {
    let (program, arguments) = step.split_first().context("a step without a program")?;
    let path = if program.contains('/') { folder.join(program) } else { program.into() };
    let mut command = Command::new(path);
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    let status = command.status().with_context(|| program.clone())?;
    if !status.success() {
        bail!("{program} failed: {status}; vmconf vm install tries again from the start");
    }
    Ok(())
}
