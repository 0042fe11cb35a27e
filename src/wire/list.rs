//! The lines of `vmconf list --output json`, described by `schemas/list.schema.json`.

use serde::Serialize;

/// A case of a vector file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedCase {
    /// The id.
    pub id: String,
    /// The file as it was named or found.
    pub file: String,
    /// The name in the file; `None` for a case without a name.
    pub name: Option<String>,
    /// The format.
    pub format: &'static str,
    /// The machine that the format is for.
    pub machine: &'static str,
    /// The line of the file where the case begins, from 1.
    pub line: u32,
}
