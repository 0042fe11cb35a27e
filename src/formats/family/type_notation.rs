//! The notation of types: `u8`, `[(u16?, u8, text)]`, `memory<u16, u8>`.

use super::node_path::NotationError;
use crate::model::field_type::MAX_BITS;
use crate::model::{FieldType, MemoryType};
use crate::text::suggest::did_you_mean;

/// How deeply types may be nested.
const MAX_NESTED: usize = 16;

/// The longest list of exactly a number of items, and the most values in lists of such lists.
pub(super) const MAX_FIXED_LENGTH: usize = 1 << 20;

/// How many characters of a text that is no type an error shows.
const MAX_SHOWN: usize = 20;

const NAMES: [&str; 22] = [
    "u8", "u16", "u24", "u32", "u64", "u128", "u256", "i8", "i16", "i24", "i32", "i64", "i128", "i256",
    "int", "bool", "text", "bytes", "base64", "json", "memory", "map",
];

/// Parses the notation of a type. The error is the first part that is not a type.
pub(super) fn parse(text: &str) -> Result<FieldType, NotationError> {
    let mut parser = TypeParser { text, rest: text };
    let parsed = parser.field_type(0)?;
    parser.skip();
    if parser.rest.is_empty() { Ok(parsed) } else { Err(parser.wrong("nothing more, or ? for null")) }
}

struct TypeParser<'t> {
    text: &'t str,
    rest: &'t str,
}

impl<'t> TypeParser<'t> {
    fn at(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// The error that something else is expected here.
    fn wrong(&self, expected: &str) -> NotationError {
        let shown: String = self.rest.chars().take(MAX_SHOWN).collect();
        let what =
            if shown.is_empty() { "the type ends here".to_owned() } else { format!("{shown:?} in a type") };
        NotationError { at: self.at(), what, expected: expected.to_owned() }
    }

    fn takes(&mut self, mark: char) -> bool {
        self.skip();
        let rest = self.rest.strip_prefix(mark);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn demand(&mut self, mark: char) -> Result<(), NotationError> {
        if self.takes(mark) { Ok(()) } else { Err(self.wrong(&format!("{mark:?}"))) }
    }

    fn field_type(&mut self, depth: usize) -> Result<FieldType, NotationError> {
        self.skip();
        if depth > MAX_NESTED {
            return Err(self.wrong(&format!("at most {MAX_NESTED} types inside each other")));
        }
        let inner = if self.takes('[') {
            self.list(depth)?
        } else if self.takes('(') {
            self.tuple(depth)?
        } else {
            self.named(depth)?
        };
        Ok(if self.takes('?') { FieldType::Optional(Box::new(inner)) } else { inner })
    }

    /// What follows `[`.
    fn list(&mut self, depth: usize) -> Result<FieldType, NotationError> {
        let item = Box::new(self.field_type(depth + 1)?);
        if !self.takes(';') {
            self.demand(']')?;
            return Ok(FieldType::List(item));
        }
        self.skip();
        let end = self.rest.find(|it: char| !it.is_ascii_digit()).unwrap_or(self.rest.len());
        let length = self.rest[..end].parse().ok().filter(|length| *length <= MAX_FIXED_LENGTH);
        let length = length.ok_or_else(|| self.wrong(&format!("a length up to {MAX_FIXED_LENGTH}")))?;
        if item.least_values().saturating_mul(length) > MAX_FIXED_LENGTH {
            return Err(
                self.wrong(&format!("a length with which the list has at most {MAX_FIXED_LENGTH} values"))
            );
        }
        self.rest = &self.rest[end..];
        self.demand(']')?;
        Ok(FieldType::Array(item, length))
    }

    /// What follows `(`.
    fn tuple(&mut self, depth: usize) -> Result<FieldType, NotationError> {
        let mut items = vec![self.field_type(depth + 1)?];
        while self.takes(',') {
            items.push(self.field_type(depth + 1)?);
        }
        self.demand(')')?;
        Ok(FieldType::Tuple(items))
    }

    fn named(&mut self, depth: usize) -> Result<FieldType, NotationError> {
        let start = (self.at(), self.rest);
        let end = self.rest.find(|it: char| !it.is_ascii_alphanumeric()).unwrap_or(self.rest.len());
        let name: &'t str = &self.rest[..end];
        let simple = match name {
            "int" => Some(FieldType::Int),
            "bool" => Some(FieldType::Bool),
            "text" => Some(FieldType::Text),
            "bytes" => Some(FieldType::Bytes),
            "base64" => Some(FieldType::Base64),
            "json" => Some(FieldType::Json),
            _ => number(name),
        };
        if let Some(simple) = simple {
            self.rest = &self.rest[end..];
            return Ok(simple);
        }
        if !["map", "memory"].contains(&name) {
            return Err(unknown(start, name));
        }
        self.rest = &self.rest[end..];
        self.demand('<')?;
        let first_at = self.at();
        let first = self.field_type(depth + 1)?;
        self.demand(',')?;
        let second_at = self.at();
        let second = self.field_type(depth + 1)?;
        self.demand('>')?;
        if name == "map" {
            return key_type(first, first_at).map(|key| FieldType::Map(Box::new(key), Box::new(second)));
        }
        memory(first, first_at, second, second_at)
    }
}

/// A number of a fixed width: `u8`.
fn number(name: &str) -> Option<FieldType> {
    let (sign, bits) = name.split_at_checked(1)?;
    let bits =
        bits.parse::<u32>().ok().filter(|bits| !name[1..].starts_with('0') && (1..=MAX_BITS).contains(bits));
    match sign {
        "u" => bits.map(FieldType::Unsigned),
        "i" => bits.filter(|bits| *bits > 1).map(FieldType::Signed),
        _ => None,
    }
}

fn unknown((at, rest): (usize, &str), name: &str) -> NotationError {
    let shown: String = if name.is_empty() { rest } else { name }.chars().take(MAX_SHOWN).collect();
    NotationError {
        at,
        what: format!("there is no type {shown:?}{}", did_you_mean(name, NAMES)),
        expected: "u8 to u256, i8 to i256, int, bool, text, bytes, base64, json, [T], [T; 3], (T, U), map<K, V>, memory<A, C>, T?".to_owned(),
    }
}

/// A type that can be the key of an object.
fn key_type(key: FieldType, at: usize) -> Result<FieldType, NotationError> {
    match key {
        FieldType::Unsigned(_)
        | FieldType::Signed(_)
        | FieldType::Int
        | FieldType::Text
        | FieldType::Bytes => Ok(key),
        other => Err(NotationError {
            at,
            what: format!("{} as the key of a map", other.notation()),
            expected: "a number, text or bytes".to_owned(),
        }),
    }
}

fn memory(
    address: FieldType,
    at: usize,
    cell: FieldType,
    cell_at: usize,
) -> Result<FieldType, NotationError> {
    const ADDRESS_BITS: u32 = 64;
    let wrong = |at, what: String, expected: &str| NotationError { at, what, expected: expected.to_owned() };
    if !matches!(address, FieldType::Unsigned(bits) if bits <= ADDRESS_BITS) {
        let what = format!("{} as an address", address.notation());
        return Err(wrong(at, what, "u8 to u64"));
    }
    if !matches!(cell, FieldType::Unsigned(_) | FieldType::Signed(_)) {
        return Err(wrong(cell_at, format!("{} as a cell", cell.notation()), "u8 to u256, or i8 to i256"));
    }
    Ok(FieldType::Memory(MemoryType { address: Box::new(address), cell: Box::new(cell) }))
}
