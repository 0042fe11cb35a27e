//! A line of a file with a caret under one position, as in all output for people.

use std::fmt;

use anstyle::Style;

use crate::model::diagnostic::DiagnosticPlace;
use crate::model::escape::escaped;

const DIM: Style = Style::new().dimmed();

/// Displays two lines: the line of a place, after its number, and one with a caret.
#[derive(Debug, Clone, Copy)]
pub struct Excerpt<'p> {
    /// The place.
    pub place: &'p DiagnosticPlace,
    /// How many columns to indent.
    pub indent: usize,
    /// The style of the caret.
    pub caret: Style,
}

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Excerpt { place, indent, caret } = self;
        let number = place.position.line.to_string();
        let width = indent + number.len();
        let line = place.excerpt.replace('\t', " ");
        let before: String = line.chars().take(place.before).collect();
        let before = " ".repeat(escaped(&before).chars().count());
        writeln!(f, "{DIM}{number:>width$} |{DIM:#} {}", escaped(&line))?;
        writeln!(f, "{DIM}{:width$} |{DIM:#} {before}{caret}^{caret:#}", "")
    }
}
