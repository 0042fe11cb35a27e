//! Values as JSON, for documents that programs read.

use serde_json::{Map, Value as Json, json};

use crate::model::escape::is_harmful;
use crate::model::hex::bytes_key;
use crate::model::value::Value;

/// A value so that its type can be told: `{"int": "42"}`, `{"bytes": "0x2a"}`.
pub fn typed(value: &Value) -> Json {
    let mut room = usize::MAX;
    typed_within(value, &mut room)
}

/// As [`typed`], with at most `room` bytes, characters, items and members in it, which are taken off.
/// What is cut has its whole `length` beside it.
pub fn typed_within(value: &Value, room: &mut usize) -> Json {
    let length = value.len().unwrap_or_default();
    match value {
        Value::Null => Json::Null,
        Value::Bool(bool) => (*bool).into(),
        Value::Int(number) => json!({ "int": number.to_string() }),
        Value::Typed(name, value) => json!({ "type": name, "value": typed_within(value, room) }),
        Value::Bytes(bytes) => {
            let shown = &bytes[..take(room, length)];
            measured(json!({ "bytes": bytes_key(shown) }), shown.len(), length)
        }
        Value::Text(text) => {
            let shown = take(room, length);
            measured(json!({ "text": text.chars().take(shown).collect::<String>() }), shown, length)
        }
        Value::List(items) => {
            let item = |item| (take(room, 1) == 1).then(|| typed_within(item, room));
            let shown: Vec<_> = items.iter().map_while(item).collect();
            let count = shown.len();
            measured(json!({ "list": shown }), count, length)
        }
        Value::Record(members) => {
            let member = |(name, value): &(String, Value)| {
                (take(room, 1) == 1).then(|| (name.clone(), typed_within(value, room)))
            };
            let shown: Map<_, _> = members.iter().map_while(member).collect();
            let count = shown.len();
            measured(json!({ "record": shown }), count, length)
        }
    }
}

/// Adds the whole length, where not all is shown.
fn measured(mut json: Json, shown: usize, length: usize) -> Json {
    if shown < length {
        json["length"] = length.into();
    }
    json
}

fn take(room: &mut usize, wanted: usize) -> usize {
    let taken = wanted.min(*room);
    *room -= taken;
    taken
}

/// A document in one line, with everything escaped that could disturb a terminal and that JSON lets
/// through.
pub fn one_line(document: &Json) -> String {
    harmless(document.to_string())
}

/// A document in one line, escaped as [`one_line`] has it.
pub fn harmless(line: String) -> String {
    if !line.contains(is_harmful) {
        return line;
    }
    let escape = |character: char| {
        if is_harmful(character) { format!("\\u{:04x}", u32::from(character)) } else { character.to_string() }
    };
    line.chars().map(escape).collect()
}
