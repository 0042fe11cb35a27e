//! `vmconf vm`: help for authors of adapters, and adapters for other projects' machines.

mod check;
mod init;
mod install;
mod list;

use clap::{Args, Subcommand};
use vmconf::model::exit_code::Exit;

/// Adapters for machines: write your own, or install one for another project's
///
/// Example: vmconf vm check vmconf serve evm
#[derive(Debug, Args)]
pub(super) struct VmCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Check),
    Init(init::Init),
    List(list::List),
    Install(install::Install),
}

impl VmCommand {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        match &self.command {
            Command::Check(command) => command.run(),
            Command::Init(command) => command.run(),
            Command::List(command) => command.run(),
            Command::Install(command) => command.run(),
        }
    }
}
