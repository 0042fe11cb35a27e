//! `vmconf list`

use std::io::{self, Write};

use clap::Args;
use indexmap::IndexMap;
use vmconf::model::{Exit, escaped};
use vmconf::run::sources::Sources;
use vmconf::run::{self, FileOpener, LoadOptions, LoadedCase, LoadedFile, SelectPurpose};
use vmconf::wire::line::one_line;
use vmconf::wire::list::ListedCase;

use super::output;
use super::output_form::OutputForm;
use super::rerun::FailuresOf;
use super::select::Select;
use super::settings::Settings;
use super::subset::SubsetArgs;

/// List cases, one per line
///
/// Example: vmconf list vectors/ --filter add
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    pub(super) select: Select,

    #[command(flatten)]
    subset: SubsetArgs,

    /// Output form
    #[arg(short, long, value_name = "FORM", default_value = "text")]
    output: OutputForm,

    /// List files instead, with the detected format and why
    #[arg(long, conflicts_with_all = ["format", "filter", "expr", "partition", "rerun", "output"])]
    formats: bool,

    /// Count the cases instead, by format, machine and fork
    #[arg(long, conflicts_with_all = ["formats", "output"])]
    counts: bool,
}

impl ListArgs {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let mut options = self.select.options(settings)?;
        let sources = self.subset.of(&self.select, settings, &mut options, &FailuresOf::All)?.sources;
        let exit = if self.formats {
            list_formats(&sources, &options)?
        } else if self.counts {
            count_cases(&sources, &options)?
        } else {
            list_cases(&sources, &options, self.output)?
        };
        if exit == Exit::NothingRan {
            note!("note: no case matches{}", settings.restrictions());
        }
        Ok(exit)
    }
}

/// Prints the number of cases by format, machine and group, in the order of their first cases.
fn count_cases(sources: &Sources, options: &LoadOptions) -> anyhow::Result<Exit> {
    let mut counts: IndexMap<(&str, &str, Option<String>), usize> = IndexMap::new();
    let exit = each_file(sources, options, &mut |file| {
        let Some(format) = file.format() else { return Ok(()) };
        let groups: Vec<_> = file.ids().map(|id| id.name.as_deref().and_then(format.group)).collect();
        // Cases of a group mostly follow each other.
        for cases in groups.chunk_by(|one, next| one == next) {
            let group = cases[0].map(str::to_owned);
            *counts.entry((format.name, format.machine, group)).or_default() += cases.len();
        }
        Ok(())
    })?;
    let mut out = output::stdout();
    for ((format, machine, group), count) in &counts {
        let words: Vec<_> = [*format, *machine].into_iter().chain(group.as_deref()).collect();
        writeln!(out, "{count:>8}  {}", escaped(&words.join(" ")))?;
    }
    writeln!(out, "{:>8}  cases", counts.values().sum::<usize>())?;
    out.flush()?;
    Ok(exit)
}

fn list_cases(sources: &Sources, options: &LoadOptions, form: OutputForm) -> anyhow::Result<Exit> {
    let mut out = output::stdout();
    let exit = each_file(sources, options, &mut |file| {
        let mut cases = (0..file.cases()).filter_map(|index| file.case(index));
        cases.try_for_each(|case| print(&mut out, &case, form))
    })?;
    out.flush()?;
    Ok(exit)
}

/// Visits the files, and reports those that are broken.
fn each_file(
    sources: &Sources,
    options: &LoadOptions,
    visit: &mut dyn FnMut(&LoadedFile<'_>) -> io::Result<()>,
) -> anyhow::Result<Exit> {
    let mut exit = Exit::NothingRan;
    let mut broken = false;
    let mut opener = FileOpener::new(options);
    for (number, source) in sources.iter().enumerate() {
        let shown = source.shown.clone();
        let loaded = opener.open_in_turn(number, source, SelectPurpose::Look);
        visit(&loaded)?;
        if loaded.cases() > 0 {
            exit = Exit::Passed;
        }
        broken |= !loaded.errors().is_empty();
        output::note_errors(&shown, loaded.errors());
    }
    Ok(if broken { Exit::Broken } else { exit })
}

fn print(out: &mut dyn Write, case: &LoadedCase<'_>, form: OutputForm) -> io::Result<()> {
    let LoadedCase { id, format, .. } = case;
    match form {
        OutputForm::Text => writeln!(out, "{id}"),
        OutputForm::Json => {
            let listed = ListedCase {
                id: id.to_string(),
                file: id.file.to_string(),
                name: id.name.as_deref().map(str::to_owned),
                format: format.name,
                machine: format.machine,
                line: case.line(),
            };
            writeln!(out, "{}", one_line(&listed))
        }
    }
}

fn list_formats(sources: &Sources, options: &LoadOptions) -> anyhow::Result<Exit> {
    let mut out = output::stdout();
    let mut exit = Exit::NothingRan;
    for source in sources {
        let line = match run::explain_format(&source, options) {
            Ok(what) => {
                if exit == Exit::NothingRan {
                    exit = Exit::Passed;
                }
                what
            }
            Err(diagnostic) => {
                exit = Exit::Broken;
                format!("error: {diagnostic}")
            }
        };
        writeln!(out, "{}", escaped(&format!("{}: {line}", source.shown)))?;
    }
    out.flush()?;
    Ok(exit)
}
