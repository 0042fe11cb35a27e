//! Maps and their keys: primitive items, equal only with equal type and value.

use std::collections::HashMap;
use std::rc::Rc;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use indexmap::IndexMap;
use num_bigint::BigInt;

use super::convert::{big_bytes, small_bytes};
use super::fault::Fault;
use super::item::Item;
use crate::model::hex::bytes_key;

/// The maximum length of a key, in bytes.
const MAX_KEY: usize = 64;

/// The pairs of a Map, in order of insertion.
pub(super) type Map = IndexMap<Key, Item>;

/// A key of a Map.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Boolean(bool),
    Integer(i64),
    Big(Rc<BigInt>),
    ByteString(Rc<Vec<u8>>),
}

impl Key {
    /// The item as a key.
    ///
    /// # Errors
    ///
    /// If it is not primitive, or too long; the machine checks that on every access.
    pub(super) fn of(item: &Item) -> Result<Key, Fault> {
        match item {
            Item::Boolean(value) => Ok(Key::Boolean(*value)),
            Item::Integer(number) => Ok(Key::Integer(*number)),
            Item::Big(number) => Ok(Key::Big(number.clone())),
            Item::ByteString(bytes) if bytes.len() > MAX_KEY => Err(Fault::MapKeySize(bytes.len())),
            Item::ByteString(bytes) => Ok(Key::ByteString(bytes.clone())),
            Item::Null
            | Item::Buffer(_)
            | Item::Array(_)
            | Item::Struct(_)
            | Item::Map(_)
            | Item::Pointer(_)
            | Item::Interop(_) => Err(Fault::Wrong("A map key must be a Boolean, Integer or ByteString.")),
        }
    }

    /// The key as an item.
    pub(super) fn item(&self) -> Item {
        match self {
            Key::Boolean(value) => Item::Boolean(*value),
            Key::Integer(number) => Item::Integer(*number),
            Key::Big(number) => Item::Big(number.clone()),
            Key::ByteString(bytes) => Item::ByteString(bytes.clone()),
        }
    }

    /// The bytes that denote it in vectors.
    pub(super) fn bytes(&self) -> Vec<u8> {
        match self {
            Key::Boolean(value) => vec![u8::from(*value)],
            Key::Integer(number) => small_bytes(*number).to_vec(),
            Key::Big(number) => big_bytes(number),
            Key::ByteString(bytes) => bytes.to_vec(),
        }
    }

    /// As shown in the exception for a missing key.
    pub(super) fn shown(&self) -> String {
        match self {
            Key::Boolean(true) => "True".to_owned(),
            Key::Boolean(false) => "False".to_owned(),
            Key::Integer(number) => number.to_string(),
            Key::Big(number) => number.to_string(),
            Key::ByteString(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => format!("\"{text}\""),
                Err(_) => format!("\"Base64: {}\"", BASE64_STANDARD.encode(&**bytes)),
            },
        }
    }
}

/// Pairs by the text of their keys. Keys of different types may have the same text; a number is then added,
/// so that no pair hides another.
pub(super) fn pairs(map: &Map) -> impl Iterator<Item = (String, &Item)> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    map.iter().map(move |(key, value)| {
        let text = key_name(key);
        let count = counts.entry(text.clone()).or_default();
        *count += 1;
        (if *count == 1 { text } else { format!("{text}#{count}") }, value)
    })
}

/// The text of a key: its bytes.
pub(super) fn key_name(key: &Key) -> String {
    let bytes = key.bytes();
    if bytes.is_empty() { String::new() } else { bytes_key(&bytes) }
}
