//! Writes actual values back into vectors of families.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use num_bigint::{BigInt, Sign};
use serde_json::{Number, Value as Json};

use super::declaration::{Declaration, Demanded};
use super::fill::Gap;
use super::new_cases::{FamilyWriter, member_of};
use super::node_path::NodePath;
use crate::formats::write_back::{NotRepresentable, WrittenBack, WrongAssertion, hex_like, number_like};
use crate::model::assertion::Expected;
use crate::model::field_type::FieldType;
use crate::model::name::Name;
use crate::model::path::{Path, PathKey};
use crate::model::value::Value;
use crate::text::edit::TextChange;
use crate::text::json::JsonNode;

/// The changes that replace the expected value with the actual one, in the notation of the field's type.
pub(super) fn write_back<'d>(writer: FamilyWriter<'_>, wrong: &WrongAssertion<'d, '_>) -> WrittenBack<'d> {
    if let Some(written) = undemanded(writer, wrong) {
        return written;
    }
    let family = writer.declaration;
    match wrong.expected {
        Expected::Is(_) | Expected::Len(_) => {
            wrong.replace(like(wrong.node, wrong.present()?, type_of(family, wrong.at))?)
        }
        Expected::Absent if wrong.node.is_array() => add_cell(wrong),
        Expected::Absent
        | Expected::OneOf(_)
        | Expected::IsOrAbsent(_)
        | Expected::Record
        | Expected::Type(_)
        | Expected::Only(_)
        | Expected::Order(_) => Err(NotRepresentable::because("the declaration has no place for it")),
    }
}

/// What to do about a demand that the declaration makes where a case says nothing; `None` if the case demands it.
fn undemanded<'d>(writer: FamilyWriter<'_>, wrong: &WrongAssertion<'d, '_>) -> Option<WrittenBack<'d>> {
    let PathKey::Name(name) = wrong.at.first() else { return None };
    let index = writer.declaration.state.iter().position(|field| field.name == *name)?;
    match writer.own_demand(index)? {
        Demanded::At { path, absent: Some(absent), .. } if !lies_at(wrong, path) => {
            // What of it differs has a place of its own in the next round.
            let value = serde_json::from_str(absent.text()).ok();
            let change = value.and_then(|value| Gap::of(wrong.node, &path.steps)?.put(value));
            Some(change.map(|change| vec![change]).ok_or_else(|| {
                NotRepresentable::because(format!("{path} is demanded if it is missing, and cannot be added"))
            }))
        }
        Demanded::Constant { .. } if !writer.takes_demand(wrong, name) => {
            Some(Err(NotRepresentable::because("each case demands it, as the declaration says")))
        }
        Demanded::At { .. } | Demanded::Constant { .. } | Demanded::All(_) => None,
    }
}

impl FamilyWriter<'_> {
    /// Whether a datum lies in the member that demands a field along with all others.
    fn takes_demand(&self, wrong: &WrongAssertion<'_, '_>, name: &str) -> bool {
        self.all_demanded().is_some_and(|all| lies_at(wrong, &NodePath { steps: member_of(all, name) }))
    }
}

/// Whether a datum lies in what the path names, from something around it.
fn lies_at(wrong: &WrongAssertion<'_, '_>, path: &NodePath) -> bool {
    let mut around = wrong.chain().map(|node| path.find(node));
    around.any(|found| found.is_some_and(|found| wrong.chain().any(|node| node == found)))
}

/// The type of a datum of the state.
fn type_of<'f>(family: &'f Declaration, at: &Path) -> &'f FieldType {
    let keys = at.keys();
    let field =
        family.state.iter().find(|field| matches!(at.first(), PathKey::Name(name) if *name == field.name));
    field.and_then(|field| field.field_type.at(keys.get(1..)?)).unwrap_or(&FieldType::Json)
}

/// Adds a cell, which the expectation does not list, in the notation of the others.
fn add_cell<'d>(wrong: &WrongAssertion<'d, '_>) -> WrittenBack<'d> {
    let refuse = || NotRepresentable::because("a cell that is not listed, in a notation without pairs");
    let PathKey::Name(key) = wrong.at.last() else { return Err(refuse()) };
    let address = key.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let pairs: Vec<_> = wrong.node.items().collect();
    if pairs.iter().any(|pair| !pair.is_array()) {
        return Err(refuse());
    }
    let cell =
        Json::from(vec![Json::from(address.ok_or_else(refuse)?), plain(wrong.present()?, &FieldType::Json)?]);
    Ok(vec![TextChange::Insert { into: wrong.node, before: pairs.len(), key: None, value: cell }])
}

/// The value in the notation of what it replaces.
fn like(old: JsonNode<'_>, new: &Value, of: &FieldType) -> Result<Json, NotRepresentable> {
    let text = old.text();
    match (new, &text) {
        (new, _) if is_base64(of) => plain(new, of),
        (Value::Int(number), Some(old)) if number.sign() == Sign::Minus => {
            Ok(if old.contains("0x") { hex(number) } else { number.to_string() }.into())
        }
        (Value::Int(number), Some(old)) => Ok(number_like(old, number).into()),
        (Value::Bytes(bytes), Some(old)) => Ok(hex_like(old, bytes).into()),
        (Value::Bool(bool), None) if old.raw().starts_with(|it: char| it.is_ascii_digit()) => {
            Ok(i32::from(*bool).into())
        }
        (new, _) => plain(new, of),
    }
}

fn is_base64(of: &FieldType) -> bool {
    match of {
        FieldType::Optional(inner) => is_base64(inner),
        other => *other == FieldType::Base64,
    }
}

/// The value with numbers as numbers, as far as JSON has them.
fn plain(value: &Value, of: &FieldType) -> Result<Json, NotRepresentable> {
    let part = |key: PathKey| of.at(&[&key]).unwrap_or(&FieldType::Json);
    Ok(match value {
        Value::Null => Json::Null,
        Value::Bool(bool) => Json::from(*bool),
        Value::Int(number) => number_of(number),
        Value::Bytes(bytes) if is_base64(of) => Json::from(BASE64_STANDARD.encode(&**bytes)),
        Value::Bytes(bytes) => Json::from(bytes.clone()),
        Value::Text(text) => Json::from(text.as_str()),
        Value::List(items) => {
            let item = |(index, value)| plain(value, part(PathKey::Index(index)));
            Json::Array(items.iter().enumerate().map(item).collect::<Result<_, _>>()?)
        }
        Value::Record(members) => {
            let member = |(name, value): &(Name, Value)| {
                Ok((name.to_string(), plain(value, part(PathKey::Name(name.clone())))?))
            };
            Json::Object(members.iter().map(member).collect::<Result<_, NotRepresentable>>()?)
        }
        Value::Typed(..) => return Err(NotRepresentable::value(value)),
    })
}

fn hex(number: &BigInt) -> String {
    let sign = if number.sign() == Sign::Minus { "-" } else { "" };
    format!("{sign}0x{:x}", number.magnitude())
}

/// The number as a number, as far as JSON has it.
pub(super) fn number_of(number: &BigInt) -> Json {
    let of_64_bits =
        i64::try_from(number).map(Number::from).or_else(|_| u64::try_from(number).map(Number::from));
    of_64_bits.map_or_else(|_| Json::from(hex(number)), Json::Number)
}
