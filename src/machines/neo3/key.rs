//! Keys of Maps: primitive items, equal only with equal type and value.

use std::rc::Rc;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use num_bigint::BigInt;

use super::convert::{big_bytes, small_bytes};
use super::fault::Fault;
use super::item::Item;

/// The longest key in bytes.
const MAX_KEY: usize = 64;

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
    /// When it is not primitive, or too long; the machine looks at that on every access.
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

    /// The bytes by which vectors name it.
    pub(super) fn bytes(&self) -> Vec<u8> {
        match self {
            Key::Boolean(value) => vec![u8::from(*value)],
            Key::Integer(number) => small_bytes(*number).to_vec(),
            Key::Big(number) => big_bytes(number),
            Key::ByteString(bytes) => bytes.to_vec(),
        }
    }

    /// As the exception for a missing key names it (reference, section 5.3).
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
