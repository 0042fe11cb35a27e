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
    command: VmSubcommand,
}

#[derive(Debug, Subcommand)]
enum VmSubcommand {
    Check(check::VmCheckArgs),
    Init(init::Init),
    List(list::VmListArgs),
    Install(install::Install),
}

impl VmCommand {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        match &self.command {
            VmSubcommand::Check(command) => command.run(),
            VmSubcommand::Init(command) => command.run(),
            VmSubcommand::List(command) => command.run(),
            VmSubcommand::Install(command) => command.run(),
        }
    }
}
