//! `vmconf merge`

use std::path::{Component, Path, PathBuf};

use anyhow::Context;
use clap::Args;
use vmconf::model::limits::Limits;
use vmconf::model::{Event, Exit};
use vmconf::report;
use vmconf::run::anchor::Anchor;
use vmconf::run::merge::{self, MergedRun, PartSource};
use vmconf::run::open_file::open_below;
use vmconf::text::file_name::{path_of, uncompressed_name};
use vmconf::wire::{gzip, record};

use super::input::read_report;
use super::reports::{ReportArgs, Reports};
use super::result_file::TemporaryFiles;
use super::settings::Settings;

/// Merge the JSON reports of the parts of a run
///
/// Example: vmconf run --partition hash:1/1 --report json | vmconf merge -
///
/// Requires each part of one run exactly once. The exit code is that of the whole run. Reports show lines of
/// vector files below --sources.
#[derive(Debug, Args)]
pub(super) struct Merge {
    /// JSON reports of the parts, from run --partition --report json; - for standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,

    /// Folder of the vector files that the parts name [default: that of vmconf.toml, else the working folder];
    /// no file outside of it is opened
    #[arg(long, value_name = "DIR")]
    sources: Option<PathBuf>,

    #[command(flatten)]
    reports: ReportArgs,
}

impl Merge {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        self.reports.check_inputs(&self.files)?;
        let read = |path: &PathBuf| {
            let name = path.display().to_string();
            read_report(record::MAX_REPORT_BYTES, path).map(|text| (name, text))
        };
        let texts = self.files.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
        let folder = self.sources.as_deref().unwrap_or(settings.anchor.folder());
        let folder = folder.canonicalize().with_context(|| folder.display().to_string())?;
        let sources: Vec<_> = texts.iter().map(|(name, text)| PartSource { name, text }).collect();
        let MergedRun { events, selection, only, flags, system, versions } =
            merge::merge(&sources, &mut |file| vector_text(&folder, file))?;
        let mut reports = Reports::new(
            &self.reports,
            &report::ReportOptions {
                selection,
                only,
                flags,
                system,
                versions,
                ..self.reports.options(&Anchor::at(&folder)?)
            },
            &TemporaryFiles::default(),
        )?;
        for event in &events {
            reports.event(event);
        }
        Ok(reports.finish(events.iter().rev().find_map(exit).unwrap_or(Exit::NothingRan)))
    }
}

fn exit(event: &Event) -> Option<Exit> {
    if let Event::Ended(summary) = event { Some(summary.exit()) } else { None }
}

/// The text of a vector file, unpacked if it is compressed; `None` if it is not a regular file below the folder. Other
/// people write reports, and an excerpt would show any file that they name.
fn vector_text(folder: &Path, file: &str) -> Option<String> {
    let (path, is_compressed) = (path_of(file), uncompressed_name(file).is_some());
    if path.components().any(|part| part == Component::ParentDir) {
        return None;
    }
    let file = open_below(folder, &folder.join(path).canonicalize().ok()?).ok()?;
    let limit = Limits::default().file_size;
    let mut bytes = file.read_at_most(limit).ok()??;
    if is_compressed {
        bytes = gzip::unpacked(&bytes, limit).ok()??;
    }
    // A run shows invalid UTF-8 the same way.
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
