//! `vmconf run`

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use vmconf::explain::explain_on_screen;
use vmconf::model::case::CaseId;
use vmconf::model::event::{Event, Summary};
use vmconf::model::exit::Exit;
use vmconf::model::interrupt::Interrupt;
use vmconf::model::partition::Part;
use vmconf::report::{self, Grouping, Needs};
use vmconf::run::sources::Source;
use vmconf::run::{self, Options, UnmatchedEntries};
use vmconf::testees::process::Groups;
use vmconf::text::file_name::typed;
use vmconf::text::shell::Words;

use super::cache::{Cache, CacheArgs};
use super::flags::Changes;
use super::history::Executed;
use super::known::KnownArgs;
use super::outstanding::Recording;
use super::progress::Progress;
use super::reports::{Reports, RequestedReport};
use super::rerun::{Rerun, RerunCases};
use super::result_file::TemporaryFiles;
use super::select::Select;
use super::settings::Settings;
use super::verbosity::VerbosityArgs;
use super::vm::VmArgs;
use super::{candidates, output, outstanding, partition, reports};

/// Run vectors
///
/// Example: vmconf run vectors/ --filter add
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct Run {
    #[command(flatten)]
    pub(super) select: Select,

    /// Number of threads [default: one per processor]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Skip the remaining cases after N failures or errors
    #[arg(long, value_name = "N")]
    max_fail: Option<NonZeroUsize>,

    /// Same as --max-fail 1
    #[arg(long, conflicts_with = "max_fail")]
    fail_fast: bool,

    /// Only one part of the cases: hash:2/8 by id, slice:2/8 in turn, or auto
    ///
    /// With auto, a scheduler gives the part (see `vmconf help schedulers`). vmconf merge joins the JSON
    /// reports of all parts.
    #[arg(long, value_name = "PART", value_parser = partition::parse)]
    partition: Option<partition::RequestedPart>,

    /// Only cases that failed in a run from this folder and have not passed since
    #[arg(long, value_name = "WHICH")]
    rerun: Option<Rerun>,

    /// Keep running; re-run affected cases when files change
    #[arg(long, conflicts_with_all = ["partition", "rerun"])]
    watch: bool,

    #[command(flatten)]
    known: KnownArgs,

    #[command(flatten)]
    vm: VmArgs,

    #[command(flatten)]
    cache: CacheArgs,

    #[arg(long, value_name = "NAME[=FILE]", value_parser = reports::parse, help = reports::help(),
          add = ArgValueCompleter::new(candidates::reports))]
    report: Vec<RequestedReport>,

    /// Do not group failures by cause
    #[arg(long)]
    no_group: bool,

    #[command(flatten)]
    verbosity: VerbosityArgs,
}

impl Run {
    /// Whether the command waits for changes and runs again: [`super::watch`].
    pub(super) fn is_watch(&self) -> bool {
        self.watch
    }

    /// The paths that were typed.
    pub(super) fn paths(&self) -> &[PathBuf] {
        self.select.paths()
    }

    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let runner = Runner::new(self, settings);
        ctrlc::set_handler(runner.interrupt_handler())?;
        let mut options = runner.options()?;
        let mut rerun = self.rerun_cases(settings, &options)?;
        let sources = match &rerun {
            Some(rerun) => rerun.sources(),
            None => runner.sources(&options)?,
        };
        options.run.part = runner.part(&sources, &options)?;
        let mut on_case = |id: &CaseId| {
            if let Some(rerun) = &mut rerun {
                rerun.mark_done(id);
            }
        };
        let exit = runner.run(&sources, &options, &mut on_case)?;
        if let Some(rerun) = &rerun {
            let deleted = rerun.report_deleted(&options);
            if !deleted.is_empty() {
                outstanding::forget(&settings.anchor, &deleted).context("outstanding failures")?;
            }
        }
        Ok(exit)
    }

    /// The cases that run again; `None` without `--rerun`.
    fn rerun_cases(&self, settings: &Settings, options: &Options) -> anyhow::Result<Option<RerunCases>> {
        let Some(rerun) = self.rerun else { return Ok(None) };
        let all = rerun.cases(&settings.anchor)?;
        if all.is_empty() {
            output::note("note: no failure is outstanding");
        }
        Ok(Some(all.among(self.paths())?.matching(&options.run.filter)))
    }
}

/// The arguments and the settings. Runs files once, or several times with `--watch`.
pub(super) struct Runner<'r> {
    args: &'r Run,
    pub(super) settings: &'r Settings,
    pub(super) interrupt: Interrupt,
    temporary_files: TemporaryFiles,
    /// The processes that run cases.
    groups: Groups,
}

impl Runner<'_> {
    pub(super) fn new<'r>(args: &'r Run, settings: &'r Settings) -> Runner<'r> {
        Runner {
            args,
            settings,
            interrupt: Interrupt::default(),
            temporary_files: TemporaryFiles::default(),
            groups: Groups::default(),
        }
    }

    /// The options that the arguments, `vmconf.toml` and the lists of expected failures set.
    pub(super) fn options(&self) -> anyhow::Result<Options> {
        let mut options = self.args.select.options(self.settings)?;
        let run = &mut options.run;
        run.interrupt = self.interrupt.clone();
        run.testee = self.args.vm.testee(self.settings, &self.groups, &self.interrupt)?;
        run.jobs = self.args.jobs.map_or_else(processors, usize::from);
        run.max_failures = if self.args.fail_fast { Some(NonZeroUsize::MIN) } else { self.args.max_fail };
        if self.may_leave_out_expected_failures() {
            run.unmatched_entries = UnmatchedEntries::Ignore;
        }
        self.read_expected_failures(&mut options)?;
        Ok(options)
    }

    /// The selected files.
    pub(super) fn sources(&self, options: &Options) -> anyhow::Result<Vec<Source>> {
        self.args.select.sources(self.settings, options)
    }

    /// The paths that were typed, or the default one, as they are opened.
    pub(super) fn searched(&self) -> Vec<PathBuf> {
        let anchor = &self.settings.anchor;
        self.args.select.searched().iter().map(|path| anchor.resolve(path, Path::exists)).collect()
    }

    /// What selects the cases of the run.
    fn selected(&self) -> Vec<String> {
        let rerun = self.args.rerun.map(|Rerun::Failed| "--rerun=failed".to_owned());
        self.args.select.selected(&self.settings.anchor).into_iter().chain(rerun).collect()
    }

    /// The files that reports are written to.
    pub(super) fn report_files(&self) -> impl Iterator<Item = &Path> {
        self.args.report.iter().filter_map(RequestedReport::file)
    }

    /// Runs these files once, writes all reports, and records the run. `on_case` is called for each case.
    /// Returns the exit code.
    pub(super) fn run(
        &self,
        sources: &[Source],
        options: &Options,
        on_case: &mut dyn FnMut(&CaseId),
    ) -> anyhow::Result<Exit> {
        let cache = self.args.cache.open(self.settings)?;
        let mut options = options.clone();
        options.run.cache = cache.as_ref().map(Cache::results);
        let options = &options;
        let mut reports =
            Reports::new(&self.args.report, &self.report_options(options), &self.temporary_files)?;
        let executed =
            Executed { selected: self.selected(), files: sources.len(), part: options.run.part.as_deref() };
        let mut record = Recording::begin(&self.settings.anchor, executed);
        let mut progress = Progress::new(self.args.verbosity.level());
        let needs = reports.needs();
        let mut sink = |event| {
            progress.event(&event);
            if let Event::Finished(report) = &event {
                record.case(report);
                on_case(&report.id);
            }
            reports.event(&event);
        };
        let summary = match needs {
            Needs::Events => run::run(sources, options, &mut sink),
            Needs::Explanations => run::run_and_explain(sources, options, explain_on_screen, &mut sink),
        };
        if let Some(cache) = cache {
            cache.save();
        }
        save_record(record, &summary);
        Ok(reports.finish(summary.exit()))
    }

    fn report_options(&self, options: &Options) -> report::Options {
        let paths: Words = self.args.paths().iter().map(|path| typed(path.as_os_str())).collect();
        report::Options {
            verbosity: self.args.verbosity.level(),
            flags: self.settings.repeated(Changes::Verdicts),
            selection: paths.and(self.settings.repeated(Changes::Selection)),
            grouping: if self.args.no_group { Grouping::None } else { Grouping::ByCause },
            part: options.run.part.clone(),
        }
    }

    /// Adds the lists of expected failures to the options.
    fn read_expected_failures(&self, options: &mut Options) -> anyhow::Result<()> {
        let (known, vm) = (&self.args.known, &self.args.vm);
        if vm.is_some() && self.settings.typed("known").is_none() {
            // The other lists of vmconf.toml are for the embedded machines.
            let list = vm.known(self.settings).map(|path| known.list(&path)).transpose()?.map(Arc::new);
            options.file.expected_failures.clone_from(&list);
            for file_override in &mut options.overrides {
                file_override.options.expected_failures.clone_from(&list);
            }
            return Ok(());
        }
        let list = known.read()?.map(Arc::new);
        for (file_override, own) in options.overrides.iter_mut().zip(known.overridden(self.settings)?) {
            file_override.options.expected_failures = own.map(Arc::new).or_else(|| list.clone());
        }
        options.file.expected_failures = list;
        Ok(())
    }

    /// Whether the run may exclude cases that the lists of expected failures name.
    fn may_leave_out_expected_failures(&self) -> bool {
        self.args.select.is_narrow()
            || self.args.partition.is_some()
            || self.args.rerun.is_some()
            || self.settings.typed("known").is_none() && !self.args.paths().is_empty()
    }

    /// The part of the cases to run; `None` without `--partition`.
    fn part(&self, sources: &[Source], options: &Options) -> anyhow::Result<Option<Arc<Part>>> {
        let Some(requested) = &self.args.partition else { return Ok(None) };
        let flags = self.settings.repeated(Changes::Verdicts).to_string();
        Ok(Some(Arc::new(run::part(sources, options, requested.part()?, &flags))))
    }

    /// The Ctrl-C handler. The first Ctrl-C ends the current cases without a verdict and the run with its
    /// summary and complete reports; the second ends the process immediately, in case a report is not read.
    pub(super) fn interrupt_handler(&self) -> impl Fn() + Send + use<> {
        let (interrupt, temporary_files) = (self.interrupt.clone(), self.temporary_files.clone());
        let groups = self.groups.clone();
        move || {
            if interrupt.request() {
                groups.kill();
                temporary_files.exit(Exit::Interrupted);
            }
            output::note("note: ending the run; Ctrl-C again ends at once, without reports");
        }
    }
}

/// Saves the record of a run, unless no case ran. A failure to write is a note and does not fail the run.
fn save_record(record: Recording, summary: &Summary) {
    if summary.exit() == Exit::NothingRan {
        output::note("note: no case ran");
    } else if let Err(error) = record.end(summary) {
        output::note(&format!("note: the run cannot be recorded for diff, compare and --rerun: {error}"));
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
