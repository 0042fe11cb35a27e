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
pub mod file_options;
pub mod file_override;
pub mod filter;
mod interrupt;
mod load;
pub mod merge;
pub mod options;
mod order;
mod pool;
pub mod sources;
mod vector_files;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use self::cache::{FileKey, Update};
use self::execute::Plan;
use self::expected_failures::ExpectedFailures;
use self::sources::Source;
use crate::machines::machine::Watch;
use crate::model::case::Case;
use crate::model::diagnostic::Diagnostic;
use crate::model::event::{CaseReport, Event, Summary};
use crate::model::partition::{FileCases, Part, Partition};
use crate::model::verdict::Verdict;
use crate::testees::Testee;

pub use execute::{Worker, machine_of};
pub(crate) use execute::{catch_panic, place_of};
pub use file_options::FileOptions;
pub use file_override::FileOverride;
pub use interrupt::Interrupt;
pub(crate) use load::{Faulty, Identified, identify, read_text, selected};
pub use load::{LoadedCase, LoadedFile, explain_format, named_files, open, open_text};
pub use options::{AfterFailure, Options, RunOptions, UnmatchedEntries};
pub use vector_files::VectorFiles;

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
        expected_failures: None,
        key: None,
        naming: BTreeMap::new(),
    };
    if options.run.jobs <= 1 {
        one_by_one(sources, options, &mut tally);
    } else {
        pool::run(sources, options, &mut tally);
    }
    tally.entries();
    let Collector { mut summary, sink, .. } = tally;
    summary.interrupted = options.run.interrupt.is_requested();
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
pub fn watch(
    loaded: &LoadedFile<'_>,
    case: usize,
    options: &RunOptions,
    watch: &mut dyn Watch,
) -> WatchedCase {
    let mut bench = Worker::new(options);
    let CaseOutcome { report, notes, case, .. } = bench.run(loaded, case, Plan::Run, Some(watch));
    WatchedCase { report, notes, case, testee: bench.into_last() }
}

fn one_by_one(sources: &[Source], options: &Options, tally: &mut Collector<'_>) {
    let mut bench = Worker::new(&options.run);
    for source in sources {
        if options.run.interrupt.is_requested() {
            return;
        }
        let loaded = open(source, options);
        tally.file(&loaded);
        for case in 0..loaded.cases() {
            if options.run.interrupt.is_requested() {
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
    expected_failures: Option<Arc<ExpectedFailures>>,
    /// What the answers of the file at hand are found by, where they are asked for.
    key: Option<FileKey>,
    /// The entries of each list of known failures that name a case, by the file of the list.
    naming: BTreeMap<Arc<str>, BTreeSet<usize>>,
}

impl Collector<'_> {
    /// What is to be done with the next case.
    fn plan(&self) -> Plan {
        let stopped = self.summary.failed + self.summary.errors > 0;
        match self.options.run.after_failure {
            AfterFailure::SkipTheRest if stopped => Plan::Skip,
            _ => Plan::Run,
        }
    }

    /// What a file has to tell besides its cases.
    fn file(&mut self, loaded: &LoadedFile<'_>) {
        self.expected_failures.clone_from(&loaded.options.expected_failures);
        self.key = loaded.key().cloned();
        if let (Some(cache), Some(key)) = (&self.options.run.cache, &self.key) {
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
        let all_ran = self.options.run.unmatched_entries == UnmatchedEntries::Report
            && !self.options.run.interrupt.is_requested();
        for known in self.options.expected_failure_lists().filter(|_| all_ran) {
            let naming = self.naming.remove(&known.file).unwrap_or_default();
            if let Some(report) = known.unmatched(&naming) {
                self.summary.count(&report);
                (self.sink)(Event::Finished(report));
            }
        }
    }

    fn case(&mut self, judged: CaseOutcome) {
        let CaseOutcome { mut report, mut notes, mut cache_update, .. } = judged;
        if let Some(known) = &self.expected_failures {
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
        if let (Some(cache), Some(key), Some(cache_update)) =
            (&self.options.run.cache, &self.key, cache_update)
        {
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
