//! Values as JSON text, without a tree in between.

use std::fmt::Write;

use num_bigint::BigInt;

use super::json_number;
use crate::model::{FieldType, Name, Value, bytes_key, push_number};

/// The value as JSON.
pub fn written(value: &Value, field_type: &FieldType) -> String {
    let mut out = String::new();
    write(value, field_type, &mut out);
    out
}

/// Appends the value as JSON.
pub fn write(value: &Value, field_type: &FieldType, out: &mut String) {
    match (value, field_type) {
        (value, FieldType::Optional(inner)) => write(value, inner, out),
        (Value::Int(number), FieldType::Json) => push(out, format_args!("{number}")),
        (Value::Null, _) => out.push_str("null"),
        (Value::Bool(bool), _) => out.push_str(if *bool { "true" } else { "false" }),
        (Value::Int(number), _) => push_hex(number, out),
        (Value::Bytes(bytes), _) => quote(&bytes_key(bytes), out),
        (Value::Text(text), _) => quote(text, out),
        (Value::List(items), _) => list(items, field_type, out),
        (Value::Record(cells), FieldType::Memory(memory)) => {
            let pair = |(address, cell): &(Name, Value), out: &mut String| {
                out.push('[');
                quote(address, out);
                out.push(',');
                write(cell, &memory.cell, out);
                out.push(']');
            };
            separated(cells, ['[', ']'], pair, out);
        }
        (Value::Record(members), _) => {
            let member = |(name, value): &(Name, Value), out: &mut String| {
                quote(name, out);
                out.push(':');
                write(value, type_of_member(field_type, name), out);
            };
            separated(members, ['{', '}'], member, out);
        }
        (Value::Typed(_, inner), _) => match json_number::text_of(value) {
            Some(text) => out.push_str(text),
            None => write(inner, field_type, out),
        },
    }
}

fn list(items: &[Value], field_type: &FieldType, out: &mut String) {
    match field_type {
        FieldType::Tuple(types) => {
            let item =
                |(value, field_type): &(&Value, &FieldType), out: &mut String| write(value, field_type, out);
            let items: Vec<_> = items.iter().zip(types).collect();
            separated(&items, ['[', ']'], item, out);
        }
        FieldType::List(item) | FieldType::Array(item, _) => {
            separated(items, ['[', ']'], |value, out| write(value, item, out), out);
        }
        _ => separated(items, ['[', ']'], |value, out| write(value, &FieldType::Json, out), out),
    }
}

fn type_of_member<'t>(field_type: &'t FieldType, name: &str) -> &'t FieldType {
    match field_type {
        FieldType::Table(fields) => {
            let field = fields.iter().find(|field| field.name == *name);
            field.map_or(&FieldType::Json, |field| &field.field_type)
        }
        FieldType::Map(_, value) => value,
        _ => &FieldType::Json,
    }
}

fn separated<T>(items: &[T], brackets: [char; 2], item: impl Fn(&T, &mut String), out: &mut String) {
    out.push(brackets[0]);
    for (index, each) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        item(each, out);
    }
    out.push(brackets[1]);
}

fn push_hex(number: &BigInt, out: &mut String) {
    match u64::try_from(number) {
        Ok(number) => {
            out.push('"');
            push_number(number, out);
            out.push('"');
        }
        Err(_) => push(out, format_args!("\"{number:#x}\"")),
    }
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = out.write_fmt(text);
}

/// Appends the text in quotes, as JSON.
pub fn quote(text: &str, out: &mut String) {
    let is_plain = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\';
    if text.bytes().all(is_plain) {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        out.push_str(&serde_json::Value::from(text).to_string());
    }
}
