//! The command line. Only this module and those below it print, read the environment or choose
//! an exit code.

mod asm;
mod bless;
mod check;
mod diff;
mod disasm;
mod explained;
mod isa;
mod known;
mod last_run;
mod list;
mod merge;
mod one;
mod output;
mod partition;
mod program;
mod run;
mod schema;
mod select;
mod trace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use vmconf::event::Exit;

use self::output::Lines;
use self::program::Broken;

/// A conformance test runner for virtual machines
///
/// Runs test vectors on embedded machines and says exactly what differs, where in the vector
/// that was demanded, and how the machine ended.
#[derive(Debug, Parser)]
#[command(version, after_help = AFTER_HELP, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Exit codes:
  0  every case that ran passed
  1  a case failed
  2  the command line is wrong
  3  a vector, a file or a machine is broken
  4  no case ran";

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Run),
    List(list::List),
    Check(check::Check),
    Schema(schema::Schema),
    Diff(diff::Diff),
    Trace(trace::Trace),
    Bless(bless::Bless),
    Known(known::KnownCommand),
    Merge(merge::Merge),
    Isa(isa::Isa),
    Asm(asm::Asm),
    Disasm(disasm::Disasm),
}

/// Runs the command that the arguments name.
pub(crate) fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(command) => command.run(),
        Command::List(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Schema(command) => command.run(),
        Command::Diff(command) => command.run(),
        Command::Trace(command) => command.run(),
        Command::Bless(command) => command.run(),
        Command::Known(command) => command.run(),
        Command::Merge(command) => command.run(),
        Command::Isa(command) => command.run(),
        Command::Asm(command) => command.run(),
        Command::Disasm(command) => command.run(),
    };
    match result {
        Ok(exit) => ExitCode::from(exit as u8),
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if error.is::<Broken>() => {
            output::note(&error.to_string());
            ExitCode::from(Exit::Broken as u8)
        }
        Err(error) if error.is::<Lines>() => {
            error.downcast_ref().map(Lines::tell);
            ExitCode::from(Exit::Usage as u8)
        }
        Err(error) => {
            output::note(&format!("error: {error:#}"));
            ExitCode::from(Exit::Usage as u8)
        }
    }
}
