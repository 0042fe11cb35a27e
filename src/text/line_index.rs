//! Line and column of any byte of a text, without counting from the start each time.

use memchr::{memchr_iter, memrchr};

use crate::model::Position;
use crate::model::position::BOM;

/// The distance between two marks in bytes. A look-up reads at most this many bytes; each mark takes 12 bytes.
const BLOCK: usize = 1024;

/// The line and column at every 1024th byte of a text. A look-up counts from the last mark before the byte,
/// so it takes no longer in long lines.
#[derive(Debug, Clone)]
pub(super) struct LineIndex {
    marks: Vec<Mark>,
}

/// The counts of the text before a byte.
#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    /// Lines that have ended.
    lines: u32,
    /// Characters of the line, without a byte order mark.
    characters: u32,
    /// How many of those take two units in UTF-16.
    wide: u32,
}

impl LineIndex {
    /// Reads the text once.
    pub(super) fn new(text: &str) -> LineIndex {
        let mut marks = Vec::with_capacity(1 + text.len() / BLOCK);
        marks.push(Mark::default());
        let mut mark = Mark::default();
        for block in text.as_bytes().chunks_exact(BLOCK) {
            mark = mark.after(block);
            marks.push(mark);
        }
        LineIndex { marks }
    }

    /// Line and column of byte `at` of the text that was indexed; those of its end if `at` is beyond it.
    pub(super) fn position(&self, text: &str, at: usize) -> Position {
        self.before(text, at).position()
    }

    /// [`LineIndex::position`] of a byte near the start of a text, which needs no index; `None` for later ones.
    pub(super) fn position_near_start(text: &str, at: usize) -> Option<Position> {
        (at < BLOCK).then(|| Mark::default().at(text, at.min(text.len())).position())
    }

    /// The byte at a line and column, which may be the end of the line; `None` if the text has no such position.
    pub(super) fn byte(&self, text: &str, Position { line, column }: Position) -> Option<usize> {
        let has_bom = line == 1 && text.starts_with(BOM);
        let wanted = (line.checked_sub(1)?, column.checked_sub(1)? + u32::from(has_bom));
        let later = self.marks.partition_point(|mark| (mark.lines, mark.characters) <= wanted);
        // The first mark is at the start of the text, so it is never after the position.
        let block = (later - 1) * BLOCK;
        let Mark { lines, characters, .. } = self.marks[later - 1];
        let mut at = (lines, characters);
        let start = text.ceil_char_boundary(block);
        let mut rest = text[start..].char_indices();
        while at != wanted {
            at = match rest.next()?.1 {
                '\n' if at.0 == wanted.0 => return None,
                '\n' => (at.0 + 1, 0),
                _ => (at.0, at.1 + 1),
            };
        }
        Some(start + rest.offset())
    }

    /// The column in UTF-16 code units, from 1.
    pub(super) fn column_utf16(&self, text: &str, at: usize) -> u32 {
        let Mark { characters, wide, .. } = self.before(text, at);
        1 + characters + wide
    }

    fn before(&self, text: &str, at: usize) -> Mark {
        let at = at.min(text.len());
        self.marks[at / BLOCK].at(text, at)
    }
}

/// The bytes of a text that a look-up of `at` has to count.
fn counted(text: &str, at: usize) -> &[u8] {
    &text.as_bytes()[at / BLOCK * BLOCK..at]
}

impl Mark {
    fn position(self) -> Position {
        Position { line: 1 + self.lines, column: 1 + self.characters }
    }

    /// The mark at byte `at` of a text, given the mark at the start of its block.
    fn at(self, text: &str, at: usize) -> Mark {
        let mut mark = self.after(counted(text, at));
        let has_bom = mark.lines == 0 && at > 0 && text.starts_with(BOM);
        mark.characters -= u32::from(has_bom);
        mark
    }

    /// The mark at the end of `bytes`, which start at this mark. A character counts at its first byte, so
    /// `bytes` may start and end inside one.
    fn after(self, bytes: &[u8]) -> Mark {
        let (start, line) = match memrchr(b'\n', bytes) {
            None => (self, bytes),
            Some(newline) => {
                let lines = self.lines + memchr_iter(b'\n', bytes).count() as u32;
                (Mark { lines, ..Mark::default() }, &bytes[newline + 1..])
            }
        };
        // Most lines are ASCII, and that is checked many bytes at a time.
        if line.is_ascii() {
            return Mark { characters: start.characters + line.len() as u32, ..start };
        }
        let count = |is_counted: fn(u8) -> bool| line.iter().filter(|byte| is_counted(**byte)).count() as u32;
        Mark {
            characters: start.characters + count(|byte| byte & 0b1100_0000 != 0b1000_0000),
            wide: start.wide + count(|byte| byte >= 0b1111_0000),
            ..start
        }
    }
}

#[cfg(test)]
mod tests;
