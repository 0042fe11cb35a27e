//! Writes the actual result of a case as its expectation.
//!
//! A file is blessed in rounds. In each round, the format of each case that differs supplies the change of
//! the text that would write each difference; the next round reads and runs the changed text. So nothing is
//! offered that was not run as it would be written. A case that ends up with a difference that it did not
//! have before gets its old text back.
//!
//! To fill in what is not demanded yet, the format first demands it with placeholder values, which then differ.

mod excerpt;
mod new_member;
mod written;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;

pub use self::excerpt::BlessExcerpt;
use self::new_member::NewMember;
use self::written::{BlessedDatum, Written, datum, written};
use super::execute::Worker;
use super::filter::Filter;
use super::load::{LoadedCase, LoadedFile};
use super::not_compared::unknown_fields;
use super::options::LoadOptions;
use super::select::{open, open_text};
use super::source::VectorSource;
use crate::formats::Format;
use crate::model::{CaseDifference, CaseId, CaseReport, DiagnosticPlace, Path, PathKey, Verdict};
use crate::text::edit::{self, Splice, TextChange};

/// What to bless.
#[derive(Debug, Clone, Default)]
pub struct BlessOptions {
    /// The path of the datum to bless, with all data in it, as reports show it; `None` for all data.
    pub leaf: Option<String>,
    /// A datum that stays as it is demanded: after which step, and its path.
    pub except: Option<(Option<usize>, Path)>,
    /// What to do when the outcome of the run differs.
    pub outcome_change: OutcomeChange,
    /// What to do about data that the vector could demand and does not.
    pub missing: Missing,
}

/// What to do about data that the format can demand and the vector does not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Missing {
    /// Leave it out.
    #[default]
    Keep,
    /// Demand what the machine did.
    Fill,
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
    /// The text of the file as it was read.
    pub old: String,
    /// The cases whose expectation changes, in the order of the file.
    pub changes: Vec<CaseChange>,
    /// Selected differences that cannot be written.
    pub refused: Vec<BlessRefusal>,
    /// How many cases pass as they are, or are skipped.
    pub passed: usize,
    /// The cases that pass as they are.
    pub passing: Vec<CaseId>,
    /// How many cases differ only in data that are not selected.
    pub not_asked_for: usize,
    /// Cases and files that are broken, and so could not be compared.
    pub broken: Vec<CaseReport>,
}

/// The change of one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseChange {
    /// The case.
    pub case: CaseId,
    /// What replaces its text, and where that stands.
    splice: Splice,
    /// The line where the case begins, from 1.
    line: usize,
    /// Whether the case passed before, so that the change only demands more.
    pub only_adds: bool,
}

impl CaseChange {
    /// The new text of the case.
    pub(crate) fn text(&self) -> &str {
        &self.splice.text
    }
}

impl Blessed {
    /// The text of the file with these changes.
    pub fn with<'c>(&self, changes: impl IntoIterator<Item = &'c CaseChange>) -> String {
        edit::splice(&self.old, changes.into_iter().map(|change| change.splice.clone()).collect())
    }

    /// The lines of the change of a case and as many `around` it, of which at most `most` bytes.
    pub fn excerpt(&self, change: &CaseChange, around: usize, most: usize) -> BlessExcerpt {
        BlessExcerpt::of(&self.old, &change.splice, change.line, around, most)
    }
}

/// A difference that is not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlessRefusal {
    /// The case.
    pub case: CaseId,
    /// The step after which it was found, from 1; `None` if the case has only one step.
    pub step: Option<usize>,
    /// Which datum; `None` for the whole case.
    pub at: Option<Path>,
    /// Where the vector demands it.
    pub place: DiagnosticPlace,
    /// Why, as a sentence without a full stop.
    pub why: String,
    /// Whether the run ended in another way, which [`OutcomeChange::Allow`] accepts.
    pub is_outcome_change: bool,
}

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
        case.decide(wanted);
        let text = loaded.case(index).map_or("", |changed| &loaded.text()[changed.range()]);
        case.is_changed &= text != &blessed.old[case.range.clone()];
        if case.is_changed {
            let splice = Splice { range: case.range.clone(), text: text.to_owned() };
            let line = case.place.position.line as usize;
            let only_adds = case.first.verdict.failure().is_none();
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

/// A case that is being blessed.
struct BlessedCase {
    /// Its range in the old text.
    range: Range<usize>,
    /// The verdict before any change, and after the last one.
    first: CaseReport,
    last: CaseReport,
    /// Whether it may need another change.
    is_open: bool,
    is_changed: bool,
    /// The differences that could not be written in the last round.
    refused: Vec<BlessRefusal>,
    /// What is filled in next.
    filling: Filling,
    /// What was filled in the last round.
    filled: Vec<NewMember>,
    /// The fields of which nothing can be filled in, since they are not compared.
    unknown: Rc<BTreeSet<String>>,
    /// How the run ends, where the case did not demand it before.
    new_ends: Vec<NewMember>,
    /// What else was filled in.
    new_rest: Vec<NewMember>,
    /// The place of the case in the old text.
    place: DiagnosticPlace,
}

/// What a format fills in next: how the run ends at once, the rest when no difference is left that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Filling {
    Ends,
    Rest,
    Done,
}

impl BlessedCase {
    fn run(
        worker: &mut Worker<'_>,
        loaded: &LoadedFile<'_>,
        index: usize,
        wanted: &BlessOptions,
        unknown: &Rc<BTreeSet<String>>,
    ) -> Option<BlessedCase> {
        let report = worker.run_case(loaded, index);
        let case = loaded.case(index)?;
        let range = case.range();
        let at = range.start as u32;
        let is_filled = wanted.missing == Missing::Fill && !matches!(report.verdict, Verdict::Skip(_));
        Some(BlessedCase {
            is_open: report.verdict.failure().is_some() || is_filled,
            first: report.clone(),
            last: report,
            is_changed: false,
            refused: Vec::new(),
            filling: if is_filled { Filling::Ends } else { Filling::Done },
            filled: Vec::new(),
            unknown: unknown.clone(),
            new_ends: Vec::new(),
            new_rest: Vec::new(),
            place: DiagnosticPlace::at(loaded.text(), at, case.document.position(at)),
            range,
        })
    }

    /// The changes of the next round.
    fn changes<'d>(&mut self, loaded: &LoadedCase<'d>, wanted: &BlessOptions) -> Vec<TextChange<'d>> {
        let mut changes = self.unverified(loaded);
        if changes.is_empty() && self.filling == Filling::Ends {
            changes = self.fill(loaded);
        }
        if changes.is_empty() {
            changes = self.differing(loaded, wanted);
        }
        if changes.is_empty() && self.filling == Filling::Rest && !self.ends_otherwise(loaded, wanted) {
            changes = self.fill(loaded);
        }
        self.is_open = !changes.is_empty();
        self.is_changed |= self.is_open;
        changes
    }

    /// The changes that demand what the case does not.
    fn fill<'d>(&mut self, loaded: &LoadedCase<'d>) -> Vec<TextChange<'d>> {
        let case = loaded.root();
        let fill = loaded.format.fill.map(|fill| fill(case)).unwrap_or_default();
        let (next, changes) = match self.filling {
            Filling::Ends => {
                self.new_ends = NewMember::all(&fill.ends, case);
                (Filling::Rest, fill.ends)
            }
            Filling::Rest => {
                self.new_rest = NewMember::all(&fill.rest, case);
                (Filling::Done, fill.rest)
            }
            Filling::Done => (Filling::Done, Vec::new()),
        };
        self.filling = next;
        self.filled = NewMember::all(&changes, case);
        changes
    }

    /// The changes that remove filled-in data that are not compared, since it is unknown whether they are right.
    fn unverified<'d>(&mut self, loaded: &LoadedCase<'d>) -> Vec<TextChange<'d>> {
        let filled = std::mem::take(&mut self.filled);
        if filled.is_empty() {
            return Vec::new();
        }
        let Some(read) = loaded.read().ok().and_then(|reading| reading.case) else { return Vec::new() };
        let assertions = read.demands();
        let compared = assertions.filter(|assertion| !self.is_unknown(&assertion.at));
        let mut places: Vec<_> = compared.map(|assertion| assertion.origin.0).collect();
        places.sort_unstable();
        let case = loaded.root();
        filled.iter().flat_map(|member| member.without_places(case, &places)).collect()
    }

    fn is_unknown(&self, at: &Path) -> bool {
        matches!(at.first(), PathKey::Name(name) if self.unknown.contains(&**name))
    }

    fn ends_otherwise(&self, loaded: &LoadedCase<'_>, wanted: &BlessOptions) -> bool {
        wanted.outcome_change == OutcomeChange::Refuse && !self.other_ends(loaded).is_empty()
    }

    /// The changes that write the current differences. Keeps the refusals of those that cannot be written.
    fn differing<'d>(&mut self, loaded: &LoadedCase<'d>, wanted: &BlessOptions) -> Vec<TextChange<'d>> {
        let (changes, refused) = if self.ends_otherwise(loaded, wanted) {
            // All other differences are those of a run with another outcome.
            let before = by_datum(&self.first);
            let ends = self.other_ends(loaded).into_iter();
            let refused = ends.map(|end| BlessRefusal {
                is_outcome_change: true,
                ..self.refusal(&before, end, &other_end(end))
            });
            (Vec::new(), refused.collect())
        } else {
            self.write_back(loaded, wanted)
        };
        let is_masked = changes.is_empty() && refused.iter().any(|refusal| hides_others(loaded, refusal));
        self.refused = refused;
        if is_masked { self.without_filled(loaded) } else { changes }
    }

    /// The changes that remove all that was filled in, in other steps too, once: what is hidden by a difference that
    /// stays is not compared.
    fn without_filled<'d>(&mut self, loaded: &LoadedCase<'d>) -> Vec<TextChange<'d>> {
        let case = loaded.root();
        let filled = std::mem::take(&mut self.new_rest).into_iter().chain(std::mem::take(&mut self.new_ends));
        filled.flat_map(|member| member.removal(case)).collect()
    }

    /// The differences in how the run ended, where the case demanded it before.
    fn other_ends(&self, loaded: &LoadedCase<'_>) -> Vec<&CaseDifference> {
        let format = loaded.format;
        let case = loaded.root();
        let is_other_end = |CaseDifference { at, actual, place, .. }: &&CaseDifference| {
            let field = &*at.first().to_string();
            if at.parent().is_some() {
                false
            } else if format.ends.contains(&field) {
                !self.new_ends.iter().any(|member| member.is_at(case, place.at))
            } else {
                actual.is_none()
                    && format.only_after_some_ends.contains(&field)
                    && !self.new_rest.iter().any(|member| member.contains(case, place.at))
            }
        };
        differences(&self.last).iter().filter(is_other_end).collect()
    }

    fn write_back<'d>(
        &self,
        loaded: &LoadedCase<'d>,
        wanted: &BlessOptions,
    ) -> (Vec<TextChange<'d>>, Vec<BlessRefusal>) {
        let asked = differences(&self.last).iter().filter(|difference| wanted.selects(difference));
        let Written { mut changes, refused } = written(asked, loaded);
        let before = by_datum(&self.first);
        let case = loaded.root();
        // What was filled in and cannot be written is not demanded after all.
        let (mut removed, mut refusals) = (BTreeSet::new(), Vec::new());
        for (difference, why) in refused {
            match self.new_rest.iter().position(|member| member.contains(case, difference.place.at)) {
                Some(filled) => drop(removed.insert(filled)),
                None => refusals.push(self.refusal(&before, difference, &why)),
            }
        }
        if !removed.is_empty() {
            // Members with changes inside and other ones that are removed: the next round writes what is left.
            changes = removed.into_iter().flat_map(|filled| self.new_rest[filled].removal(case)).collect();
        }
        (changes, refusals)
    }

    /// A refusal, at the place in the old text if the difference was there before.
    fn refusal(&self, before: &ByDatum<'_>, difference: &CaseDifference, why: &str) -> BlessRefusal {
        let CaseDifference { step, at, place, .. } = before.get(&datum(difference)).unwrap_or(&difference);
        let (case, at, place) = (self.first.id.clone(), Some(at.clone()), place.clone());
        BlessRefusal { case, step: *step, at, place, why: why.to_owned(), is_outcome_change: false }
    }

    /// Reverts the case to its old text.
    fn refuse(&mut self, at: Option<Path>, why: &str) {
        self.is_changed = false;
        let is_outcome_change = self.refused.iter().any(|refused| refused.is_outcome_change);
        let first = differences(&self.first).iter().find(|it| at.as_ref().is_none_or(|at| it.at == *at));
        self.refused = vec![match first.or(differences(&self.first).first()) {
            Some(first) => BlessRefusal { is_outcome_change, ..self.refusal(&ByDatum::new(), first, why) },
            None => BlessRefusal {
                case: self.first.id.clone(),
                step: None,
                at,
                place: self.place.clone(),
                why: why.to_owned(),
                is_outcome_change,
            },
        }];
    }

    /// Reverts the case if its change is not accepted: it may differ only where it differed before, and only where
    /// the difference cannot be written or was not selected.
    fn decide(&mut self, wanted: &BlessOptions) {
        if !self.is_changed {
            return;
        }
        let (at, why) = match &self.last.verdict {
            // It was broken before.
            Verdict::Error(_) if matches!(self.first.verdict, Verdict::Error(_)) => {
                self.is_changed = false;
                return;
            }
            Verdict::Error(diagnostics) => {
                let what = diagnostics.first().map_or("", |diagnostic| &diagnostic.what);
                (None, format!("the changed case would be broken: {what}"))
            }
            Verdict::Unsupported(why) => (None, format!("the changed case would be unsupported: {why}")),
            verdict @ (Verdict::Crash(_) | Verdict::Timeout(_) | Verdict::Flaky(_)) => {
                let what =
                    verdict.breakdown().map_or(String::new(), |breakdown| format!(": {}", breakdown.what));
                (None, format!("{}{what}", verdict.name()))
            }
            _ => match self.wrong(wanted) {
                None => return,
                Some((at, why)) => (Some(at), why),
            },
        };
        self.refuse(at, &why);
    }

    /// The first difference that the changed case must not have, and why it has it.
    fn wrong(&self, wanted: &BlessOptions) -> Option<(Path, String)> {
        let refused: HashMap<BlessedDatum<'_>, &str> =
            self.refused.iter().filter_map(|it| Some(((it.step, it.at.as_ref()?), &*it.why))).collect();
        let before = by_datum(&self.first);
        let is_wrong = |it: &&CaseDifference| {
            !before.contains_key(&datum(it)) || (wanted.selects(it) && !refused.contains_key(&datum(it)))
        };
        let wrong = differences(&self.last).iter().find(is_wrong)?;
        let why = refused.get(&datum(wrong)).map_or(String::new(), |why| format!(": {why}"));
        Some((wrong.at.clone(), format!("the changed case would differ in {}{why}", wrong.at)))
    }

    fn add_to(self, blessed: &mut Blessed) {
        match self.first.verdict {
            _ if self.is_changed => {}
            Verdict::Pass | Verdict::Fixed(_) | Verdict::Skip(_) if self.refused.is_empty() => {
                blessed.passed += 1;
                if !matches!(self.first.verdict, Verdict::Skip(_)) {
                    blessed.passing.push(self.first.id.clone());
                }
            }
            Verdict::Error(_)
            | Verdict::Unsupported(_)
            | Verdict::Crash(_)
            | Verdict::Timeout(_)
            | Verdict::Flaky(_) => {
                blessed.broken.push(self.first);
            }
            Verdict::Fail(_) | Verdict::Known(..) if self.refused.is_empty() => {
                blessed.not_asked_for += 1;
            }
            Verdict::Pass | Verdict::Fixed(_) | Verdict::Skip(_) | Verdict::Fail(_) | Verdict::Known(..) => {}
        }
        blessed.refused.extend(self.refused);
    }
}

/// Whether a difference is in how a step ended, so that the other demands of the step are not compared.
fn hides_others(loaded: &LoadedCase<'_>, BlessRefusal { step, at, .. }: &BlessRefusal) -> bool {
    let Some(case) = loaded.read().ok().and_then(|reading| reading.case) else { return false };
    let step = case.steps.get(step.unwrap_or(1).saturating_sub(1));
    step.and_then(|step| step.end.as_ref()).is_some_and(|end| Some(&end.at) == at.as_ref())
}

/// The differences of a case that fails.
fn differences(report: &CaseReport) -> &[CaseDifference] {
    report.verdict.failure().map_or(&[], |failure| &failure.differences)
}

type ByDatum<'d> = HashMap<BlessedDatum<'d>, &'d CaseDifference>;

fn by_datum(report: &CaseReport) -> ByDatum<'_> {
    differences(report).iter().map(|difference| (datum(difference), difference)).collect()
}

impl BlessOptions {
    fn selects(&self, difference: &CaseDifference) -> bool {
        if self.except.as_ref().is_some_and(|(step, at)| (*step, at) == datum(difference)) {
            return false;
        }
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
fn other_end(CaseDifference { at, expected, actual, .. }: &CaseDifference) -> String {
    match actual {
        Some(actual) => format!("the run ended with {actual} instead of {expected}"),
        None => format!("the run ended without {at}"),
    }
}
