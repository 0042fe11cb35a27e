//! Values of TOML as JSON, so that one reader reads both.

use serde_json::{Map, Number, Value as Json};
use toml::de::DeValue;

use crate::text::json::Document;

/// How deeply a value may be nested.
const MAX_DEPTH: usize = 64;

/// The value as a document; `None` if it has something that JSON does not have.
pub(super) fn document(value: &DeValue<'_>) -> Option<Document> {
    Document::parse(json(value, 0)?.to_string(), MAX_DEPTH + 1).ok()
}

fn json(value: &DeValue<'_>, depth: usize) -> Option<Json> {
    if depth > MAX_DEPTH {
        return None;
    }
    Some(match value {
        DeValue::String(text) => Json::from(&**text),
        DeValue::Integer(number) => {
            let (digits, radix) = (number.as_str(), number.radix());
            let signed = i64::from_str_radix(digits, radix).map(Json::from);
            signed.or_else(|_| u64::from_str_radix(digits, radix).map(Json::from)).ok()?
        }
        DeValue::Float(number) => Json::Number(Number::from_f64(number.as_str().parse().ok()?)?),
        DeValue::Boolean(bool) => Json::from(*bool),
        DeValue::Datetime(_) => return None,
        DeValue::Array(items) => {
            let items = items.iter().map(|item| json(item.get_ref(), depth + 1));
            Json::Array(items.collect::<Option<_>>()?)
        }
        DeValue::Table(table) => {
            let member =
                |(key, value): (&toml::Spanned<std::borrow::Cow<'_, str>>, &toml::Spanned<DeValue<'_>>)| {
                    Some((key.get_ref().to_string(), json(value.get_ref(), depth + 1)?))
                };
            Json::Object(table.iter().map(member).collect::<Option<Map<_, _>>>()?)
        }
    })
}
