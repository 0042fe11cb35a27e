//! From files to events: reads them, runs their cases on as many threads as are wanted, and puts
//! what comes of them back in order.
//!
//! The work list is files; reading one puts its cases in front of the files that are left, so
//! that the threads share the cases of one large file as well as many small files. With one
//! thread there is no queue: files and cases are done where they stand.

pub mod bless;
pub mod cache;
pub mod compare;
pub mod coverage;
mod execute;
pub mod expected_failures;
pub mod expression;
mod file_override;
pub mod filter;
mod interrupt;
mod load;
pub mod merge;
mod order;
mod pool;
pub mod sources;
mod vector_files;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use self::cache::{FileKey, ResultCache, Update};
use self::execute::Plan;
use self::expected_failures::Known;
use self::expression::Select;
use self::filter::Filter;
use self::sources::Source;
use crate::formats::{self, Format};
use crate::machines::machine::Watch;
use crate::model::case::Case;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::{CaseReport, Event, Summary};
use crate::model::limits::Limits;
use crate::model::partition::{FileCases, Part, Partition};
use crate::model::verdict::Verdict;
use crate::testees::{MakeTestee, Testee};

pub use execute::{Worker, machine_of};
pub(crate) use execute::{catch_panic, place_of};
pub use file_override::FileOverride;
pub use interrupt::Interrupt;
pub(crate) use load::{Faulty, Identified, identify, read_text, selected};
pub use load::{LoadedCase, LoadedFile, explain_format, named_files, open, open_text};
pub use vector_files::VectorFiles;

/// How to run.
#[derive(Clone)]
pub struct Options {
    /// The format of every file; none to recognise it.
    pub format: Option<&'static Format>,
    /// How to read vectors.
    pub read: formats::Options,
    /// Limits on files, cases and machines.
    pub limits: Limits,
    /// Which cases are meant, by their ids.
    pub filter: Filter,
    /// Which of those; none for all.
    pub select: Option<Select>,
    /// The part of those that is meant; none for all.
    pub part: Option<Arc<Part>>,
    /// What is known to fail.
    pub known: Option<Arc<Known>>,
    /// Whether every entry of that must name a case.
    pub entries: Entries,
    /// What happens after the first case that fails or is broken.
    pub after_failure: AfterFailure,
    /// How many threads; at least one is used.
    pub jobs: usize,
    /// Files that are read and run otherwise; the first that means a file counts.
    pub overrides: Vec<FileOverride>,
    /// Ends the run early. Cases that are done, in the order of events, are told.
    pub interrupt: Interrupt,
    /// What is known of cases that need not run again; none to run all. That of [`FileOverride`]s is not asked.
    pub cache: Option<Arc<ResultCache>>,
    /// What makes the testees.
    pub testee: MakeTestee,
}

/// All cases, one after the other, on the machines of this crate.
impl Default for Options {
    fn default() -> Options {
        Options {
            format: None,
            read: formats::Options::default(),
            limits: Limits::default(),
            filter: Filter::default(),
            select: None,
            part: None,
            known: None,
            entries: Entries::default(),
            after_failure: AfterFailure::default(),
            jobs: 0,
            overrides: Vec::new(),
            interrupt: Interrupt::default(),
            cache: None,
            testee: MakeTestee::default(),
        }
    }
}

impl Options {
    /// What the answers of a file are found by when it is read and run under these options.
    pub fn file_key(&self, text: &str, format: &'static Format) -> FileKey {
        // No `..`: whoever adds an option decides here whether it changes what comes of a case.
        let Options {
            read,
            limits,
            testee,
            // The one that the file was taken for counts.
            format: _,
            // Which cases are meant.
            filter: _,
            select: _,
            part: _,
            // What is made of it when it is known.
            known: _,
            entries: _,
            after_failure: _,
            jobs: _,
            // Each file has the options that apply to it.
            overrides: _,
            interrupt: _,
            cache: _,
        } = self;
        FileKey::new(text, &(format.name, read, limits, testee.name()))
    }

    /// Every list of known failures that some file is judged by, each once.
    pub fn known_lists(&self) -> impl Iterator<Item = &Arc<Known>> {
        let of_exceptions =
            self.overrides.iter().filter_map(|file_override| file_override.options.known.as_ref());
        let lists: BTreeMap<_, _> =
            self.known.iter().chain(of_exceptions).map(|known| (&known.file, known)).collect();
        lists.into_values()
    }
}

/// What happens after the first case that fails or is broken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AfterFailure {
    /// The others run all the same.
    #[default]
    GoOn,
    /// The others, in the order of events, are skipped.
    SkipTheRest,
}

/// Whether every entry of a list of known failures must name a case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Entries {
    /// It must: all cases run.
    #[default]
    AllNameCases,
    /// It need not: only some of the cases run.
    SomeMay,
}

/// Runs all cases that are meant and tells `sink` what happens.
///
/// Events are the same whatever the number of threads, but for [`Summary::seconds`].
pub fn run(sources: &[Source], options: &Options, sink: &mut dyn FnMut(Event)) -> Summary {
    let start = Instant::now();
    sink(Event::Started { files: sources.len() });
    let mut tally = Collector {
        summary: Summary::default(),
        options,
        sink,
        known: None,
        key: None,
        naming: BTreeMap::new(),
    };
    if options.jobs <= 1 {
        one_by_one(sources, options, &mut tally);
    } else {
        pool::run(sources, options, &mut tally);
    }
    tally.entries();
    let Collector { mut summary, sink, .. } = tally;
    summary.interrupted = options.interrupt.is_asked();
    summary.seconds = start.elapsed().as_secs_f64();
    sink(Event::Ended(summary));
    summary
}

/// Finds the cases of a part of a run: all files are opened for that. `flags` are what else makes a run
/// another one.
pub fn part(sources: &[Source], options: &Options, partition: Partition, flags: &str) -> Part {
    let cases = |source: &Source| FileCases {
        file: source.shown.clone(),
        cases: open(source, options).ids().collect(),
    };
    Part::new(partition, flags, &sources.iter().map(cases).collect::<Vec<_>>())
}

/// A case that was run alone.
pub struct WatchedCase {
    /// What came of it.
    pub report: CaseReport,
    /// What was ignored in it.
    pub notes: Vec<Diagnostic>,
    /// What was read; none where it is malformed.
    pub case: Option<Case>,
    /// The machine as the run left it; none where it did not run or panicked.
    pub testee: Option<Box<dyn Testee>>,
}

/// Runs one case of an opened file with `watch` looking on.
///
/// # Panics
///
/// When the file has no such case.
pub fn watch(loaded: &LoadedFile<'_>, case: usize, options: &Options, watch: &mut dyn Watch) -> WatchedCase {
    let mut bench = Worker::new(options);
    let CaseOutcome { report, notes, case, .. } = bench.run(loaded, case, Plan::Run, Some(watch));
    WatchedCase { report, notes, case, testee: bench.into_last() }
}

fn one_by_one(sources: &[Source], options: &Options, tally: &mut Collector<'_>) {
    let mut bench = Worker::new(options);
    for source in sources {
        if options.interrupt.is_asked() {
            return;
        }
        let loaded = open(source, options);
        tally.file(&loaded);
        for case in 0..loaded.cases() {
            if options.interrupt.is_asked() {
                return;
            }
            tally.case(bench.run(&loaded, case, tally.plan(), None));
        }
        (tally.sink)(Event::FileDone);
    }
}

/// The end of the line for what comes of cases: in order, counted, skipped where that is asked.
struct Collector<'s> {
    summary: Summary,
    options: &'s Options,
    sink: &'s mut dyn FnMut(Event),
    /// What is known to fail of the file at hand.
    known: Option<Arc<Known>>,
    /// What the answers of the file at hand are found by, where they are asked for.
    key: Option<FileKey>,
    /// The entries of each list of known failures that name a case, by the file of the list.
    naming: BTreeMap<Arc<str>, BTreeSet<usize>>,
}

impl Collector<'_> {
    /// What is to be done with the next case.
    fn plan(&self) -> Plan {
        let stopped = self.summary.failed + self.summary.errors > 0;
        match self.options.after_failure {
            AfterFailure::SkipTheRest if stopped => Plan::Skip,
            _ => Plan::Run,
        }
    }

    /// What a file has to tell besides its cases.
    fn file(&mut self, loaded: &LoadedFile<'_>) {
        self.known = self.options.under(loaded.file_override).known.clone();
        self.key = loaded.key().cloned();
        if let (Some(cache), Some(key)) = (&self.options.cache, &self.key) {
            cache.use_file(key);
        }
        for (diagnostic, file) in loaded.notes() {
            (self.sink)(Event::Note { file, diagnostic });
        }
        if let Some(report) = loaded.broken() {
            self.case(CaseOutcome { report, notes: Vec::new(), case: None, cache_update: None });
        }
    }

    /// Tells of entries that name no case.
    fn entries(&mut self) {
        let all_ran = self.options.entries == Entries::AllNameCases && !self.options.interrupt.is_asked();
        for known in self.options.known_lists().filter(|_| all_ran) {
            let naming = self.naming.remove(&known.file).unwrap_or_default();
            if let Some(report) = known.unmatched(&naming) {
                self.summary.count(&report);
                (self.sink)(Event::Finished(report));
            }
        }
    }

    fn case(&mut self, judged: CaseOutcome) {
        let CaseOutcome { mut report, mut notes, mut cache_update, .. } = judged;
        if let Some(known) = &self.known {
            self.naming.entry(known.file.clone()).or_default().extend(known.naming(&report.id));
        }
        if self.plan() == Plan::Skip {
            // Another thread may have run it before it was known that it need not.
            report.verdict = Verdict::Skip(SKIPPED.to_owned());
            report.machine = None;
            report.cached = false;
            notes.clear();
            cache_update = None;
        }
        if let (Some(cache), Some(key), Some(cache_update)) = (&self.options.cache, &self.key, cache_update) {
            cache.learn(key, cache_update);
        }
        for diagnostic in notes {
            (self.sink)(Event::Note { file: report.id.file.clone(), diagnostic });
        }
        self.summary.count(&report);
        (self.sink)(Event::Finished(report));
    }
}

const SKIPPED: &str = "--fail-fast: a case before it failed";

/// A case and what came of it, with what was ignored in it.
struct CaseOutcome {
    report: CaseReport,
    notes: Vec<Diagnostic>,
    /// The case itself, where somebody watched.
    case: Option<Case>,
    /// What it teaches for later runs.
    cache_update: Option<Update>,
}
