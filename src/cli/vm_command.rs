//! `vmconf vm`: help for authors of adapters, and adapters for other projects' machines.

mod check;
mod family_template;
mod init;
mod install;
mod list;
mod machine_template;

use clap::{Args, Subcommand};
use vmconf::model::Exit;

use super::settings::Settings;

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
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        match &self.command {
            VmSubcommand::Check(command) => command.run(settings),
            VmSubcommand::Init(command) => command.run(settings),
            VmSubcommand::List(command) => command.run(),
            VmSubcommand::Install(command) => command.run(),
        }
    }
}
