//! Values of the types of members.

use num_bigint::{BigInt, Sign};

use crate::model::{DeclaredField, FieldType, Name, Value, bytes_key};
use crate::prove::numbers::Numbers;
use crate::text::typed::address_key;

/// The maximum number of items of a list, bytes of a string, and entries of a map.
const MAX_ITEMS: usize = 8;

/// How deeply random values are nested.
const MAX_DEPTH: usize = 8;

/// The maximum number of values in a value that is made.
const MAX_VALUES: usize = 1 << 12;

/// Whether values of a type are made: arrays inside each other can have more items than there is memory.
pub(super) fn is_small(field_type: &FieldType) -> bool {
    field_type.least_values() <= MAX_VALUES
}

pub(super) fn value(field_type: &FieldType, numbers: &mut Numbers) -> Value {
    value_at(field_type, numbers, 0)
}

fn value_at(field_type: &FieldType, numbers: &mut Numbers, depth: usize) -> Value {
    let count = |numbers: &mut Numbers| if depth < MAX_DEPTH { numbers.below(MAX_ITEMS / 2) } else { 0 };
    match field_type {
        FieldType::Unsigned(_) | FieldType::Signed(_) => Value::Int(number(field_type, numbers)),
        FieldType::Int => Value::Int(numbers.boundary()),
        FieldType::Bool => Value::Bool(numbers.one_in(2)),
        FieldType::Text => Value::text(text(numbers)),
        FieldType::Bytes | FieldType::Base64 => {
            let count = numbers.below(MAX_ITEMS);
            Value::Bytes(numbers.bytes(count))
        }
        FieldType::Optional(_) if numbers.one_in(4) => Value::Null,
        FieldType::Optional(inner) => value_at(inner, numbers, depth),
        FieldType::List(item) => {
            Value::List((0..count(numbers)).map(|_| value_at(item, numbers, depth + 1)).collect())
        }
        FieldType::Array(item, length) => {
            Value::List((0..*length).map(|_| value_at(item, numbers, depth + 1)).collect())
        }
        FieldType::Tuple(types) => {
            Value::List(types.iter().map(|item| value_at(item, numbers, depth + 1)).collect())
        }
        FieldType::Table(fields) => {
            let member = |field: &DeclaredField, numbers: &mut Numbers| {
                (field.name.clone(), value_at(&field.field_type, numbers, depth + 1))
            };
            Value::Record(fields.iter().map(|field| member(field, numbers)).collect())
        }
        FieldType::Map(key, item) => map(key, item, count(numbers), depth, numbers),
        FieldType::Memory(memory) => {
            let mut cells: Vec<(Name, Value)> = Vec::new();
            for _ in 0..count(numbers) {
                let address = u64::try_from(&number(&memory.address, numbers)).unwrap_or_default();
                let name = address_key(address);
                if cells.iter().all(|cell| cell.0 != name) {
                    cells.push((name, Value::Int(number(&memory.cell, numbers))));
                }
            }
            Value::Record(cells)
        }
        FieldType::Json => Value::Null,
    }
}

/// A map with keys of a type. Two keys of one text are one.
fn map(key: &FieldType, item: &FieldType, count: usize, depth: usize, numbers: &mut Numbers) -> Value {
    let mut members: Vec<(Name, Value)> = Vec::new();
    for _ in 0..count {
        let name = match value_at(key, numbers, depth + 1) {
            Value::Int(number) => format!("{number:#x}"),
            Value::Bytes(bytes) => bytes_key(&bytes),
            Value::Text(text) => text.to_string(),
            _ => continue,
        };
        if members.iter().all(|member| *member.0 != *name) {
            members.push((name.into(), value_at(item, numbers, depth + 1)));
        }
    }
    Value::Record(members)
}

fn text(numbers: &mut Numbers) -> String {
    (0..numbers.below(MAX_ITEMS)).map(|_| char::from(b'a' + numbers.below(26) as u8)).collect()
}

/// A number of a fixed width: at an edge, with a single bit set or clear, small, or random.
pub(super) fn number(field_type: &FieldType, numbers: &mut Numbers) -> BigInt {
    let Some(bits) = field_type.bits().filter(|bits| *bits > 0) else { return BigInt::ZERO };
    let all: BigInt = (BigInt::from(1) << bits) - 1;
    let pattern: BigInt = match numbers.below(8) {
        0 => {
            let half = BigInt::from(1) << (bits - 1);
            let edges = [BigInt::ZERO, BigInt::from(1), all.clone(), &all - 1, half.clone(), half - 1];
            edges[numbers.below(edges.len())].clone()
        }
        1 => {
            let bit = BigInt::from(1) << numbers.below(bits as usize);
            if numbers.one_in(2) { bit } else { &all ^ &bit }
        }
        2 => numbers.below(16).into(),
        _ => BigInt::from_bytes_le(Sign::Plus, &numbers.bytes(bits.div_ceil(8) as usize)),
    };
    let pattern = pattern & &all;
    let is_negative = matches!(field_type, FieldType::Signed(_)) && pattern.bit(u64::from(bits) - 1);
    if is_negative { pattern - all - 1 } else { pattern }
}
