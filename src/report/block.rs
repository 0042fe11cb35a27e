//! The parts of which text for people is made: a difference, a line of a vector, a word of a shell.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::cut::{cut, cut_pair};
use crate::case::{CaseId, Want};
use crate::excerpt::Excerpt;
use crate::value::{Value, escaped};
use crate::verdict::{Difference, Place, Trouble};

/// Columns of a line, where the vector's own names allow it.
pub(super) const WIDTH: usize = 100;

pub(super) const FAIL: Style = AnsiColor::Red.on_default().bold();
pub(super) const ERROR: Style = AnsiColor::Magenta.on_default().bold();
pub(super) const DIM: Style = Style::new().dimmed();
pub(super) const EXPECTED: Style = AnsiColor::Green.on_default();
pub(super) const ACTUAL: Style = AnsiColor::Red.on_default();

/// A leaf that differs, with the line of the vector that demands it.
pub(super) fn differs(out: &mut Vec<u8>, id: &CaseId, difference: &Difference) -> io::Result<()> {
    let Difference { step, at, want, got, place, note } = difference;
    let step = step.map_or(String::new(), |step| format!("step {step}, "));
    writeln!(out, "  {}: {step}{at}", location(id, place))?;
    let expected = escaped(&want.to_string()).into_owned();
    let actual = escaped(&shown(want, got.as_ref())).into_owned();
    let (expected, actual) = cut_pair(&expected, &actual, WIDTH - 13);
    writeln!(out, "    expected {EXPECTED}{expected}{EXPECTED:#}")?;
    writeln!(out, "    actual   {ACTUAL}{actual}{ACTUAL:#}")?;
    if let Some(note) = note {
        writeln!(out, "    {DIM}source{DIM:#}   {}", cut(&escaped(note), 0, WIDTH - 13))?;
    }
    excerpt(out, place)
}

/// What the machine has, with its length where a length was demanded.
pub(super) fn shown(want: &Want, got: Option<&Value>) -> String {
    match (want, got) {
        (_, None) => "(absent)".to_owned(),
        (Want::Len(_), Some(got)) => match got.len() {
            Some(length) => format!("length {length}: {got}"),
            None => got.to_string(),
        },
        (_, Some(got)) => got.to_string(),
    }
}

/// Something that is broken.
pub(super) fn broken(out: &mut Vec<u8>, id: &CaseId, trouble: &Trouble) -> io::Result<()> {
    let location = match &trouble.place {
        Some(place) => location(id, place),
        None => escaped(&id.file).into_owned(),
    };
    writeln!(out, "  {location}: {}", escaped(&trouble.what))?;
    if let Some(expected) = &trouble.expected {
        writeln!(out, "    expected {EXPECTED}{}{EXPECTED:#}", cut(&escaped(expected), 0, 4 * WIDTH))?;
    }
    trouble.place.as_ref().map_or(Ok(()), |place| excerpt(out, place))
}

/// `file:line:column`, which terminals and editors make a link of.
pub(super) fn location(id: &CaseId, place: &Place) -> String {
    format!("{}:{}", escaped(&id.file), place.position)
}

fn excerpt(out: &mut Vec<u8>, place: &Place) -> io::Result<()> {
    write!(out, "{}", Excerpt { place, indent: 4, caret: FAIL })
}

/// The text as one word of a shell.
pub(super) fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::shell_quoted;

    #[test]
    fn a_quote_in_a_name_stays_one_word() {
        assert_eq!(shell_quoted("a'b"), r"'a'\''b'");
    }
}
