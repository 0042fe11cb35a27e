//! Two runs, and what changed from one to the other.
//!
//! *Pass* and *fixed* pass; *fail*, *error* and *known* do not. A case that was skipped counts as one that
//! is not there. Two failures are the same when their signatures are.

use std::fmt;

use crate::model::verdict::Kind;

pub use super::record::{MOST_BYTES, MOST_CASES, MOST_LINE, Outcome, ReadError, Run, read};

/// In which way a case changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// It passed and does not pass any more.
    Broken,
    /// It did not pass and does not pass, with another verdict or signature.
    FailsDifferently,
    /// It did not pass and passes.
    Fixed,
    /// It was not there.
    New,
    /// It is not there any more.
    Gone,
}

impl Change {
    /// Every one, in the order in which they are shown.
    pub const ALL: [Change; 5] =
        [Change::Broken, Change::FailsDifferently, Change::Fixed, Change::New, Change::Gone];
}

/// As it stands over the cases.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Change::Broken => "broken",
            Change::FailsDifferently => "fails differently",
            Change::Fixed => "fixed",
            Change::New => "new",
            Change::Gone => "gone",
        })
    }
}

/// A case that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changed<'r> {
    /// Its id.
    pub id: &'r str,
    /// In which way.
    pub change: Change,
    /// Its outcome before; `None` where it was not there.
    pub before: Option<&'r Outcome>,
    /// Its outcome now; `None` where it is not there.
    pub after: Option<&'r Outcome>,
}

impl Changed<'_> {
    /// Whether somebody has to look: it now fails or is broken, and did not so before. What is listed as
    /// known to fail was looked at.
    pub fn is_worse(&self) -> bool {
        self.after.is_some_and(|after| matches!(after.kind, Kind::Fail | Kind::Error))
    }
}

/// What changed.
#[derive(Debug)]
pub struct Comparison<'r> {
    /// The cases that changed, in the order of the later run; after them those that are gone, in the
    /// order of the earlier one.
    pub changed: Vec<Changed<'r>>,
    /// How many cases are as they were.
    pub same: usize,
    /// How many of those do not pass.
    pub same_not_passing: usize,
}

impl Comparison<'_> {
    /// Whether anything is worse.
    pub fn is_worse(&self) -> bool {
        self.changed.iter().any(Changed::is_worse)
    }

    /// The cases that changed in this way.
    pub fn of(&self, change: Change) -> impl Iterator<Item = &Changed<'_>> {
        self.changed.iter().filter(move |changed| changed.change == change)
    }
}

/// What changed from one run to a later one.
pub fn compare<'r>(before: &'r Run, after: &'r Run) -> Comparison<'r> {
    let mut comparison = Comparison { changed: Vec::new(), same: 0, same_not_passing: 0 };
    let gone = before.cases.keys().filter(|id| !after.cases.contains_key(*id));
    for id in after.cases.keys().chain(gone) {
        let there = |run: &'r Run| run.cases.get(id).filter(|outcome| outcome.kind != Kind::Skip);
        let (before, after) = (there(before), there(after));
        if let Some(change) = change(before, after) {
            comparison.changed.push(Changed { id, change, before, after });
        } else if let Some(after) = after {
            comparison.same += 1;
            comparison.same_not_passing += usize::from(!after.passes());
        }
    }
    // A case that was skipped is gone too, and stands where it was skipped.
    comparison.changed.sort_by_key(|changed| changed.change == Change::Gone);
    comparison
}

fn change(before: Option<&Outcome>, after: Option<&Outcome>) -> Option<Change> {
    match (before, after) {
        (None, None) => None,
        (None, Some(_)) => Some(Change::New),
        (Some(_), None) => Some(Change::Gone),
        (Some(before), Some(after)) => match (before.passes(), after.passes()) {
            (true, true) => None,
            (true, false) => Some(Change::Broken),
            (false, true) => Some(Change::Fixed),
            (false, false) => (!before.fails_like(after)).then_some(Change::FailsDifferently),
        },
    }
}

/// What makes two runs hard to compare, each in one line: differences in what they ran, not in the outcomes.
/// `names` are what the runs are called.
pub fn cautions(before: &Run, after: &Run, names: [&str; 2]) -> Vec<String> {
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
        cautions.push(format!(
            "{} is {before} and {} is {after}: new and gone may be for that",
            names[0], names[1]
        ));
    }
    if let (Some(first), Some(second)) = (&before.command, &after.command)
        && first != second
    {
        cautions.push("the command lines differ, which may be why cases do".to_owned());
        cautions.extend(
            [(names[0], first), (names[1], second)].map(|(name, command)| format!("{name}: {command}")),
        );
    }
    cautions
}
