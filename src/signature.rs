//! In what way a case fails, so that failures of one cause look alike: the machine, where the first
//! difference is, and of what kind it is.

use std::fmt;

use crate::case::Want;
use crate::value::{Key, Path, Value};
use crate::verdict::{Difference, Failure};

/// In what way a case fails: `evm post/*/storage/*: other value`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signature {
    /// The machine.
    pub machine: String,
    /// Where the first difference is, with `*` for what differs from case to case.
    pub path: String,
    /// Of what kind it is.
    pub kind: String,
}

impl Signature {
    /// The signature of a failure; none of one in which nothing differs, which there is not.
    pub fn of(machine: &str, failure: &Failure) -> Option<Signature> {
        let first = failure.differences.first()?;
        Some(Signature { machine: machine.to_owned(), path: generalised(&first.at), kind: kind(first) })
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Signature { machine, path, kind } = self;
        write!(f, "{machine} {path}: {kind}")
    }
}

/// The path with `*` for indices, and for keys that are numbers or bytes, such as addresses.
fn generalised(path: &Path) -> String {
    let mut text = path.parent().map_or_else(String::new, generalised);
    match path.last() {
        Key::Index(_) => text.push_str("[*]"),
        Key::Name(name) => {
            if path.parent().is_some() {
                text.push('/');
            }
            let is_number = name.starts_with("0x") || name.chars().all(|it| it.is_ascii_digit());
            text.push_str(if is_number { "*" } else { name });
        }
    }
    text
}

/// Of a field that is a word, such as how the run ended, both words; else what is wrong with the datum.
fn kind(difference: &Difference) -> String {
    let Difference { at, want, got, .. } = difference;
    let kind = match (want, got) {
        (Want::Is(Value::Text(want)), Some(Value::Text(got))) if at.parent().is_none() => {
            return format!("{got} instead of {want}");
        }
        (Want::Absent | Want::Only(_), _) => "extra",
        (_, None) => "missing",
        (Want::Len(_), _) => "other length",
        (Want::Type(_) | Want::Record, _) => "other type",
        (Want::Order(_), _) => "other order",
        (Want::Is(want) | Want::IsOrAbsent(want), Some(got)) if type_of(want) != type_of(got) => "other type",
        (Want::Is(_) | Want::IsOrAbsent(_) | Want::OneOf(_), Some(_)) => "other value",
    };
    kind.to_owned()
}

fn type_of(value: &Value) -> &str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int",
        Value::Bytes(_) => "bytes",
        Value::Text(_) => "text",
        Value::List(_) => "list",
        Value::Record(_) => "record",
        Value::Typed(name, _) => name,
    }
}
