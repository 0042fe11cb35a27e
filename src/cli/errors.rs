//! The errors of commands, and the exit code of the process that each leads to.

use std::process::ExitCode;

use vmconf::model::Exit;
use vmconf::model::exit_code::MEANINGS;

use super::output::{is_closed_pipe, note};
use super::unwritten::Unwritten;

/// The exit codes, for the end of the help text.
pub(super) fn help() -> String {
    let rows = MEANINGS.iter().map(|(exit, meaning)| format!("\n  {:<3}  {meaning}", *exit as u8));
    format!("Exit codes:{}", rows.collect::<String>())
}

/// What is wrong with the content of a file, after its name and the position, or with a machine. Ends the command with
/// [`Exit::Broken`].
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct BrokenInput(pub(super) String);

impl BrokenInput {
    /// The error for several lines: prints all but the last one, and returns that.
    pub(super) fn of_lines(mut lines: Vec<String>) -> BrokenInput {
        let last = lines.pop().unwrap_or_default();
        for line in &lines {
            note!("error: {line}");
        }
        BrokenInput(last)
    }
}

/// A command-line error of several lines; the first starts with `error: `. Ends the command with
/// [`Exit::Usage`], as every other error does.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct UsageError(pub(super) String);

/// Why there is nothing to do. Ends the command with [`Exit::NothingRan`].
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct NothingToDo(pub(super) String);

/// Prints the error, if there is one, and chooses the exit code. A closed pipe is not an error.
pub(super) fn exit_code(result: anyhow::Result<Exit>) -> ExitCode {
    let exit = match result {
        Ok(exit) => exit,
        Err(error) if is_closed_pipe(&error) => return ExitCode::SUCCESS,
        Err(error) => note_error(&error),
    };
    ExitCode::from(exit as u8)
}

/// Prints an error, and chooses the exit code of a command that it ends.
pub(super) fn note_error(error: &anyhow::Error) -> Exit {
    if let Some(BrokenInput(line)) = error.downcast_ref() {
        note!("error: {line}");
        Exit::Broken
    } else if let Some(NothingToDo(why)) = error.downcast_ref() {
        note!("note: {why}");
        Exit::NothingRan
    } else if let Some(UsageError(lines)) = error.downcast_ref() {
        lines.lines().for_each(note);
        Exit::Usage
    } else {
        note!("error: {error:#}");
        if Unwritten::is_cause(error) { Exit::Broken } else { Exit::Usage }
    }
}
