//! Places in a text: byte offsets, lines and columns.

use std::fmt;

/// The byte order mark, which some editors write at the start of a text.
pub(crate) const BOM: char = '\u{feff}';

/// The text after the byte order mark, if it starts with one.
pub fn without_bom(text: &str) -> &str {
    text.strip_prefix(BOM).unwrap_or(text)
}

/// The position of a byte as shown to a person: line and column, both from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// `line:column`, as in compiler messages.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// The position of a datum in the vector file: a byte offset. Line and column are computed when it is
/// reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin(pub u32);
