//! The single tree type for what a vector demands and for the state of a machine.
//!
//! A [`Value`] is a tree, a [`Path`](super::path::Path) names one leaf of it. Programs are values too, so
//! that a case can be passed to a machine in this process or sent to another process.

use super::escape::escaped;
use super::name::Name;
use super::path::PathKey;
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::Arc;

use compact_str::CompactString;
use num_bigint::{BigInt, BigUint, Sign};

/// A datum of a program, of an expectation or of a machine's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A value that is present and null.
    Null,
    /// True or false.
    Bool(bool),
    /// A number of any size.
    Int(BigInt),
    /// Raw bytes.
    Bytes(Vec<u8>),
    /// Text, not yet escaped for anything. Short text, such as a mnemonic, takes no allocation.
    Text(CompactString),
    /// Values whose order is significant.
    List(Vec<Value>),
    /// Named values. Names are unique; a comparison by path ignores their order.
    Record(Vec<(Name, Value)>),
    /// A value with the name of its type, on machines whose values have types: Integer 1, Boolean true and
    /// the byte string 01 are three different values. A value that occurs in several places can be shared.
    Typed(Name, Arc<Value>),
}

/// The name of the type of a number that is not whole, or has too many digits; its value is its text.
pub const DECIMAL: &str = "number";

impl Value {
    /// The value with the members of its records by name, for a comparison in which their order says nothing.
    #[must_use]
    pub fn in_order(self) -> Value {
        match self {
            Value::Record(members) => {
                let members: BTreeMap<_, _> =
                    members.into_iter().map(|(key, value)| (key, value.in_order())).collect();
                Value::record(members)
            }
            Value::List(items) => Value::List(items.into_iter().map(Value::in_order).collect()),
            Value::Typed(name, inner) => Value::typed(name, Arc::unwrap_or_clone(inner).in_order()),
            other => other,
        }
    }

    /// The number as a value.
    pub fn int(number: impl Into<BigInt>) -> Value {
        Value::Int(number.into())
    }

    /// The text as a value.
    pub fn text(text: impl Into<CompactString>) -> Value {
        Value::Text(text.into())
    }

    /// A record of these members.
    pub fn record<N: Into<Name>>(members: impl IntoIterator<Item = (N, Value)>) -> Value {
        Value::Record(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    /// The value with the name of its type.
    pub fn typed(name: impl Into<Name>, value: Value) -> Value {
        Value::Typed(name.into(), Arc::new(value))
    }

    /// The member of a record with this name, found by linear search.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Record(members) => members.iter().find(|member| member.0 == *name).map(|member| &member.1),
            Value::Typed(_, inner) => inner.get(name),
            _ => None,
        }
    }

    /// The members, if this is a record.
    pub fn members(&self) -> Option<&[(Name, Value)]> {
        match self {
            Value::Record(members) => Some(members),
            Value::Typed(_, inner) => inner.members(),
            _ => None,
        }
    }

    /// The number, if this is one that fits the type.
    pub fn number<T: for<'n> TryFrom<&'n BigInt>>(&self) -> Option<T> {
        T::try_from(self.as_int()?).ok()
    }

    /// The number, if this is one.
    pub fn as_int(&self) -> Option<&BigInt> {
        if let Value::Int(number) = self { Some(number) } else { None }
    }

    /// The text, if this is one.
    pub fn as_text(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    /// The bytes, if these are some.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        if let Value::Bytes(bytes) = self { Some(bytes) } else { None }
    }

    /// The items, if this is a list without the name of a type.
    pub fn items(&self) -> Option<&[Value]> {
        if let Value::List(items) = self { Some(items) } else { None }
    }

    /// The value that these keys lead to, step by step.
    pub fn at<'k>(&self, keys: impl IntoIterator<Item = &'k PathKey>) -> Option<&Value> {
        keys.into_iter().try_fold(self, Value::child)
    }

    /// The length: items of a list or record, bytes of a byte string, characters of a text.
    pub fn len(&self) -> Option<usize> {
        match self {
            Value::Bytes(bytes) => Some(bytes.len()),
            Value::Text(text) => Some(text.chars().count()),
            Value::List(items) => Some(items.len()),
            Value::Record(members) => Some(members.len()),
            Value::Typed(_, inner) => inner.len(),
            Value::Null | Value::Bool(_) | Value::Int(_) => None,
        }
    }

    /// Whether it contains more than `most` values, itself included. Stops counting there.
    pub fn has_more_values_than(&self, most: usize) -> bool {
        fn rest(value: &Value, left: usize) -> Option<usize> {
            let left = left.checked_sub(1)?;
            match value {
                Value::Null | Value::Bool(_) | Value::Int(_) | Value::Bytes(_) | Value::Text(_) => Some(left),
                Value::List(items) => items.iter().try_fold(left, |left, item| rest(item, left)),
                Value::Record(members) => members.iter().try_fold(left, |left, (_, it)| rest(it, left)),
                Value::Typed(_, inner) => rest(inner, left),
            }
        }
        rest(self, most).is_none()
    }

    /// About how many bytes it takes in memory, with shared values once. Stops counting above `most`.
    pub fn weight(&self, most: usize) -> usize {
        fn add(value: &Value, seen: &mut HashSet<*const Value>, sum: &mut usize, most: usize) {
            *sum += size_of::<Value>();
            if *sum > most {
                return;
            }
            match value {
                Value::Null | Value::Bool(_) => {}
                Value::Int(number) => *sum += number.bits() as usize / 8,
                Value::Bytes(bytes) => *sum += bytes.len(),
                Value::Text(text) => *sum += text.len(),
                Value::List(items) => items.iter().for_each(|item| add(item, seen, sum, most)),
                Value::Record(members) => members.iter().for_each(|(name, member)| {
                    *sum += size_of::<Name>() + name.len();
                    add(member, seen, sum, most);
                }),
                Value::Typed(_, inner) => {
                    if Arc::strong_count(inner) == 1 || seen.insert(Arc::as_ptr(inner)) {
                        add(inner, seen, sum, most);
                    }
                }
            }
        }
        let mut sum = 0;
        add(self, &mut HashSet::new(), &mut sum, most);
        sum
    }

    /// Whether [`Value::len`] is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// The value one step down: a member of a record or an item of a list.
    pub fn child(&self, key: &PathKey) -> Option<&Value> {
        match (self, key) {
            (Value::Typed(_, inner), _) => inner.child(key),
            (Value::List(items), PathKey::Index(index)) => items.get(*index),
            (_, PathKey::Name(name)) => self.get(name),
            (_, PathKey::Index(_)) => None,
        }
    }
}

/// Formatted for people: numbers in hex and, up to 128 bits, in decimal; bytes in hex; text in quotes, with
/// control characters escaped.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(bool) => write!(f, "{bool}"),
            Value::Int(number) => fmt_int(number, f),
            Value::Bytes(bytes) => write!(f, "0x{}", hex::encode(bytes)),
            Value::Text(text) => write!(f, "{text:?}"),
            Value::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{item}")?;
                }
                f.write_str("]")
            }
            Value::Record(members) => {
                f.write_str("{")?;
                for (index, (name, value)) in members.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{}: {value}", escaped(name))?;
                }
                f.write_str("}")
            }
            Value::Typed(name, value) => match &**value {
                Value::Null => f.write_str(name),
                Value::Text(digits) if *name == DECIMAL => f.write_str(digits),
                _ => write!(f, "{name} {value}"),
            },
        }
    }
}

/// Whether the number fits 256 bits in two's complement.
pub(crate) fn fits_256_bits(number: &BigInt) -> bool {
    // The lowest number has as many bits as its negation, which does not fit.
    let is_lowest = || number.sign() == Sign::Minus && number.trailing_zeros() == Some(255);
    number.bits() < 256 || number.bits() == 256 && is_lowest()
}

fn fmt_int(number: &BigInt, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let magnitude = number.magnitude();
    if *magnitude < BigUint::from(10u8) {
        write!(f, "{number}")
    } else if magnitude.bits() <= 128 {
        write!(f, "{number:#x} ({number})")
    } else {
        // Nobody reads that many decimal digits, and both forms do not fit on a line.
        write!(f, "{number:#x}")
    }
}
