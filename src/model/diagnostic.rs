//! Something that is broken, and where in its file.

use super::position::{BOM, Position, position};

/// Something that is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong.
    pub what: String,
    /// What would have been right, where that can be said.
    pub expected: Option<String>,
    /// Where, when it is at one place of the vector file.
    pub place: Option<Place>,
}

impl Diagnostic {
    /// Diagnostic without a place.
    pub fn new(what: impl Into<String>) -> Diagnostic {
        Diagnostic { what: what.into(), expected: None, place: None }
    }

    /// In one line, with the file and the place in it.
    pub fn located(&self, file: &str) -> String {
        let place = self.place.as_ref().map_or(String::new(), |place| format!(":{}", place.position));
        let expected = self.expected.as_ref().map_or(String::new(), |it| format!("; expected {it}"));
        format!("{file}{place}: {}{expected}", self.what)
    }
}

/// A place in a vector file, with enough of its line to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Byte offset into the text.
    pub at: u32,
    /// Line and column.
    pub position: Position,
    /// The line, or the part of a long one around the column.
    pub excerpt: String,
    /// How many characters of the excerpt stand before the place.
    pub before: usize,
}

impl Place {
    /// The place of a byte in a text.
    pub fn new(text: &str, at: u32) -> Place {
        Place::at(text, at, position(text, at))
    }

    /// The place of a byte whose line and column are known. Takes no longer where the line is long.
    pub fn at(text: &str, at: u32, position: Position) -> Place {
        const BEFORE: usize = 40;
        const LONGEST: usize = 80;
        let column = position.column as usize - 1;
        let (left, right) = around(text, at, LONGEST);
        let is_long = column > LONGEST || left.chars().chain(right.chars()).nth(LONGEST).is_some();
        let skipped = if is_long { column.saturating_sub(BEFORE) } else { 0 };
        let mut before = column - skipped;
        let first = left.char_indices().rev().nth(before.wrapping_sub(1)).map_or(left.len(), |first| first.0);
        let mut line = left[first..].chars().chain(right.chars());
        let mut excerpt: String = line.by_ref().take(LONGEST).collect();
        if skipped > 0 {
            excerpt.insert(0, '…');
            before += 1;
        }
        if line.next().is_some() {
            excerpt.push('…');
        }
        Place { at, position, excerpt, before }
    }
}

/// What stands in the line of a byte before it and from it on, each of more than `most` characters
/// if there are so many.
fn around(text: &str, at: u32, most: usize) -> (&str, &str) {
    const LONGEST_CHARACTER: usize = 4;
    let at = text.floor_char_boundary(at as usize);
    let window = LONGEST_CHARACTER * (most + 2);
    let left = &text[text.ceil_char_boundary(at.saturating_sub(window))..at];
    let right = &text[at..text.floor_char_boundary(at + window)];
    let left = left.rsplit('\n').next().unwrap_or("").trim_start_matches(BOM);
    let right = right.split('\n').next().unwrap_or("").trim_start_matches(BOM);
    (left, right.trim_end_matches('\r'))
}
