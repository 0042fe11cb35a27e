//! Writes actual values into NeoVM vectors.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use num_bigint::BigInt;
use serde_json::{Map, Value as Json, json};

use super::lexical::{HASH_BYTES, member};
use super::rules::{Absence, Generation, ItemNotation, Rules, VectorType};
use crate::formats::write_back::{
    NotRepresentable, Unwritable, WrittenBack, WrongAssertion, hex_like, in_case_of, resize,
};
use crate::model::{Expected, Name, PathKey, Value};
use crate::text::edit::TextChange;
use crate::text::json::JsonNode;
use crate::text::number;

/// The role of a datum in a result, according to its path.
enum ResultPart<'p> {
    /// A member of a result or of a frame, by name.
    Member(&'p str),
    /// The list of frames.
    Frames,
    /// A list of items in a result or a frame, by the name of the member.
    Items(&'p str),
    /// An item, or a list inside one.
    Item,
}

impl ResultPart<'_> {
    fn of<'p>(path: &'p [&PathKey], rules: &Rules) -> ResultPart<'p> {
        match path {
            [PathKey::Name(name)] if name == "invocationStack" => ResultPart::Frames,
            [PathKey::Name(name)] if name == "resultStack" => ResultPart::Items(name),
            [PathKey::Name(_), PathKey::Index(_), PathKey::Name(name)]
                if rules.frame_lists.iter().any(|list| *name == list.0) =>
            {
                ResultPart::Items(name)
            }
            [PathKey::Name(name)] => ResultPart::Member(name),
            [PathKey::Name(stack), PathKey::Index(_), PathKey::Name(name)] if stack == "invocationStack" => {
                ResultPart::Member(name)
            }
            _ => ResultPart::Item,
        }
    }
}

pub(super) fn write_back<'d>(failed: &WrongAssertion<'d, '_>, rules: &Rules) -> WrittenBack<'d> {
    match ResultPart::of(&failed.at.keys(), rules) {
        ResultPart::Member(name) if failed.node.is_object() => {
            Ok(vec![TextChange::add_member(failed.node, name, plain(failed.present()?, None)?)])
        }
        ResultPart::Member("state") => failed.replace(word_like(failed.node, failed.present()?)?),
        ResultPart::Member("nextInstruction") => {
            failed.replace(word_like(failed.node, &as_in_files(failed.present()?, rules))?)
        }
        ResultPart::Member(_) => failed.replace(plain(failed.present()?, Some(failed.node))?),
        ResultPart::Frames => list(failed, "invocationStack", |frame| fresh_frame(frame, rules)),
        // An empty list says that there is none.
        ResultPart::Items(name)
            if failed.actual.is_none() && !rules.frame_lists.contains(&(name, Absence::None)) =>
        {
            Err(NotRepresentable::nothing())
        }
        ResultPart::Items(name) => list(failed, name, |item| fresh_item(item, rules)),
        ResultPart::Item => match (failed.expected, failed.actual) {
            (Expected::Len(_), Some(_)) => list(failed, "value", |item| fresh_item(item, rules)),
            (Expected::Absent, Some(value)) => insert_pair(failed, value, rules),
            (Expected::Order(_), Some(value)) => order(failed, value),
            (_, Some(value)) => item(failed, value, rules),
            (_, None) => remove_pair(failed),
        },
    }
}

/// Writes a list: the datum itself, which may be null, or a member that it lacks.
fn list<'d>(
    failed: &WrongAssertion<'d, '_>,
    name: &str,
    fresh: impl Fn(&Value) -> Result<Json, NotRepresentable>,
) -> WrittenBack<'d> {
    let items = match failed.actual {
        None => &[][..],
        Some(value) => items_of(value).ok_or_else(|| NotRepresentable::value(value))?,
    };
    let items = items.iter().map(fresh);
    if failed.node.is_array() {
        return resize(failed.node, items);
    }
    let items = Json::Array(items.collect::<Result<_, _>>()?);
    if failed.node.is_null() {
        return failed.replace(items);
    }
    Ok(vec![TextChange::add_member(failed.node, name, items)])
}

pub(super) fn items_of(value: &Value) -> Option<&[Value]> {
    match value {
        Value::List(items) => Some(items),
        Value::Typed(_, inner) => items_of(inner),
        _ => None,
    }
}

/// A datum other than an item, in the style of the old text.
pub(super) fn plain(value: &Value, old: Option<JsonNode<'_>>) -> Result<Json, NotRepresentable> {
    let text = old.and_then(JsonNode::text);
    Ok(match value {
        Value::Int(number) => integer(number, old),
        Value::Text(text) => text.as_str().into(),
        Value::Bytes(bytes) => bytes_like(text.as_deref().unwrap_or_default(), bytes).into(),
        other => return Err(NotRepresentable::value(other)),
    })
}

/// A word that may have any case.
fn word_like(old: JsonNode<'_>, value: &Value) -> Result<Json, NotRepresentable> {
    let Value::Text(word) = value else { return Err(NotRepresentable::value(value)) };
    Ok(in_case_of(&old.text().unwrap_or_default(), word).into())
}

/// The name of an instruction as files have it: in 2.x, the codes 0x02 to 0x4A have none, and are decimal digits.
fn as_in_files(instruction: &Value, rules: &Rules) -> Value {
    let code = match (rules.generation, instruction) {
        (Generation::V2, Value::Text(name)) => {
            name.strip_prefix("PUSHBYTES").and_then(|code| code.parse::<u8>().ok())
        }
        _ => None,
    };
    match code {
        Some(code @ 0x02..=0x4a) => Value::text(code.to_string()),
        _ => instruction.clone(),
    }
}

/// A number in digits; in quotes if the old one is, or if it is too large for most readers.
fn integer(number: &BigInt, old: Option<JsonNode<'_>>) -> Json {
    match i64::try_from(number) {
        Ok(number) if old.is_none_or(|old| old.text().is_none()) => number.into(),
        _ => number.to_string().into(),
    }
}

/// Hex digits, or base64 if the old text was base64. Base64 can look like hex with a prefix.
fn bytes_like(old: &str, bytes: &[u8]) -> String {
    let has_prefix = |text: &str| text.starts_with("0x") || text.starts_with("0X");
    let base64 = BASE64.encode(bytes);
    // As base64, which 40 hex digits may be, too, a hash has 28 characters.
    let is_hash = old.len() == 2 * HASH_BYTES && bytes.len() == HASH_BYTES && hex::decode(old).is_ok();
    if old.is_empty() || has_prefix(old) || is_hash {
        hex_like(old, bytes)
    } else if BASE64.decode(old).is_ok() && !has_prefix(&base64) {
        base64
    } else {
        hex_like("", bytes)
    }
}

pub(super) fn fresh_frame(frame: &Value, rules: &Rules) -> Result<Json, NotRepresentable> {
    let mut members = Map::new();
    for name in ["scriptHash", "instructionPointer"] {
        if let Some(value) = frame.get(name) {
            members.insert(name.to_owned(), plain(value, None)?);
        }
    }
    if let Some(instruction) = frame.get("nextInstruction") {
        members.insert("nextInstruction".to_owned(), plain(&as_in_files(instruction, rules), None)?);
    }
    for (name, absence) in rules.frame_lists {
        let items = frame.get(name).and_then(items_of).unwrap_or_default();
        let items: Result<Vec<_>, _> = items.iter().map(|item| fresh_item(item, rules)).collect();
        match items {
            Ok(items) if items.is_empty() => {}
            // If it is missing, it is not compared.
            Err(_) if *absence == Absence::NotCompared => {}
            items => drop(members.insert((*name).to_owned(), Json::Array(items?))),
        }
    }
    Ok(Json::Object(members))
}

pub(super) fn fresh_item(item: &Value, rules: &Rules) -> Result<Json, NotRepresentable> {
    let (of, value) = typed(item, rules)?;
    let value = item_value(value, of, None, rules)?;
    Ok(match of.notation {
        ItemNotation::Nothing => json!({"type": of.name}),
        _ => json!({"type": of.name, "value": value}),
    })
}

/// The type of an item by its name in the format, and its contents.
fn typed<'v>(item: &'v Value, rules: &Rules) -> Result<(&'static VectorType, &'v Value), NotRepresentable> {
    let Value::Typed(name, inner) = item else { return Err(NotRepresentable::value(item)) };
    let of = rules.types.iter().find(|of| *name == of.value);
    of.map(|of| (of, &**inner)).ok_or_else(|| NotRepresentable::value(item))
}

/// The value of an item of this type, in the style of the old one.
fn item_value(
    value: &Value,
    of: &VectorType,
    old: Option<JsonNode<'_>>,
    rules: &Rules,
) -> Result<Json, NotRepresentable> {
    Ok(match (of.notation, value) {
        (ItemNotation::Nothing | ItemNotation::Host, Value::Null) => Json::Null,
        (ItemNotation::Bool, Value::Bool(value)) => match old.and_then(JsonNode::text) {
            Some(_) => value.to_string().into(),
            None => (*value).into(),
        },
        (ItemNotation::Number, Value::Int(number)) => integer(number, old),
        (ItemNotation::Position, Value::Int(number)) => integer(number, None),
        (ItemNotation::Bytes, Value::Bytes(_)) | (ItemNotation::Host, Value::Text(_)) => plain(value, old)?,
        (ItemNotation::TextAsBytes, Value::Bytes(bytes)) => {
            str::from_utf8(bytes).map_err(|_| NotRepresentable::value(value))?.into()
        }
        (ItemNotation::Items, Value::List(items)) => {
            Json::Array(items.iter().map(|item| fresh_item(item, rules)).collect::<Result<_, _>>()?)
        }
        (ItemNotation::Map, Value::Record(pairs)) => {
            let pair = |(key, item): &(Name, Value)| Ok((key_of(key)?.to_owned(), fresh_item(item, rules)?));
            Json::Object(pairs.iter().map(pair).collect::<Result<_, _>>()?)
        }
        // The machine's description of a container that it does not show.
        (ItemNotation::Items | ItemNotation::Map, Value::Text(why)) => {
            return Err(NotRepresentable::because(format!(
                "the format has no way to write this {}: {why}",
                of.name
            )));
        }
        (_, other) => return Err(NotRepresentable::value(other)),
    })
}

/// A key of a Map. Of several keys that differ only in type, the format can write just one.
fn key_of(key: &str) -> Result<&str, NotRepresentable> {
    if key.contains('#') {
        return Err(NotRepresentable {
            why: "the format has no way to write keys that differ in their type alone".to_owned(),
            what: Unwritable::Container,
        });
    }
    Ok(key)
}

/// Changes the type or value of an existing item. The datum is that type or value.
fn item<'d>(failed: &WrongAssertion<'d, '_>, value: &Value, rules: &Rules) -> WrittenBack<'d> {
    let item = failed.outer(0)?;
    let (mut of, value) = typed(value, rules)?;
    let name = member(item, "type").ok_or_else(|| NotRepresentable::because("an item without a type"))?;
    let old_name = name.value.text().unwrap_or_default();
    let old_type = rules.types.iter().find(|of| old_name.eq_ignore_ascii_case(of.name));
    let old = member(item, "value").map(|member| member.value);
    // Text stays text if the new bytes are text.
    let as_text = |old: &&VectorType| old.value == of.value && item_value(value, old, None, rules).is_ok();
    of = old_type.filter(as_text).unwrap_or(of);
    let mut changes = Vec::new();
    if !old_name.eq_ignore_ascii_case(of.name) {
        let name_like = in_case_of(&old_name, of.name);
        changes.push(TextChange::Replace { node: name.value, value: name_like.into() });
    }
    // The contents of a container are compared and written back next, item by item.
    let same_notation = old_type.is_some_and(|old| old.notation == of.notation);
    match old {
        Some(old) if of.notation == ItemNotation::Nothing => changes.extend(TextChange::remove(item, old)),
        Some(old) if !(same_notation && is_container(of)) => {
            let style = Some(old).filter(|_| same_notation);
            let large = style.filter(|old| number::integer(old.raw()).is_some_and(|old| old.bits() > 63));
            changes.push(match (large, value) {
                (Some(node), Value::Int(number)) => TextChange::Digits { node, digits: number.to_string() },
                _ => TextChange::Replace { node: old, value: item_value(value, of, style, rules)? },
            });
        }
        None if of.notation != ItemNotation::Nothing => {
            changes.push(TextChange::add_member(item, "value", item_value(value, of, None, rules)?));
        }
        Some(_) | None => {}
    }
    Ok(changes)
}

fn is_container(of: &VectorType) -> bool {
    matches!(of.notation, ItemNotation::Items | ItemNotation::Map)
}

/// Inserts a pair into a Map.
fn insert_pair<'d>(failed: &WrongAssertion<'d, '_>, value: &Value, rules: &Rules) -> WrittenBack<'d> {
    let (map, item) = (failed.node, fresh_item(value, rules)?);
    let key = failed.at.last().to_string();
    let key = key_of(&key)?;
    if map.is_object() {
        return Ok(vec![TextChange::add_member(map, key, item)]);
    }
    let before = map.items().count();
    let of = rules.types.iter().find(|of| of.notation == ItemNotation::Bytes);
    let of = of.ok_or_else(|| NotRepresentable::value(value))?;
    let key = json!({"type": of.name, "value": if key.is_empty() { "0x" } else { key }});
    let insert = |value| TextChange::Insert { into: map, before, key: None, value };
    Ok(vec![insert(key), insert(item)])
}

/// Removes a pair that the actual Map does not have. The datum is the type or the value of its item.
fn remove_pair<'d>(failed: &WrongAssertion<'d, '_>) -> WrittenBack<'d> {
    let (item, map) = (failed.outer(0)?, failed.outer(1)?);
    if map.is_object() {
        return Ok(TextChange::remove(map, item).into_iter().collect());
    }
    let place = map.items().position(|other| other == item).filter(|place| place % 2 == 1);
    let place = place.ok_or_else(NotRepresentable::nothing)?;
    Ok([place - 1, place].map(|index| TextChange::Remove { from: map, index }).into())
}

/// Orders the pairs of a Map as the machine does, as far as they are present.
fn order<'d>(failed: &WrongAssertion<'d, '_>, value: &Value) -> WrittenBack<'d> {
    let object = failed.node;
    let names = value.members().ok_or_else(|| NotRepresentable::value(value))?;
    let place = |key: &str| names.iter().position(|(name, _)| same_key(name, key));
    let places: Vec<_> = object.members().map(|member| place(&member.key)).collect();
    let mut there: Vec<usize> = (0..places.len()).filter(|index| places[*index].is_some()).collect();
    let free = there.clone();
    there.sort_by_key(|index| places[*index]);
    let mut order: Vec<usize> = (0..places.len()).collect();
    for (place, member) in free.into_iter().zip(there) {
        order[place] = member;
    }
    Ok(vec![TextChange::Reorder { object, order }])
}

/// Whether a key of a Map in a path and a key in the vector are the same.
fn same_key(path: &str, written: &str) -> bool {
    path.eq_ignore_ascii_case(if written == "0x" { "" } else { written })
}
