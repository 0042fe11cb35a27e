//! How much room text takes in a terminal.

use ratatui::text::Span;

/// The number of columns that a terminal needs for a line without control characters: two for each wide character, as
/// those of East Asia and emoji, and none for one that combines with the character before it.
pub(crate) fn columns(line: &str) -> usize {
    Span::raw(line).width()
}

#[cfg(test)]
mod tests {
    use super::columns;

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
}
