//! From files to events.
//!
//! A run is a pipeline; each step is a file:
//!
//! 1. `load`: a file becomes a document, its format, its cases.
//! 2. `select`: which of the cases run.
//! 3. `execute`: a case is read and runs on a testee, unless the [`cache`] says that it passes.
//! 4. [`compare`]: the state of the testee is compared with the assertions.
//! 5. `collect`: the judged cases become events, in the order of files and cases.
//!
//! "The life of a case" in the documentation of the crate names the functions that handle a case.
//!
//! The work list consists of files. Loading a file puts its cases before the remaining files, so that threads
//! share the cases of one large file as well as many small files. A single thread runs without a queue.
//!
//! [`options::LoadOptions`] configure a run: [`options::RunOptions`] apply to the whole run,
//! [`file_options::FileOptions`] to a file, and [`file_override::FileOverride`]s replace them for some files.

pub mod anchor;
pub mod bless;
pub mod cache;
mod case_verdicts;
mod catch_panic;
mod collect;
pub mod compare;
mod content_order;
mod demanded_state;
mod execute;
pub mod expression;
pub mod families;
pub mod file_format;
pub mod file_options;
pub mod file_override;
pub mod fill;
pub mod filter;
mod ignored_field;
mod judged_case;
pub mod known_failures;
mod last_file;
mod load;
pub mod matrix;
pub mod merge;
mod missing;
mod named_files;
mod not_compared;
pub mod open_file;
pub mod options;
mod order;
mod pattern_index;
mod pool;
mod read_case;
pub mod running;
mod sample;
mod second_try;
mod select;
mod source;
pub mod sources;
mod staleness;
mod state_table;
pub mod suite_key;
mod vector_files;
mod vectors_version;
pub mod worlds;

use std::time::Instant;

use self::collect::RunCollector;
use self::pool::PoolThreads;
use self::sources::Sources;
use crate::model::{Event, RunSummary};

pub(crate) use catch_panic::catch_panic;
pub use collect::{Analyse, Explain, Explainers};
pub(crate) use demanded_state::wrong_root;
pub(crate) use execute::place_of_error;
pub use execute::{Worker, is_elsewhere, machine_of, run_by};
pub use families::{Families, FamilyMachine};
pub use file_options::FileOptions;
pub use file_override::FileOverride;
pub use ignored_field::{IgnoredField, IgnoredFields};

pub use case_verdicts::CaseVerdicts;
pub use judged_case::JudgedCase;
pub(crate) use load::{FileContent, FileError, LoadedCases, identify, read_node, read_text};
pub use load::{LoadedCase, LoadedFile, explain_format};
pub use missing::{MissingCase, first_missing_case, missing_cases};
pub use named_files::named_files;
pub use options::{ContentDigests, FindWorld, Flaky, LoadOptions, NamedTestee, RunOptions, UnmatchedEntries};
pub(crate) use read_case::without_assertions;
pub use sample::CaseSample;
pub(crate) use select::select;
pub use select::{FileOpener, SelectPurpose, open, open_text};
pub use vector_files::VectorFiles;
pub use vectors_version::vectors_versions;

/// Runs all selected cases and passes the events to `sink`.
///
/// The number of threads changes no event, except for the times in [`RunSummary`] and in reports of cases. A machine in
/// another process is started as often as there are jobs and ended at the end; what it does wrong outside of cases is an
/// [`Event::Broken`].
pub fn run(sources: &Sources, options: &LoadOptions, sink: &mut dyn FnMut(Event)) -> RunSummary {
    run_with(sources, options, Explainers::default(), sink)
}

/// Like [`run`], and explains failures: [`Event::Suspects`] names the instructions behind all of them, and
/// [`Event::Explained`] explains the first ones.
pub fn run_with<'r>(
    sources: &Sources,
    options: &'r LoadOptions,
    explainers: Explainers<'r>,
    sink: &'r mut dyn FnMut(Event),
) -> RunSummary {
    let mut collector = RunCollector::new(options, explainers, sink);
    let start = Instant::now();
    collector.start(sources.len());
    if let Some(vm) = options.run.testee.vm() {
        vm.limit_processes(options.run.jobs);
    }
    let threads = PoolThreads::of(&options.run);
    match threads.most {
        0 | 1 => one_by_one(sources, options, &mut collector),
        _ => pool::run(sources, options, threads, &mut collector),
    }
    collector.end(start, sources)
}

fn one_by_one(sources: &Sources, options: &LoadOptions, collector: &mut RunCollector<'_>) {
    let mut opener = FileOpener::new(options);
    let interrupt = &options.run.interrupt;
    for (number, source) in sources.iter().enumerate() {
        if interrupt.is_requested() {
            return;
        }
        let file = opener.open_in_turn(number, source, SelectPurpose::Run);
        collector.file(&file);
        for index in 0..file.cases() {
            let Some(case) = file.case(index) else { continue };
            let judged = match collector.stopped_after() {
                Some(failures) => JudgedCase::new(case.report()).skip(failures),
                None => opener.worker.run(&case),
            };
            if interrupt.is_requested() {
                return;
            }
            collector.case(&file, index, judged);
        }
        collector.file_done();
    }
}
