//! The reports of a run: `--report`, where each is written, and the summary of a GitHub step.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use vmconf::model::event::Event;
use vmconf::model::renderer::Renderer;
use vmconf::report::{self, Needs, REPORTS, Report, ReportKind};

use super::output::{self, Replaced, TemporaryFiles};

/// A report requested with `--report`.
#[derive(Debug, Clone)]
pub(super) struct RequestedReport {
    kind: &'static ReportKind,
    file: Option<PathBuf>,
}

impl RequestedReport {
    /// The file that it is written to; `None` for standard output.
    pub(super) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }
}

/// The help text of `--report`.
pub(super) fn help() -> String {
    let names = Renderer::names(REPORTS);
    format!(
        "Write a report: {}; to FILE, or to standard output instead of the text; repeatable",
        names.join(", ")
    )
}

/// Parses `NAME` or `NAME=FILE`.
pub(super) fn parse(text: &str) -> Result<RequestedReport, String> {
    let (name, file) = match text.split_once('=') {
        Some((_, "")) => return Err("a file name is missing behind =".to_owned()),
        Some((name, file)) => (name, Some(PathBuf::from(file))),
        None => (text, None),
    };
    let kind = Renderer::by_name(REPORTS, name)
        .ok_or_else(|| format!("no such report; there are {}", Renderer::names(REPORTS).join(", ")))?;
    Ok(RequestedReport { kind, file })
}

/// Rejects several reports on standard output, except text with annotations for GitHub: GitHub reads
/// annotations from the log of a job, and they follow the text.
fn check_standard_output(requested: &[RequestedReport]) -> anyhow::Result<()> {
    let on_it =
        requested.iter().filter(|requested| requested.file.is_none()).map(|requested| requested.kind.name);
    match on_it.collect::<Vec<_>>()[..] {
        [] | [_] | ["text", "github"] | ["github", "text"] => Ok(()),
        [one, other, ..] => bail!(
            "--report {one} and --report {other} cannot both go to standard output; --report {other}=FILE \
             is a file"
        ),
    }
}

/// All reports of a run and the files that some go to.
#[derive(Default)]
pub(super) struct Reports {
    all: Vec<Box<dyn Report>>,
    files: Vec<Replaced>,
}

impl Reports {
    /// The requested reports, and the text report unless another one goes to standard output.
    ///
    /// # Errors
    ///
    /// When several reports go to standard output, or a file cannot be written.
    pub(super) fn new(
        requested: &[RequestedReport],
        options: &report::Options,
        temporary_files: &TemporaryFiles,
    ) -> anyhow::Result<Reports> {
        check_standard_output(requested)?;
        let mut reports = Reports::default();
        for RequestedReport { kind, file } in requested {
            match file {
                Some(path) => {
                    let replaced =
                        temporary_files.create(path).with_context(|| path.display().to_string())?;
                    reports.all.push((kind.new)(Box::new(replaced.writer()?), options));
                    reports.files.push(replaced);
                }
                None => reports.all.push((kind.new)(Box::new(output::stdout()), options)),
            }
        }
        if requested.iter().all(|requested| requested.file.is_some()) {
            let text = &REPORTS[0];
            reports.all.push((text.new)(Box::new(output::stdout()), options));
        }
        if let Some(path) = step_summary(requested) {
            let markdown = Renderer::by_name(REPORTS, "markdown").context("no report in Markdown")?;
            let appended = output::appended(&path).with_context(|| path.display().to_string())?;
            reports.all.push((markdown.new)(Box::new(appended), options));
        }
        Ok(reports)
    }

    /// The events that the reports need together.
    pub(super) fn needs(&self) -> Needs {
        let explained = self.all.iter().any(|report| report.needs() == Needs::Explanations);
        if explained { Needs::Explanations } else { Needs::Events }
    }

    /// Passes an event to all reports.
    pub(super) fn event(&mut self, event: &Event) -> io::Result<()> {
        self.all.iter_mut().try_for_each(|report| report.event(event))
    }

    /// Moves all files into place.
    pub(super) fn finish(self) -> io::Result<()> {
        drop(self.all);
        self.files.into_iter().try_for_each(Replaced::finish)
    }
}

/// The file for the summary of a GitHub step; `None` without the report for GitHub.
fn step_summary(requested: &[RequestedReport]) -> Option<PathBuf> {
    let is_requested = requested.iter().any(|report| report.kind.name == "github");
    let path = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| is_requested && !path.is_empty());
    path.map(PathBuf::from)
}
