//! A text with the lines and columns of its bytes.

use std::sync::OnceLock;

use super::line_index::LineIndex;
use crate::model::{Diagnostic, DiagnosticPlace, Origin, Position};

/// A text and its line index, which is built on first use.
#[derive(Debug, Default)]
pub struct SourceText {
    text: String,
    lines: OnceLock<LineIndex>,
}

impl SourceText {
    /// The text, without an index as yet.
    pub fn new(text: impl Into<String>) -> SourceText {
        SourceText { text: text.into(), lines: OnceLock::new() }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text; drops the index.
    pub fn into_string(self) -> String {
        self.text
    }

    fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.text))
    }

    /// Line and column of a byte; those of the end if `at` is beyond it.
    pub fn position(&self, at: u32) -> Position {
        let at = at as usize;
        let near = LineIndex::position_near_start(&self.text, at);
        near.unwrap_or_else(|| self.lines().position(&self.text, at))
    }

    /// The byte at a line and column; `None` if the text has no such position.
    pub fn byte(&self, position: Position) -> Option<u32> {
        self.lines().byte(&self.text, position).map(|at| at as u32)
    }

    /// The column of a byte in UTF-16 code units, from 1.
    pub fn column_utf16(&self, at: u32) -> u32 {
        self.lines().column_utf16(&self.text, at as usize)
    }

    /// The place of a byte, with an excerpt of its line.
    pub fn place(&self, at: u32) -> DiagnosticPlace {
        DiagnosticPlace::at(&self.text, at, self.position(at))
    }

    /// A diagnostic of this text, with line and column added.
    pub fn locate(&self, diagnostic: Diagnostic<Origin>) -> Diagnostic {
        let place = self.place(diagnostic.place.0);
        diagnostic.with_place(Some(place))
    }
}
