//! Values as JSON, with a member that names the type: `{"int": "42"}`, `{"bytes": "0x2a"}`.

use std::borrow::Cow;

use serde::de::{Deserializer, Error};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use crate::model::{Expected, Name, Value, bytes_key};

/// The JSON form of a value. A truncated value also states its full length.
#[derive(Serialize)]
#[serde(untagged)]
enum ValueForm<'v> {
    Null,
    Bool(bool),
    Int {
        int: String,
    },
    Bytes {
        bytes: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        length: Option<usize>,
    },
    Text {
        text: Cow<'v, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        length: Option<usize>,
    },
    List {
        list: Vec<ValueForm<'v>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        length: Option<usize>,
    },
    Record {
        record: ValueMembers<'v>,
        #[serde(skip_serializing_if = "Option::is_none")]
        length: Option<usize>,
    },
    Typed {
        r#type: &'v Name,
        value: Box<ValueForm<'v>>,
    },
}

/// Members in order.
struct ValueMembers<'v>(Vec<(&'v str, ValueForm<'v>)>);

impl Serialize for ValueMembers<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        self.0.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
        map.end()
    }
}

/// The form of a value, truncated to `room` bytes, characters, items and members, which are subtracted from
/// `room`.
fn form<'v>(value: &'v Value, room: &mut usize) -> ValueForm<'v> {
    let length = value.len().unwrap_or_default();
    let cut = |shown: usize| (shown < length).then_some(length);
    match value {
        Value::Null => ValueForm::Null,
        Value::Bool(bool) => ValueForm::Bool(*bool),
        Value::Int(number) => ValueForm::Int { int: number.to_string() },
        Value::Bytes(bytes) => {
            let shown = take(room, length);
            ValueForm::Bytes { bytes: bytes_key(&bytes[..shown]), length: cut(shown) }
        }
        Value::Text(text) => {
            let shown = take(room, length);
            let end = text.char_indices().nth(shown).map_or(text.len(), |(end, _)| end);
            ValueForm::Text { text: text[..end].into(), length: cut(shown) }
        }
        Value::List(items) => {
            let item = |item| (take(room, 1) == 1).then(|| form(item, room));
            let list: Vec<_> = items.iter().map_while(item).collect();
            ValueForm::List { length: cut(list.len()), list }
        }
        Value::Record(members) => {
            let member =
                |(name, value): &'v (Name, Value)| (take(room, 1) == 1).then(|| (&**name, form(value, room)));
            let shown: Vec<_> = members.iter().map_while(member).collect();
            ValueForm::Record { length: cut(shown.len()), record: ValueMembers(shown) }
        }
        Value::Typed(name, value) => ValueForm::Typed { r#type: name, value: Box::new(form(value, room)) },
    }
}

fn take(room: &mut usize, wanted: usize) -> usize {
    let taken = wanted.min(*room);
    *room -= taken;
    taken
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        form(self, &mut usize::MAX.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        match Expected::deserialize(deserializer)? {
            Expected::Is(value) => Ok(value),
            _ => Err(D::Error::custom("an expectation where a value is expected")),
        }
    }
}

/// Serializes a value, truncated to this many bytes, characters, items and members.
#[derive(Debug, Clone, Copy)]
pub struct Truncated<'v>(pub &'v Value, pub usize);

impl Serialize for Truncated<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Truncated(value, mut room) = *self;
        form(value, &mut room).serialize(serializer)
    }
}

/// For `#[serde(with)]`: an actual value, or `{"absent": true}`.
pub(super) mod actual {
    use super::{Deserialize, Deserializer, Error, Expected, Serialize, Serializer, Value};

    #[allow(clippy::ref_option, reason = "serde calls it with a reference to the member")]
    pub(in crate::wire) fn serialize<S: Serializer>(
        actual: &Option<Value>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match actual {
            Some(value) => value.serialize(serializer),
            None => Expected::Absent.serialize(serializer),
        }
    }

    pub(in crate::wire) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Value>, D::Error> {
        match Expected::deserialize(deserializer)? {
            Expected::Is(value) => Ok(Some(value)),
            Expected::Absent => Ok(None),
            _ => Err(D::Error::custom("an expectation where a value is expected")),
        }
    }
}
