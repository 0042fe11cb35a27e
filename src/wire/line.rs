//! JSON documents on one line each.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::error::Category;

use crate::model::escaped_with;

/// A document on one line, without a line terminator. Characters that could disturb a terminal or the log of
/// a CI system are escaped even where JSON does not require it; a JSON reader returns the same strings.
pub fn one_line(document: &impl Serialize) -> String {
    // Serialization fails only for maps whose keys are not strings; no document has such a map.
    let line = serde_json::to_string(document).unwrap_or_default();
    match escaped_with(&line, json_escape) {
        Cow::Owned(escaped) => escaped,
        Cow::Borrowed(_) => line,
    }
}

/// Writes a document as [`one_line`] and a line terminator.
pub fn write_line<T: Serialize>(out: &mut dyn Write, document: &T) -> io::Result<()> {
    writeln!(out, "{}", one_line(document))
}

/// A JSON text for a terminal or a log: its strings are escaped as by [`one_line`], and the rest stays as it is.
pub fn harmless(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(open) = rest.find('"') {
        let string = &rest[open + 1..];
        let length = string_length(string);
        safe += &rest[..=open];
        safe += &escaped_with(&string[..length], json_escape);
        rest = &string[length..];
        if let Some(after) = rest.strip_prefix('"') {
            safe.push('"');
            rest = after;
        }
    }
    safe + rest
}

/// The length of a string in JSON up to the quote that ends it.
fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.unwrap_or(text.len())
}

fn json_escape(character: char) -> String {
    let mut units = [0; 2];
    let units = character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}"));
    units.collect::<Vec<_>>().concat()
}

/// Why a line cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineError {
    /// What is wrong with it, with what was expected, as the predicate of a sentence about the line: `is not JSON`.
    pub what: String,
    /// The column of the error, in bytes from 1; `None` if it concerns the whole line.
    pub column: Option<usize>,
}

impl From<String> for LineError {
    fn from(what: String) -> LineError {
        LineError { what, column: None }
    }
}

impl From<serde_json::Error> for LineError {
    /// The input is a single line, so the line number of the library is dropped.
    fn from(error: serde_json::Error) -> LineError {
        let text = error.to_string();
        let what = text.rsplit_once(" at line ").map_or(&*text, |(what, _)| what);
        let what = &*without_middle(what);
        let what = match error.classify() {
            Category::Eof => what.replacen("EOF while parsing", "ends inside", 1),
            Category::Syntax | Category::Io => format!("is not JSON: {what}"),
            Category::Data => predicate(what),
        };
        LineError { what, column: Some(error.column()) }
    }
}

/// A message without its middle if it is long: it may repeat a whole string of the line, and what was expected follows.
fn without_middle(message: &str) -> Cow<'_, str> {
    const MAX_START: usize = 200;
    const MAX_END: usize = 200;
    if message.len() <= MAX_START + MAX_END {
        return Cow::Borrowed(message);
    }
    let start = message.floor_char_boundary(MAX_START);
    let end = message.ceil_char_boundary(message.len() - MAX_END);
    Cow::Owned(format!("{}…{}", &message[..start], &message[end..]))
}

/// What serde says about a JSON text of another shape, as a predicate.
fn predicate(what: &str) -> String {
    if let Some(field) = what.strip_prefix("missing field ") {
        return format!("lacks the field {}", field.trim_matches('`'));
    }
    if let Some(field) = what.strip_prefix("duplicate field ") {
        return format!("has the field {} twice", field.trim_matches('`'));
    }
    let found = ["invalid type: ", "invalid value: ", "invalid length "].iter();
    let found =
        found.filter_map(|prefix| what.strip_prefix(prefix)).find_map(|it| it.rsplit_once(", expected "));
    let Some((found, expected)) = found else { return what.to_owned() };
    format!("has {} where {} is expected", named(found), named(expected))
}

/// What serde calls something, as JSON calls it.
fn named(what: &str) -> String {
    const NAMES: [(&str, &str); 10] = [
        ("sequence", "an array"),
        ("map", "an object"),
        ("string ", "the string "),
        ("integer ", "the number "),
        ("floating point ", "the number "),
        ("boolean ", ""),
        ("f64", "a number"),
        ("usize", "a whole number"),
        ("u32", "a number of 32 bits"),
        ("u64", "a number of 64 bits"),
    ];
    let known = NAMES.iter().find_map(|(serde, json)| Some((json, what.strip_prefix(serde)?)));
    known.map_or_else(|| what.to_owned(), |(json, rest)| format!("{json}{}", rest.replace('`', "")))
}

/// The start of a line from outside, in quotes and escaped; `…` marks what is left out.
pub fn quoted_bytes(line: &[u8]) -> String {
    quoted_around(line, 0)
}

/// The part of a line from outside around this byte, in quotes and escaped; `…` marks what is left out.
pub fn quoted_around(line: &[u8], at: usize) -> String {
    const BEFORE: usize = 40;
    const MAX_LENGTH: usize = 80;
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let from = if line.len() > MAX_LENGTH { at.saturating_sub(BEFORE) } else { 0 };
    let end = line.len().min(from + MAX_LENGTH);
    let [before, after] = [from > 0, end < line.len()].map(|is_cut| if is_cut { "…" } else { "" });
    format!("{before}{:?}{after}", String::from_utf8_lossy(&line[from.min(end)..end]))
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.column.map_or(Ok(()), |column| write!(f, " in column {column}"))
    }
}

/// The members of a line that must be known before the others can be read. All others are skipped without
/// being stored, however deeply they are nested.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(crate) struct LineHeader<'l> {
    /// The type of the line.
    #[serde(borrow)]
    pub(super) r#type: Cow<'l, str>,
    /// The version of the report, in its first line.
    pub(super) version: Option<u32>,
}

pub(crate) fn read<'l, T: Deserialize<'l>>(line: &'l [u8]) -> Result<T, LineError> {
    Ok(serde_json::from_slice(line)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was expected follows a string of any length.
    #[test]
    fn a_long_string_is_not_repeated() {
        let line = format!("{{\"type\": \"x\", \"version\": \"é{}\"}}", "é".repeat(100_000));
        let error = read::<LineHeader<'_>>(line.as_bytes()).err().map(|error| error.what).unwrap_or_default();
        assert!(error.starts_with("has the string \"éé") && error.len() < 500, "{error}");
        assert!(error.ends_with("é\" where a number of 32 bits is expected"), "{error}");
        let error = read::<f64>(b"\"x\"").err().map(|error| error.what);
        assert_eq!(error.as_deref(), Some("has the string \"x\" where a number is expected"));
    }

    /// Only characters in strings are escaped, and a quote or a backslash that is escaped ends none.
    #[test]
    fn strings_of_a_document_are_made_harmless() {
        let text = "{ \"a\\\"\u{202e}\": \"\\\\\",\n\t\"\u{202e}\\\\\\\"\u{7f}\": [\"\", 1] }";
        let safe = harmless(text);
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).map_err(|it| it.to_string());
        assert_eq!(read(&safe), read(text));
        assert_eq!(safe, text.replace('\u{202e}', "\\u202e").replace('\u{7f}', "\\u007f"));
    }

    #[test]
    fn a_long_line_is_quoted_around_the_place() {
        let line = ["a".repeat(150), "b".repeat(150)].concat();
        let quoted = quoted_around(line.as_bytes(), 150);
        assert_eq!(quoted, format!("…\"{}{}\"…", "a".repeat(40), "b".repeat(40)));
        assert_eq!(quoted_around(line.as_bytes(), 10), format!("\"{}\"…", "a".repeat(80)));
        assert_eq!(quoted_around(b"short\n", 3), "\"short\"");
        assert_eq!(quoted_around(line.as_bytes(), 10_000), "…\"\"");
    }
}
