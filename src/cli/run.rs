//! `vmconf run`

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use vmconf::event::{CaseReport, Event, Exit};
use vmconf::report::{self, REPORTS, Report, ReportKind, Verbosity};
use vmconf::runner::{self, AfterFailure, Interrupt};
use vmconf::verdict::Verdict;

use super::last_run;
use super::output::{self, Replaced};
use super::select::Select;

/// Run vectors
///
/// Example: vmconf run vectors/ --filter add
#[derive(Debug, Args)]
pub(super) struct Run {
    #[command(flatten)]
    select: Select,

    /// How many threads [default: one for each processor]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Skip all cases after the first that fails or is broken
    #[arg(long)]
    fail_fast: bool,

    /// Make a report: text, json; to FILE, or to standard output instead of the text; repeatable
    #[arg(long, value_name = "NAME[=FILE]", value_parser = parse_report)]
    report: Vec<Wanted>,

    /// Print the summary alone
    #[arg(short, long)]
    quiet: bool,
}

/// A report that the user asked for.
#[derive(Debug, Clone)]
struct Wanted {
    kind: &'static ReportKind,
    file: Option<PathBuf>,
}

fn parse_report(text: &str) -> Result<Wanted, String> {
    let (name, file) = match text.split_once('=') {
        Some((_, "")) => return Err("a file name is missing behind =".to_owned()),
        Some((name, file)) => (name, Some(PathBuf::from(file))),
        None => (text, None),
    };
    let names: Vec<_> = REPORTS.iter().map(|report| report.name).collect();
    let kind =
        report::by_name(name).ok_or_else(|| format!("no such report; there are {}", names.join(", ")))?;
    Ok(Wanted { kind, file })
}

impl Run {
    pub(super) fn run(&self) -> anyhow::Result<Exit> {
        let options = runner::Options {
            after_failure: if self.fail_fast { AfterFailure::SkipTheRest } else { AfterFailure::GoOn },
            jobs: self.jobs.map_or_else(processors, usize::from),
            ..self.select.options()?
        };
        let sources = self.select.sources()?;
        let interrupt = options.interrupt.clone();
        ctrlc::set_handler(move || interrupted(&interrupt))?;
        let mut reports = self.reports()?;
        let mut progress = Progress::new(self.verbosity());
        let mut failed = None;
        let mut not_passed = Vec::new();
        let summary = runner::run(&sources, &options, &mut |event| {
            progress.event(&event);
            if let Event::Finished(CaseReport { id, verdict: Verdict::Fail(_) | Verdict::Error(_), .. }) =
                &event
            {
                not_passed.push(id.to_string());
            }
            failed = failed.take().or_else(|| reports.event(&event).err());
        });
        if let Some(error) = failed {
            return Err(error).context("a report cannot be written");
        }
        reports.finish().context("a report cannot be written")?;
        // That the cache cannot be written takes nothing from the run.
        if let Err(error) = last_run::keep(&not_passed) {
            output::note(&format!("note: what failed cannot be kept for vmconf diff: {error}"));
        }
        if summary.exit() == Exit::NothingRan {
            output::note("note: no case ran");
        }
        Ok(summary.exit())
    }

    /// The paths that the user named.
    pub(super) fn paths(&self) -> &[PathBuf] {
        self.select.paths()
    }

    fn verbosity(&self) -> Verbosity {
        if self.quiet { Verbosity::Quiet } else { Verbosity::Normal }
    }

    /// The reports that are wanted: text on standard output unless another one goes there.
    fn reports(&self) -> anyhow::Result<Reports> {
        let mut reports = Reports::default();
        let options = report::Options { verbosity: self.verbosity(), flags: self.select.flags() };
        for Wanted { kind, file } in &self.report {
            match file {
                Some(path) => {
                    let replaced = Replaced::new(path).with_context(|| path.display().to_string())?;
                    reports.all.push((kind.new)(Box::new(replaced.writer()?), &options));
                    reports.files.push(replaced);
                }
                None => reports.all.push((kind.new)(Box::new(output::stdout()), &options)),
            }
        }
        if self.report.iter().all(|wanted| wanted.file.is_some()) {
            let text = &REPORTS[0];
            reports.all.push((text.new)(Box::new(output::stdout()), &options));
        }
        Ok(reports)
    }
}

/// Ctrl-C: the run ends when the cases at hand are done, with its summary and whole reports. The
/// second time, which is for a case that takes long, the process ends.
fn interrupted(interrupt: &Interrupt) {
    if interrupt.ask() {
        std::process::exit(Exit::Interrupted as i32);
    }
    output::note("note: ending after the cases at hand; Ctrl-C again ends at once, without reports");
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// All reports of a run and the files that some go to.
#[derive(Default)]
struct Reports {
    all: Vec<Box<dyn Report>>,
    files: Vec<Replaced>,
}

impl Reports {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.all.iter_mut().try_for_each(|report| report.event(event))
    }

    fn finish(self) -> io::Result<()> {
        drop(self.all);
        self.files.into_iter().try_for_each(Replaced::finish)
    }
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
            Event::Started { files } if io::stderr().is_terminal() && self.verbosity != Verbosity::Quiet => {
                self.bar = Some(bar(*files as u64));
            }
            Event::Note { file, trouble } => self.notes.add(file, trouble),
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
            Event::Started { .. } | Event::Finished(_) => {}
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
    fn add(&mut self, file: &str, trouble: &vmconf::verdict::Trouble) {
        if let Some(known) = self.0.iter_mut().find(|note| note.0 == trouble.what) {
            known.2 += 1;
            return;
        }
        let place = trouble.place.as_ref().map_or(String::new(), |place| format!(":{}", place.position));
        self.0.push((trouble.what.clone(), format!("{file}{place}"), 0));
    }

    fn print(&self) {
        for (what, first, more) in &self.0 {
            let more = if *more > 0 { format!(" (and {more} more)") } else { String::new() };
            output::note(&format!("note: {first}: {what}{more}"));
        }
    }
}
