//! A case that is being blessed: what its next round writes, and its result.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::rc::Rc;

use super::blessed::Blessed;
use super::new_member::{DemandedPlaces, EmptiedObject, NewMember};
use super::options::{BlessOptions, Missing, OutcomeChange};
use super::refusal::BlessRefusal;
use super::written::{BlessedDatum, WrittenDifferences, datum, written};
use crate::machines;
use crate::model::{
    Assertion, Case, CaseDifference, CaseReport, DiagnosticPlace, Path, PathKey, Step, Verdict,
};
use crate::run::demanded_state::wrong_root;
use crate::run::execute::Worker;
use crate::run::load::{LoadedCase, LoadedFile};
use crate::text::edit::TextChange;

/// A case that is being blessed.
pub(super) struct BlessedCase {
    /// Its range in the old text.
    pub(super) range: Range<usize>,
    /// The verdict before any change, and after the last one.
    pub(super) first: CaseReport,
    pub(super) last: CaseReport,
    /// Whether it may need another change.
    pub(super) is_open: bool,
    pub(super) is_changed: bool,
    /// Whether something is written over what the case demanded before.
    replaces: bool,
    /// The differences that could not be written in the last round.
    refused: Vec<BlessRefusal>,
    /// A datum of them that was filled in, and is left out again.
    left_out: Option<Path>,
    /// What is filled in next.
    filling: FillingStage,
    /// What was filled in the last round.
    filled: Vec<NewMember>,
    /// The fields of which nothing can be filled in, since they are not compared.
    unknown: Rc<BTreeSet<String>>,
    /// What the case demanded of them before any change; empty if it could not be read.
    of_unknown: Vec<(usize, Assertion)>,
    /// How the run ends, where the case did not demand it before.
    new_ends: Vec<NewMember>,
    /// What else was filled in.
    new_rest: Vec<NewMember>,
    /// What a format added since the run ended in another way, with placeholder values.
    of_new_end: Vec<NewMember>,
    /// The place of the case in the old text.
    pub(super) place: DiagnosticPlace,
}

/// What a format fills in next: how the run ends at once, the rest when no difference is left that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FillingStage {
    Ends,
    Rest,
    Done,
}

impl BlessedCase {
    pub(super) fn run(
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
        let may_be_filled = !matches!(report.verdict, Verdict::Skip(_)) && !was_not_run(&report.verdict);
        let is_filled = wanted.missing == Missing::Fill && may_be_filled;
        let of_unknown = if unknown.is_empty() { Vec::new() } else { demands_of(&case, unknown) };
        Some(BlessedCase {
            is_open: report.verdict.failure().is_some() || is_filled,
            first: report.clone(),
            last: report,
            is_changed: false,
            replaces: false,
            refused: Vec::new(),
            left_out: None,
            filling: if is_filled { FillingStage::Ends } else { FillingStage::Done },
            filled: Vec::new(),
            unknown: unknown.clone(),
            of_unknown,
            new_ends: Vec::new(),
            new_rest: Vec::new(),
            of_new_end: Vec::new(),
            place: DiagnosticPlace::at(loaded.text(), at, case.document.position(at)),
            range,
        })
    }

    /// The changes of the next round.
    pub(super) fn changes<'d>(
        &mut self,
        loaded: &LoadedCase<'d>,
        wanted: &BlessOptions,
    ) -> Vec<TextChange<'d>> {
        self.is_open = false;
        // A case that demands only what is not compared is not run, either.
        let mut changes = self.unverified(loaded);
        if changes.is_empty() && was_not_run(&self.last.verdict) {
            return changes;
        }
        if changes.is_empty() && self.filling == FillingStage::Ends {
            changes = self.fill(loaded);
        }
        if changes.is_empty() {
            changes = self.differing(loaded, wanted);
        }
        if changes.is_empty() && self.filling == FillingStage::Rest && !self.ends_otherwise(loaded, wanted) {
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
            FillingStage::Ends => {
                self.new_ends = NewMember::all(&fill.ends, case);
                (FillingStage::Rest, fill.ends)
            }
            FillingStage::Rest => {
                self.new_rest = NewMember::all(&fill.rest, case);
                (FillingStage::Done, fill.rest)
            }
            FillingStage::Done => (FillingStage::Done, Vec::new()),
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
        let (case, places) = (loaded.root(), DemandedPlaces::of(&read, &self.unknown));
        let [goes, stays] = [EmptiedObject::Goes, EmptiedObject::Stays];
        let emptied = if self.filling == FillingStage::Rest { stays } else { goes };
        let mut changes: Vec<_> =
            filled.iter().flat_map(|member| member.without_unknown(case, &places, emptied)).collect();
        if self.filling == FillingStage::Done {
            // What was left empty for the rest.
            let ends = self.new_ends.iter();
            changes.extend(ends.flat_map(|member| member.without_unknown(case, &places, goes)));
        }
        if self.left_out.is_none() && !changes.is_empty() {
            self.left_out = self.unchecked(loaded);
        }
        changes
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
        let ends = machines::ends_of(loaded.format.machine);
        let case = loaded.root();
        let is_other_end = |CaseDifference { at, actual, place, .. }: &&CaseDifference| {
            let field = &*at.first().to_string();
            if at.parent().is_some() {
                false
            } else if ends.fields.contains(&field) {
                !self.new_ends.iter().any(|member| member.is_at(case, place.at))
            } else {
                actual.is_none()
                    && ends.only_after_some.contains(&field)
                    && !self.new_rest.iter().any(|member| member.contains(case, place.at))
            }
        };
        differences(&self.last).iter().filter(is_other_end).collect()
    }

    fn write_back<'d>(
        &mut self,
        loaded: &LoadedCase<'d>,
        wanted: &BlessOptions,
    ) -> (Vec<TextChange<'d>>, Vec<BlessRefusal>) {
        let asked = differences(&self.last).iter().filter(|difference| wanted.selects(difference));
        let case = loaded.root();
        let WrittenDifferences { mut changes, of_ends, refused } = written(asked, loaded);
        self.of_new_end.extend(NewMember::all(&of_ends, case));
        let is_new = |change: &TextChange<'_>| {
            let mut new = self.new_members();
            new.any(|member| member.takes(change, case))
        };
        let replaces = !changes.iter().all(is_new);
        let before = by_datum(&self.first);
        // What was filled in and cannot be written is not demanded after all.
        let (mut removed, mut refusals) = (BTreeSet::new(), Vec::new());
        for (difference, why) in refused {
            match self.new_rest.iter().position(|member| member.contains(case, difference.place.at)) {
                Some(filled) => drop(removed.insert(filled)),
                None => refusals.push(self.refusal(&before, difference, &why)),
            }
        }
        if removed.is_empty() {
            self.replaces |= replaces;
        } else {
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

    fn new_members(&self) -> impl Iterator<Item = &NewMember> {
        self.new_ends.iter().chain(&self.new_rest).chain(&self.of_new_end)
    }

    /// A datum that the case demands in the text that was added, although it is not compared: the format cannot leave
    /// it out.
    fn unchecked(&self, loaded: &LoadedCase<'_>) -> Option<Path> {
        if self.unknown.is_empty() {
            return None;
        }
        let case = loaded.root();
        let is_unchecked = |demand: &(usize, Assertion)| {
            let is_same = |(step, before): &(usize, Assertion)| {
                (*step, &before.at, &before.expected) == (demand.0, &demand.1.at, &demand.1.expected)
            };
            self.new_members().any(|member| member.is_at(case, demand.1.origin.0))
                && !self.of_unknown.iter().any(is_same)
        };
        let demands = demands_of(loaded, &self.unknown);
        demands.into_iter().find(is_unchecked).map(|(_, demand)| demand.at)
    }

    /// The root that is written and not that of the state which the case demands, if that is not compared; and why it
    /// is not written.
    fn wrong_root(&self, loaded: &LoadedCase<'_>) -> Option<(Option<Path>, String)> {
        if self.unknown.is_empty() {
            return None;
        }
        let case = loaded.read().ok()?.case?;
        let hashed = machines::by_name(case.machine)?.hashed?;
        let root = Path::field(hashed.root);
        let is_root = |it: &&CaseDifference| it.at == root;
        let was_right =
            self.first.verdict.failure().is_some() && !differences(&self.first).iter().any(|it| is_root(&it));
        if was_right || !self.unknown.contains(hashed.state) {
            return None;
        }
        wrong_root(&case)?;
        let why = format!("the case demands {} of another root, and that is not compared", hashed.state);
        Some((Some(root), why))
    }

    /// Whether the case passed before, or could not be run for what it lacks, and keeps all of its demands.
    pub(super) fn only_adds(&self) -> bool {
        self.first.verdict.failure().is_none() && !self.replaces
    }

    /// Reverts the case to its old text.
    pub(super) fn refuse(&mut self, at: Option<Path>, why: &str) {
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
    pub(super) fn decide(&mut self, loaded: Option<&LoadedCase<'_>>, wanted: &BlessOptions) {
        if !self.is_changed {
            return;
        }
        if matches!(self.first.verdict, Verdict::Error(_)) && was_not_run(&self.last.verdict) {
            // What was added made it a case that can be run.
            self.is_changed = false;
            self.refused.clear();
            self.first = self.last.clone();
            return;
        }
        let (at, why) = match &self.last.verdict {
            Verdict::Error(diagnostics) => match self.left_out.take() {
                Some(at) => cannot_leave_out(at),
                // It was broken before.
                None if matches!(self.first.verdict, Verdict::Error(_)) => {
                    self.is_changed = false;
                    return;
                }
                None => {
                    let what = diagnostics.first().map_or("", |diagnostic| &diagnostic.what);
                    (None, format!("the changed case would be broken: {what}"))
                }
            },
            Verdict::Unsupported(why) => (None, format!("the changed case would be unsupported: {why}")),
            verdict @ (Verdict::Crash(_) | Verdict::Timeout(_) | Verdict::Flaky(_)) => {
                let what =
                    verdict.breakdown().map_or(String::new(), |breakdown| format!(": {}", breakdown.what));
                (None, format!("{}{what}", verdict.name()))
            }
            _ => {
                let wrong = self.wrong(wanted).map(|(at, why)| (Some(at), why));
                let wrong = wrong.or_else(|| self.unchecked(loaded?).map(cannot_leave_out));
                let Some(wrong) = wrong.or_else(|| self.wrong_root(loaded?)) else { return };
                wrong
            }
        };
        self.refuse(at, &why);
    }

    /// The first difference that the changed case must not have, and why it has it.
    fn wrong(&self, wanted: &BlessOptions) -> Option<(Path, String)> {
        let refused: HashMap<BlessedDatum<'_>, &str> =
            self.refused.iter().filter_map(|it| Some(((it.step, it.at.as_ref()?), &*it.why))).collect();
        let before = by_datum(&self.first);
        // What is in a datum that cannot be written stays as well.
        let is_refused = |it: &CaseDifference| {
            let mut around = std::iter::successors(Some(&it.at), |at| at.parent());
            around.any(|at| refused.contains_key(&(it.step, at)))
        };
        let is_wrong = |it: &&CaseDifference| {
            !before.contains_key(&datum(it)) || (wanted.selects(it) && !is_refused(it))
        };
        let wrong = differences(&self.last).iter().find(is_wrong)?;
        let why = refused.get(&datum(wrong)).map_or(String::new(), |why| format!(": {why}"));
        Some((wrong.at.clone(), format!("the changed case would differ in {}{why}", wrong.at)))
    }

    pub(super) fn add_to(self, blessed: &mut Blessed) {
        match self.first.verdict {
            _ if self.is_changed || !self.refused.is_empty() => blessed.refused.extend(self.refused),
            Verdict::Pass | Verdict::Fixed(_) | Verdict::Skip(_) => {
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
            Verdict::Fail(_) | Verdict::Known(..) => blessed.not_asked_for += 1,
        }
    }
}

/// Whether a machine has not said what the case does, so that nothing can be written.
fn was_not_run(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Unsupported(_) | Verdict::Crash(_) | Verdict::Timeout(_) | Verdict::Flaky(_))
}

/// The refusal of a case that would demand this.
fn cannot_leave_out(at: Path) -> (Option<Path>, String) {
    let why = format!("the format cannot leave out {at}, which is not compared");
    (Some(at), why)
}

fn is_of(fields: &BTreeSet<String>, at: &Path) -> bool {
    matches!(at.first(), PathKey::Name(name) if fields.contains(&**name))
}

/// What a case demands of these fields, each with the index of the step; empty if the case cannot be read.
fn demands_of(loaded: &LoadedCase<'_>, fields: &BTreeSet<String>) -> Vec<(usize, Assertion)> {
    let steps = loaded.read().ok().and_then(|reading| reading.case).map(|case| case.steps);
    let steps = steps.into_iter().flatten().enumerate();
    let of_step = |(index, step): (usize, Step)| {
        let demands = step.end.into_iter().chain(step.assertions);
        demands.filter(|demand| is_of(fields, &demand.at)).map(move |demand| (index, demand))
    };
    steps.flat_map(of_step).collect()
}

impl DemandedPlaces {
    fn of(case: &Case, unknown: &BTreeSet<String>) -> DemandedPlaces {
        let mut places = DemandedPlaces::default();
        for demand in case.demands() {
            let of = if is_of(unknown, &demand.at) { &mut places.unknown } else { &mut places.compared };
            of.push(demand.origin.0);
        }
        places.compared.sort_unstable();
        places.unknown.sort_unstable();
        places
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

/// Why a run that ended in another way is not blessed.
fn other_end(CaseDifference { at, expected, actual, .. }: &CaseDifference) -> String {
    match actual {
        Some(actual) => format!("the run ended with {actual} instead of {expected}"),
        None => format!("the run ended without {at}"),
    }
}
