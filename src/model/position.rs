//! Places in a text: byte offsets, lines and columns.

use std::fmt;

use memchr::{memchr, memrchr};

/// The byte order mark, which some editors put in front of a text.
pub(crate) const BOM: char = '\u{feff}';

/// Where a byte stands for a person: line and column, both from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// `line:column`, as compilers write it.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Line and column of byte `at` of `text`.
pub fn position(text: &str, at: u32) -> Position {
    let before = text.get(..at as usize).unwrap_or(text);
    let line_start = memrchr(b'\n', before.as_bytes()).map_or(0, |newline| newline + 1);
    let line = 1 + memchr::memchr_iter(b'\n', before.as_bytes()).count();
    let mark = usize::from(line_start == 0 && before.starts_with(BOM));
    let column = 1 + before[line_start..].chars().count() - mark;
    Position { line: line as u32, column: column as u32 }
}

/// The line of `text` that byte `at` stands in, without its end.
pub fn line_at(text: &str, at: u32) -> &str {
    let at = (at as usize).min(text.len());
    let start = memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |newline| newline + 1);
    let end = memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |newline| at + newline);
    let line = text.get(start..end).unwrap_or("");
    line.trim_start_matches(BOM).trim_end_matches('\r')
}

/// Where in the vector file a datum stands: a byte offset. Line and column are computed when
/// somebody is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin(pub u32);
