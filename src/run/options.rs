//! How to run: what applies to the whole run, what applies to a file, and which files have options of
//! their own.
//!
//! Whatever works on a file takes its [`FileOptions`], which [`Options::for_file`] alone chooses.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::cache::{FileKey, ResultCache};
use super::expected_failures::ExpectedFailures;
use super::expression::Selection;
use super::file_options::FileOptions;
use super::file_override::FileOverride;
use super::filter::Filter;
use super::interrupt::Interrupt;
use super::sources::Source;
use crate::formats::Format;
use crate::model::partition::Part;
use crate::testees::MakeTestee;

/// How to run. The default runs all cases, one after the other, on the machines of this crate.
#[derive(Clone, Default)]
pub struct Options {
    /// What applies to the whole run.
    pub run: RunOptions,
    /// What applies to every file without an override.
    pub file: FileOptions,
    /// Files with options of their own; the first override that matches a file applies.
    pub overrides: Vec<FileOverride>,
}

impl Options {
    /// The options of a file.
    pub fn for_file(&self, source: &Source) -> &FileOptions {
        let applies = self.overrides.iter().find(|file_override| file_override.applies_to(source));
        applies.map_or(&self.file, |file_override| &file_override.options)
    }

    /// Every list of expected failures that applies to some file, each once.
    pub fn expected_failure_lists(&self) -> impl Iterator<Item = &Arc<ExpectedFailures>> {
        let of_overrides = self.overrides.iter().map(|file_override| &file_override.options);
        let options = std::iter::once(&self.file).chain(of_overrides);
        let lists = options.filter_map(|options| options.expected_failures.as_ref());
        lists.map(|list| (&list.file, list)).collect::<BTreeMap<_, _>>().into_values()
    }
}

/// What applies to the whole run.
#[derive(Clone, Default)]
pub struct RunOptions {
    /// Which cases are selected, by their ids.
    pub filter: Filter,
    /// Which of those are selected; `None` for all.
    pub expression: Option<Selection>,
    /// The part of those that runs; `None` for all.
    pub part: Option<Arc<Part>>,
    /// What an entry of a list of expected failures is that matches no case.
    pub unmatched_entries: UnmatchedEntries,
    /// What happens after the first case that fails or is broken.
    pub after_failure: AfterFailure,
    /// How many threads; at least one is used.
    pub jobs: usize,
    /// Ends the run early. Cases that are done, in the order of events, are reported.
    pub interrupt: Interrupt,
    /// The results of earlier runs; `None` when caching is off.
    pub cache: Option<Arc<ResultCache>>,
    /// What makes the testees.
    pub testee: MakeTestee,
}

impl RunOptions {
    /// The key under which the results of a file with these options are cached.
    pub fn file_key(&self, text: &str, format: &'static Format, options: &FileOptions) -> FileKey {
        // No `..`: who adds an option decides here whether it changes a result.
        let FileOptions {
            read,
            limits,
            // The format that was detected counts.
            format: _,
            // Applied to a result after it was looked up.
            expected_failures: _,
        } = options;
        let RunOptions {
            testee,
            // Which cases run.
            filter: _,
            expression: _,
            part: _,
            // What becomes of results.
            unmatched_entries: _,
            after_failure: _,
            jobs: _,
            interrupt: _,
            cache: _,
        } = self;
        FileKey::new(text, &(format.name, read, limits, testee.name()))
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

/// What an entry of a list of expected failures is that matches no case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnmatchedEntries {
    /// An error: all cases run.
    #[default]
    Report,
    /// Nothing: only some of the cases run.
    Ignore,
}
