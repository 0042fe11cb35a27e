//! Writes the actual result of a case as its expectation.
//!
//! A file is blessed in rounds. In each round, the format of each case that differs supplies the change of
//! the text that would write each difference; the next round reads and runs the changed text. So nothing is
//! offered that was not run as it would be written. A case that ends up with a difference that it did not
//! have before gets its old text back.
//!
//! To fill in what is not demanded yet, the format first demands it with placeholder values, which then differ.

mod blessed;
mod blessed_case;
mod excerpt;
mod new_member;
mod options;
mod refusal;
mod written;

use std::collections::BTreeSet;
use std::rc::Rc;

pub use self::blessed::{Blessed, CaseChange};
use self::blessed_case::BlessedCase;
pub use self::excerpt::BlessExcerpt;
pub use self::options::{BlessOptions, Missing, OutcomeChange};
pub use self::refusal::BlessRefusal;
use super::execute::Worker;
use super::filter::Filter;
use super::load::{LoadedCase, LoadedFile};
use super::not_compared::unknown_fields;
use super::options::LoadOptions;
use super::select::{open, open_text};
use super::source::VectorSource;
use crate::formats::Format;
use crate::text::edit::{self, Splice};

/// Runs the selected cases of a file and returns what to write.
pub fn bless(source: &VectorSource, options: &LoadOptions, wanted: &BlessOptions) -> Blessed {
    bless_loaded(&mut Worker::new(&options.run), source, open(source, options), options, wanted)
}

/// Like [`bless`], for a file that is loaded already.
pub fn bless_loaded(
    worker: &mut Worker<'_>,
    source: &VectorSource,
    loaded: LoadedFile<'_>,
    options: &LoadOptions,
    wanted: &BlessOptions,
) -> Blessed {
    let broken = loaded.broken().into_iter().collect();
    let mut blessed = Blessed { old: loaded.text().to_owned(), broken, ..Blessed::default() };
    let unknown = Rc::new(unknown_of(&loaded, options));
    let case = |index| BlessedCase::run(worker, &loaded, index, wanted, &unknown);
    let mut cases: Vec<_> = (0..loaded.cases()).filter_map(case).collect();
    let same = SameCases::of(&loaded, source, options);
    let loaded = rounds(loaded, &mut cases, wanted, worker, |text| same.open(text));
    for (index, mut case) in cases.into_iter().enumerate() {
        case.decide(loaded.case(index).as_ref(), wanted);
        let text = loaded.case(index).map_or("", |changed| &loaded.text()[changed.range()]);
        case.is_changed &= text != &blessed.old[case.range.clone()];
        if case.is_changed {
            let splice = Splice { range: case.range.clone(), text: text.to_owned() };
            let line = case.place.position.line as usize;
            let only_adds = case.only_adds();
            blessed.changes.push(CaseChange { case: case.first.id.clone(), splice, line, only_adds });
        }
        case.add_to(&mut blessed);
    }
    blessed
}

/// The fields of the machine of a file that are not compared, or not wholly.
pub(super) fn unknown_of(loaded: &LoadedFile<'_>, options: &LoadOptions) -> BTreeSet<String> {
    let of = |format: &Format| unknown_fields(format.machine, loaded.options(), &options.run.testee);
    loaded.format().map(of).unwrap_or_default()
}

/// The cases of a file whose text changes. What selected them may not select them in a changed text, since it can
/// depend on what they demand and on how they fail.
pub struct SameCases {
    source: VectorSource,
    options: LoadOptions,
}

impl SameCases {
    /// The selected cases of a file that was loaded with these options.
    pub fn of(loaded: &LoadedFile<'_>, source: &VectorSource, options: &LoadOptions) -> SameCases {
        let mut same = SameCases { source: source.clone(), options: options.clone() };
        same.options.run.filter = Filter::default();
        same.options.run.expression = None;
        let file = format!("{}::", source.shown);
        let names = loaded.ids().map(|id| id.to_string().strip_prefix(&file).map(str::to_owned));
        // A file with a single case may have no name for it.
        same.source.only = names.collect::<Option<_>>();
        same
    }

    pub(crate) fn open(&self, text: String) -> LoadedFile<'_> {
        open_text(&self.source, text, &self.options)
    }

    /// The file in which those cases that cannot be read demand some end, so that a case can be run that only lacks
    /// expectations; `None` if nothing can be added. Positions in it are not those of the file.
    pub fn with_ends(&self, loaded: &LoadedFile<'_>) -> Option<LoadedFile<'_>> {
        let cases: Vec<_> = (0..loaded.cases()).filter_map(|index| loaded.case(index)).collect();
        let is_broken = |case: &&LoadedCase<'_>| {
            case.read().is_ok_and(|reading| reading.case.is_none() && reading.unsupported.is_none())
        };
        let ends =
            cases.iter().filter(is_broken).filter_map(|case| Some((case.format.fill?)(case.root()).ends));
        let changes: Vec<_> = ends.flatten().collect();
        let case = cases.first().filter(|_| !changes.is_empty())?;
        let filled = self.open(edit::apply(case.document, &changes));
        let is_same = (filled.format_name(), filled.cases()) == (loaded.format_name(), loaded.cases());
        is_same.then_some(filled)
    }
}

/// Changes the text and runs the cases until nothing more changes. Returns the file with the last text.
fn rounds<'s>(
    mut loaded: LoadedFile<'s>,
    cases: &mut [BlessedCase],
    wanted: &BlessOptions,
    worker: &mut Worker<'_>,
    reopen: impl Fn(String) -> LoadedFile<'s>,
) -> LoadedFile<'s> {
    // Two rounds suffice for most cases. Each layer of data that was not compared before needs one more, such
    // as the result of a run for which the vector demanded a halt, and so do data that are filled in.
    const ROUNDS: usize = 16;
    let old = loaded.text().to_owned();
    for _ in 0..ROUNDS {
        let Some(text) = next_text(&loaded, cases, wanted) else { break };
        let format = loaded.format_name();
        loaded = reopen(text);
        if (loaded.format_name(), loaded.cases()) != (format, cases.len()) {
            let why =
                loaded.errors().first().map_or("its format would be another", |diagnostic| &diagnostic.what);
            let why = format!("the changed file would not be read as it is now: {why}");
            cases.iter_mut().filter(|case| case.is_changed).for_each(|case| case.refuse(None, &why));
            return reopen(old);
        }
        for (index, case) in cases.iter_mut().enumerate().filter(|(_, case)| case.is_open) {
            case.last = worker.run_case(&loaded, index);
        }
    }
    loaded
}

/// The text with the changes of all open cases; `None` when there are none.
fn next_text(loaded: &LoadedFile<'_>, cases: &mut [BlessedCase], wanted: &BlessOptions) -> Option<String> {
    let mut changes = Vec::new();
    let mut document = None;
    for (index, case) in cases.iter_mut().enumerate().filter(|(_, case)| case.is_open) {
        let loaded = loaded.case(index)?;
        changes.extend(case.changes(&loaded, wanted));
        document = Some(loaded.document);
    }
    document.filter(|_| !changes.is_empty()).map(|document| edit::apply(document, &changes))
}
