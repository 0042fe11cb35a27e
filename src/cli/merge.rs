//! `vmconf merge`

use std::fs::{self, Metadata};
use std::io;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use vmconf::model::event::Event;
use vmconf::model::exit::Exit;
use vmconf::model::limits::Limits;
use vmconf::report::{self, Grouping};
use vmconf::run::anchor::Anchor;
use vmconf::run::merge::{self, MergedRun, Source};
use vmconf::run::sources;

use super::output::TemporaryFiles;
use super::reports::{self, Reports, RequestedReport};
use super::settings::Settings;
use super::verbosity::VerbosityArgs;

/// Merge the JSON reports of the parts of a run
///
/// Example: vmconf run --partition hash:1/1 --report json | vmconf merge -
///
/// Requires each part of one run exactly once. The exit code is that of the whole run. Reports show lines of
/// vector files that are available here.
#[derive(Debug, Args)]
pub(super) struct Merge {
    /// JSON reports of the parts, from run --partition --report json; - for standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// Write a report, as run does; repeatable
    #[arg(long, value_name = "NAME[=FILE]", value_parser = reports::parse)]
    report: Vec<RequestedReport>,

    /// Do not group failures by cause
    #[arg(long)]
    no_group: bool,

    #[command(flatten)]
    verbosity: VerbosityArgs,
}

impl Merge {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let read = |path: &PathBuf| {
            let name = path.display().to_string();
            let text = if name == "-" { io::read_to_string(io::stdin()) } else { fs::read_to_string(path) };
            text.map(|text| (name.clone(), text)).context(name)
        };
        let texts = self.files.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
        let sources: Vec<_> = texts.iter().map(|(name, text)| Source { name, text }).collect();
        let MergedRun { events, selection, flags } =
            merge::merge(&sources, &mut |file| vector_text(file, &settings.anchor))?;
        let mut reports = Reports::new(
            &self.report,
            &report::Options {
                verbosity: self.verbosity.level(),
                grouping: if self.no_group { Grouping::None } else { Grouping::ByCause },
                selection,
                flags,
                part: None,
            },
            &TemporaryFiles::default(),
        )?;
        let written = events.iter().try_for_each(|event| reports.event(event));
        written.and_then(|()| reports.finish()).context("a report cannot be written")?;
        Ok(events.iter().rev().find_map(exit).unwrap_or(Exit::NothingRan))
    }
}

fn exit(event: &Event) -> Option<Exit> {
    if let Event::Ended(summary) = event { Some(summary.exit()) } else { None }
}

/// The text of a vector file, if it exists. A path in a report need not be a file: reading a pipe would
/// block, and searching a folder would take long.
fn vector_text(file: &str, anchor: &Anchor) -> Option<String> {
    anchor.path(file).metadata().ok().filter(Metadata::is_file)?;
    let bytes = sources::Source::named(file, anchor, None).read(Limits::default().file_size).ok()?;
    // A run shows invalid UTF-8 the same way.
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
