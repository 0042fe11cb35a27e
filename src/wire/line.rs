//! JSON documents of one line each.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::escape::is_harmful;

/// A document in one line, without a line end. What could disturb a terminal and JSON leaves as it is, is
/// escaped.
pub fn one_line(document: &impl Serialize) -> String {
    // Only a map whose keys are no texts has no form in JSON.
    let line = serde_json::to_string(document).unwrap_or_default();
    if !line.contains(is_harmful) {
        return line;
    }
    let escape = |character: char| {
        if is_harmful(character) { format!("\\u{:04x}", u32::from(character)) } else { character.to_string() }
    };
    line.chars().map(escape).collect()
}

/// Why a line cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineError {
    /// What is wrong, and what was expected.
    pub what: String,
    /// The column at which that was noticed, in bytes from 1; `None` for a fault of the line as a whole.
    pub column: Option<usize>,
}

impl From<String> for LineError {
    fn from(what: String) -> LineError {
        LineError { what, column: None }
    }
}

impl From<serde_json::Error> for LineError {
    /// The library counts the one line that it saw.
    fn from(error: serde_json::Error) -> LineError {
        let text = error.to_string();
        let what = text.rsplit_once(" at line ").map_or(&*text, |(what, _)| what);
        LineError { what: what.to_owned(), column: Some(error.column()) }
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.column.map_or(Ok(()), |column| write!(f, " in column {column}"))
    }
}

/// What must be known of a line of a report before the rest of it can be read. All else is skipped without
/// being kept, however deep it is nested.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(crate) struct LineHeader<'l> {
    /// What the line is about.
    #[serde(borrow)]
    pub(super) r#type: Cow<'l, str>,
    /// In the first line, the version of the report.
    pub(super) version: Option<u32>,
}

/// Reads a line as one of these types.
pub(crate) fn read<'l, T: Deserialize<'l>>(line: &'l [u8]) -> Result<T, LineError> {
    Ok(serde_json::from_slice(line)?)
}
