//! `vmconf completions` and `vmconf man`: made from the description of the command line.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, Command};
use clap_complete::Shell;
use vmconf::model::Exit;
use vmconf::model::exit_code::MEANINGS;

use super::output;
use super::result_file::write_own;
use super::shells::SHELLS;
use super::unwritten::Unwritten;

/// Print the script for completion of commands, flags, paths and case ids
///
/// Example: vmconf completions bash
///
/// Load it with `source <(vmconf completions bash)`, or from the start-up file of the shell.
#[derive(Debug, Args)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let name = self.shell.to_string();
        let shell = SHELLS.completer(&name).with_context(|| format!("no completions for {name}"))?;
        let mut out = output::stdout();
        shell.write_registration("COMPLETE", "vmconf", "vmconf", "vmconf", &mut out)?;
        out.flush()?;
        Ok(Exit::Passed)
    }
}

/// Print the manual page of vmconf or of a command
///
/// Example: vmconf man run
#[derive(Debug, Args)]
pub(super) struct Man {
    /// The command, such as `run` or `vm check`
    command: Vec<String>,

    /// Write one page for each command to this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    all: Option<PathBuf>,
}

impl Man {
    /// Prints or writes pages. `tree` is the whole command line, and has not parsed arguments.
    pub(super) fn run(&self, mut tree: Command) -> anyhow::Result<Exit> {
        tree.build();
        let mut pages = vec![&tree];
        add_commands(&tree, &mut pages);
        if let Some(folder) = &self.all {
            fs::create_dir_all(folder).map_err(|error| Unwritten::file(folder, error))?;
            for page in pages {
                let mut text = Vec::new();
                write_page(page, &mut text)?;
                let path = folder.join(format!("{}.1", page_name(page)));
                write_own(&path, &text)?;
            }
            return Ok(Exit::Passed);
        }
        let name = self.command.iter().fold("vmconf".to_owned(), |above, name| format!("{above}-{name}"));
        let page = pages.into_iter().find(|page| page_name(page) == name);
        let page = page.with_context(|| format!("there is no command {}", self.command.join(" ")))?;
        output::print(|out| write_page(page, out))?;
        Ok(Exit::Passed)
    }
}

/// Adds each command below `tree`.
fn add_commands<'t>(tree: &'t Command, pages: &mut Vec<&'t Command>) {
    for command in tree.get_subcommands() {
        pages.push(command);
        add_commands(command, pages);
    }
}

/// The name of a command's page: `vmconf-known-update`.
fn page_name(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

fn write_page(command: &Command, out: &mut dyn Write) -> io::Result<()> {
    let page = clap_mangen::Man::new(command.clone().version(env!("CARGO_PKG_VERSION")));
    page.render_title(out)?;
    page.render_name_section(out)?;
    page.render_synopsis_section(out)?;
    page.render_description_section(out)?;
    page.render_options_section(out)?;
    if command.has_subcommands() {
        page.render_subcommands_section(out)?;
    }
    writeln!(out, ".SH \"EXIT STATUS\"")?;
    for (exit, meaning) in MEANINGS {
        writeln!(out, ".TP\n\\fB{}\\fR\n{meaning}", *exit as u8)?;
    }
    Ok(())
}
