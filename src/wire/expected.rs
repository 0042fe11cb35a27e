//! Expectations as JSON: a value, or an object with a member that says what else is expected. Values are read
//! here, too, since only the members of an object show whether it is a value.

use std::borrow::Cow;
use std::fmt;

use indexmap::IndexMap;
use indexmap::map::Entry;
use num_bigint::BigInt;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::model::{Expected, Name, PathKey, Value, hex_bytes};

/// The type name of a record.
const OBJECT: &str = "object";

/// The JSON form of an expectation.
#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum ExpectedForm<'e> {
    Is(&'e Value),
    OneOf { one_of: &'e [Value] },
    Absent { absent: bool },
    Type { r#type: &'e str },
    Length { length: usize },
    Only { only: Vec<String> },
    Order { order: Vec<String> },
}

/// `IsOrAbsent` is written as its value, which the datum must have if it is present, and `Bits` as the number: the mask
/// is a member beside it.
impl Serialize for Expected {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let form = match self {
            Expected::Is(value) | Expected::IsOrAbsent(value) => ExpectedForm::Is(value),
            Expected::Bits(bits) => ExpectedForm::Is(&bits.value),
            Expected::OneOf(values) => ExpectedForm::OneOf { one_of: values },
            Expected::Absent => ExpectedForm::Absent { absent: true },
            Expected::Record => ExpectedForm::Type { r#type: OBJECT },
            Expected::Type(name) => ExpectedForm::Type { r#type: name },
            Expected::Len(length) => ExpectedForm::Length { length: *length },
            Expected::Only(keys) => ExpectedForm::Only { only: texts(keys) },
            Expected::Order(keys) => ExpectedForm::Order { order: texts(keys) },
        };
        form.serialize(serializer)
    }
}

fn texts(keys: &[PathKey]) -> Vec<String> {
    keys.iter().map(PathKey::to_string).collect()
}

impl<'de> Deserialize<'de> for Expected {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Expected, D::Error> {
        deserializer.deserialize_any(ExpectedVisitor)
    }
}

/// The member that determines what an object is.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum ExpectedMember {
    Absent,
    OneOf,
    Type,
    Length,
    Only,
    Order,
    Value,
    Int,
    Bytes,
    Text,
    List,
    Record,
}

struct ExpectedVisitor;

impl<'de> Visitor<'de> for ExpectedVisitor {
    type Value = Expected;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("null, a boolean, or an object whose member names a type")
    }

    fn visit_unit<E: Error>(self) -> Result<Expected, E> {
        Ok(Expected::Is(Value::Null))
    }

    fn visit_bool<E: Error>(self, bool: bool) -> Result<Expected, E> {
        Ok(Expected::Is(Value::Bool(bool)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Expected, A::Error> {
        let Some(member) = map.next_key()? else {
            return Err(A::Error::custom("an empty object is not a value"));
        };
        let expected = match member {
            ExpectedMember::Absent => absent(map.next_value()?)?,
            ExpectedMember::OneOf => Expected::OneOf(map.next_value()?),
            ExpectedMember::Length => Expected::Len(map.next_value()?),
            ExpectedMember::Only => Expected::Only(keys(map.next_value()?)),
            ExpectedMember::Order => Expected::Order(keys(map.next_value()?)),
            ExpectedMember::Type => after_type(&mut map)?,
            ExpectedMember::Value => after_value(&mut map)?,
            ExpectedMember::Int => Expected::Is(Value::Int(int(&map.next_value::<Cow<'_, str>>()?)?)),
            ExpectedMember::Bytes => Expected::Is(Value::Bytes(bytes(&map.next_value::<Cow<'_, str>>()?)?)),
            ExpectedMember::Text => Expected::Is(Value::text(map.next_value::<Cow<'_, str>>()?)),
            ExpectedMember::List => Expected::Is(Value::List(map.next_value()?)),
            ExpectedMember::Record => Expected::Is(Value::Record(map.next_value::<ExpectedMembers>()?.0)),
        };
        match map.next_key::<ExpectedMember>()? {
            None => Ok(expected),
            Some(_) => Err(A::Error::custom("an object with these members is not a value")),
        }
    }
}

fn absent<E: Error>(is_absent: bool) -> Result<Expected, E> {
    if is_absent { Ok(Expected::Absent) } else { Err(E::custom("absent is true or left out")) }
}

fn keys(names: Vec<String>) -> Vec<PathKey> {
    names.into_iter().map(PathKey::from).collect()
}

/// A type name without a value is an expectation; followed by a value, it is the type of that value.
fn after_type<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Expected, A::Error> {
    let name: Name = map.next_value()?;
    match map.next_key()? {
        Some(ExpectedMember::Value) => Ok(Expected::Is(Value::typed(name, map.next_value()?))),
        Some(_) => Err(A::Error::custom("a type may be accompanied by one other member, the value")),
        None if name == OBJECT => Ok(Expected::Record),
        None => Ok(Expected::Type(name)),
    }
}

fn after_value<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Expected, A::Error> {
    let value = map.next_value()?;
    match map.next_key()? {
        Some(ExpectedMember::Type) => Ok(Expected::Is(Value::typed(map.next_value::<Name>()?, value))),
        _ => Err(A::Error::missing_field("type")),
    }
}

fn int<E: Error>(text: &str) -> Result<BigInt, E> {
    // The time to read digits is quadratic in their number. No format and no machine has longer numbers.
    const MAX_DIGITS: usize = 1_001;
    if text.len() > MAX_DIGITS {
        return Err(E::custom(format!("int has more than {MAX_DIGITS} characters")));
    }
    text.parse().map_err(|_| E::custom("int is not a decimal number"))
}

fn bytes<E: Error>(text: &str) -> Result<Vec<u8>, E> {
    let bytes = text.strip_prefix("0x").and_then(hex_bytes);
    bytes.ok_or_else(|| E::custom("bytes is not an even number of hex digits after 0x"))
}

/// The members of a record in document order, with unique names.
struct ExpectedMembers(Vec<(Name, Value)>);

impl<'de> Deserialize<'de> for ExpectedMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ExpectedMembers, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = ExpectedMembers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ExpectedMembers, A::Error> {
        let mut members: IndexMap<Name, Value> = IndexMap::new();
        while let Some(name) = map.next_key::<Name>()? {
            match members.entry(name) {
                Entry::Vacant(place) => drop(place.insert(map.next_value()?)),
                Entry::Occupied(_) => return Err(A::Error::custom("a record has a member twice")),
            }
        }
        Ok(ExpectedMembers(members.into_iter().collect()))
    }
}
