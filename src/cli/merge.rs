//! `vmconf merge`

use std::path::PathBuf;
use std::{fs, io};

use anyhow::Context;
use clap::Args;
use vmconf::event::{Event, Exit};
use vmconf::limits::Limits;
use vmconf::merge::{self, Source};
use vmconf::report;
use vmconf::sources;

use super::run::{Reports, Wanted, parse_report};
use super::verbosity::VerbosityArgs;

/// Join the JSON reports of the parts of a run
///
/// Example: vmconf run --partition hash:1/1 --report json | vmconf merge -
///
/// All parts must be there, each once, and of one run. The exit code is that of the whole run. Lines of
/// vector files are shown where the files are here.
#[derive(Debug, Args)]
pub(super) struct Merge {
    /// JSON reports of parts, as run --partition with --report json writes them; - for standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// Make a report, as run does; repeatable
    #[arg(long, value_name = "NAME[=FILE]", value_parser = parse_report)]
    report: Vec<Wanted>,

    #[command(flatten)]
    verbosity: VerbosityArgs,
}

impl Merge {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let read = |path: &PathBuf| {
            let name = path.display().to_string();
            let text = if name == "-" { io::read_to_string(io::stdin()) } else { fs::read_to_string(path) };
            text.map(|text| (name.clone(), text)).context(name)
        };
        let texts = self.files.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
        let sources: Vec<_> = texts.iter().map(|(name, text)| Source { name, text }).collect();
        let events = merge::merge(&sources, &mut vector_text)?;
        let verbosity = self.verbosity.level();
        let mut reports =
            Reports::new(&self.report, &report::Options { verbosity, ..report::Options::default() })?;
        let written = events.iter().try_for_each(|event| reports.event(event));
        written.and_then(|()| reports.finish()).context("a report cannot be written")?;
        Ok(events.iter().rev().find_map(exit).unwrap_or(Exit::NothingRan))
    }
}

fn exit(event: &Event) -> Option<Exit> {
    if let Event::Ended(summary) = event { Some(summary.exit()) } else { None }
}

/// The text of a vector file, if it is here.
fn vector_text(file: &str) -> Option<String> {
    let found = sources::find(&[file.into()]).ok()?;
    let bytes = found.sources.first()?.read(Limits::default().file_size).ok()?;
    String::from_utf8(bytes).ok()
}
