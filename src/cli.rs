//! The command line. Only this module and those below it print, read the environment or choose
//! an exit code.
//!
//! The files below it form an order; a test finds import cycles. From the lowest to the highest:
//!
//! 1. single values, output, files and errors: `candidates`, `offered_names` and `shells` (completions), `duration`,
//!    `enumeration`, `flags`, `limits`, `number`, `output_form`, `scheduler`, `slow`, `system`; `output`, `progress`,
//!    `text_diff`, `verbosity`; `input`, `new_file`, `result_file`, `unwritten`; `conduct` (how machines behaved),
//!    `errors`, `final_state`, `find_case`, `help`, `history` (recorded runs);
//! 2. `settings`: what was typed and what `vmconf.toml` sets, built once and passed to the commands; what they share
//!    with later runs and write at their end: `cache_file`, `outstanding` (failures), `reports`;
//! 3. arguments of several commands, which ask the settings: `cache`, `explorer_pages`, `families`, `file_args`,
//!    `program`, `rerun`, `select`, `spectra`, `subset`, `vm`, `worlds`;
//! 4. the commands, each a file of its name. Several use `bless` to show changes, `known` and `watch` (`run --watch`)
//!    belong to `run`, and `config` prints the settings of `run`;
//! 5. this module, which no other one uses.

/// Formats a line and prints it to standard error, as [`output::note`].
macro_rules! note {
    ($($line:tt)*) => {
        $crate::cli::output::note(&format!($($line)*))
    };
}

mod adapters;
mod asm;
mod audit;
mod bisect;
mod bless;
mod cache;
mod cache_file;
mod candidates;
mod check;
mod compare;
mod completions;
mod conduct;
mod config;
mod coverage;
mod diff;
mod disasm;
mod duration;
mod early_end;
mod enumeration;
mod errors;
mod exec;
mod explore;
mod explorer_pages;
mod families;
mod family;
mod file_args;
mod fill;
mod final_state;
mod find_case;
mod flags;
mod fuzz;
mod help;
mod history;
mod init;
mod input;
mod isa;
mod known;
mod limits;
mod list;
mod matrix;
mod merge;
mod minimize;
mod minset;
mod mutants;
mod new_file;
mod number;
mod offered_names;
mod output;
mod output_form;
mod outstanding;
mod program;
mod progress;
mod repeated_signal;
mod reports;
mod rerun;
mod result_file;
mod run;
mod scheduler;
mod schema;
mod select;
mod serve;
mod settings;
mod shells;
mod slow;
mod snapshot;
mod spectra;
mod subset;
mod suspects;
mod system;
mod text_diff;
mod trace;
mod unwritten;
mod verbosity;
mod vm;
mod vm_command;
mod watch;
mod worlds;

use std::ffi::OsString;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::CompleteEnv;
use vmconf::model::Exit;

use self::select::Select;
use self::settings::{FILE, Settings};
use self::shells::SHELLS;

/// What `--version` prints after the name: the version, and the commit and its date if `build.rs` knows them.
const LONG_VERSION: &str = match option_env!("VMCONF_BUILD") {
    Some(build) => build,
    None => env!("CARGO_PKG_VERSION"),
};

/// A conformance test runner for virtual machines
///
/// Runs test vectors on your machine, through a small process protocol, or on the embedded ones. Reports exactly
/// what differs, where the vector demands it, and how the machine ended.
#[derive(Debug, Parser)]
#[command(version, long_version = LONG_VERSION, disable_help_subcommand = true, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    color: colorchoice_clap::Color,

    #[command(subcommand)]
    command: CliCommand,
}

/// The arguments of a command are made only when it is typed, or for help.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum CliCommand {
    Run(run::RunArgs),
    List(list::ListArgs),
    Exec(exec::Exec),
    Matrix(matrix::MatrixCommand),
    Merge(merge::Merge),
    Diff(diff::Diff),
    Suspects(suspects::Suspects),
    Trace(trace::TraceArgs),
    Explore(explore::Explore),
    Bisect(bisect::Bisect),
    Compare(compare::CompareArgs),
    Check(check::CheckArgs),
    Bless(bless::Bless),
    Fill(fill::FillCommand),
    Snapshot(snapshot::SnapshotCommand),
    Known(known::KnownCommand),
    Audit(audit::AuditCommand),
    Mutants(mutants::MutantsCommand),
    Coverage(coverage::CoverageCommand),
    Minset(minset::MinsetCommand),
    Fuzz(fuzz::FuzzCommand),
    Minimize(minimize::MinimizeCommand),
    Family(family::FamilyCommand),
    Isa(isa::IsaArgs),
    Asm(asm::Asm),
    Disasm(disasm::Disasm),
    Vm(vm_command::VmCommand),
    Serve(serve::Serve),
    Init(init::InitProject),
    Config(config::ConfigSubcommand),
    Schema(schema::SchemaArgs),
    Completions(completions::Completions),
    Man(completions::Man),
    Help(help::Help),
}

fn after_help() -> String {
    format!("{}\n\n{}", help::topics(), errors::help())
}

/// The whole command line, with all arguments of all commands.
fn built() -> clap::Command {
    let mut tree = Cli::command();
    tree.build();
    tree
}

/// `vmconf run` with its arguments, which are the settings of `vmconf.toml`.
fn run_command() -> clap::Command {
    run::RunArgs::augment_args(clap::Command::new("run"))
}

/// The command line with its help, which lists the commands in groups.
fn tree() -> clap::Command {
    let commands = help::commands(&built());
    let tree = Cli::command().after_help(after_help());
    let template = "{about-with-newline}\n{usage-heading} {usage}\n\n";
    let heading = *tree.get_styles().get_header();
    let options = format!("{heading}Options:{heading:#}\n{{options}}{{after-help}}");
    tree.help_template(format!("{template}{commands}\n{options}"))
}

/// How many bytes of memory and of stack there must be at the start.
const MIN_MEMORY: usize = 32 << 20;
#[cfg(unix)]
const MIN_STACK: u64 = 1 << 20;

/// Runs the command that the arguments name, or completes the command line for a shell.
pub(crate) fn main() -> ExitCode {
    if let Err(too_little) = check_memory() {
        note!("error: {too_little}");
        return ExitCode::from(Exit::Broken as u8);
    }
    fail_writes_beyond_limits();
    CompleteEnv::with_factory(Cli::command).shells(SHELLS).complete();
    errors::exit_code(run())
}

/// Without enough memory, the process would be aborted at some later moment.
fn check_memory() -> Result<(), &'static str> {
    #[cfg(unix)]
    {
        use nix::sys::resource::{Resource, getrlimit};
        if getrlimit(Resource::RLIMIT_STACK).is_ok_and(|(stack, _)| stack < MIN_STACK) {
            return Err("the system limits the stack to less than 1 MB, which vmconf needs (ulimit -s 1024)");
        }
    }
    let memory = Vec::<u8>::new().try_reserve_exact(MIN_MEMORY);
    memory.map_err(|_| "the system has less memory than vmconf needs to start, 64 MB (ulimit -v 65536)")
}

/// Makes a write beyond the system's limit on the size of a file an error, instead of a signal that ends the process.
fn fail_writes_beyond_limits() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{SigSet, Signal};
        let mut blocked = SigSet::empty();
        blocked.add(Signal::SIGXFSZ);
        // It fails for invalid arguments only.
        let _ = blocked.thread_block();
    }
}

fn run() -> anyhow::Result<Exit> {
    let (mut cli, settings) = match parse() {
        Ok(parsed) => parsed?,
        Err(error) => return print_help_or_version(error),
    };
    cli.color.write_global();
    if let Some(select) = cli.command.select() {
        select.read_standard_input()?;
    }
    cli.command.run(settings)
}

/// Prints help or the version. Ends the process if the command line is wrong.
fn print_help_or_version(error: clap::Error) -> anyhow::Result<Exit> {
    let error = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            tree().try_get_matches().err().unwrap_or(error)
        }
        _ => error,
    };
    if error.use_stderr() {
        error.exit();
    }
    // Unlike the printing of the parser, this says when nothing can be written.
    let mut out = output::stdout();
    write!(out, "{}", error.render().ansi())?;
    out.flush()?;
    Ok(Exit::Passed)
}

/// The arguments of the process and the settings, both as `vmconf.toml` is now.
fn parse() -> Result<anyhow::Result<(Cli, Settings)>, clap::Error> {
    // To free each of its arguments would take half as long as making them.
    let mut tree = ManuallyDrop::new(Cli::command());
    let mut matches = tree.try_get_matches_from_mut(std::env::args_os())?;
    let settings = match Settings::read(&tree, &matches, run_command) {
        Ok(settings) => settings,
        Err(error) => return Ok(Err(error)),
    };
    let typed: Vec<_> = std::env::args_os().collect();
    for (earlier, now) in flags::with_earlier_names(settings::innermost(&tree, &matches).0, &typed) {
        note!("note: --{earlier} is --{now} now; the next minor version does not know it");
    }
    if let Some(arguments) = with_settings(&matches, &settings) {
        matches = tree.try_get_matches_from_mut(arguments)?;
    }
    Ok(Ok((Cli::from_arg_matches_mut(&mut matches)?, settings)))
}

/// `vmconf run --watch` with the settings as `vmconf.toml` is now.
fn parse_run() -> anyhow::Result<(run::RunArgs, Settings)> {
    let (cli, settings) = parse().map_err(|error| anyhow::anyhow!("{FILE}: {error}"))??;
    match cli.command {
        CliCommand::Run(run) => Ok((run, settings)),
        _ => anyhow::bail!("the command line names another command than run"),
    }
}

/// The arguments of the process and those that the settings add; `None` if the settings add no arguments.
fn with_settings(typed: &ArgMatches, settings: &Settings) -> Option<Vec<OsString>> {
    let mut added = settings.arguments().map(OsString::from).peekable();
    added.peek()?;
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    let (mut at, mut typed) = (1, typed);
    while let Some((name, inner)) = typed.subcommand() {
        // Only flags precede the name of a command, so the first match is it.
        at += arguments[at..].iter().position(|argument| argument == name)? + 1;
        typed = inner;
    }
    arguments.splice(at..at, added);
    Some(arguments)
}

impl CliCommand {
    /// The arguments that select vectors, if the command reads any.
    fn select(&mut self) -> Option<&mut Select> {
        match self {
            CliCommand::Run(command) => Some(&mut command.select),
            CliCommand::List(command) => Some(&mut command.select),
            CliCommand::Check(command) => Some(&mut command.select),
            CliCommand::Diff(command) => Some(&mut command.select),
            CliCommand::Suspects(command) => Some(&mut command.select),
            CliCommand::Trace(command) => Some(&mut command.select),
            CliCommand::Explore(command) => Some(&mut command.select),
            CliCommand::Bless(command) => Some(&mut command.select),
            CliCommand::Fill(command) => Some(&mut command.select),
            CliCommand::Snapshot(command) => Some(&mut command.select),
            CliCommand::Known(command) => Some(command.select()),
            CliCommand::Config(command) => Some(&mut command.run.select),
            CliCommand::Matrix(command) => Some(&mut command.select),
            CliCommand::Bisect(command) => Some(&mut command.select),
            CliCommand::Audit(command) => Some(&mut command.select),
            CliCommand::Mutants(command) => Some(&mut command.select),
            CliCommand::Coverage(command) => Some(&mut command.select),
            CliCommand::Minimize(command) => Some(&mut command.select),
            CliCommand::Minset(command) => Some(&mut command.select),
            CliCommand::Init(_)
            | CliCommand::Schema(_)
            | CliCommand::Fuzz(_)
            | CliCommand::Merge(_)
            | CliCommand::Compare(_)
            | CliCommand::Exec(_)
            | CliCommand::Vm(_)
            | CliCommand::Family(_)
            | CliCommand::Isa(_)
            | CliCommand::Asm(_)
            | CliCommand::Disasm(_)
            | CliCommand::Serve(_)
            | CliCommand::Completions(_)
            | CliCommand::Man(_)
            | CliCommand::Help(_) => None,
        }
    }

    fn run(self, settings: Settings) -> anyhow::Result<Exit> {
        match self {
            CliCommand::Run(command) if command.watch => watch::run(command, settings, parse_run),
            command => command.run_once(&settings).map_err(|error| settings.located(error)),
        }
    }

    fn run_once(self, settings: &Settings) -> anyhow::Result<Exit> {
        match self {
            CliCommand::Run(command) => command.run(settings),
            CliCommand::List(command) => command.run(settings),
            CliCommand::Check(command) => command.run(settings),
            CliCommand::Schema(command) => command.run(settings),
            CliCommand::Diff(command) => command.run(settings),
            CliCommand::Suspects(command) => command.run(settings),
            CliCommand::Trace(command) => command.run(settings),
            CliCommand::Explore(command) => command.run(settings),
            CliCommand::Snapshot(command) => command.run(settings),
            CliCommand::Bless(command) => command.run(settings),
            CliCommand::Fill(command) => command.run(settings),
            CliCommand::Known(command) => command.run(settings),
            CliCommand::Matrix(command) => command.run(settings),
            CliCommand::Merge(command) => command.run(settings),
            CliCommand::Compare(command) => command.run(settings, Cli::command),
            CliCommand::Exec(command) => command.run(settings),
            CliCommand::Vm(command) => command.run(settings),
            CliCommand::Bisect(command) => command.run(settings),
            CliCommand::Audit(command) => command.run(settings),
            CliCommand::Mutants(command) => command.run(settings),
            CliCommand::Coverage(command) => command.run(settings),
            CliCommand::Minimize(command) => command.run(settings),
            CliCommand::Minset(command) => command.run(settings),
            CliCommand::Fuzz(command) => command.run(settings),
            CliCommand::Family(command) => command.run(settings),
            CliCommand::Isa(command) => command.run(settings),
            CliCommand::Asm(command) => command.run(settings),
            CliCommand::Disasm(command) => command.run(settings),
            CliCommand::Serve(command) => command.run(settings),
            CliCommand::Init(command) => command.run(),
            CliCommand::Config(command) => command.run(settings, &run_command()),
            CliCommand::Completions(command) => command.run(),
            CliCommand::Man(command) => command.run(tree()),
            CliCommand::Help(command) => command.run(tree()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::Command;

    use vmconf::report::NOT_EXPLORED;

    use super::flags::FlagEffect;
    use super::{built, flags, help};

    /// Adds the long flags of the commands that read vectors.
    fn add_flags(command: &Command, found: &mut BTreeSet<String>) {
        let own = command.get_arguments().filter(|arg| !arg.is_global_set() && arg.get_id() != "help");
        let flags: Vec<_> = own.filter_map(|arg| arg.get_long()).collect();
        if flags.contains(&"no-config") {
            found.extend(flags.into_iter().map(str::to_owned));
        }
        command.get_subcommands().for_each(|command| add_flags(command, found));
    }

    #[test]
    fn every_flag_has_one_row() {
        let mut declared = BTreeSet::new();
        add_flags(&built(), &mut declared);
        let rows: Vec<_> = flags::all().map(|flag| flag.name.to_owned()).collect();
        assert_eq!(declared, rows.iter().cloned().collect());
        assert_eq!(declared.len(), rows.len(), "a row twice: {rows:?}");
    }

    /// A printed `vmconf explore` has the flags of the run that it takes.
    #[test]
    fn explore_takes_what_printed_commands_repeat() {
        let tree = built();
        let takes = |command: &str, flag: &str| {
            let command = tree.find_subcommand(command);
            command.is_some_and(|command| command.get_arguments().any(|arg| arg.get_long() == Some(flag)))
        };
        let repeated = flags::all().filter(|flag| flag.changes == FlagEffect::Verdicts);
        let missing = repeated.filter(|flag| takes("run", flag.name) && !takes("explore", flag.name));
        assert_eq!(missing.map(|flag| format!("--{}", flag.name)).collect::<Vec<_>>(), NOT_EXPLORED);
    }

    #[test]
    fn every_command_is_in_one_group_and_has_an_example() {
        let grouped: Vec<_> = help::GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let tree = built();
        let commands: BTreeSet<_> = tree.get_subcommands().map(Command::get_name).collect();
        assert_eq!(grouped.iter().copied().collect::<BTreeSet<_>>(), commands);
        assert_eq!(grouped.len(), commands.len(), "a command twice: {grouped:?}");
        assert!(tree.get_subcommands().all(|command| help::example(command).is_some()));
    }
}
