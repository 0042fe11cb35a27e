//! `vmconf compare`

use std::io::{self, Write};
use std::path::Path;

use clap::{Args, Command};
use vmconf::model::{Exit, escaped};
use vmconf::report::comparison::{COMPARISONS, ComparisonExtent, ComparisonKind, Shown};
use vmconf::report::counts;
use vmconf::text::shell;
use vmconf::wire::comparison::{self, RecordedRun};

use super::history::{self, MAX_RUNS, NO_RUN, RecordedRuns};
use super::output;
use super::output_form::forms;
use super::settings::{self, Settings};

/// Show what changed between two runs
///
/// Example: vmconf run -q && vmconf run -q && vmconf compare
///
/// A run is `last`, `last~1` for the one before and so on, a name that --list shows, a JSON report
/// (of run or merge), or - for a JSON report on standard input. Without A and B, the last run is compared
/// with the one before it of the same paths and filters; with A alone, A with the last. A case is worse if it
/// fails now and did not before, is broken now and was not before, or passed and is not supported now: the exit
/// code is then 1, else 0. A case that is listed as known to fail does not pass, but is not worse.
#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// The earlier run
    #[arg(value_name = "A")]
    before: Option<String>,

    /// The later run
    #[arg(value_name = "B", default_value = "last")]
    after: String,

    /// List the recorded runs from this folder
    #[arg(long, conflicts_with_all = ["before", "after", "output", "all"])]
    list: bool,

    /// Output form
    #[arg(short, long = "output", alias = "as", value_name = "FORM", default_value = COMPARISONS[0].name, value_parser = forms(COMPARISONS))]
    output: &'static ComparisonKind,

    /// Print all cases of each section and, as text, every line in full
    #[arg(long)]
    all: bool,
}

impl CompareArgs {
    /// `tree` makes the whole command line, which recorded ones are parsed with.
    pub(super) fn run(&self, settings: &Settings, tree: fn() -> Command) -> anyhow::Result<Exit> {
        let recorded = RecordedRuns::of(&settings.anchor)?;
        if self.list {
            return list(&recorded);
        }
        let before = self.before.as_deref().map_or_else(|| recorded.before_last(), Ok)?;
        let (before, before_name) = find(&recorded, before)?;
        let (after, after_name) = find(&recorded, &self.after)?;
        let names = [&*before_name, &*after_name];
        let comparison = comparison::compare(&before, &after);
        let effects =
            [&before, &after].map(|run| run.command.as_deref().map(|command| effect_of(command, tree)));
        let cautions = comparison::cautions(
            &before,
            &after,
            names,
            effects.each_ref().map(Option::as_deref),
            &comparison,
        );
        let extent = if self.all { ComparisonExtent::All } else { ComparisonExtent::Short };
        let commands = [before.command.as_deref(), after.command.as_deref()];
        let shown = Shown { names, commands, comparison: &comparison, cautions: &cautions, extent };
        output::print(|out| (self.output.new)(out, &shown))?;
        Ok(if comparison.is_worse() { Exit::Failed } else { Exit::Passed })
    }
}

/// What of a recorded command line decides which cases ran and how; all of it if this version does not know it.
fn effect_of(command: &str, tree: fn() -> Command) -> String {
    let effect = || {
        let mut tree = tree();
        let typed = tree.try_get_matches_from_mut(shell::split(command)?).ok()?;
        let (command, typed) = settings::innermost(&tree, &typed);
        Some(settings::effect_of(command, typed))
    };
    effect().unwrap_or_else(|| command.to_owned())
}

/// What an argument must be.
const RUN: &str = "expected last, last~N, a name that vmconf compare --list prints, or the file of vmconf run \
                   --report json=FILE";

/// The run that an argument names, and its name.
fn find(recorded: &RecordedRuns, text: &str) -> anyhow::Result<(RecordedRun, String)> {
    if let Some(name) = recorded.name(text)? {
        return Ok((recorded.read(name)?, name.to_owned()));
    }
    let run = match text {
        "-" => comparison::read("-", &mut io::stdin().lock()).map_err(anyhow::Error::from),
        path => history::read(Path::new(path)),
    };
    let run = run.map_err(|error| anyhow::anyhow!("{error:#}; {RUN}"))?;
    Ok((run, text.to_owned()))
}

/// Prints the runs, the newest last.
fn list(recorded: &RecordedRuns) -> anyhow::Result<Exit> {
    let mut out = output::stdout();
    for (back, name) in (0..recorded.names.len()).rev().zip(&recorded.names) {
        let last = if back == 0 { "last".to_owned() } else { format!("last~{back}") };
        let (first, second) = match recorded.read(name) {
            Ok(RecordedRun { when, command, summary, .. }) => {
                (format!("{}  {}", when.unwrap_or_default(), counts(&summary)), command.unwrap_or_default())
            }
            Err(error) => ("damaged".to_owned(), format!("{error:#}")),
        };
        writeln!(out, "{last:<7}  {name}  {}", escaped(&first))?;
        writeln!(out, "         {}", escaped(&second))?;
    }
    out.flush()?;
    if recorded.names.is_empty() {
        note!("note: {NO_RUN}; the newest {MAX_RUNS} are kept");
    }
    Ok(Exit::Passed)
}
