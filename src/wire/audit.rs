//! Expectations that are not compared: the JSON of `vmconf audit --output json`, described by
//! `schemas/audit.schema.json`.

use serde::{Deserialize, Serialize};

/// The outcomes of all changes to the data.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    /// The number of audited cases.
    pub cases: u64,
    /// The number of cases not audited, because they cannot be read or do not pass.
    pub left_out: u64,
    /// How many of the left-out cases are for machines that are not embedded, and contradict themselves: the state that
    /// they demand does not meet all that they demand.
    pub unmet: u64,
    /// Broken files.
    pub broken: u64,
    /// Changes to the program or to an action, which are not expectations.
    pub inputs: u64,
    /// Changes after which the case fails.
    pub compared: u64,
    /// Changes that the reader rejects.
    pub rejected: u64,
    /// Changes that the reader reports in a note.
    pub noted: u64,
    /// Changes that nothing detects, by format, kind and place.
    pub unnoticed: Vec<Unnoticed>,
}

/// Changes of one kind at one place that nothing detects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unnoticed {
    /// The format of the vectors.
    pub format: String,
    /// How the datum was changed: `value`, `type`, `length`, `removed`, `item removed`, `order`, `member
    /// order` or `added`.
    pub kind: String,
    /// The path within the case, with `*` for an index or a key that is a number.
    pub at: String,
    /// The rule of the format that explains why it is not compared; `None` if there is none.
    pub rule: Option<String>,
    /// The section of the book with that rule: `formats/tinyvm.md#segments`; `None` without a rule.
    pub section: Option<String>,
    /// The number of changes.
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
