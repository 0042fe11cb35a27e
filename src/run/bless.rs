//! Writes the actual result of a case as its expectation.
//!
//! A file is blessed in rounds. In each round, the format of each case that differs supplies the change of
//! the text that would write each difference; the next round reads and runs the changed text. So nothing is
//! offered that was not run as it would be written. A case that ends up with a difference that it did not
//! have before gets its old text back.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::execute::Worker;
use super::filter::Filter;
use super::load::{LoadedCase, LoadedFile};
use super::options::Options;
use super::select::{open, open_text};
use super::source::Source;
use crate::formats::{FailedAssertion, Format};
use crate::model::assertion::Expected;
use crate::model::case::CaseId;
use crate::model::case_report::CaseReport;
use crate::model::diagnostic::Place;
use crate::model::path::Path;
use crate::model::position::Origin;
use crate::model::verdict::{Difference, Verdict};
use crate::text::edit::{self, Change, Splice};

/// What to bless.
#[derive(Debug, Clone, Default)]
pub struct Wishes {
    /// The path of the datum to bless, with all data in it, as reports show it; `None` for all data.
    pub leaf: Option<String>,
    /// What to do when the outcome of the run differs.
    pub outcome_change: OutcomeChange,
}

/// What to do when the run ended in another way than the vector demands, such as with a halt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OutcomeChange {
    /// Refuse it.
    #[default]
    Refuse,
    /// Bless it.
    Allow,
}

/// The result of blessing a file. Nothing is written yet.
#[derive(Debug, Default)]
pub struct Blessed {
    /// The text of the file, before and after; `None` when it does not change.
    pub texts: Option<Texts>,
    /// The cases whose expectation changes.
    pub cases: Vec<CaseId>,
    /// Selected differences that cannot be written.
    pub refused: Vec<Refusal>,
    /// How many cases pass as they are.
    pub passed: usize,
    /// How many cases differ only in data that are not selected.
    pub not_asked_for: usize,
    /// Cases and files that are broken, and so could not be compared.
    pub broken: Vec<CaseReport>,
}

/// A text before and after blessing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    /// The text that was read.
    pub old: String,
    /// The text to write.
    pub new: String,
}

/// A difference that is not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The case.
    pub case: CaseId,
    /// The step after which it was found, from 1; `None` if the case has only one step.
    pub step: Option<usize>,
    /// Which datum.
    pub at: Path,
    /// Where the vector demands it.
    pub place: Place,
    /// Why, as a sentence without a full stop.
    pub why: String,
}

/// Runs the selected cases of a file and returns what to write.
pub fn bless(source: &Source, options: &Options, wishes: &Wishes) -> Blessed {
    let loaded = open(source, options);
    let mut blessed = Blessed { broken: loaded.broken().into_iter().collect(), ..Blessed::default() };
    let old = loaded.text().to_owned();
    let mut worker = Worker::new(&options.run);
    let mut cases: Vec<_> = (0..loaded.cases()).map(|index| Case::run(&mut worker, &loaded, index)).collect();
    let same = Same::of(&loaded, source, options);
    let loaded = rounds(loaded, &mut cases, wishes, &mut worker, |text| same.open(text));
    let mut kept = Vec::new();
    for (index, case) in cases.iter_mut().enumerate() {
        if let (Some(why), Some(changed)) = (case.objection(wishes), loaded.case(index)) {
            case.refuse(&why);
            kept.push(Splice { range: changed.range(), text: old[case.range.clone()].to_owned() });
        }
    }
    let new = edit::splice(loaded.text(), kept);
    for case in cases {
        case.add_to(&mut blessed);
    }
    blessed.texts = (new != old).then_some(Texts { old, new });
    blessed
}

/// The cases of a file that are blessed. What selected them may not select them in a changed text, since it can
/// depend on what they demand and on how they fail.
struct Same {
    source: Source,
    options: Options,
}

impl Same {
    fn of(loaded: &LoadedFile<'_>, source: &Source, options: &Options) -> Same {
        let mut same = Same { source: source.clone(), options: options.clone() };
        same.options.run.filter = Filter::default();
        same.options.run.expression = None;
        let file = format!("{}::", source.shown);
        let names = loaded.ids().map(|id| id.to_string().strip_prefix(&file).map(str::to_owned));
        // A file with a single case may have no name for it.
        same.source.only = names.collect::<Option<_>>();
        same
    }

    fn open(&self, text: String) -> LoadedFile<'_> {
        open_text(&self.source, text, &self.options)
    }
}

/// Changes the text and runs the cases until nothing more changes. Returns the file with the last text.
fn rounds<'s>(
    mut loaded: LoadedFile<'s>,
    cases: &mut [Case],
    wishes: &Wishes,
    worker: &mut Worker<'_>,
    reopen: impl Fn(String) -> LoadedFile<'s>,
) -> LoadedFile<'s> {
    // Two rounds suffice for most cases. Each layer of data that was not compared before needs one more, such
    // as the result of a run for which the vector demanded a halt.
    const ROUNDS: usize = 16;
    let old = loaded.text().to_owned();
    for _ in 0..ROUNDS {
        let Some(text) = next_text(&loaded, cases, wishes) else { break };
        let format = loaded.format_name();
        loaded = reopen(text);
        if (loaded.format_name(), loaded.cases()) != (format, cases.len()) {
            let why =
                loaded.errors().first().map_or("its format would be another", |diagnostic| &diagnostic.what);
            let why = format!("the changed file would not be read as it is now: {why}");
            cases.iter_mut().filter(|case| case.is_changed).for_each(|case| case.refuse(&why));
            return reopen(old);
        }
        for (index, case) in cases.iter_mut().enumerate().filter(|(_, case)| case.is_open) {
            case.last = worker.run_case(&loaded, index);
        }
    }
    loaded
}

/// The text with the changes of all open cases; `None` when there are none.
fn next_text(loaded: &LoadedFile<'_>, cases: &mut [Case], wishes: &Wishes) -> Option<String> {
    let mut changes = Vec::new();
    let mut document = None;
    for (index, case) in cases.iter_mut().enumerate().filter(|(_, case)| case.is_open) {
        let loaded = loaded.case(index)?;
        changes.extend(case.changes(&loaded, wishes));
        document = Some(loaded.document);
    }
    document.filter(|_| !changes.is_empty()).map(|document| edit::apply(document, &changes))
}

/// A case that is being blessed.
struct Case {
    /// Its range in the old text.
    range: Range<usize>,
    /// The verdict before any change, and after the last one.
    first: CaseReport,
    last: CaseReport,
    /// Whether it may need another change.
    is_open: bool,
    is_changed: bool,
    /// The differences that could not be written in the last round.
    refused: Vec<Refusal>,
}

impl Case {
    fn run(worker: &mut Worker<'_>, loaded: &LoadedFile<'_>, index: usize) -> Case {
        let report = worker.run_case(loaded, index);
        Case {
            range: loaded.case(index).map_or(0..0, |case| case.range()),
            is_open: report.verdict.failure().is_some(),
            first: report.clone(),
            last: report,
            is_changed: false,
            refused: Vec::new(),
        }
    }

    /// The changes that write the current differences. Keeps the refusals of those that cannot be written.
    fn changes<'d>(&mut self, loaded: &LoadedCase<'d>, wishes: &Wishes) -> Vec<Change<'d>> {
        let (changes, refused) = match wishes.outcome_change {
            OutcomeChange::Refuse if self.other_ends(loaded.format).next().is_some() => {
                // All other differences are those of a run with another outcome.
                let before = by_datum(&self.first);
                let refusals =
                    self.other_ends(loaded.format).map(|end| self.refusal(&before, end, &other_end(end)));
                (Vec::new(), refusals.collect())
            }
            OutcomeChange::Refuse | OutcomeChange::Allow => self.write_back(loaded, wishes),
        };
        self.refused = refused;
        self.is_open = !changes.is_empty();
        self.is_changed |= self.is_open;
        changes
    }

    /// The differences in how the run ended.
    fn other_ends(&self, format: &Format) -> impl Iterator<Item = &Difference> {
        let is_end = |at: &Path| at.parent().is_none() && format.ends.contains(&&*at.last().to_string());
        differences(&self.last).iter().filter(move |difference| is_end(&difference.at))
    }

    fn write_back<'d>(&self, loaded: &LoadedCase<'d>, wishes: &Wishes) -> (Vec<Change<'d>>, Vec<Refusal>) {
        let (mut changes, mut refused) = (Vec::new(), Vec::new());
        let mut resized: HashSet<Datum<'_>> = HashSet::new();
        let before = by_datum(&self.first);
        let last = differences(&self.last).iter();
        for difference in last.filter(|difference| wishes.ask_for(difference)) {
            // When the length of a list changes, its items may get other indices.
            let mut at = std::iter::successors(Some(&difference.at), |at| at.parent());
            if at.any(|list| resized.contains(&(difference.step, list))) {
                continue;
            }
            match write_back(difference, loaded) {
                Ok(written) => {
                    changes.extend(written);
                    resized
                        .extend(matches!(difference.expected, Expected::Len(_)).then(|| datum(difference)));
                }
                Err(why) => refused.push(self.refusal(&before, difference, &why)),
            }
        }
        (changes, refused)
    }

    /// A refusal, at the place in the old text if the difference was there before.
    fn refusal(&self, before: &ByDatum<'_>, difference: &Difference, why: &str) -> Refusal {
        let Difference { step, at, place, .. } = before.get(&datum(difference)).unwrap_or(&difference);
        let (case, at, place) = (self.first.id.clone(), at.clone(), place.clone());
        Refusal { case, step: *step, at, place, why: why.to_owned() }
    }

    /// Reverts the case to its old text.
    fn refuse(&mut self, why: &str) {
        let first = differences(&self.first).iter().take(1);
        self.refused = first.map(|first| self.refusal(&ByDatum::new(), first, why)).collect();
        self.is_changed = false;
    }

    /// Why the changed case is not accepted: it may differ only where it differed before, and only where the
    /// difference cannot be written or was not selected.
    fn objection(&self, wishes: &Wishes) -> Option<String> {
        if !self.is_changed {
            return None;
        }
        if let Verdict::Error(diagnostics) = &self.last.verdict {
            let what = diagnostics.first().map_or("", |diagnostic| &diagnostic.what);
            return Some(format!("the changed case would be broken: {what}"));
        }
        let refused: HashSet<Datum<'_>> = self.refused.iter().map(|it| (it.step, &it.at)).collect();
        let before = by_datum(&self.first);
        let is_wrong = |it: &&Difference| {
            !before.contains_key(&datum(it)) || (wishes.ask_for(it) && !refused.contains(&datum(it)))
        };
        let wrong = differences(&self.last).iter().find(is_wrong)?;
        Some(format!("the changed case would differ in {}", wrong.at))
    }

    /// Adds the result of the case to `blessed`.
    fn add_to(self, blessed: &mut Blessed) {
        match self.first.verdict {
            Verdict::Pass | Verdict::UnexpectedPass(_) | Verdict::Skip(_) => blessed.passed += 1,
            Verdict::Error(_) | Verdict::Unsupported(_) | Verdict::Crash(_) | Verdict::Timeout(_) => {
                blessed.broken.push(self.first);
            }
            Verdict::Fail(_) | Verdict::ExpectedFail(..) if self.is_changed => {
                blessed.cases.push(self.first.id);
            }
            Verdict::Fail(_) | Verdict::ExpectedFail(..) if self.refused.is_empty() => {
                blessed.not_asked_for += 1;
            }
            Verdict::Fail(_) | Verdict::ExpectedFail(..) => {}
        }
        blessed.refused.extend(self.refused);
    }
}

/// The differences of a case that fails.
fn differences(report: &CaseReport) -> &[Difference] {
    report.verdict.failure().map_or(&[], |failure| &failure.differences)
}

/// Which datum differs: after which step, and its path.
type Datum<'d> = (Option<usize>, &'d Path);

fn datum(difference: &Difference) -> Datum<'_> {
    (difference.step, &difference.at)
}

type ByDatum<'d> = HashMap<Datum<'d>, &'d Difference>;

fn by_datum(report: &CaseReport) -> ByDatum<'_> {
    differences(report).iter().map(|difference| (datum(difference), difference)).collect()
}

impl Wishes {
    fn ask_for(&self, difference: &Difference) -> bool {
        let Some(leaf) = &self.leaf else { return true };
        let mut path = Some(&difference.at);
        while let Some(at) = path {
            if at.to_string() == *leaf {
                return true;
            }
            path = at.parent();
        }
        false
    }
}

/// Why a run that ended in another way is not blessed.
fn other_end(Difference { expected, actual, .. }: &Difference) -> String {
    let actual = actual.as_ref().map_or_else(|| "(absent)".to_owned(), ToString::to_string);
    format!("the run ended with {actual} instead of {expected}; --allow-outcome-change accepts that")
}

/// The changes that write the actual value, or why it cannot be written.
fn write_back<'d>(difference: &Difference, loaded: &LoadedCase<'d>) -> Result<Vec<Change<'d>>, String> {
    // Each round writes and reads them again.
    const MOST_VALUES: usize = 100_000;
    let Difference { at, expected, actual, place, .. } = difference;
    if actual.as_ref().is_some_and(|actual| actual.has_more_values_than(MOST_VALUES)) {
        return Err(format!("it has more than {MOST_VALUES} values in it"));
    }
    let failed = FailedAssertion::new(loaded.document, Origin(place.at), at, expected, actual.as_ref());
    match (loaded.format.write_back)(&failed) {
        Ok(changes) if changes.is_empty() => Err("the file has no place for it".to_owned()),
        Ok(changes) => Ok(changes),
        Err(why) => Err(why.to_string()),
    }
}
