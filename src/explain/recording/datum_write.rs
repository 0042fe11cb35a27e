//! A write of a datum with its values, and conditions on it.

use num_bigint::BigInt;

use crate::text::number::integer;

/// A write of a datum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatumWrite {
    /// How many instructions were executed when it was written, with the one that wrote it.
    pub step: u64,
    /// What wrote it.
    pub by: DatumWriter,
    /// The value in the state before; `None` if that state does not have the datum.
    pub old: Option<String>,
    /// The value in the state after it.
    pub new: Option<String>,
}

/// What wrote a datum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatumWriter {
    /// The instruction with this text.
    Instruction(String),
    /// The vector, between two instructions.
    Vector,
}

/// Which writes are sought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteCondition {
    /// Those that change the value, but not by adding this number.
    NotBy(BigInt),
    /// Those of this value.
    Value(String),
}

impl WriteCondition {
    /// Reads `1` or `-0x20`, the number that is usually added, or `=7`, a value. `None` if it is neither.
    pub fn parse(text: &str) -> Option<WriteCondition> {
        match text.trim().strip_prefix('=') {
            Some(value) => Some(WriteCondition::Value(value.trim().to_owned())),
            None => number(text.trim()).map(WriteCondition::NotBy),
        }
    }

    /// Whether it holds for a write. Where there was no value before, nothing was added.
    pub fn holds(&self, write: &DatumWrite) -> bool {
        let (old, new) = (write.old.as_deref(), write.new.as_deref());
        match self {
            WriteCondition::NotBy(usual) => match (old.map(number), new.map(number)) {
                (Some(Some(old)), Some(Some(new))) => old != new && new - old != *usual,
                (None, _) => false,
                _ => old != new,
            },
            WriteCondition::Value(value) => new.is_some_and(|new| is_value(new, value)),
        }
    }
}

/// Whether the text of a value is the one that is sought, as a number or else letter by letter.
pub(super) fn is_value(text: &str, sought: &str) -> bool {
    match (number(text), number(sought)) {
        (Some(number), Some(sought)) => number == sought,
        _ => text == sought,
    }
}

/// The type that some machines write in front of a number.
const INTEGER: &str = "Integer ";

/// The number at the start of a value, in decimal or in hexadecimal; what follows a space or a comma explains it.
fn number(text: &str) -> Option<BigInt> {
    let text = text.strip_prefix(INTEGER).unwrap_or(text).split([' ', ',']).next()?;
    integer(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(old: Option<&str>, new: &str) -> DatumWrite {
        let [old, new] = [old, Some(new)].map(|value| value.map(str::to_owned));
        DatumWrite { step: 1, by: DatumWriter::Vector, old, new }
    }

    #[test]
    fn conditions_compare_numbers() {
        let holds = |text: &str, old, new| WriteCondition::parse(text).map(|it| it.holds(&write(old, new)));
        let yes = |text: &str, old, new| holds(text, old, new) == Some(true);
        let no = |text: &str, old, new| holds(text, old, new) == Some(false);
        assert!(no("1", Some("4"), "5") && yes("1", Some("4"), "6") && no("1", Some("4"), "4"));
        assert!(no("-0x10", Some("0x30"), "32") && no("1", None, "7"));
        assert!(no("1", Some("7, before 2"), "8, before 2"));
        assert!(no("1", Some("Integer 7"), "Integer 8") && yes("1", Some("Integer 0x7 (7)"), "Integer 9"));
        assert!(yes("=7", None, "Integer 0x7 (7)") && yes("=Integer 7", None, "Integer 0x7 (7)"));
        assert!(yes("1", Some("abc"), "abd") && no("1", Some("abc"), "abc"));
        assert!(yes("=0x10", None, "16") && yes("= null", Some("3"), "null") && no("=3", None, "4"));
        assert_eq!(["", "x", "1z", "-", "0x"].map(WriteCondition::parse), [const { None }; 5]);
    }
}
