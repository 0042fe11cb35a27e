//! `vmconf vm`: help for authors of adapters.

mod check;
mod init;

use clap::{Args, Subcommand};
use vmconf::model::exit_code::Exit;

/// Write and try out an adapter for a machine of your own
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
}

impl VmCommand {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        match &self.command {
            Command::Check(command) => command.run(),
            Command::Init(command) => command.run(),
        }
    }
}
