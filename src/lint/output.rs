//! The list of forms in which diagnostics are written.

use std::io::{self, Write};

use super::{Checked, sarif, text};
use crate::model::diagnostic::Severity;
use crate::model::renderer::Renderer;

/// Writes the diagnostics of file after file.
pub trait Output {
    /// The next file.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn file(&mut self, checked: &Checked) -> io::Result<()>;

    /// Writes what comes after the last file.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn end(&mut self, summary: &Summary) -> io::Result<()>;
}

/// A form of diagnostics; `new` makes one that writes to the given writer.
pub type OutputKind = Renderer<fn(Box<dyn Write>, Extent) -> Box<dyn Output>>;

/// How many diagnostics of one rule the text for people shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The first of each rule, and how many more there are.
    First,
    /// All.
    All,
}

/// Every form; the first is the default.
pub static OUTPUTS: &[OutputKind] = &[
    OutputKind {
        name: "text",
        doc: "for people, as compilers write it",
        new: |out, extent| Box::new(text::Text::new(out, extent)),
    },
    OutputKind {
        name: "sarif",
        doc: "SARIF 2.1.0, for code scanning and editors; all findings",
        new: |out, _| Box::new(sarif::Sarif::new(out)),
    },
];

/// The numbers of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files that were looked at.
    pub files: usize,
    /// Cases in them.
    pub cases: usize,
    /// Diagnostics for which `run` refuses a case or a file.
    pub errors: usize,
    /// Diagnostics of cases that run but are probably not what their author intended.
    pub warnings: usize,
    /// Diagnostics that need no action.
    pub notes: usize,
    /// Diagnostics that `--fix` can fix.
    pub fixable: usize,
}

impl Summary {
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
