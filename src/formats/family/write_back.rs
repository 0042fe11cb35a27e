//! Writes actual values back into vectors of families.

use indexmap::IndexMap;
use num_bigint::{BigInt, Sign};
use serde_json::Value as Json;

use super::declaration::{Declaration, DemandedField};
use super::fill::Gap;
use super::new_cases::{FamilyWriter, json, member_of, number_of};
use super::node_path::{NodePath, PathStep};
use crate::formats::write_back::{NotRepresentable, WrittenBack, WrongAssertion, hex_like, number_like};
use crate::model::{Expected, ExpectedBits, FieldType, MemoryType, Name, Path, PathKey, Value};
use crate::text::edit::TextChange;
use crate::text::json::JsonNode;
use crate::text::number::integer;
use crate::text::typed;

/// The changes that replace the expected value with the actual one, in the notation of the field's type.
pub(super) fn write_back<'d>(writer: FamilyWriter<'_>, wrong: &WrongAssertion<'d, '_>) -> WrittenBack<'d> {
    if let Some(written) = undemanded(writer, wrong) {
        return written;
    }
    let family = writer.declaration;
    if let Some(written) = map_entry(family, wrong) {
        return written;
    }
    let is_container = wrong.node.is_array() || wrong.node.is_object();
    match (wrong.expected, memory_of(family, wrong.at)) {
        // An expectation as a whole says what the cells are that it does not list.
        (Expected::Is(_) | Expected::Absent, Some(memory)) if is_container => add_cell(memory, wrong),
        (Expected::Is(_), Some(_)) if wrong.outer(0).is_ok_and(is_chunk) => Err(NotRepresentable::because(
            "a byte of contents that are hex digits, which only a list of bytes can replace",
        )),
        (Expected::Is(_), Some(_)) => {
            let cell = wrong.actual.cloned().unwrap_or_else(|| Value::int(0));
            wrong.replace(like(wrong.node, &cell, declared(family, wrong.at))?)
        }
        (Expected::Bits(bits), _) => {
            let number = with_old_bits(bits, wrong.present()?);
            wrong.replace(like(wrong.node, &number, declared(family, wrong.at))?)
        }
        (Expected::Is(_) | Expected::Len(_), _) => {
            wrong.replace(like(wrong.node, wrong.present()?, declared(family, wrong.at))?)
        }
        (Expected::Record, _) => Err(NotRepresentable::because(
            "the machine reports none, and bless does not remove a value that has contents",
        )),
        (
            Expected::Absent
            | Expected::OneOf(_)
            | Expected::IsOrAbsent(_)
            | Expected::Type(_)
            | Expected::Only(_)
            | Expected::Order(_),
            _,
        ) => Err(NotRepresentable::because("the declaration has no place for it")),
    }
}

/// The changes that remove an entry from a map, or add one; `None` for any other datum, and for an entry whose value is
/// replaced.
fn map_entry<'d>(family: &Declaration, wrong: &WrongAssertion<'d, '_>) -> Option<WrittenBack<'d>> {
    let FieldType::Map(keys, values) = declared(family, wrong.at.parent()?).present() else { return None };
    match (wrong.expected, wrong.actual, wrong.at.last()) {
        (_, None, _) => Some(wrong.remove(0)),
        (Expected::Absent, Some(entry), PathKey::Name(key)) => {
            let key = key_like(wrong.node, key, keys);
            let written = json(entry, values);
            Some(written.map(|entry| vec![TextChange::add_member(wrong.node, &key, entry)]))
        }
        _ => None,
    }
}

/// What to do about a demand that the declaration makes where a case says nothing; `None` if the case demands it.
fn undemanded<'d>(writer: FamilyWriter<'_>, wrong: &WrongAssertion<'d, '_>) -> Option<WrittenBack<'d>> {
    let PathKey::Name(name) = wrong.at.first() else { return None };
    let index = writer.declaration.state.iter().position(|field| field.name == *name)?;
    let Some(demanded) = writer.format.own_demand(index) else { return unlisted(writer, wrong, index) };
    match demanded {
        DemandedField::At { path, absent: Some(absent), .. } if !lies_at(wrong, path) => {
            // What of it differs has a place of its own in the next round.
            let value = serde_json::from_str(absent.text()).ok();
            let change = value.and_then(|value| Gap::of(wrong.node, &path.steps)?.put(value));
            Some(change.map(|change| vec![change]).ok_or_else(|| {
                NotRepresentable::because(format!("{path} is demanded if it is missing, and cannot be added"))
            }))
        }
        DemandedField::Constant { .. } if !writer.takes_demand(wrong, name) => {
            Some(Err(NotRepresentable::because("each case demands it, as the declaration says")))
        }
        DemandedField::At { .. } | DemandedField::Constant { .. } | DemandedField::All(_) => None,
    }
}

/// What to do about a field that the object of all demanded ones does not list, so that it must be as it was given;
/// `None` if the case lists it.
fn unlisted<'d>(
    writer: FamilyWriter<'_>,
    wrong: &WrongAssertion<'d, '_>,
    index: usize,
) -> Option<WrittenBack<'d>> {
    let field = &writer.declaration.state[index];
    if !wrong.node.is_object() || writer.takes_demand(wrong, &field.name) {
        return None;
    }
    let member = [PathStep::Member(field.name.to_string())];
    let gap = Gap::of(wrong.node, &member)?;
    let value = if *wrong.at == Path::field(field.name.clone()) {
        wrong.present().and_then(|value| json(value, &field.field_type))
    } else {
        // What of it differs has a place of its own in the next round.
        let is_case = |node: &JsonNode<'_>| {
            writer.format.demanded_whole().is_some_and(|all| all.find(*node) == Some(wrong.node))
        };
        let given = wrong.chain().find(is_case).and_then(|case| writer.given_value(case, index));
        given.ok_or_else(|| NotRepresentable::because("it cannot be added"))
    };
    Some(value.and_then(|value| {
        let change = gap.put(value);
        change.map(|change| vec![change]).ok_or_else(|| NotRepresentable::because("it cannot be added"))
    }))
}

impl FamilyWriter<'_> {
    /// Whether a datum lies in the member that demands a field along with all others.
    fn takes_demand(&self, wrong: &WrongAssertion<'_, '_>, name: &str) -> bool {
        self.format
            .demanded_whole()
            .is_some_and(|all| lies_at(wrong, &NodePath { steps: member_of(all, name) }))
    }
}

/// Whether a datum lies in what the path names, from something around it.
fn lies_at(wrong: &WrongAssertion<'_, '_>, path: &NodePath) -> bool {
    let mut around = wrong.chain().map(|node| path.find(node));
    around.any(|found| found.is_some_and(|found| wrong.chain().any(|node| node == found)))
}

/// The type of the datum at a path of the state, JSON if a part of it is.
fn declared<'f>(family: &'f Declaration, at: &Path) -> &'f FieldType {
    let keys = at.keys();
    let of_field = || {
        let (PathKey::Name(first), rest) = keys.split_first()? else { return None };
        family.state.iter().find(|field| field.name == *first)?.field_type.at(rest)
    };
    of_field().unwrap_or(&FieldType::Json)
}

/// The type of the memory of which the path names a cell.
fn memory_of<'f>(family: &'f Declaration, at: &Path) -> Option<&'f MemoryType> {
    match declared(family, at.parent()?).present() {
        FieldType::Memory(memory) => Some(memory),
        _ => None,
    }
}

/// Adds a cell, which the expectation does not list, in the notation of the others. A cell that a machine does not
/// report is 0.
fn add_cell<'d>(memory: &MemoryType, wrong: &WrongAssertion<'d, '_>) -> WrittenBack<'d> {
    let refuse = || NotRepresentable::because("a cell that is not listed, in a notation without pairs");
    let PathKey::Name(key) = wrong.at.last() else { return Err(refuse()) };
    let address = typed::address_of_key(key).ok_or_else(refuse)?;
    let cell = json(wrong.actual.unwrap_or(&Value::int(0)), &memory.cell)?;
    let first = wrong.node.values().next();
    let item = match first {
        _ if wrong.node.is_object() => {
            let is_hex = wrong.node.members().next().is_some_and(|member| member.key.starts_with("0x"));
            let key = if is_hex { key.to_string() } else { address.to_string() };
            return Ok(vec![TextChange::add_member(wrong.node, &key, cell)]);
        }
        Some(chunk) if chunk.is_object() => {
            let [of_address, contents] = chunk_keys(chunk).ok_or_else(|| {
                NotRepresentable::because("a cell that is not listed, beside contents that are hex digits")
            })?;
            serde_json::json!({ of_address: address, contents: [cell] })
        }
        Some(pair) if !pair.is_array() => return Err(refuse()),
        // In the notation of the first pair.
        Some(pair) => {
            let parts = [Value::int(address), wrong.actual.cloned().unwrap_or_else(|| Value::int(0))];
            let types = FieldType::Tuple(vec![(*memory.address).clone(), (*memory.cell).clone()]);
            list_like(pair, &parts, &types)?
        }
        None => Json::from(vec![Json::from(address), cell]),
    };
    let before = wrong.node.items().count();
    Ok(vec![TextChange::Insert { into: wrong.node, before, key: None, value: item }])
}

/// Whether it is an address with the cells from there on.
fn is_chunk(node: JsonNode<'_>) -> bool {
    node.is_object() && node.member("address").is_some()
}

/// The names of the two members of a chunk of cells: of the address, and of the contents.
fn chunk_keys(chunk: JsonNode<'_>) -> Option<[String; 2]> {
    let of = |is_contents: bool| {
        let mut members = chunk.members().filter(|member| member.value.is_array() == is_contents);
        members.next().map(|member| member.key.into_owned())
    };
    Some([of(false)?, of(true)?])
}

/// The value in the notation of what it replaces.
fn like(old: JsonNode<'_>, new: &Value, of: &FieldType) -> Result<Json, NotRepresentable> {
    let text = old.text();
    match (new, &text, of.present()) {
        (new, _, FieldType::Json | FieldType::Base64) => json(new, of),
        (Value::Int(number), None, _) => Ok(number_of(number)),
        (Value::Int(number), Some(old), _) if number.sign() != Sign::Minus => {
            Ok(number_like(old, number).into())
        }
        (Value::Int(number), Some(old), _) if old.contains("0x") => Ok(format!("{number:#x}").into()),
        (Value::Int(number), Some(_), _) => Ok(number.to_string().into()),
        (Value::Bytes(bytes), Some(old), _) => Ok(hex_like(old, bytes).into()),
        (Value::Bytes(bytes), None, _) if old.is_array() => Ok(Json::from(bytes.clone())),
        (Value::Bool(bool), None, _) if old.raw().starts_with(|it: char| it.is_ascii_digit()) => {
            Ok(i32::from(*bool).into())
        }
        (Value::Record(members), _, FieldType::Map(keys, values)) if old.is_object() => {
            map_like(old, members, (keys, values))
        }
        (Value::Record(members), _, FieldType::Table(_)) if old.is_object() => table_like(old, members, of),
        (Value::List(items), _, _) if old.is_array() => list_like(old, items, of.present()),
        (new, _, field_type) => json(new, field_type),
    }
}

/// The number with those bits of the old one that are not compared, since nobody says that they are wrong.
fn with_old_bits(old: &ExpectedBits, new: &Value) -> Value {
    let mask = BigInt::from(old.mask.clone());
    match (new, &old.value) {
        (Value::Int(new), Value::Int(old)) => Value::Int(new & &mask | old & !mask),
        (new, _) => new.clone(),
    }
}

/// A list with each item in the notation of the old one, or of the last one.
fn list_like(old: JsonNode<'_>, new: &[Value], of: &FieldType) -> Result<Json, NotRepresentable> {
    let (mut notations, mut last) = (old.items(), None);
    let item = |(index, value): (usize, &Value)| {
        last = notations.next().or(last);
        let item_type = of.at(&[&PathKey::Index(index)]).unwrap_or(&FieldType::Json);
        last.map_or_else(|| json(value, item_type), |last| like(last, value, item_type))
    };
    Ok(Json::Array(new.iter().enumerate().map(item).collect::<Result<_, _>>()?))
}

/// A table with each member in the notation of the old one.
fn table_like(old: JsonNode<'_>, new: &[(Name, Value)], of: &FieldType) -> Result<Json, NotRepresentable> {
    let member = |(name, value): &(Name, Value)| {
        let field_type = of.present().at(&[&PathKey::Name(name.clone())]).unwrap_or(&FieldType::Json);
        let written = match old.member(name) {
            Some(known) => like(known, value, field_type)?,
            None => json(value, field_type)?,
        };
        Ok((name.to_string(), written))
    };
    Ok(Json::Object(new.iter().map(member).collect::<Result<_, NotRepresentable>>()?))
}

/// A map with the keys of what it replaces as they are written there, and in their order.
fn map_like(
    old: JsonNode<'_>,
    new: &[(Name, Value)],
    (keys, values): (&FieldType, &FieldType),
) -> Result<Json, NotRepresentable> {
    let mut left: IndexMap<&str, &Value> = new.iter().map(|(name, value)| (&**name, value)).collect();
    let mut written = serde_json::Map::new();
    for member in old.members() {
        let known = typed::key(&member.key, keys).and_then(|key| left.shift_remove(&*key));
        if let Some(value) = known {
            written.insert(member.key.into_owned(), like(member.value, value, values)?);
        }
    }
    for (key, value) in left {
        written.insert(key_like(old, key, keys), json(value, values)?);
    }
    Ok(Json::Object(written))
}

/// A new key of a map, in the notation of the others.
fn key_like(map: JsonNode<'_>, key: &str, keys: &FieldType) -> String {
    let is_prefixed = map.members().next().is_none_or(|first| first.key.contains("0x"));
    match (is_prefixed, keys) {
        (true, _) => key.to_owned(),
        (_, FieldType::Bytes) => key.trim_start_matches("0x").to_owned(),
        (_, FieldType::Unsigned(_) | FieldType::Signed(_) | FieldType::Int) => {
            integer(key).map_or_else(|| key.to_owned(), |number| number.to_string())
        }
        _ => key.to_owned(),
    }
}
