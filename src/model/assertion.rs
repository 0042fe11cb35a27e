//! What a vector demands of one datum of the state.

use std::fmt;

use num_bigint::{BigInt, BigUint, Sign};

use super::name::Name;
use super::path::{Path, PathKey};
use super::position::Origin;
use super::value::Value;

/// One demand on one datum of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assertion {
    /// Which datum.
    pub at: Path,
    /// What it must be.
    pub expected: Expected,
    /// Where the vector demands it.
    pub origin: Origin,
    /// The rule of the format that implies this demand, if the vector does not state it explicitly.
    pub rule: Option<&'static str>,
}

impl Assertion {
    /// A demand that the vector states.
    pub fn new(at: Path, expected: Expected, origin: Origin) -> Assertion {
        Assertion { at, expected, origin, rule: None }
    }
}

/// What a datum must be. Each format translates what "not mentioned" means into these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// Exactly this.
    Is(Value),
    /// A number of which only some bits are compared.
    Bits(Box<ExpectedBits>),
    /// One of these: the format writes several values the same way.
    OneOf(Vec<Value>),
    /// This value or absent, for data whose absence has a value: a missing word of storage is zero.
    IsOrAbsent(Value),
    /// It must not exist.
    Absent,
    /// A record with any members. If the actual value is not a record, other assertions on it or its contents
    /// are not compared.
    Record,
    /// A value of this type, on machines whose values have types. If the type differs, other assertions on it
    /// or its contents are not compared.
    Type(Name),
    /// A list, record, text or byte string of this length. If the length differs, assertions on missing items
    /// are not reported one by one.
    Len(usize),
    /// A record with no members other than these. It also holds if the record is missing, unless it is a whole field.
    Only(Vec<PathKey>),
    /// A record whose members come in this order. Missing and unlisted members are ignored. It also holds if the record
    /// is missing.
    Order(Vec<PathKey>),
}

/// A number of which only some bits are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedBits {
    /// The number, with all its bits.
    pub value: Value,
    /// The bits that are compared.
    pub mask: BigUint,
}

impl ExpectedBits {
    /// Whether a value is a number with the same bits where they are compared.
    pub fn has(&self, actual: &Value) -> bool {
        self.differing(actual).is_some_and(|differing| differing.sign() == Sign::NoSign)
    }

    /// The compared bits in which a number differs; `None` if the value is no number.
    pub fn differing(&self, actual: &Value) -> Option<BigInt> {
        match (&self.value, actual) {
            (Value::Int(expected), Value::Int(actual)) => {
                Some((expected ^ actual) & BigInt::from(self.mask.clone()))
            }
            _ => None,
        }
    }
}

impl Expected {
    /// The demanded value, if it is a single one.
    pub fn value(&self) -> Option<&Value> {
        match self {
            Expected::Is(value) | Expected::IsOrAbsent(value) => Some(value),
            Expected::Bits(bits) => Some(&bits.value),
            _ => None,
        }
    }

    /// Whether it demands only the form of a value, so that a mismatch hides those inside.
    pub fn is_form(&self) -> bool {
        matches!(self, Expected::Type(_) | Expected::Record | Expected::Len(_))
    }

    /// Whether it is this value, as far as it is compared.
    pub fn is(&self, actual: &Value) -> bool {
        match self {
            Expected::Bits(bits) => bits.has(actual),
            other => other.value() == Some(actual),
        }
    }
}

/// Formatted for people, to follow the word "expected".
impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Is(value) | Expected::IsOrAbsent(value) => write!(f, "{value}"),
            Expected::Bits(bits) => write!(f, "{} in the bits {:#x}", bits.value, bits.mask),
            Expected::OneOf(values) => {
                let values: Vec<_> = values.iter().map(Value::to_string).collect();
                f.write_str(&values.join(" or "))
            }
            Expected::Absent => f.write_str("(absent)"),
            Expected::Record => f.write_str("an object"),
            Expected::Type(name) => f.write_str(name),
            Expected::Len(length) => write!(f, "length {length}"),
            Expected::Only(keys) if keys.is_empty() => f.write_str("no members"),
            Expected::Only(keys) => write!(f, "no members but {}", joined(keys)),
            Expected::Order(keys) => write!(f, "members in the order {}", joined(keys)),
        }
    }
}

fn joined(keys: &[PathKey]) -> String {
    keys.iter().map(PathKey::to_string).collect::<Vec<_>>().join(", ")
}
