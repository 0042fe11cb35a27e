//! Expectations that are not compared: the JSON of `vmconf audit --output json`, described by
//! `schemas/audit.schema.json`.

use serde::{Deserialize, Serialize};

/// What became of each change of each datum.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    /// Cases that were audited.
    pub cases: u64,
    /// Cases that were not, because they cannot be read, or do not pass.
    pub left_out: u64,
    /// Broken files.
    pub broken: u64,
    /// Changes of the program or of an action, which are not expectations.
    pub inputs: u64,
    /// Changes after which the case fails.
    pub compared: u64,
    /// Changes that the reader rejects.
    pub rejected: u64,
    /// Changes that the reader reports in a note.
    pub noted: u64,
    /// Changes that nothing notices, by format, kind and place.
    pub unnoticed: Vec<Unnoticed>,
}

/// Changes of one kind at one place, which nothing notices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unnoticed {
    /// The format of the vectors.
    pub format: String,
    /// How the datum was changed: `value`, `type`, `length`, `removed`, `item removed`, `order`, `member
    /// order` or `added`.
    pub kind: String,
    /// Where, below the case, with `*` for an index and for a key that is a number.
    pub at: String,
    /// The rule of the format by which it is not compared; `None` if no rule says so.
    pub rule: Option<String>,
    /// The section of the book that has the rule: `formats/tinyvm.md#segments`; `None` without a rule.
    pub section: Option<String>,
    /// How many changes.
    pub count: u64,
    /// The first case.
    pub case: String,
}

impl Audit {
    /// Changes that no rule explains.
    pub fn unexplained(&self) -> impl Iterator<Item = &Unnoticed> {
        self.unnoticed.iter().filter(|unnoticed| unnoticed.rule.is_none())
    }
}
