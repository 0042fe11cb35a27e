//! Maps and their keys: primitive items, equal only with equal type and value.

use std::collections::HashMap;
use std::rc::Rc;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use indexmap::IndexMap;
use num_bigint::BigInt;

use super::fault::Neo3Fault;
use super::item::Neo3Item;
use super::value::{big_bytes, small_bytes};
use crate::model::bytes_key;

/// The maximum length of a key, in bytes.
const MAX_KEY: usize = 64;

/// The pairs of a Map, in order of insertion.
pub(super) type Neo3Map = IndexMap<MapKey, Neo3Item>;

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum MapKey {
    Boolean(bool),
    Integer(i64),
    Big(Rc<BigInt>),
    ByteString(Rc<Vec<u8>>),
}

impl MapKey {
    /// The item as a key. Fails if it is not primitive, or too long; the machine checks that on every access.
    pub(super) fn of(item: &Neo3Item) -> Result<MapKey, Neo3Fault> {
        match item {
            Neo3Item::Boolean(value) => Ok(MapKey::Boolean(*value)),
            Neo3Item::Integer(number) => Ok(MapKey::Integer(*number)),
            Neo3Item::Big(number) => Ok(MapKey::Big(number.clone())),
            Neo3Item::ByteString(bytes) if bytes.len() > MAX_KEY => Err(Neo3Fault::MapKeySize(bytes.len())),
            Neo3Item::ByteString(bytes) => Ok(MapKey::ByteString(bytes.clone())),
            Neo3Item::Null
            | Neo3Item::Buffer(_)
            | Neo3Item::Array(_)
            | Neo3Item::Struct(_)
            | Neo3Item::Map(_)
            | Neo3Item::Pointer(_)
            | Neo3Item::Interop(_) => {
                Err(Neo3Fault::Wrong("A map key must be a Boolean, Integer or ByteString."))
            }
        }
    }

    pub(super) fn item(&self) -> Neo3Item {
        match self {
            MapKey::Boolean(value) => Neo3Item::Boolean(*value),
            MapKey::Integer(number) => Neo3Item::Integer(*number),
            MapKey::Big(number) => Neo3Item::Big(number.clone()),
            MapKey::ByteString(bytes) => Neo3Item::ByteString(bytes.clone()),
        }
    }

    /// The bytes that denote it in vectors.
    pub(super) fn bytes(&self) -> Vec<u8> {
        match self {
            MapKey::Boolean(value) => vec![u8::from(*value)],
            MapKey::Integer(number) => small_bytes(*number).to_vec(),
            MapKey::Big(number) => big_bytes(number),
            MapKey::ByteString(bytes) => bytes.to_vec(),
        }
    }

    /// As shown in the exception for a missing key.
    pub(super) fn shown(&self) -> String {
        match self {
            MapKey::Boolean(true) => "True".to_owned(),
            MapKey::Boolean(false) => "False".to_owned(),
            MapKey::Integer(number) => number.to_string(),
            MapKey::Big(number) => number.to_string(),
            MapKey::ByteString(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => format!("\"{text}\""),
                Err(_) => format!("\"Base64: {}\"", BASE64_STANDARD.encode(&**bytes)),
            },
        }
    }
}

/// Pairs by the text of their keys. Keys of different types may have the same text; a number is then added,
/// so that no pair hides another.
pub(super) fn pairs(map: &Neo3Map) -> impl Iterator<Item = (String, &Neo3Item)> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    map.iter().map(move |(key, value)| {
        let text = key_name(key);
        let count = counts.entry(text.clone()).or_default();
        *count += 1;
        (if *count == 1 { text } else { format!("{text}#{count}") }, value)
    })
}

/// The text of a key: its bytes.
pub(super) fn key_name(key: &MapKey) -> String {
    let bytes = key.bytes();
    if bytes.is_empty() { String::new() } else { bytes_key(&bytes) }
}
