//! A line of a file with a caret under one position, as in all output for people.

use std::fmt;

use anstyle::Style;

use crate::model::{DiagnosticPlace, escaped};
use crate::text::columns::{columns, first_columns, last_columns};

const DIM: Style = Style::new().dimmed();

/// The maximum number of columns of the text of a line.
const MAX_COLUMNS: usize = 90;

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
        let (before, after) = around(&line, place.before);
        writeln!(f, "{DIM}{number:>width$} |{DIM:#} {before}{after}")?;
        let before = " ".repeat(columns(&before));
        writeln!(f, "{DIM}{:width$} |{DIM:#} {before}{caret}^{caret:#}", "")
    }
}

/// The text before and after the character at an index, escaped. Harmful characters are longer then: what does not fit
/// into a line is left out.
fn around(line: &str, at: usize) -> (String, String) {
    let at = line.char_indices().nth(at).map_or(line.len(), |(at, _)| at);
    let (before, after) = line.split_at(at);
    let (before, after) = (escaped(before), escaped(after));
    if columns(&before) + columns(&after) <= MAX_COLUMNS {
        return (before.into_owned(), after.into_owned());
    }
    let start = last_columns(&before, MAX_COLUMNS / 2);
    let cut = if start.len() < before.len() { "…" } else { "" };
    let start = format!("{cut}{start}");
    let end = first_columns(&after, MAX_COLUMNS - 1 - columns(&start));
    let cut = if end.len() < after.len() { "…" } else { "" };
    (start, format!("{end}{cut}"))
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

    /// A harmful character takes several columns.
    #[test]
    fn an_excerpt_of_harmful_characters_fits_into_a_line() {
        let (before, after) = ("\\u{0}".repeat(9), "\\u{0}".repeat(8));
        let shown = excerpt(&format!("{0}!{0}", "\0".repeat(30)));
        assert_eq!(shown, format!("1 | …{before}!{after}\\u…\n  | {}^\n", " ".repeat(46)));
    }
}
