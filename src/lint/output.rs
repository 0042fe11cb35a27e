//! The interface of outputs for diagnostics.

use std::io::{self, Write};

use super::Checked;
use crate::model::{Renderer, Severity};

/// Writes the diagnostics of file after file.
pub trait LintOutput {
    /// Writes the next file.
    fn file(&mut self, checked: &Checked) -> io::Result<()>;

    /// Writes what comes after the last file.
    fn end(&mut self, summary: &LintSummary) -> io::Result<()>;
}

/// A format for diagnostics; `new` makes an output that writes to the given writer.
pub type OutputKind = Renderer<fn(Box<dyn Write>, LintOutputOptions) -> Box<dyn LintOutput>>;

/// What an output needs besides diagnostics.
#[derive(Debug, Clone)]
pub struct LintOutputOptions {
    /// How many diagnostics the text output shows.
    pub extent: LintExtent,
    /// The path from the root of the checkout to the folder that the names of files begin in; empty if it is unknown or
    /// the same.
    pub below_checkout: String,
}

/// How many diagnostics of each rule the text output shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LintExtent {
    /// The first ones of each rule, and how many more there are.
    First,
    /// All.
    All,
}

/// The counts of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LintSummary {
    /// Files that were checked.
    pub files: usize,
    /// Cases in them.
    pub cases: usize,
    /// Diagnostics for which `run` rejects the case or the file.
    pub errors: usize,
    /// Diagnostics of cases that run, but probably not as the author intended.
    pub warnings: usize,
    /// Diagnostics that need no action.
    pub notes: usize,
    /// Diagnostics that `--fix` can fix.
    pub fixable: usize,
}

impl LintSummary {
    /// Counts one more file.
    pub fn count(&mut self, checked: &Checked) {
        self.files += 1;
        self.cases += checked.cases;
        self.fixable += checked.edits().count();
        for diagnostic in &checked.diagnostics {
            match diagnostic.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Note => self.notes += 1,
            }
        }
    }
}
