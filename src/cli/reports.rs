//! The reports of a run: `--report`, where each is written, and the summary of a GitHub step.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use vmconf::model::{Event, Exit, Renderer};
use vmconf::report::{self, FileEnds, Grouping, Needs, REPORTS, Report, ReportKind, STEP_SUMMARY, Verbosity};
use vmconf::run::anchor::Anchor;
use vmconf::text::file_name::shown;

use super::result_file::{ResultFile, TemporaryFiles, is_regular, regular_place, remove_earlier};
use super::unwritten::Unwritten;
use super::verbosity::VerbosityArgs;
use super::{candidates, history, output};

/// A report requested with `--report`; without a file, it goes to standard output.
#[derive(Debug, Clone)]
struct RequestedReport {
    kind: &'static ReportKind,
    file: Option<PathBuf>,
}

/// The reports of a run and what they show.
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    #[arg(long = "report", value_name = "NAME[=FILE]", value_parser = parse, help = help(),
          add = ArgValueCompleter::new(candidates::reports))]
    requested: Vec<RequestedReport>,

    #[command(flatten)]
    pub(super) grouping: GroupArgs,

    /// How failures are grouped [default: suspect]
    ///
    /// suspect: by the instructions that explain them, then by what differs. symptom: by what differs.
    #[arg(long, value_name = "BY", conflicts_with = "no_group")]
    group: Option<GroupBy>,

    #[command(flatten)]
    pub(super) verbosity: VerbosityArgs,
}

impl ReportArgs {
    /// What reports show, of a run without paths and flags; files are named relative to the anchor.
    pub(super) fn options(&self, anchor: &Anchor) -> report::ReportOptions {
        report::ReportOptions {
            verbosity: self.verbosity.level(),
            grouping: self.grouping(),
            when: Some(history::now()),
            slow: Some(self.verbosity.slow),
            below_checkout: below_checkout(anchor).unwrap_or_default(),
            ..report::ReportOptions::default()
        }
    }

    /// Whether a report says the content and the versions of vectors.
    pub(super) fn say_contents(&self) -> bool {
        self.requested.iter().any(|requested| requested.kind.name == "json")
    }

    pub(super) fn grouping(&self) -> Grouping {
        match self.group {
            Some(GroupBy::Symptom) => Grouping::ByCause,
            Some(GroupBy::Suspect) | None => self.grouping.grouping(),
        }
    }

    /// Whether failures are grouped by the instructions that explain them, and are shown at all.
    pub(super) fn are_by_suspect(&self) -> bool {
        let shows = self.verbosity.level() > Verbosity::Quiet || !self.requested.is_empty();
        shows && self.grouping() == Grouping::BySuspect
    }

    /// The file of the only report of this name.
    pub(super) fn only_file(&self, name: &str) -> Option<&Path> {
        let mut requested = self.requested.iter().filter(|requested| requested.kind.name == name);
        requested.next().filter(|_| requested.next().is_none())?.file.as_deref()
    }

    /// Removes the reports of an earlier run, since this run writes none, so that they are not mistaken for its
    /// reports. Files that vmconf did not write stay.
    pub(super) fn remove_earlier(&self) {
        for requested in self.requested.iter().filter(|requested| check_file(requested).is_ok()) {
            requested.file.iter().for_each(|path| remove_earlier(path));
        }
    }

    /// Rejects reports in the place of files that the command reads. Fails when there is one.
    pub(super) fn check_inputs(&self, inputs: &[PathBuf]) -> anyhow::Result<()> {
        let inputs: Vec<_> = inputs.iter().filter_map(|input| regular_place(input)).collect();
        for RequestedReport { kind, file } in &self.requested {
            let Some(path) = file else { continue };
            if regular_place(path).is_some_and(|place| inputs.contains(&place)) {
                let path = path.display();
                bail!("--report {}={path}: this file is an input: name another one", kind.name);
            }
        }
        Ok(())
    }

    /// The files that reports are written to.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.requested.iter().filter_map(|requested| requested.file.as_deref())
    }
}

/// The path of the anchor below `GITHUB_WORKSPACE`; `None` if that is not set or the anchor is outside.
pub(super) fn below_checkout(anchor: &Anchor) -> Option<String> {
    let workspace = PathBuf::from(std::env::var_os("GITHUB_WORKSPACE")?).canonicalize().ok()?;
    anchor.folder().strip_prefix(workspace).ok().map(shown)
}

/// What failures are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GroupBy {
    Suspect,
    Symptom,
}

/// Whether failures of one cause are shown together.
#[derive(Debug, Args)]
pub(super) struct GroupArgs {
    /// Do not group failures by cause
    #[arg(long)]
    no_group: bool,
}

impl GroupArgs {
    pub(super) fn grouping(&self) -> Grouping {
        if self.no_group { Grouping::None } else { Grouping::BySuspect }
    }
}

/// The help text of `--report`.
fn help() -> String {
    let names = Renderer::names(REPORTS);
    format!(
        "Write a report: {}; to FILE, or to standard output instead of the text; repeatable",
        names.join(", ")
    )
}

/// Parses `NAME` or `NAME=FILE`.
fn parse(text: &str) -> Result<RequestedReport, String> {
    let (name, file) = match text.split_once('=') {
        Some((_, "")) => return Err("a file name is missing after =".to_owned()),
        Some((name, "-")) => return Err(format!("standard output is --report {name}, without a file")),
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

/// Rejects several reports in one file, which would replace each other. What is not a regular file takes all of them.
fn check_places(requested: &[RequestedReport]) -> anyhow::Result<()> {
    let mut places: Vec<(PathBuf, &str)> = Vec::new();
    for RequestedReport { kind, file } in requested {
        let Some(path) = file else { continue };
        let Some(place) = regular_place(path) else { continue };
        if let Some((_, other)) = places.iter().find(|(other, _)| *other == place) {
            let path = path.display();
            bail!("--report {other} and --report {} cannot both go to the file {path}", kind.name);
        }
        places.push((place, kind.name));
    }
    Ok(())
}

/// Rejects a file that exists and is not empty, unless a report of this kind was written to it.
fn check_file(RequestedReport { kind, file }: &RequestedReport) -> anyhow::Result<()> {
    let Some(path) = file.as_deref().filter(|path| is_regular(path)) else { return Ok(()) };
    // A file that cannot be read is reported when it is written.
    let Ok(mut file) = File::open(path) else { return Ok(()) };
    let ends = FileEnds::read(&mut file).with_context(|| path.display().to_string())?;
    if ends != FileEnds::default() && !(kind.new.wrote)(&ends) {
        bail!(
            "{}: this file exists and is no {} report of vmconf: remove it or name another one",
            path.display(),
            kind.name
        );
    }
    Ok(())
}

/// All reports of a run. A report that cannot be written is given up; the others are not affected.
pub(super) struct Reports(Vec<ReportOutput>);

impl Reports {
    /// The requested reports, and the text report unless another one goes to standard output. Fails when several
    /// reports go to standard output or to one file, or vmconf did not write a file that exists.
    pub(super) fn new(
        args: &ReportArgs,
        options: &report::ReportOptions,
        temporary_files: &TemporaryFiles,
    ) -> anyhow::Result<Reports> {
        let requested = &args.requested;
        check_standard_output(requested)?;
        check_places(requested)?;
        requested.iter().try_for_each(check_file)?;
        let mut all: Vec<_> = requested
            .iter()
            .map(|RequestedReport { kind, file }| match file {
                Some(path) => ReportOutput::to_file(kind, path, options, temporary_files),
                None => ReportOutput::to_standard_output(kind, options),
            })
            .collect();
        if requested.iter().all(|requested| requested.file.is_some()) {
            all.push(ReportOutput::to_standard_output(&REPORTS[0], options));
        }
        if let Some(path) = step_summary(requested) {
            all.push(ReportOutput::appended(&STEP_SUMMARY, &path, options));
        }
        Ok(Reports(all))
    }

    /// The events that the reports need together.
    pub(super) fn needs(&self) -> Needs {
        let mut open = self.0.iter().filter_map(|output| output.open.as_ref());
        let explained = open.any(|(report, _)| report.needs() == Needs::Explanations);
        if explained { Needs::Explanations } else { Needs::Events }
    }

    /// Passes an event to all reports.
    pub(super) fn event(&mut self, event: &Event) {
        for output in &mut self.0 {
            output.attempt(|report| report.event(event));
        }
    }

    /// Moves all files into place. Returns the exit code of a run that otherwise ends with `exit`: a missing
    /// report is a broken file.
    pub(super) fn finish(self, exit: Exit) -> Exit {
        self.0.into_iter().map(ReportOutput::finish).fold(exit, |exit, written| written.exit(exit))
    }
}

/// Whether something was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportWritten {
    Yes,
    No,
}

impl ReportWritten {
    /// The exit code of a run that otherwise ends with `exit`.
    pub(super) fn exit(self, exit: Exit) -> Exit {
        if self == ReportWritten::No && exit != Exit::Interrupted { Exit::Broken } else { exit }
    }
}

/// A report and where it goes.
struct ReportOutput {
    /// What messages call it.
    name: String,
    /// The file that was requested; `None` for standard output and for a file that is appended to.
    path: Option<PathBuf>,
    /// `None` after an error, which was printed.
    open: Option<OpenReport>,
}

/// A report that is being written, and its file; `None` if there is nothing to move into place.
type OpenReport = (Box<dyn Report>, Option<ResultFile>);

impl ReportOutput {
    fn to_standard_output(kind: &ReportKind, options: &report::ReportOptions) -> ReportOutput {
        let report = (kind.new.make)(Box::new(output::stdout()), options);
        ReportOutput { name: "standard output".to_owned(), path: None, open: Some((report, None)) }
    }

    fn to_file(
        kind: &ReportKind,
        path: &Path,
        options: &report::ReportOptions,
        temporary_files: &TemporaryFiles,
    ) -> ReportOutput {
        let open = || {
            let file = temporary_files.typed(path)?;
            Ok(((kind.new.make)(Box::new(file.writer()?), options), Some(file)))
        };
        ReportOutput::opened(path, Some(path), open())
    }

    fn appended(kind: &ReportKind, path: &Path, options: &report::ReportOptions) -> ReportOutput {
        let writer = output::appended(path);
        ReportOutput::opened(
            path,
            None,
            writer.map(|writer| ((kind.new.make)(Box::new(writer), options), None)),
        )
    }

    fn opened(name: &Path, path: Option<&Path>, opened: io::Result<OpenReport>) -> ReportOutput {
        let mut output =
            ReportOutput { name: name.display().to_string(), path: path.map(Path::to_owned), open: None };
        match opened {
            Ok(open) => output.open = Some(open),
            Err(error) => output.fail(&error),
        }
        output
    }

    /// Writes to the report, unless it was given up.
    fn attempt(&mut self, write: impl FnOnce(&mut dyn Report) -> io::Result<()>) {
        if let Some((report, _)) = &mut self.open
            && let Err(error) = write(&mut **report)
        {
            self.fail(&error);
        }
    }

    /// Gives the report up. The report of an earlier run is removed, so that it is not mistaken for this one.
    fn fail(&mut self, error: &io::Error) {
        self.open = None;
        if let Some(path) = &self.path {
            remove_earlier(path);
        }
        let reason = Unwritten::reason(error);
        note!("error: {}: the report cannot be written: {reason}", self.name);
    }

    /// Moves the file into place.
    fn finish(mut self) -> ReportWritten {
        let Some((report, file)) = self.open.take() else { return ReportWritten::No };
        drop(report);
        match file.map_or(Ok(()), ResultFile::finish) {
            Ok(()) => ReportWritten::Yes,
            Err(error) => {
                self.fail(&error);
                ReportWritten::No
            }
        }
    }
}

/// The file for the summary of a GitHub step; `None` without the report for GitHub.
fn step_summary(requested: &[RequestedReport]) -> Option<PathBuf> {
    let is_requested = requested.iter().any(|report| report.kind.name == "github");
    let path = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| is_requested && !path.is_empty());
    path.map(PathBuf::from)
}
