//! Lines and columns of bytes that are asked for in order: all of a text costs one pass over it.

use crate::model::position::Position;

/// A place in a text that goes forward.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
    position: Position,
    column_utf16: u32,
}

impl<'t> Cursor<'t> {
    /// The start of the text, behind a byte order mark.
    pub(super) fn new(text: &'t str) -> Cursor<'t> {
        let mark = '\u{feff}';
        let at = if text.starts_with(mark) { mark.len_utf8() } else { 0 };
        Cursor { text, at, position: Position { line: 1, column: 1 }, column_utf16: 1 }
    }

    /// Goes to a byte, which is not before the one where it was.
    pub(super) fn go_to(&mut self, at: usize) {
        let passed = self.text.get(self.at..at).unwrap_or("");
        let line = match memchr::memrchr(b'\n', passed.as_bytes()) {
            None => passed,
            Some(newline) => {
                self.position.line += memchr::memchr_iter(b'\n', passed.as_bytes()).count() as u32;
                self.position.column = 1;
                self.column_utf16 = 1;
                &passed[newline + 1..]
            }
        };
        self.position.column += line.chars().count() as u32;
        self.column_utf16 += line.chars().map(char::len_utf16).sum::<usize>() as u32;
        self.at = self.at.max(at);
    }

    /// Line, and column in characters.
    pub(super) fn position(&self) -> Position {
        self.position
    }

    /// The column in UTF-16 code units, from 1.
    pub(super) fn column_utf16(&self) -> u32 {
        self.column_utf16
    }
}

#[cfg(test)]
mod tests {
    use super::Cursor;
    use crate::model::position::position;

    #[test]
    fn the_same_as_counting_from_the_start() {
        let text = "\u{feff}a\nbä\u{1d11e}c\r\n\n  x";
        let mut cursor = Cursor::new(text);
        for at in (3..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            cursor.go_to(at);
            assert_eq!(cursor.position(), position(text, at as u32), "at {at}");
        }
    }

    #[test]
    fn a_character_outside_the_first_plane_is_two_units() {
        let mut cursor = Cursor::new("\u{1d11e}x");
        cursor.go_to(4);
        assert_eq!((cursor.position().column, cursor.column_utf16()), (2, 3));
    }
}
