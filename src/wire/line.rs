//! JSON documents on one line each.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::escape::escaped_with;

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

fn json_escape(character: char) -> String {
    let mut units = [0; 2];
    let units = character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}"));
    units.collect::<Vec<_>>().concat()
}

/// Why a line cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineError {
    /// The error, with what was expected.
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
        let what = what
            .strip_prefix("missing field ")
            .map_or(what.to_owned(), |field| format!("lacks the field {}", field.trim_matches('`')));
        LineError { what, column: Some(error.column()) }
    }
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

/// Reads a line.
pub(crate) fn read<'l, T: Deserialize<'l>>(line: &'l [u8]) -> Result<T, LineError> {
    Ok(serde_json::from_slice(line)?)
}
