//! Writes actual values back into vectors of families.

use num_bigint::BigInt;
use serde_json::{Number, Value as Json};

use crate::formats::write_back::{NotRepresentable, WrittenBack, WrongAssertion, hex_like, number_like};
use crate::model::assertion::Expected;
use crate::model::path::PathKey;
use crate::model::value::Value;
use crate::text::edit::TextChange;
use crate::text::json::JsonNode;

/// The changes that replace the expected value with the actual one.
pub(super) fn write_back<'d>(wrong: &WrongAssertion<'d, '_>) -> WrittenBack<'d> {
    match wrong.expected {
        Expected::Is(_) | Expected::Len(_) => wrong.replace(like(wrong.node, wrong.present()?)?),
        Expected::Absent if wrong.node.is_array() => add_cell(wrong),
        Expected::Absent
        | Expected::OneOf(_)
        | Expected::IsOrAbsent(_)
        | Expected::Record
        | Expected::Type(_)
        | Expected::Only(_)
        | Expected::Order(_) => Err(NotRepresentable("the declaration has no place for it".to_owned())),
    }
}

/// Adds a cell, which the expectation does not list, in the notation of the others.
fn add_cell<'d>(wrong: &WrongAssertion<'d, '_>) -> WrittenBack<'d> {
    let refuse = || NotRepresentable("a cell that is not listed, in a notation without pairs".to_owned());
    let PathKey::Name(key) = wrong.at.last() else { return Err(refuse()) };
    let address = key.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let pairs: Vec<_> = wrong.node.items().collect();
    if pairs.iter().any(|pair| !pair.is_array()) {
        return Err(refuse());
    }
    let cell = Json::from(vec![Json::from(address.ok_or_else(refuse)?), plain(wrong.present()?)?]);
    Ok(vec![TextChange::Insert { into: wrong.node, before: pairs.len(), key: None, value: cell }])
}

/// The value in the notation of what it replaces.
fn like(old: JsonNode<'_>, new: &Value) -> Result<Json, NotRepresentable> {
    let text = old.text();
    match (new, &text) {
        (Value::Int(number), Some(old)) => Ok(number_like(old, number).into()),
        (Value::Bytes(bytes), Some(old)) => Ok(hex_like(old, bytes).into()),
        (Value::Bool(bool), None) if old.raw().starts_with(|it: char| it.is_ascii_digit()) => {
            Ok(i32::from(*bool).into())
        }
        (new, _) => plain(new),
    }
}

/// The value with numbers as numbers, as far as JSON has them.
fn plain(value: &Value) -> Result<Json, NotRepresentable> {
    Ok(match value {
        Value::Null => Json::Null,
        Value::Bool(bool) => Json::from(*bool),
        Value::Int(number) => number_of(number),
        Value::Bytes(bytes) => Json::from(bytes.clone()),
        Value::Text(text) => Json::from(text.as_str()),
        Value::List(items) => Json::Array(items.iter().map(plain).collect::<Result<_, _>>()?),
        Value::Record(members) => {
            let member = |(name, value): &(_, Value)| Ok((ToString::to_string(name), plain(value)?));
            Json::Object(members.iter().map(member).collect::<Result<_, NotRepresentable>>()?)
        }
        Value::Typed(..) => return Err(NotRepresentable::value(value)),
    })
}

/// The number as a number, as far as JSON has it.
pub(super) fn number_of(number: &BigInt) -> Json {
    let of_64_bits =
        i64::try_from(number).map(Number::from).or_else(|_| u64::try_from(number).map(Number::from));
    of_64_bits.map_or_else(|_| Json::from(format!("0x{:x}", number.magnitude())), Json::Number)
}
