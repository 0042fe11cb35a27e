//! A small subset of a suite with the same coverage: the JSON of `vmconf minset --output json`, described by
//! `schemas/minset.schema.json`.

use serde::{Deserialize, Serialize};

/// A subset of the cases with the same coverage as the whole suite.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Minset {
    /// The number of cases in the suite.
    pub cases: u64,
    /// How many of them are not used, because they cannot be read or do not pass.
    pub left_out: u64,
    /// The ids of the cases that are kept, sorted.
    pub kept: Vec<String>,
    /// The files, with how many of their cases are kept.
    pub files: Vec<FileShare>,
}

/// A file and how many of its cases are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileShare {
    /// The file.
    pub file: String,
    /// The number of its cases.
    pub cases: u64,
    /// How many of them are kept.
    pub kept: u64,
}
