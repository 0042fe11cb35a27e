//! `vmconf run`

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use clap::Args;
use vmconf::explain::explain_on_screen;
use vmconf::explain::playback::hides_steps;
use vmconf::model::suspects::MAX_FAILURES;
use vmconf::model::{CaseReport, Event, Exit, Explanation, Interrupt, RunSummary, VectorsVersion};
use vmconf::report::{self, Needs};
use vmconf::run::sources::Sources;
use vmconf::run::{self, ContentDigests, Explainers, LoadOptions, LoadedFile, RunOptions, UnmatchedEntries};
use vmconf::testees::process::ProcessGroups;
use vmconf::text::file_name::typed;
use vmconf::text::shell::ShellWords;

use super::cache::{CacheArgs, CacheOptions};
use super::errors::BrokenInput;
use super::explorer_pages::ExploreArgs;
use super::flags::FlagEffect;
use super::history;
use super::known::{KnownArgs, apply_to_all};
use super::number::{self, number};
use super::outstanding::OutstandingRecording;
use super::progress::Progress;
use super::repeated_signal::LastSignal;
use super::reports::{ReportArgs, Reports};
use super::rerun::FailuresOf;
use super::result_file::TemporaryFiles;
use super::select::Select;
use super::settings::Settings;
use super::subset::{Subset, SubsetArgs};
use super::system::{processors, this_system};
use super::vm::VmArgs;
use super::worlds::WorldsArgs;
use super::{families, output, outstanding, spectra};

/// Run vectors
///
/// Example: vmconf run vectors/ --filter add
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) select: Select,

    /// Number of threads, and of processes of --vm [default: one per processor]
    #[arg(short, long, value_name = "N", value_parser = number::jobs)]
    jobs: Option<u16>,

    /// Skip the remaining cases after N failures, errors or fixed cases
    #[arg(long, value_name = "N", value_parser = number::<NonZeroUsize>)]
    max_fail: Option<NonZeroUsize>,

    /// Same as --max-fail 1
    #[arg(long, conflicts_with = "max_fail")]
    fail_fast: bool,

    #[command(flatten)]
    subset: SubsetArgs,

    /// Keep running; re-run affected cases when files change
    #[arg(long, conflicts_with_all = ["partition", "rerun"])]
    pub(super) watch: bool,

    #[command(flatten)]
    known: KnownArgs,

    #[command(flatten)]
    pub(super) vm: VmArgs,

    #[command(flatten)]
    worlds: WorldsArgs,

    #[command(flatten)]
    cache: CacheArgs,

    #[command(flatten)]
    pub(super) reports: ReportArgs,

    #[command(flatten)]
    explore: ExploreArgs,
}

impl RunArgs {
    pub(super) fn run(&self, settings: &Settings) -> anyhow::Result<Exit> {
        let controls = RunControls::default();
        ctrlc::set_handler(controls.interrupt_handler())?;
        let runner = Runner::new(self, settings, controls);
        let mut options = runner.options()?;
        let failures = FailuresOf::testee(&options.run.testee);
        let Subset { sources, mut rerun } =
            self.subset.of(&self.select, settings, &mut options, &failures)?;
        let mut on_case = |report: &CaseReport| {
            if let Some(rerun) = &mut rerun {
                rerun.mark_done(&report.id);
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
}

/// The arguments and the settings. Runs files once, or several times with `--watch`.
pub(super) struct Runner<'r> {
    pub(super) args: &'r RunArgs,
    pub(super) settings: &'r Settings,
    controls: RunControls,
}

/// What Ctrl-C ends.
#[derive(Clone, Default)]
pub(super) struct RunControls {
    pub(super) interrupt: Interrupt,
    temporary_files: TemporaryFiles,
    /// The processes that run cases.
    groups: ProcessGroups,
    /// Whether cases run: until then, there are no reports that Ctrl-C should wait for.
    is_running: Arc<AtomicBool>,
}

impl Runner<'_> {
    pub(super) fn new<'r>(args: &'r RunArgs, settings: &'r Settings, controls: RunControls) -> Runner<'r> {
        Runner { args, settings, controls }
    }

    /// The options that the arguments, `vmconf.toml` and the lists of known failures set.
    pub(super) fn options(&self) -> anyhow::Result<LoadOptions> {
        let mut options = self.args.select.options(self.settings)?;
        let run = &mut options.run;
        let RunControls { interrupt, groups, .. } = &self.controls;
        run.interrupt = interrupt.clone();
        let testee = self.args.vm.testee(self.settings, groups, interrupt);
        run.testee = testee.inspect_err(|error| {
            // A machine that does not start is a run without reports, unlike a mistake on the command line.
            if error.is::<BrokenInput>() {
                self.args.reports.remove_earlier();
            }
        })?;
        run.flaky = self.args.vm.flaky();
        run.worlds = self.args.worlds.open(self.settings)?;
        run.jobs = self.args.jobs.map_or_else(processors, usize::from);
        run.max_failures = if self.args.fail_fast { Some(NonZeroUsize::MIN) } else { self.args.max_fail };
        run.unmatched_entries = if self.args.subset.is_narrow() {
            UnmatchedEntries::Ignore
        } else {
            self.args.select.unmatched_entries()
        };
        self.read_known_failures(&mut options)?;
        Ok(options)
    }

    /// The paths that were typed, or the default one, as they are opened.
    pub(super) fn searched(&self) -> Vec<PathBuf> {
        let anchor = &self.settings.anchor;
        self.args.select.searched().iter().map(|path| anchor.resolve(path, Path::exists)).collect()
    }

    /// The declarations of families that the arguments and `vmconf.toml` name.
    pub(super) fn declarations(&self) -> Vec<PathBuf> {
        let typed = self.args.select.declaration().into_iter();
        typed.chain(families::declarations(self.settings)).map(Path::to_owned).collect()
    }

    /// What selects the cases of the run.
    fn selected(&self) -> Vec<String> {
        let paths_and_filters = self.args.select.selected(&self.settings.anchor).into_iter();
        paths_and_filters.chain(self.args.subset.selected()).collect()
    }

    /// The files that are named as lists of known failures; they may not exist.
    pub(super) fn named_lists(&self) -> Vec<PathBuf> {
        let of_files = self.settings.overridden("known").into_iter().flatten();
        let of_files = of_files.map(|(list, _)| PathBuf::from(list));
        let of_all = self.args.known.file().map(Path::to_owned);
        of_files.chain(of_all).chain(self.args.vm.known(self.settings)).collect()
    }

    /// Runs these files once, writes all reports, and records the run. `on_case` is called for each case.
    /// Returns the exit code.
    pub(super) fn run(
        &self,
        sources: &Sources,
        options: &LoadOptions,
        on_case: &mut dyn FnMut(&CaseReport),
    ) -> anyhow::Result<Exit> {
        let vm = options.run.testee.vm();
        let cache = self.args.cache.open(&self.args.vm, self.settings, vm.map(|vm| vm.hello()))?;
        let (options, versions) = self.with_cache_and_contents(sources, options, cache.as_ref());
        let options = &options;
        let report_options = self.report_options(options, versions);
        let flags = report_options.explorer_flags();
        let mut pages = self.args.explore.pages(&self.args.reports, &self.controls.temporary_files, flags)?;
        // Opening a named pipe waits for its reader.
        let mut reports = Reports::new(&self.args.reports, &report_options, &self.controls.temporary_files)?;
        self.controls.is_running.store(true, Ordering::Relaxed);
        let needs = reports.needs();
        let mut sink = self.sink(options, sources.len(), &mut reports, on_case);
        let mut explain = |loaded: &LoadedFile<'_>, case: usize, run: &RunOptions| {
            let explanation = explain_on_screen(loaded, case, run);
            let page = pages.as_mut().and_then(|pages| pages.page(loaded, case, run));
            Explanation { page, ..explanation }
        };
        let explainers = Explainers {
            explain: (needs == Needs::Explanations).then_some(&mut explain),
            // A part has too few cases, and a merged report no machine.
            analyse: (self.args.reports.are_by_suspect() && options.run.part.is_none())
                .then_some(&spectra::analyse),
        };
        let summary = run::run_with(sources, options, explainers, &mut |event| sink.event(&event));
        let RunSink { record, is_machine_broken, .. } = sink;
        // The first thing that is safe: a cache folder may be on a disk that does not answer.
        let exit = reports.finish(summary.exit());
        match cache {
            Some(_) if is_machine_broken => CacheOptions::note_nothing_is_kept(),
            Some(cache) => cache.save(&self.args.vm, self.settings),
            None => {}
        }
        save_record(record, &summary, self.settings);
        self.note_not_analysed(&summary);
        Ok(pages.map_or(exit, |pages| pages.finish(exit)))
    }

    /// The options with the cache, and with digests of the vectors if a report says their content; then their versions
    /// as well.
    fn with_cache_and_contents(
        &self,
        sources: &Sources,
        options: &LoadOptions,
        cache: Option<&CacheOptions>,
    ) -> (LoadOptions, Vec<VectorsVersion>) {
        let mut options = options.clone();
        options.run.cache = cache.map(CacheOptions::results);
        if !self.args.reports.say_contents() {
            return (options, Vec::new());
        }
        options.run.contents = ContentDigests::Hashed;
        (options, run::vectors_versions(sources, &self.settings.anchor))
    }

    /// Says where the suspects are that the reports leave out.
    fn note_not_analysed(&self, summary: &RunSummary) {
        if summary.failing() > MAX_FAILURES as u64 && self.args.reports.are_by_suspect() {
            note!(
                "note: more than {MAX_FAILURES} cases fail, so they are grouped by what differs; vmconf suspects \
                 says what explains them"
            );
        }
    }

    /// What the events of a run of this number of files go to.
    fn sink<'r>(
        &self,
        options: &LoadOptions,
        files: usize,
        reports: &'r mut Reports,
        on_case: &'r mut dyn FnMut(&CaseReport),
    ) -> RunSink<'r> {
        let part = options.run.part.as_ref().map(|part| part.partition);
        let vm = options.run.testee.vm().map(|vm| vm.about());
        let record = history::begin(self.selected(), files, vm.clone(), part);
        RunSink {
            progress: Progress::new(&self.args.reports.verbosity, options.run.running.clone()),
            record: OutstandingRecording::begin(&self.settings.anchor, record, vm),
            reports,
            on_case,
            is_machine_broken: false,
        }
    }

    fn report_options(&self, options: &LoadOptions, versions: Vec<VectorsVersion>) -> report::ReportOptions {
        let paths: ShellWords = self.args.select.paths().iter().map(|path| typed(path.as_os_str())).collect();
        let selection = paths.and(self.settings.repeated(FlagEffect::Selection));
        report::ReportOptions {
            selection,
            only: self
                .args
                .select
                .only(&self.settings.anchor)
                .into_iter()
                .chain(self.args.subset.selected())
                .collect(),
            flags: self.settings.repeated(FlagEffect::Verdicts),
            hides_steps: options.run.testee.vm().is_some_and(|vm| hides_steps(vm)),
            system: Some(this_system()),
            versions,
            part: options.run.part.clone(),
            ..self.args.reports.options(&self.settings.anchor)
        }
    }

    /// Adds the lists of known failures to the options.
    fn read_known_failures(&self, options: &mut LoadOptions) -> anyhow::Result<()> {
        let (known, vm) = (&self.args.known, &self.args.vm);
        if vm.is_some() && self.settings.typed("known").is_none() {
            // The other lists of vmconf.toml are for the embedded machines.
            apply_to_all(vm.known(self.settings).map(|path| known.list(&path)).transpose()?, options);
            return Ok(());
        }
        let list = known.read(self.settings)?.map(Arc::new);
        for (file_override, own) in options.overrides.iter_mut().zip(known.overridden(self.settings)?) {
            file_override.options.known_failures = own.map(Arc::new).or_else(|| list.clone());
        }
        options.file.known_failures = list;
        Ok(())
    }
}

/// What the events of a run go to.
struct RunSink<'r> {
    progress: Progress,
    record: OutstandingRecording,
    reports: &'r mut Reports,
    on_case: &'r mut dyn FnMut(&CaseReport),
    is_machine_broken: bool,
}

impl RunSink<'_> {
    fn event(&mut self, event: &Event) {
        self.progress.event(event);
        match event {
            Event::Finished(report) => {
                self.record.case(report);
                (self.on_case)(report);
            }
            Event::Suspects(analysis) => self.record.suspects(analysis),
            Event::Broken { source, errors } => {
                self.is_machine_broken |= source.is_machine();
                self.record.broken(source, errors);
            }
            _ => {}
        }
        self.reports.event(event);
    }
}

impl RunControls {
    /// The Ctrl-C handler. The first Ctrl-C ends the current cases without a verdict and the run with its
    /// summary and complete reports; the second ends the process immediately, in case a report is not read. So does
    /// the first one before any case runs, in case an input never ends.
    pub(super) fn interrupt_handler(&self) -> impl FnMut() + Send + use<> {
        let (interrupt, temporary_files) = (self.interrupt.clone(), self.temporary_files.clone());
        let (groups, is_running) = (self.groups.clone(), self.is_running.clone());
        let mut last = LastSignal::default();
        move || {
            if last.is_repeated() {
                return;
            }
            if interrupt.request() || !is_running.load(Ordering::Relaxed) {
                groups.kill();
                temporary_files.exit(Exit::Interrupted);
            }
            output::note("note: ending the run; Ctrl-C again ends at once, without reports");
        }
    }
}

/// Saves the record of a run, unless no case ran. A failure to write is a note and does not fail the run.
fn save_record(record: OutstandingRecording, summary: &RunSummary, settings: &Settings) {
    if summary.is_empty_part && summary.unsupported > 0 {
        output::note("note: no case of this part ran; other parts may have some that do");
    } else if summary.is_empty_part {
        output::note("note: other parts have all cases");
    } else if summary.exit() == Exit::NothingRan {
        note!("note: no case ran{}", settings.restrictions());
    } else if let Err(error) = record.end(summary) {
        note!("note: the run cannot be recorded for diff, compare and --rerun: {error}");
    }
}
