//! Values as JSON without their types, as vector formats write them.

use num_bigint::BigInt;
use serde_json::{Map, Number, Value as Json};

use crate::model::{Value, bytes_key};

/// A value as plain JSON, for documents whose schema says what each datum is: numbers as numbers, bytes as
/// hex, and values without the names of their types.
pub fn plain(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(bool) => Json::Bool(*bool),
        // A number that does not fit becomes text, so that no reader mistakes it for a different number.
        Value::Int(number) => {
            json_number(number).map_or_else(|| Json::String(number.to_string()), Json::Number)
        }
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

/// A number as a number of JSON; `None` if it has more than 64 bits, which not all readers of JSON have.
pub fn json_number(number: &BigInt) -> Option<Number> {
    let signed = i64::try_from(number).map(Number::from);
    signed.or_else(|_| u64::try_from(number).map(Number::from)).ok()
}
