//! Values as JSON without their types, as vector formats write them.

use serde_json::{Map, Number, Value as Json};

use crate::model::hex::bytes_key;
use crate::model::value::Value;

/// A value as plain JSON, for documents whose schema says what each datum is: numbers as numbers, bytes as
/// hex, and values without the names of their types.
pub fn plain(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(bool) => Json::Bool(*bool),
        // A number that does not fit becomes text, so that no reader mistakes it for a different number.
        Value::Int(number) => match number.to_string().parse::<Number>() {
            Ok(fits) => Json::Number(fits),
            Err(_) => Json::String(number.to_string()),
        },
        Value::Bytes(bytes) => Json::String(bytes_key(bytes)),
        Value::Text(text) => Json::String(text.to_string()),
        Value::List(items) => Json::Array(items.iter().map(plain).collect()),
        Value::Record(members) => {
            let members = members.iter().map(|(name, value)| (name.to_string(), plain(value)));
            Json::Object(members.collect::<Map<_, _>>())
        }
        Value::Typed(_, value) => plain(value),
    }
}
