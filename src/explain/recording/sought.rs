//! What is searched in a run: an instruction, a value that a datum gets, or a text that a row of the state gets.

use super::datum::Datum;
use super::datum_write::is_value;
use crate::model::escaped;

/// What is sought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sought {
    /// An instruction with this text, in small letters.
    Instruction(String),
    /// A row that appears or changes, and has this value.
    Value(String),
    /// A row that appears or changes, and has this text, in small letters.
    Text(String),
}

/// A place that a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundPlace {
    /// The state before the instruction with this number.
    Instruction(u64),
    /// The state with this number, in which a row with this datum appears or changes.
    Row(u64, Datum),
    /// There is no such place.
    Nothing,
    /// The search was cancelled.
    Cancelled,
}

impl Sought {
    /// Reads `sstore`, the text of an instruction; `=7`, a value; or `"r1: 7`, the text of a row.
    pub fn parse(text: &str) -> Sought {
        let text = text.trim();
        match (text.strip_prefix('='), text.strip_prefix('"')) {
            (Some(value), _) => Sought::Value(value.trim().to_owned()),
            (None, Some(row)) => Sought::Text(row.strip_suffix('"').unwrap_or(row).to_lowercase()),
            (None, None) => Sought::Instruction(text.to_lowercase()),
        }
    }

    /// Whether a row has it; `name` is what the row is called in the section.
    pub(super) fn is_in(&self, name: &str, value: &str) -> bool {
        match self {
            Sought::Instruction(_) => false,
            Sought::Value(sought) => is_value(&escaped(value), sought),
            Sought::Text(text) => {
                format!("{}: {}", escaped(name), escaped(value)).to_lowercase().contains(text)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_character_says_what_is_sought() {
        let text = str::to_owned;
        for (typed, expected) in [
            ("SStore ", Sought::Instruction(text("sstore"))),
            ("= 0x07", Sought::Value(text("0x07"))),
            ("\"R1: 7", Sought::Text(text("r1: 7"))),
            ("\"R1: 7\"", Sought::Text(text("r1: 7"))),
        ] {
            assert_eq!(Sought::parse(typed), expected);
        }
    }
}
