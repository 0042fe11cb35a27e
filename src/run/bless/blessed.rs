//! The result of blessing a file: changes, refusals and counts.

use super::excerpt::BlessExcerpt;
use super::refusal::BlessRefusal;
use crate::model::{CaseId, CaseReport};
use crate::text::edit::{self, Splice};

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
    pub(super) splice: Splice,
    /// The line where the case begins, from 1.
    pub(super) line: usize,
    /// Whether the change only demands more, and nothing else than before.
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
