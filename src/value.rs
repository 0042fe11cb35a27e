//! The one tree type for what a vector demands and what a machine looks like.
//!
//! A [`Value`] is a tree, a [`Path`] names one leaf of it. Programs are values too, so that a
//! case can be handed to a machine in this process or sent to another one.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use num_bigint::{BigInt, BigUint, Sign};

pub mod json;

/// A datum of a program, of an expectation or of a machine's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// There is a value and it is nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A number of any size.
    Int(BigInt),
    /// Raw bytes.
    Bytes(Vec<u8>),
    /// Text, not yet escaped for anything.
    Text(String),
    /// Values in an order that means something.
    List(Vec<Value>),
    /// Named values. Names are unique; their order means nothing to a comparison by path.
    Record(Vec<(String, Value)>),
    /// A value with the name of its type where a machine's values carry one: Integer 1, Boolean
    /// true and the byte string 01 are three values.
    Typed(&'static str, Box<Value>),
}

impl Value {
    /// The number as a value.
    pub fn int(number: impl Into<BigInt>) -> Value {
        Value::Int(number.into())
    }

    /// The text as a value.
    pub fn text(text: impl Into<String>) -> Value {
        Value::Text(text.into())
    }

    /// The member of a record, found by looking at each.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Record(members) => members.iter().find(|member| member.0 == name).map(|member| &member.1),
            Value::Typed(_, inner) => inner.get(name),
            _ => None,
        }
    }

    /// The members of a record.
    pub fn members(&self) -> Option<&[(String, Value)]> {
        match self {
            Value::Record(members) => Some(members),
            Value::Typed(_, inner) => inner.members(),
            _ => None,
        }
    }

    /// How many items a list or record has, bytes a byte string, characters a text.
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

    /// Whether [`Value::len`] is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// One step down from here: a record's member, a list's item.
    pub fn child(&self, key: &Key) -> Option<&Value> {
        match (self, key) {
            (Value::Typed(_, inner), _) => inner.child(key),
            (Value::List(items), Key::Index(index)) => items.get(*index),
            (_, Key::Name(name)) => self.get(name),
            (_, Key::Index(_)) => None,
        }
    }
}

/// As a person reads it: numbers in hex and, up to 128 bits, decimal; bytes as hex, text in quotes with control
/// characters escaped.
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
            Value::Typed(name, value) => match **value {
                Value::Null => f.write_str(name),
                _ => write!(f, "{name} {value}"),
            },
        }
    }
}

fn fmt_int(number: &BigInt, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let sign = if number.sign() == Sign::Minus { "-" } else { "" };
    let magnitude = number.magnitude();
    if *magnitude < BigUint::from(10u8) {
        write!(f, "{number}")
    } else if magnitude.bits() <= 128 {
        write!(f, "{sign}0x{magnitude:x} ({number})")
    } else {
        // Nobody reads so many decimal digits, and both forms do not fit a line.
        write!(f, "{sign}0x{magnitude:x}")
    }
}

/// The bytes that hex digits say: an even number of them, in any case, and nothing else.
pub fn hex_bytes(digits: &str) -> Option<Vec<u8>> {
    let mut bytes = vec![0; digits.len() / 2];
    hex_to_slice(digits, &mut bytes).map(|()| bytes)
}

/// As [`hex_bytes`], for as many bytes as there is room for.
pub fn hex_to_slice(digits: &str, bytes: &mut [u8]) -> Option<()> {
    // The library takes a prefix off, which is not for it to decide.
    if matches!(digits.as_bytes(), [_, b'x' | b'X', ..]) {
        return None;
    }
    hex::decode_to_slice(digits, bytes).ok()
}

/// How bytes are written as a key of a record: all of them in hex.
pub fn bytes_key(bytes: &[u8]) -> String {
    format!("0x{}", hex::encode(bytes))
}

/// How a number, given by its bytes with the most significant first, is written as a key of a
/// record: in hex without leading zero bytes, but at least one byte.
pub fn number_key(bytes: &[u8]) -> String {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    match &bytes[zeros..] {
        [] => bytes_key(&[0]),
        shortest => bytes_key(shortest),
    }
}

/// Whether a character could disturb a terminal, show text other than it is, or not be written in
/// XML at all: control characters, those that are invisible or reorder text, and two that are none.
pub fn is_harmful(character: char) -> bool {
    let invisible = ['\u{200b}'..='\u{200f}', '\u{2028}'..='\u{202e}', '\u{2060}'..='\u{206f}'];
    character.is_control()
        || matches!(character, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
        || invisible.iter().any(|range| range.contains(&character))
}

/// Text from outside with harmful characters escaped.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let escape = |character: char| {
        if is_harmful(character) { character.escape_default().to_string() } else { character.to_string() }
    };
    Cow::Owned(text.chars().map(escape).collect())
}

/// One step of a [`Path`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    /// A member of a record.
    Name(Cow<'static, str>),
    /// An item of a list, from 0.
    Index(usize),
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Name(name) => f.write_str(&escaped(name)),
            Key::Index(index) => write!(f, "[{index}]"),
        }
    }
}

impl From<&'static str> for Key {
    fn from(name: &'static str) -> Key {
        Key::Name(Cow::Borrowed(name))
    }
}

impl From<String> for Key {
    fn from(name: String) -> Key {
        Key::Name(Cow::Owned(name))
    }
}

impl From<usize> for Key {
    fn from(index: usize) -> Key {
        Key::Index(index)
    }
}

/// The way from a machine's state to one datum in it: an observable field, then members and
/// items. Written `post/0x0f57/storage/0x01` or `logs[0]/topics[1]`.
///
/// Paths of one vector share their beginnings, so a longer path costs one allocation.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Path(Arc<PathEnd>);

#[derive(PartialEq, Eq, Hash)]
struct PathEnd {
    parent: Option<Path>,
    key: Key,
}

impl Path {
    /// The path of a field of the state.
    pub fn field(name: &'static str) -> Path {
        Path(Arc::new(PathEnd { parent: None, key: Key::from(name) }))
    }

    /// The path of something in what this path names.
    #[must_use]
    pub fn child(&self, key: impl Into<Key>) -> Path {
        Path(Arc::new(PathEnd { parent: Some(self.clone()), key: key.into() }))
    }

    /// The path without its last key; none for a field.
    pub fn parent(&self) -> Option<&Path> {
        self.0.parent.as_ref()
    }

    /// The key of the field.
    pub fn first(&self) -> &Key {
        self.parent().map_or(&self.0.key, Path::first)
    }

    /// The last key.
    pub fn last(&self) -> &Key {
        &self.0.key
    }

    /// All keys, that of the field first.
    pub fn keys(&self) -> Vec<&Key> {
        let mut keys = self.parent().map(Path::keys).unwrap_or_default();
        keys.push(self.last());
        keys
    }

    /// Whether this is `other` or leads on from it.
    pub fn starts_with(&self, other: &Path) -> bool {
        self == other || self.parent().is_some_and(|parent| parent.starts_with(other))
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = &self.0.parent {
            let slash = if matches!(self.0.key, Key::Name(_)) { "/" } else { "" };
            write!(f, "{parent}{slash}")?;
        }
        write!(f, "{}", self.0.key)
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
