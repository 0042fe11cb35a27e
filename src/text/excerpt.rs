//! A line of a file with a caret under one position, as in all output for people.

use std::fmt;

use anstyle::Style;

use crate::model::{DiagnosticPlace, escaped};
use crate::text::columns::columns;

const DIM: Style = Style::new().dimmed();

/// Displays two lines: the line of a place, after its number, and one with a caret. Displays nothing if the text of
/// the line is not known or empty.
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
        if place.excerpt.is_empty() {
            return Ok(());
        }
        let number = place.position.line.to_string();
        let width = indent + number.len();
        let line = place.excerpt.replace('\t', " ");
        let before: String = line.chars().take(place.before).collect();
        let before = " ".repeat(columns(&escaped(&before)));
        writeln!(f, "{DIM}{number:>width$} |{DIM:#} {}", escaped(&line))?;
        writeln!(f, "{DIM}{:width$} |{DIM:#} {before}{caret}^{caret:#}", "")
    }
}

#[cfg(test)]
mod tests {
    use anstyle::Style;

    use super::Excerpt;
    use crate::text::source_text::SourceText;

    /// The excerpt of a line at the first `!`, without colours.
    fn excerpt(line: &str) -> String {
        let at = line.find('!').unwrap_or_default();
        let place = SourceText::new(line.to_owned()).place(at as u32);
        let text = Excerpt { place: &place, indent: 0, caret: Style::new() }.to_string();
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn the_caret_is_in_the_column_of_a_terminal() {
        assert_eq!(excerpt("ab!"), "1 | ab!\n  |   ^\n");
        assert_eq!(excerpt("日本!"), "1 | 日本!\n  |     ^\n");
        assert_eq!(excerpt("e\u{301}!"), "1 | e\u{301}!\n  |  ^\n");
        assert_eq!(excerpt("\t!"), "1 |  !\n  |  ^\n");
        assert_eq!(excerpt("\u{7}!"), "1 | \\u{7}!\n  |      ^\n");
        assert_eq!(excerpt(""), "");
    }
}
