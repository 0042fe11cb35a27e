//! Reads JSON more strictly than serde does: structures are written as objects and not as arrays, and no object has a
//! member twice, since it is unclear which value is meant.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::{Map, Number, Value as Json};

/// A list of structures.
pub(super) fn objects<'de, D, T>(list: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let objects = Vec::<StrictObject<T>>::deserialize(list)?;
    Ok(objects.into_iter().map(|object| object.0).collect())
}

/// A structure that is an object.
struct StrictObject<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for StrictObject<T> {
    fn deserialize<D: Deserializer<'de>>(object: D) -> Result<StrictObject<T>, D::Error> {
        T::deserialize(OnlyObjects(object)).map(StrictObject)
    }
}

/// A deserializer that reads structures from objects only.
struct OnlyObjects<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for OnlyObjects<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

pub(super) fn members<'de, D: Deserializer<'de>>(object: D) -> Result<Map<String, Json>, D::Error> {
    object.deserialize_map(Members)
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Map<String, Json>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Map<String, Json>, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            if members.contains_key(&name) {
                return Err(A::Error::custom(format!("duplicate field `{name}`")));
            }
            members.insert(name, map.next_value_seed(AnyValue)?);
        }
        Ok(members)
    }
}

/// A value whose objects have no member twice.
struct AnyValue;

impl<'de> DeserializeSeed<'de> for AnyValue {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Json, D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, bool: bool) -> Result<Json, E> {
        Ok(Json::Bool(bool))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Json, E> {
        Ok(number.into())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Json, E> {
        Ok(number.into())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Json, E> {
        Ok(Number::from_f64(number).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Json, E> {
        Ok(text.into())
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Json, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(AnyValue)? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Json, A::Error> {
        Members.visit_map(map).map(Json::Object)
    }
}

#[cfg(test)]
mod tests {
    use crate::wire::protocol::ProtocolAnswer;

    /// The error for an answer with these steps.
    fn error(steps: &str) -> Option<String> {
        let line = format!(r#"{{"type":"done","id":1,"steps":{steps}}}"#);
        ProtocolAnswer::read(line.as_bytes()).err().map(|error| error.to_string())
    }

    #[test]
    fn a_list_in_place_of_a_structure_is_an_error() {
        assert_eq!(error(r#"[{"fields":{"stack":[1]}}]"#), None);
        let found = error(r#"[[{"stack":[1]}]]"#);
        assert_eq!(found.as_deref(), Some("has an array where an object is expected in column 31"));
    }

    #[test]
    fn a_member_twice_is_an_error_at_any_depth() {
        let inside = r#"[{"fields":{"state":{"0x01":{"nonce":"0x01","nonce":"0x01"}}}}]"#;
        let beside = r#"[{"fields":{"state":{"0x01":{"nonce":"0x01"},"0x02":{"nonce":"0x01"}}}}]"#;
        let listed = r#"[{"fields":{"stack":[{"type":"Integer","value":1,"type":"Boolean"}]}}]"#;
        assert_eq!(error(inside).as_deref(), Some("has the field nonce twice in column 81"));
        assert_eq!(error(beside), None);
        assert_eq!(error(listed).as_deref(), Some("has the field type twice in column 85"));
    }
}
