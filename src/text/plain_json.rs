//! Values as JSON without their types, as the formats write them.

use serde_json::{Map, Number, Value as Json};

use crate::model::hex::bytes_key;
use crate::model::value::Value;

/// A value as plain JSON, for documents whose schema says what each datum is: numbers as numbers, bytes as
/// hex, and the type of a value that carries one is left out.
pub fn plain(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(bool) => Json::Bool(*bool),
        // A number that does not fit is text, and no reader takes it for another one.
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
