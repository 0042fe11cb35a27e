//! How much room text takes in a terminal.

use ratatui::text::Span;

/// The number of columns that a terminal needs for a line without control characters: two for each wide character, as
/// those of East Asia and emoji, and none for one that combines with the character before it.
pub(crate) fn columns(line: &str) -> usize {
    Span::raw(line).width()
}

/// The end of a line that takes at most this number of columns.
pub(crate) fn last_columns(line: &str, most: usize) -> &str {
    let mut taken = 0;
    let is_over = |(_, character): &(usize, char)| {
        taken += columns(character.encode_utf8(&mut [0; 4]));
        taken > most
    };
    let over = line.char_indices().rev().find(is_over);
    over.map_or(line, |(at, character)| &line[at + character.len_utf8()..])
}

/// The start of a line that takes at most this number of columns.
pub(crate) fn first_columns(line: &str, most: usize) -> &str {
    let mut taken = 0;
    let is_over = |(_, character): &(usize, char)| {
        taken += columns(character.encode_utf8(&mut [0; 4]));
        taken > most
    };
    line.char_indices().find(is_over).map_or(line, |(end, _)| &line[..end])
}

#[cfg(test)]
mod tests {
    use super::{columns, first_columns};

    /// By the classes of Unicode Standard Annex #11: W and F are wide; Mn and Me take no column.
    #[test]
    fn wide_and_combining_characters() {
        let lines = [
            ("", 0),
            ("a|b", 3),
            ("日本", 4),
            ("ｗ", 2),
            ("e\u{301}x", 2),
            ("😀.", 3),
            ("ﾊ", 1),
            ("\u{200b}", 0),
        ];
        for (line, expected) in lines {
            assert_eq!(columns(line), expected, "{line:?}");
        }
    }

    #[test]
    fn a_wide_character_that_fits_half_is_left_out() {
        for (line, most, expected) in [
            ("ab日c", 3, "ab"),
            ("ab日c", 4, "ab日"),
            ("e\u{301}x", 1, "e\u{301}"),
            ("日本", 0, ""),
            ("", 3, ""),
            ("abc", 3, "abc"),
        ] {
            assert_eq!(first_columns(line, most), expected, "{line:?} {most}");
        }
    }
}
