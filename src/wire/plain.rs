//! Values as plain JSON, as a [`Shape`] describes it: `"0x2a"` and not `{"int": "42"}`. Shorter than
//! [`super::value`], and like vectors of the machine, but it cannot be read without the shape.

use std::collections::HashSet;

use num_bigint::BigInt;
use serde_json::{Map, Number, Value as Json};

use crate::model::{
    DeclaredField, MapKeys, MemberShape, Name, NumberNotation, Shape, Value, bytes_key, hex_bytes, number_key,
};
use crate::text::json::Document;
use crate::text::number::{self, MAX_DIGITS};
use crate::text::typed;

/// The maximum depth of lists and records that is written; JSON readers accept about as much.
const MAX_DEPTH: usize = 100;

/// The only member of an object that represents a number of more than 64 bits, if no shape says that it is a
/// number.
const INT: &str = "int";

/// The value as JSON of this shape. A list or record nested too deeply is written as text.
pub fn write(value: &Value, shape: &Shape) -> Json {
    write_at(0, value, shape)
}

/// A record with these members as JSON.
pub fn write_record(record: &Value, members: &'static [MemberShape]) -> Json {
    write(record, &Shape::Record(members))
}

fn write_at(depth: usize, value: &Value, shape: &Shape) -> Json {
    if let Shape::Declared(field) = shape {
        let text = typed::written(value, &field.field_type);
        return serde_json::from_str(&text).unwrap_or_else(|_| Json::String(text));
    }
    let inner = |value: &Value, shape: &Shape| write_at(depth + 1, value, shape);
    match value {
        Value::Null => Json::Null,
        Value::Bool(bool) => Json::Bool(*bool),
        Value::Int(number) => write_int(number, shape),
        Value::Bytes(bytes) => Json::String(bytes_key(bytes)),
        Value::Text(text) => Json::String(text.to_string()),
        Value::List(_) | Value::Record(_) if depth >= MAX_DEPTH => {
            Json::String(format!("nested in more than {MAX_DEPTH} others"))
        }
        Value::List(items) => {
            let shape = if let Shape::List(item) = shape { item } else { &Shape::Plain };
            Json::Array(items.iter().map(|item| inner(item, shape)).collect())
        }
        Value::Record(members) => {
            let member =
                |(name, value): &(Name, Value)| (name.to_string(), inner(value, member(shape, name)));
            Json::Object(members.iter().map(member).collect())
        }
        Value::Typed(name, value) => {
            let shape = typed(shape, name).map_or(&Shape::Plain, |known| &known.1);
            let name = ("type".to_owned(), Json::String(name.to_string()));
            let value = (**value != Value::Null).then(|| ("value".to_owned(), inner(value, shape)));
            Json::Object([name].into_iter().chain(value).collect())
        }
    }
}

fn write_int(number: &BigInt, shape: &Shape) -> Json {
    match shape {
        Shape::Int(NumberNotation::Hex) => Json::String(format!("{number:#x}")),
        Shape::Int(NumberNotation::Decimal) => Json::String(number.to_string()),
        _ => {
            let signed = i64::try_from(number).map(Number::from);
            let number_of_64_bits = signed.or_else(|_| u64::try_from(number).map(Number::from));
            let digits = || Json::String(number.to_string());
            match (number_of_64_bits, shape) {
                (Ok(number), _) => Json::Number(number),
                (Err(_), Shape::Plain) => Json::Object(Map::from_iter([(INT.to_owned(), digits())])),
                (Err(_), _) => digits(),
            }
        }
    }
}

/// The shape of a member of a record of this shape.
fn member(shape: &Shape, name: &str) -> &'static Shape {
    match shape {
        Shape::Map(_, value) => value,
        Shape::Record(members) => {
            members.iter().find(|member| member.name == name).map_or(&Shape::Plain, |member| &member.shape)
        }
        _ => &Shape::Plain,
    }
}

/// The type with this name and the shape of its values.
fn typed(shape: &Shape, name: &str) -> Option<&'static (&'static str, Shape)> {
    match shape {
        Shape::Typed(types) => types.iter().find(|known| known.0 == name),
        _ => None,
    }
}

/// A part of a JSON value that does not fit its shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// A part of a value.
    #[error("{} is {what}", at.trim_start_matches('/'))]
    Part {
        /// The path of the part from the outermost value; empty for the value itself.
        at: String,
        /// What it is, and what was expected.
        what: String,
    },
    /// A part of the field of a declaration: a sentence, which names it.
    #[error("{0}")]
    Declared(String),
}

impl Misfit {
    /// The same part, with the path prefixed by a member or item.
    #[must_use]
    pub fn inside(mut self, key: &str) -> Misfit {
        if let Misfit::Part { at, .. } = &mut self {
            at.insert_str(0, key);
        }
        self
    }
}

/// Those of the members of a record that this JSON has; others are skipped. The error is the first part that does not
/// fit its shape.
pub fn read_fields(
    fields: Map<String, Json>,
    members: &'static [MemberShape],
) -> Result<Vec<(&'static str, Value)>, Misfit> {
    let mut values = Vec::with_capacity(fields.len());
    for (name, json) in fields {
        if let Some(member) = members.iter().find(|member| member.name == name) {
            let value = read(json, &member.shape).map_err(|misfit| misfit.inside(&name))?;
            values.push((member.name, value));
        }
    }
    Ok(values)
}

/// The value of JSON with this shape. The error is the first part that does not fit its shape.
pub fn read(json: Json, shape: &Shape) -> Result<Value, Misfit> {
    Ok(match (json, shape) {
        (json, Shape::Declared(field)) => declared(&json, field)?,
        // Some writers of JSON have no empty lists.
        (Json::Null, Shape::List(_)) => Value::List(Vec::new()),
        (Json::Null, Shape::Map(..)) => Value::Record(Vec::new()),
        (Json::Null, _) => Value::Null,
        (Json::String(text), Shape::Int(_)) => number(&text)?.map_or(Value::text(text), Value::Int),
        (Json::String(text), Shape::Bytes) => bytes(&text).map_or(Value::text(text), Value::Bytes),
        (Json::String(text), Shape::Name(names)) => {
            let other = names.iter().find(|name| name.0.eq_ignore_ascii_case(&text));
            Value::text(other.map_or(text, |name| name.1.to_owned()))
        }
        (Json::String(text), _) => Value::text(text),
        (Json::Bool(bool), Shape::Bool | Shape::Plain) => Value::Bool(bool),
        (Json::Number(number), Shape::Int(_) | Shape::Plain) => Value::Int(integer(&number)?),
        (Json::Array(items), Shape::List(item)) => Value::List(read_list(items, item)?),
        (Json::Array(items), Shape::Plain) => Value::List(read_list(items, &Shape::Plain)?),
        (Json::Object(members), Shape::Plain) if members.len() == 1 && members.contains_key(INT) => {
            read_int(members)?
        }
        (Json::Object(members), Shape::Typed(_)) => read_typed(members, shape)?,
        (Json::Object(members), Shape::Map(..) | Shape::Record(_) | Shape::Plain) => {
            Value::Record(read_members(members, shape)?)
        }
        (other, _) => return Err(misfit(kind(&other), expected(shape))),
    })
}

/// The value of JSON as the declaration of a family says.
fn declared(json: &Json, field: &DeclaredField) -> Result<Value, Misfit> {
    let document = Document::parse(json.to_string(), MAX_DEPTH).map_err(|(_, error)| error);
    let value =
        document.and_then(|document| typed::read_wire(document.root(), &field.field_type, &field.name));
    value.map_err(|error| Misfit::Declared(error.to_string()))
}

fn misfit(found: &str, expected: &str) -> Misfit {
    Misfit::Part { at: String::new(), what: format!("{found}; expected {expected}") }
}

fn kind(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::String(_) => "a string",
        Json::Array(_) => "an array",
        Json::Object(_) => "an object",
    }
}

fn expected(shape: &Shape) -> &'static str {
    match shape {
        Shape::Bool => "true or false",
        Shape::Int(_) => "a number, or a string of decimal digits or of 0x and hex digits",
        Shape::Bytes => "a string of 0x and an even number of hex digits",
        Shape::Text | Shape::Name(_) => "a string",
        Shape::List(_) => "an array",
        Shape::Record(_) | Shape::Map(..) => "an object",
        Shape::Typed(_) => "an object with the members type and value",
        Shape::Plain => "a value",
        Shape::Declared(_) => "a value of the declared type",
    }
}

fn read_list(items: Vec<Json>, shape: &Shape) -> Result<Vec<Value>, Misfit> {
    let item = |(index, item)| read(item, shape).map_err(|misfit| misfit.inside(&format!("[{index}]")));
    items.into_iter().enumerate().map(item).collect()
}

fn read_members(members: Map<String, Json>, shape: &Shape) -> Result<Vec<(Name, Value)>, Misfit> {
    let mut seen = HashSet::new();
    let mut values = Vec::with_capacity(members.len());
    for (name, value) in members {
        let inside = |misfit: Misfit| misfit.inside(&format!("/{name}"));
        let value = read(value, member(shape, &name)).map_err(inside)?;
        let key = match shape {
            Shape::Map(keys @ (MapKeys::Bytes | MapKeys::Number), _) => {
                let key = key(*keys, &name);
                if !seen.insert(key.clone()) {
                    return Err(inside(misfit("a repeated key", "each key once")));
                }
                key
            }
            _ => name,
        };
        values.push((key.into(), value));
    }
    Ok(values)
}

/// A key in the notation that paths use.
fn key(keys: MapKeys, name: &str) -> String {
    let Some(digits) = name.strip_prefix("0x") else {
        let is_decimal = !name.is_empty() && name.bytes().all(|digit| digit.is_ascii_digit());
        let number = number(name).ok().flatten().filter(|_| keys == MapKeys::Number && is_decimal);
        return number.map_or_else(|| name.to_owned(), |number| number_key(&number.to_bytes_be().1));
    };
    let even = if digits.len() % 2 == 1 { format!("0{digits}") } else { digits.to_owned() };
    match (keys, hex_bytes(&even)) {
        (MapKeys::Number, Some(bytes)) => number_key(&bytes),
        (MapKeys::Bytes, Some(bytes)) if bytes.is_empty() => String::new(),
        (MapKeys::Bytes, Some(bytes)) if even.len() == digits.len() => bytes_key(&bytes),
        _ => name.to_owned(),
    }
}

/// An object with the single member `int`; if that is not a number, the object is a record.
fn read_int(members: Map<String, Json>) -> Result<Value, Misfit> {
    match members.get(INT).and_then(Json::as_str).map(number).transpose()?.flatten() {
        Some(number) => Ok(Value::Int(number)),
        None => Ok(Value::Record(read_members(members, &Shape::Plain)?)),
    }
}

fn read_typed(mut members: Map<String, Json>, shape: &Shape) -> Result<Value, Misfit> {
    let Some(Json::String(name)) = members.remove("type") else {
        return Err(misfit("an object without a type", expected(shape)));
    };
    let value = members.remove("value").unwrap_or(Json::Null);
    let known = typed(shape, &name);
    let value = read(value, known.map_or(&Shape::Plain, |known| &known.1));
    let name = known.map_or_else(|| Name::from(name), |known| Name::from(known.0));
    Ok(Value::typed(name, value.map_err(|misfit| misfit.inside("/value"))?))
}

fn integer(number: &Number) -> Result<BigInt, Misfit> {
    let integer = number.as_i64().map(BigInt::from).or_else(|| number.as_u64().map(BigInt::from));
    integer.ok_or_else(|| {
        misfit(
            "a number with a fraction or of more than 64 bits",
            expected(&Shape::Int(NumberNotation::Decimal)),
        )
    })
}

/// The number that a text denotes; `None` if it is not a number.
fn number(text: &str) -> Result<Option<BigInt>, Misfit> {
    match number::integer(text) {
        None if text.len() > MAX_DIGITS => Err(misfit("too long for a number", "at most 1000 digits")),
        number => Ok(number),
    }
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    if text.is_empty() { Some(Vec::new()) } else { hex_bytes(text.strip_prefix("0x")?) }
}
