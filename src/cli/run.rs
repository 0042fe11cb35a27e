//! `vmconf run`

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use vmconf::explain::explain_on_screen;
use vmconf::model::case::CaseId;
use vmconf::model::event::{Event, Summary};
use vmconf::model::exit::Exit;
use vmconf::model::partition::Part;
use vmconf::report::json::Record;
use vmconf::report::{self, Grouping, Needs, REPORTS, Report, ReportKind, Verbosity};
use vmconf::run::sources::Source;
use vmconf::run::{self, AfterFailure, Interrupt, RunOptions, UnmatchedEntries};

use super::cached::{Cache, CachedArgs};
use super::known::KnownArgs;
use super::output::{self, Replaced};
use super::rerun::{Again, Rerun};
use super::select::Select;
use super::verbosity::VerbosityArgs;
use super::{config, partition, run_record, watch};

/// Run vectors
///
/// Example: vmconf run vectors/ --filter add
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Run {
    #[command(flatten)]
    select: Select,

    /// How many threads [default: one for each processor]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Skip all cases after the first that fails or is broken
    #[arg(long)]
    fail_fast: bool,

    /// Only one part of the cases: hash:2/8 by their ids, slice:2/8 in turn, or auto as a scheduler
    /// says it, auto/8 where that does not say of how many; vmconf merge joins the JSON reports
    #[arg(long, value_name = "PART", value_parser = partition::parse, long_help = partition::help())]
    partition: Option<partition::RequestedPart>,

    /// Only cases that failed, were broken, or passed though known to fail in the last run from this folder
    #[arg(long, value_name = "WHICH")]
    rerun: Option<Rerun>,

    /// Stay, and when files change run those that did or that name one that did
    #[arg(long, conflicts_with_all = ["partition", "rerun"])]
    watch: bool,

    #[command(flatten)]
    known: KnownArgs,

    #[command(flatten)]
    cached: CachedArgs,

    #[arg(long, value_name = "NAME[=FILE]", value_parser = parse_report, help = report_help())]
    report: Vec<RequestedReport>,

    /// Tell each failure in full instead of those of the same cause once
    #[arg(long)]
    no_group: bool,

    #[command(flatten)]
    verbosity: VerbosityArgs,
}

/// A report that the user asked for.
#[derive(Debug, Clone)]
pub(super) struct RequestedReport {
    kind: &'static ReportKind,
    file: Option<PathBuf>,
}

fn report_help() -> String {
    let names: Vec<_> = REPORTS.iter().map(|report| report.name).collect();
    format!(
        "Make a report: {}; to FILE, or to standard output instead of the text; repeatable",
        names.join(", ")
    )
}

pub(super) fn parse_report(text: &str) -> Result<RequestedReport, String> {
    let (name, file) = match text.split_once('=') {
        Some((_, "")) => return Err("a file name is missing behind =".to_owned()),
        Some((name, file)) => (name, Some(PathBuf::from(file))),
        None => (text, None),
    };
    let names: Vec<_> = REPORTS.iter().map(|report| report.name).collect();
    let kind =
        report::by_name(name).ok_or_else(|| format!("no such report; there are {}", names.join(", ")))?;
    Ok(RequestedReport { kind, file })
}

impl Run {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        if self.watch {
            return watch::run(self);
        }
        let mut options = self.options()?;
        let mut again = self.again(&options)?;
        let sources = again.as_ref().map_or_else(|| self.sources(), |again| Ok(again.sources()))?;
        options.run.part = self.part(&sources, &options)?;
        let interrupt = options.run.interrupt.clone();
        ctrlc::set_handler(move || interrupted(&interrupt))?;
        let mut came = |id: &CaseId| {
            if let Some(again) = &mut again {
                again.came(id);
            }
        };
        let summary = self.once(&sources, &options, &mut came)?;
        if let Some(again) = &again {
            again.tell_gone(&options);
        }
        Ok(summary.exit())
    }

    /// How to run, as the arguments, the configuration and the lists of known failures say.
    pub(super) fn options(&self) -> anyhow::Result<run::Options> {
        let run::Options { run, file, overrides } = self.select.options()?;
        let run = RunOptions {
            after_failure: if self.fail_fast { AfterFailure::SkipTheRest } else { AfterFailure::GoOn },
            jobs: self.jobs.map_or_else(processors, usize::from),
            unmatched_entries: if self.may_leave_out_known() {
                UnmatchedEntries::Ignore
            } else {
                UnmatchedEntries::Report
            },
            ..run
        };
        self.with_known(run::Options { run, file, overrides })
    }

    /// The files that are meant.
    pub(super) fn sources(&self) -> anyhow::Result<Vec<Source>> {
        self.select.sources()
    }

    /// Runs these files, with all reports, and records the run. `came` is told of each case.
    pub(super) fn once(
        &self,
        sources: &[Source],
        options: &run::Options,
        came: &mut dyn FnMut(&CaseId),
    ) -> anyhow::Result<Summary> {
        let cache = self.cached.open()?;
        let results = cache.as_ref().map(Cache::results);
        let mut options = options.clone();
        options.run.cache = results;
        let options = &options;
        let mut reports = Reports::new(
            &self.report,
            &report::Options {
                verbosity: self.verbosity.level(),
                flags: self.select.flags(),
                selection: self
                    .select
                    .selection()
                    .and(self.rerun.map(Rerun::flag).unwrap_or_default())
                    .and(self.known.flags()),
                grouping: if self.no_group { Grouping::None } else { Grouping::ByCause },
                part: options.run.part.clone(),
            },
        )?;
        let mut record = run_record::begin(sources.len(), options.run.part.as_deref());
        let mut progress = Progress::new(self.verbosity.level());
        let mut failed = None;
        let mut sink = |event| {
            progress.event(&event);
            if let Event::Finished(report) = &event {
                record.case(report);
                came(&report.id);
            }
            failed = failed.take().or_else(|| reports.event(&event).err());
        };
        let summary = match self.needs() {
            Needs::Events => run::run(sources, options, &mut sink),
            Needs::Explanations => run::run_and_explain(sources, options, explain_on_screen, &mut sink),
        };
        // That a report cannot be written takes nothing from what others are told of the run.
        if let Some(cache) = cache {
            cache.keep();
        }
        keep(record, &summary);
        failed.map_or(Ok(()), Err).and_then(|()| reports.finish()).context("a report cannot be written")?;
        Ok(summary)
    }

    /// The cases of the last run that are wanted again, if that is asked.
    fn again(&self, options: &run::Options) -> anyhow::Result<Option<Again>> {
        let Some(rerun) = self.rerun else { return Ok(None) };
        let all = rerun.cases()?;
        if all.is_empty() {
            output::note("note: nothing failed in the last run from this folder");
        }
        Ok(Some(all.among(self.paths())?.matching(&options.run.filter)))
    }

    /// The options with what is known to fail.
    fn with_known(&self, mut options: run::Options) -> anyhow::Result<run::Options> {
        let known = self.known.read()?.map(Arc::new);
        for (file_override, own) in options.overrides.iter_mut().zip(self.known.overridden()?) {
            file_override.options.expected_failures = own.map(Arc::new).or_else(|| known.clone());
        }
        options.file.expected_failures = known;
        Ok(options)
    }

    /// Whether cases may be left out that the lists of known failures name.
    fn may_leave_out_known(&self) -> bool {
        let is_typed = self.known.is_given() && !config::sets("known");
        self.select.is_narrow()
            || self.partition.is_some()
            || self.rerun.is_some()
            || !is_typed && !self.paths().is_empty()
    }

    /// The paths that the user named.
    pub(super) fn paths(&self) -> &[PathBuf] {
        self.select.paths()
    }

    /// Where the files are that the user means.
    pub(super) fn searched(&self) -> Vec<PathBuf> {
        self.select.searched()
    }

    /// The files that reports are written to.
    pub(super) fn report_files(&self) -> impl Iterator<Item = &Path> {
        self.report.iter().filter_map(|wanted| wanted.file.as_deref())
    }

    /// What the most demanding of the reports is made from.
    fn needs(&self) -> Needs {
        let explained = self.report.iter().any(|wanted| wanted.kind.needs == Needs::Explanations);
        if explained { Needs::Explanations } else { Needs::Events }
    }

    /// The part of the cases that is wanted.
    fn part(&self, sources: &[Source], options: &run::Options) -> anyhow::Result<Option<Arc<Part>>> {
        let Some(wanted) = &self.partition else { return Ok(None) };
        let partition = wanted.part()?;
        Ok(Some(Arc::new(run::part(sources, options, partition, &self.select.flags().to_string()))))
    }
}

/// Records a run. That it cannot be recorded takes nothing from it; one of nothing is not.
fn keep(record: Record, summary: &Summary) {
    if summary.exit() == Exit::NothingRan {
        output::note("note: no case ran");
    } else if let Err(error) = run_record::record(&record.end(summary)) {
        output::note(&format!("note: the run cannot be recorded for diff, compare and --rerun: {error}"));
    }
}

/// Ctrl-C: the run ends when the cases at hand are done, with its summary and whole reports. The
/// second time, which is for a case that takes long, the process ends.
pub(super) fn interrupted(interrupt: &Interrupt) {
    if interrupt.request() {
        output::exit_at_once(Exit::Interrupted);
    }
    output::note("note: ending after the cases at hand; Ctrl-C again ends at once, without reports");
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// That reports do not run into one another on standard output. Annotations stand among the text of a job,
/// and come behind it.
fn check_standard_output(wanted: &[RequestedReport]) -> anyhow::Result<()> {
    let to_it = wanted.iter().filter(|wanted| wanted.file.is_none()).map(|wanted| wanted.kind.name);
    match to_it.collect::<Vec<_>>()[..] {
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
    /// The reports that are wanted: text on standard output unless another one goes there.
    pub(super) fn new(wanted: &[RequestedReport], options: &report::Options) -> anyhow::Result<Reports> {
        check_standard_output(wanted)?;
        let mut reports = Reports::default();
        for RequestedReport { kind, file } in wanted {
            match file {
                Some(path) => {
                    let replaced = Replaced::new(path).with_context(|| path.display().to_string())?;
                    reports.all.push((kind.new)(Box::new(replaced.writer()?), options));
                    reports.files.push(replaced);
                }
                None => reports.all.push((kind.new)(Box::new(output::stdout()), options)),
            }
        }
        if wanted.iter().all(|wanted| wanted.file.is_some()) {
            let text = &REPORTS[0];
            reports.all.push((text.new)(Box::new(output::stdout()), options));
        }
        if let Some(path) = step_summary(wanted) {
            let markdown = report::by_name("markdown").context("no report in Markdown")?;
            let appended = output::appended(&path).with_context(|| path.display().to_string())?;
            reports.all.push((markdown.new)(Box::new(appended), options));
        }
        Ok(reports)
    }

    pub(super) fn event(&mut self, event: &Event) -> io::Result<()> {
        self.all.iter_mut().try_for_each(|report| report.event(event))
    }

    pub(super) fn finish(self) -> io::Result<()> {
        drop(self.all);
        self.files.into_iter().try_for_each(Replaced::finish)
    }
}

/// Where GitHub takes a summary of this step, where annotations for it are wanted.
fn step_summary(wanted: &[RequestedReport]) -> Option<PathBuf> {
    let wanted = wanted.iter().any(|wanted| wanted.kind.name == "github");
    let path = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| wanted && !path.is_empty());
    path.map(PathBuf::from)
}

/// Notes, and a bar while files are done, on standard error; the bar on a terminal only.
struct Progress {
    verbosity: Verbosity,
    bar: Option<ProgressBar>,
    notes: Notes,
}

impl Progress {
    fn new(verbosity: Verbosity) -> Progress {
        Progress { verbosity, bar: None, notes: Notes::default() }
    }

    fn event(&mut self, event: &Event) {
        match event {
            // A bar and lines of cases would overwrite each other.
            Event::Started { files } if io::stderr().is_terminal() && self.verbosity == Verbosity::Normal => {
                self.bar = Some(bar(*files as u64));
            }
            Event::Note { file, diagnostic } if self.verbosity == Verbosity::Notes => {
                output::note(&format!("note: {}", diagnostic.located(file)));
            }
            Event::Note { file, diagnostic } => self.notes.add(file, diagnostic),
            Event::FileDone => {
                if let Some(bar) = &self.bar {
                    bar.inc(1);
                }
            }
            Event::Ended(_) => {
                if let Some(bar) = self.bar.take() {
                    bar.finish_and_clear();
                }
                if self.verbosity != Verbosity::Quiet {
                    self.notes.print();
                }
            }
            Event::Started { .. }
            | Event::Finished(_)
            | Event::UnmatchedEntries { .. }
            | Event::Explained(_) => {}
        }
    }
}

fn bar(files: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(files), ProgressDrawTarget::stderr_with_hz(10));
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} files {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Notes by what they say: one line each, however often it is said.
#[derive(Default)]
struct Notes(Vec<(String, String, usize)>);

impl Notes {
    fn add(&mut self, file: &str, diagnostic: &vmconf::model::diagnostic::Diagnostic) {
        if let Some(known) = self.0.iter_mut().find(|note| note.0 == diagnostic.what) {
            known.2 += 1;
            return;
        }
        let place = diagnostic.place.as_ref().map_or(String::new(), |place| format!(":{}", place.position));
        self.0.push((diagnostic.what.clone(), format!("{file}{place}"), 0));
    }

    fn print(&self) {
        for (what, first, more) in &self.0 {
            let more = if *more > 0 { format!(" (and {more} more)") } else { String::new() };
            output::note(&format!("note: {first}: {what}{more}"));
        }
    }
}
