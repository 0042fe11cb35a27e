//! Compares two runs.
//!
//! *Pass* and *fixed* count as passing; *fail*, *error*, *crash*, *timeout*, *flaky*, *unsupported* and *known* do
//! not. A skipped case counts as missing. Two failures are the same if their signatures are equal.

use strum::VariantArray;

use crate::model::VerdictKind;

pub use super::record::{
    MAX_CASES, MAX_REPORT_BYTES, MAX_REPORT_LINE, ReadError, RecordedOutcome, RecordedRun, read, read_at_most,
};

/// How a case changed, in the order of output; it is displayed as the heading of the list of cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::Display, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ReportedChange {
    /// It passed and no longer passes.
    #[strum(serialize = "broken")]
    Regressed,
    /// It passed in neither run, and its verdict or signature changed.
    #[strum(serialize = "fails differently")]
    FailsDifferently,
    /// It did not pass and now passes.
    Fixed,
    /// It was missing before.
    New,
    /// It is missing now.
    Gone,
}

impl ReportedChange {
    /// All kinds of change.
    pub const ALL: &[ReportedChange] = ReportedChange::VARIANTS;
}

/// A case that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changed<'r> {
    /// Its id.
    pub id: &'r str,
    /// How it changed.
    pub change: ReportedChange,
    /// Its outcome before; `None` if it was missing.
    pub before: Option<&'r RecordedOutcome>,
    /// Its outcome now; `None` if it is missing.
    pub after: Option<&'r RecordedOutcome>,
}

impl Changed<'_> {
    /// Whether the change needs attention: the case fails now and did not before, is broken now and was not before,
    /// passed when it was tried again and does not any more, or passed and is not supported now. Cases that are listed as known failures do not count.
    pub fn is_worse(&self) -> bool {
        let severity =
            |outcome: Option<&RecordedOutcome>| outcome.map_or(0, |outcome| severity(outcome.kind));
        let is_lost = self.change == ReportedChange::Regressed
            && self.after.is_some_and(|after| after.kind == VerdictKind::Unsupported);
        severity(self.after) > severity(self.before) || is_lost || self.breaks_steadily_now()
    }

    /// Whether the case passed when it was tried again, and now does so no more.
    fn breaks_steadily_now(&self) -> bool {
        let [before, after] = [self.before, self.after].map(|outcome| outcome.map(|outcome| outcome.kind));
        let is_steady = matches!(
            after,
            Some(VerdictKind::Fail | VerdictKind::Error | VerdictKind::Crash | VerdictKind::Timeout)
        );
        before == Some(VerdictKind::Flaky) && is_steady
    }
}

/// How bad an outcome is: 1 if the machine differs, 2 if the case or the testee is broken, else 0.
fn severity(kind: VerdictKind) -> u8 {
    match kind {
        VerdictKind::Pass
        | VerdictKind::Known
        | VerdictKind::Fixed
        | VerdictKind::Skip
        | VerdictKind::Unsupported => 0,
        VerdictKind::Fail => 1,
        VerdictKind::Error | VerdictKind::Crash | VerdictKind::Timeout | VerdictKind::Flaky => 2,
    }
}

/// The result of [`compare`].
#[derive(Debug)]
pub struct Comparison<'r> {
    /// The cases that changed, in the order of the later run, followed by the missing cases in the order of
    /// the earlier run.
    pub changed: Vec<Changed<'r>>,
    /// How many cases did not change.
    pub same: usize,
    /// How many of those fail or are broken, or are known to. Unsupported ones do not count.
    pub same_not_passing: usize,
}

impl Comparison<'_> {
    /// Whether any change needs attention; see [`Changed::is_worse`].
    pub fn is_worse(&self) -> bool {
        self.changed.iter().any(Changed::is_worse)
    }

    /// The cases that changed in this way.
    pub fn of(&self, change: ReportedChange) -> impl Iterator<Item = &Changed<'_>> {
        self.changed.iter().filter(move |changed| changed.change == change)
    }
}

/// Compares a run with a later one.
pub fn compare<'r>(before: &'r RecordedRun, after: &'r RecordedRun) -> Comparison<'r> {
    let mut comparison = Comparison { changed: Vec::new(), same: 0, same_not_passing: 0 };
    let gone = before.cases.keys().filter(|id| !after.cases.contains_key(*id));
    for id in after.cases.keys().chain(gone) {
        let there =
            |run: &'r RecordedRun| run.cases.get(id).filter(|outcome| outcome.kind != VerdictKind::Skip);
        let (before, after) = (there(before), there(after));
        if let Some(change) = change(before, after) {
            comparison.changed.push(Changed { id, change, before, after });
        } else if let Some(after) = after {
            comparison.same += 1;
            let still_fails = !after.passes() && after.kind != VerdictKind::Unsupported;
            comparison.same_not_passing += usize::from(still_fails);
        }
    }
    // Skipped cases count as missing, so they also move to the end.
    comparison.changed.sort_by_key(|changed| changed.change == ReportedChange::Gone);
    comparison
}

fn change(before: Option<&RecordedOutcome>, after: Option<&RecordedOutcome>) -> Option<ReportedChange> {
    match (before, after) {
        (None, None) => None,
        (None, Some(_)) => Some(ReportedChange::New),
        (Some(_), None) => Some(ReportedChange::Gone),
        (Some(before), Some(after)) => match (before.passes(), after.passes()) {
            (true, true) => None,
            (true, false) => Some(ReportedChange::Regressed),
            (false, true) => Some(ReportedChange::Fixed),
            (false, false) => (!before.fails_like(after)).then_some(ReportedChange::FailsDifferently),
        },
    }
}

/// Reasons why two runs are hard to compare, one line each: differences in what they ran, not in the
/// outcomes. `names` are the names of the runs, `effects` the parts of their command lines that decide which cases ran
/// and how, and `comparison` is what they differ in.
pub fn cautions(
    before: &RecordedRun,
    after: &RecordedRun,
    names: [&str; 2],
    effects: [Option<&str>; 2],
    comparison: &Comparison<'_>,
) -> Vec<String> {
    let other_cases = |before: String, after: String| {
        let [first, second] = names;
        format!("{first} is {before} and {second} is {after}: new and deleted cases may be due to that")
    };
    let mut cautions = Vec::new();
    for (run, name) in [before, after].into_iter().zip(names) {
        if run.summary.interrupted {
            cautions.push(format!("{name} was interrupted: the cases that it did not reach are not in it"));
        }
    }
    if before.part != after.part {
        let of =
            |part: &Option<String>| part.as_ref().map_or("a whole run".to_owned(), |it| format!("part {it}"));
        let (before, after) = (of(&before.part), of(&after.part));
        cautions.push(other_cases(before, after));
    }
    if let [Some(first), Some(second)] = effects {
        if first != second && !comparison.changed.is_empty() {
            cautions.push("the command lines differ, which may be why cases do".to_owned());
        }
    } else if only(before) != only(after) {
        let [before, after] = [before, after].map(|run| match &*only(run) {
            [] => "of all cases".to_owned(),
            only => format!("only of the cases of {}", only.join(" ")),
        });
        cautions.push(other_cases(before, after));
    }
    cautions
}

/// What selects among the cases of the files of a run: a record says it together with the paths.
fn only(run: &RecordedRun) -> Vec<String> {
    let is_path = |word: &str| !(word.starts_with("--") || word.starts_with("-E=") || word.contains("::"));
    let selected = run.selected.iter().flatten().filter(|word| !is_path(word));
    selected.chain(&run.only).cloned().collect()
}
