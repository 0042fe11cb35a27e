//! The list of ways to write down what was found.

use std::io::{self, Write};

use super::{Checked, sarif, text};
use crate::model::diagnostic::Severity;

/// Writes down what was found in file after file.
pub trait Output {
    /// The next file.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn file(&mut self, checked: &Checked) -> io::Result<()>;

    /// The end, behind the last file.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    fn end(&mut self, summary: &Summary) -> io::Result<()>;
}

/// A way to write down what was found.
#[derive(Debug)]
pub struct OutputKind {
    /// Its name, as `--as` takes it.
    pub name: &'static str,
    /// What it is, in one line.
    pub doc: &'static str,
    /// Makes one that writes there.
    pub new: fn(Box<dyn Write>, Extent) -> Box<dyn Output>,
}

/// How much of the same is told to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The first of each rule, and how many more there are.
    First,
    /// All.
    All,
}

/// Every way.
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

/// The way of this name.
pub fn by_name(name: &str) -> Option<&'static OutputKind> {
    OUTPUTS.iter().find(|output| output.name == name)
}

/// The numbers of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Files that were looked at.
    pub files: usize,
    /// Cases in them.
    pub cases: usize,
    /// Findings for which `run` refuses a case or a file.
    pub errors: usize,
    /// Findings with which a case runs and is perhaps not what was meant.
    pub warnings: usize,
    /// Findings that need not be acted upon.
    pub notes: usize,
    /// Findings that can be made right without a person.
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
