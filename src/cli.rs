//! The command line. Only this module and those below it print, read the environment or choose
//! an exit code.

mod asm;
mod bless;
mod cached;
mod check;
mod compare;
mod completions;
mod config;
mod diff;
mod disasm;
mod isa;
mod known;
mod list;
mod merge;
mod output;
mod partition;
mod program;
mod rerun;
mod run;
mod run_record;
mod schema;
mod select;
mod single_case;
mod trace;
mod verbosity;
mod watch;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use vmconf::model::exit::Exit;

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
  1  a case failed, or is worse than before (compare)
  2  the command line is wrong
  3  a vector, a file or a machine is broken
  4  no case ran
  130  the run was ended by Ctrl-C";

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
    Compare(compare::Compare),
    Isa(isa::Isa),
    Asm(asm::Asm),
    Disasm(disasm::Disasm),
    Config(config::Config),
    Completions(completions::Completions),
    Man(completions::Man),
}

/// Runs the command that the arguments name.
pub(crate) fn main() -> ExitCode {
    exit_code(Cli::read().and_then(|cli| cli.command.run()))
}

impl Cli {
    /// The command line, with what the configuration adds to it.
    fn read() -> anyhow::Result<Cli> {
        let mut command = Cli::command();
        let typed = command.get_matches_mut();
        let mut arguments: Vec<OsString> = std::env::args_os().collect();
        if let Some((name, typed)) = typed.subcommand().filter(|(_, typed)| config::is_read_by(typed)) {
            let added = config::added(command.find_subcommand(name).unwrap_or(&command), typed)?;
            // In front of the command stand flags alone.
            let at =
                arguments.iter().position(|argument| argument == name).map_or(arguments.len(), |at| at + 1);
            arguments.splice(at..at, added.into_iter().map(OsString::from));
        }
        let matches = Cli::command().get_matches_from(arguments);
        Ok(Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()))
    }
}

impl Command {
    fn run(self) -> anyhow::Result<Exit> {
        match self {
            Command::Run(command) => command.run(),
            Command::List(command) => command.run(),
            Command::Check(command) => command.run(),
            Command::Schema(command) => command.run(),
            Command::Diff(command) => command.run(),
            Command::Trace(command) => command.run(),
            Command::Bless(command) => command.run(),
            Command::Known(command) => command.run(),
            Command::Merge(command) => command.run(),
            Command::Compare(command) => command.run(),
            Command::Isa(command) => command.run(),
            Command::Asm(command) => command.run(),
            Command::Disasm(command) => command.run(),
            Command::Config(command) => command.run(),
            Command::Completions(command) => command.run(Cli::command()),
            Command::Man(completions::Man {}) => completions::Man::run(Cli::command()),
        }
    }
}

fn exit_code(result: anyhow::Result<Exit>) -> ExitCode {
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
