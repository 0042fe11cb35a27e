//! Options of a run: for the whole run, for each file, and overrides for some files.
//!
//! Code that works on a file takes its [`FileOptions`]; only [`LoadOptions::for_file`] chooses them.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use super::cache::ResultCache;
use super::expression::ExprSelection;
use super::file_options::FileOptions;
use super::file_override::FileOverride;
use super::filter::Filter;
use super::known_failures::KnownFailures;
use super::running::RunningCases;
use super::sample::CaseSample;
use super::source::VectorSource;
use crate::model::{Interrupt, PartitionPart, Value};
use crate::testees::MakeTestee;
use crate::text::json::SpareMemory;

/// Options of a run. The default runs all cases on one thread, on the embedded machines.
#[derive(Clone, Default)]
pub struct LoadOptions {
    /// Options for the whole run.
    pub run: RunOptions,
    /// Options for every file without an override.
    pub file: FileOptions,
    /// Options for some files; the first override that matches a file applies.
    pub overrides: Vec<FileOverride>,
}

impl LoadOptions {
    /// The same options, but the format and the family of each file are detected.
    #[must_use]
    pub fn with_detected_formats(&self) -> LoadOptions {
        let mut options = self.clone();
        let of_files = options.overrides.iter_mut().map(|it| &mut it.options).chain([&mut options.file]);
        of_files.for_each(|file| (file.format, file.family) = (None, None));
        options
    }

    /// The options for a file.
    pub fn for_file(&self, source: &VectorSource) -> &FileOptions {
        let first = self.matching_overrides(source).next();
        first.map_or(&self.file, |index| &self.overrides[index].options)
    }

    /// The indexes of the overrides that are for a file. The first one applies.
    pub fn matching_overrides(&self, source: &VectorSource) -> impl Iterator<Item = usize> {
        let path = (!self.overrides.is_empty()).then(|| source.path.canonicalize().ok()).flatten();
        let is_match = move |it: &FileOverride| path.as_ref().is_some_and(|path| it.matches(path));
        (0..).zip(&self.overrides).filter(move |(_, it)| is_match(it)).map(|(index, _)| index)
    }

    /// All lists of known failures that apply to some file, each once.
    pub fn known_failure_lists(&self) -> impl Iterator<Item = &Arc<KnownFailures>> {
        let of_overrides = self.overrides.iter().map(|file_override| &file_override.options);
        let options = std::iter::once(&self.file).chain(of_overrides);
        let lists = options.filter_map(|options| options.known_failures.as_ref());
        lists.map(|list| (&list.file, list)).collect::<BTreeMap<_, _>>().into_values()
    }
}

/// A machine whose results are compared with those of others.
pub struct NamedTestee {
    /// Its name in reports and vectors.
    pub name: String,
    /// How it runs cases.
    pub options: LoadOptions,
}

impl NamedTestee {
    /// A machine that runs cases with these options, except for what they say about the testee.
    pub fn new(name: String, testee: MakeTestee, options: &LoadOptions) -> NamedTestee {
        let mut options = options.clone();
        options.run.testee = testee;
        NamedTestee { name, options }
    }
}

/// Options for the whole run.
#[derive(Clone, Default)]
pub struct RunOptions {
    /// Selects cases by id.
    pub filter: Filter,
    /// Selects among those; `None` for all.
    pub expression: Option<ExprSelection>,
    /// Keeps some of the selected cases of each file; `None` for all.
    pub sample: Option<CaseSample>,
    /// The part of the selected cases to run; `None` for all.
    pub part: Option<Arc<PartitionPart>>,
    /// How to treat entries of a list of known failures that match no case.
    pub unmatched_entries: UnmatchedEntries,
    /// How many cases may fail, be broken or be fixed before the remaining ones are skipped, in the order of events;
    /// `None` to run all.
    pub max_failures: Option<NonZeroUsize>,
    /// The number of threads, or of processes of a machine in other processes; at least one is used.
    pub jobs: usize,
    /// Ends the run early, also within a case. All cases up to the first unfinished one, in the order of events,
    /// are reported.
    pub interrupt: Interrupt,
    /// The run keeps the cases that it executes at the moment here.
    pub running: RunningCases,
    /// The results of earlier runs; `None` when caching is off.
    pub cache: Option<Arc<ResultCache>>,
    /// Whether reports say the content of files.
    pub contents: ContentDigests,
    /// Makes the testees.
    pub testee: MakeTestee,
    /// What the verdict on a flaky case is.
    pub flaky: Flaky,
    /// The memory of documents that are no longer needed.
    pub spare: SpareMemory,
    /// Looks up states by their roots, to explain a root that differs; `None` without any.
    pub worlds: Option<Arc<FindWorld>>,
}

/// Whether digests of the content of vector files are made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ContentDigests {
    /// They are not.
    #[default]
    Ignored,
    /// They are, for reports that other runs are compared with.
    Hashed,
}

/// Finds the state with a root, with the id of a case that demands it.
pub type FindWorld = dyn Fn(&Value) -> Option<(String, Value)> + Send + Sync;

/// What the verdict is on a case that passes when it is tried again after the testee has broken down.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Flaky {
    /// [`Verdict::Flaky`](crate::model::verdict::Verdict::Flaky).
    #[default]
    Report,
    /// A pass, with a note.
    Pass,
}

/// How to treat entries of a list of known failures that match no case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnmatchedEntries {
    /// Report an error, since all cases run.
    #[default]
    Report,
    /// Report an error if all cases that the entry can match run: the run is of some files or folders.
    ReportSelected,
    /// Ignore them, since only some of the cases run.
    Ignore,
}
