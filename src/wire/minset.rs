//! The smallest set of cases: the JSON of `vmconf minset --output json`, described by
//! `schemas/minset.schema.json`.

use serde::{Deserialize, Serialize};

/// The cases that do what all do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Minset {
    /// Cases of the suite.
    pub cases: u64,
    /// Cases that cannot be read, or do not pass.
    pub left_out: u64,
    /// The ids of those that are enough, in their order.
    pub kept: Vec<String>,
    /// The files, with how many of their cases are kept; the others add nothing.
    pub files: Vec<FileShare>,
}

/// A file and how many of its cases are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileShare {
    /// The file.
    pub file: String,
    /// Its cases.
    pub cases: u64,
    /// Those of them that are kept.
    pub kept: u64,
}
