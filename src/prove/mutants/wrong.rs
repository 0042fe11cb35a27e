//! What faults make of values and cells.

use num_bigint::{BigInt, Sign};

use super::fault::WrongValue;
use crate::model::{Cell, Name, Value};

/// The value plus one; a truth value negated, bytes with a different last byte.
pub fn one_more(value: &Value) -> Option<Value> {
    match value {
        Value::Int(number) => Some(Value::Int(number + BigInt::from(1))),
        Value::Bool(truth) => Some(Value::Bool(!truth)),
        Value::Bytes(bytes) => {
            let (last, rest) = bytes.split_last().unwrap_or((&0, &[]));
            Some(Value::Bytes([rest, &[last.wrapping_add(1)]].concat()))
        }
        Value::Typed(name, value) => Some(Value::typed(name.clone(), one_more(value)?)),
        Value::Null | Value::Text(_) | Value::List(_) | Value::Record(_) => None,
    }
}

/// The place after a place.
pub(super) fn neighbour(cell: &Cell) -> Option<Cell> {
    match cell {
        // Nothing follows all of a memory.
        Cell::Range(name, range) => Some(Cell::Range(name, range.end..range.end.checked_add(range.len())?)),
        Cell::Named(kind, name) => {
            let (number, rest) = name
                .split_once(' ')
                .map_or((&**name, String::new()), |(number, rest)| (number, format!(" {rest}")));
            let next = match number.strip_prefix("0x") {
                Some(digits) => format!("0x{:02x}", u64::from_str_radix(digits, 16).ok()?.checked_add(1)?),
                None => match number.strip_prefix('r') {
                    Some(digits) => format!("r{}", digits.parse::<u64>().ok()?.checked_add(1)?),
                    None => number.parse::<u64>().ok()?.checked_add(1)?.to_string(),
                },
            };
            Some(Cell::named(kind, next + &rest))
        }
        Cell::Stack(_) | Cell::Item(..) | Cell::Compound(_) | Cell::Bytes(..) => None,
    }
}

/// Whether such values can be swapped with each other.
pub(super) fn is_movable(value: &Value) -> bool {
    match value {
        Value::Int(_) | Value::Bool(_) | Value::Bytes(_) => true,
        Value::Typed(name, value) => &**name != "Buffer" && is_movable(value),
        Value::Null | Value::Text(_) | Value::List(_) | Value::Record(_) => false,
    }
}

/// The value with this mistake, on a machine whose words have this number of bits; `None` if that would not change
/// it.
pub(super) fn wrong_value(value: &Value, wrong: WrongValue, word: u32) -> Option<Value> {
    let typed = |name: &Name, inner: Value| Value::typed(name.clone(), inner);
    match (value, wrong) {
        (Value::Typed(name, inner), _) => Some(typed(name, wrong_value(inner, wrong, word)?)),
        (_, WrongValue::OneMore) => one_more(value),
        (Value::Int(number), _) => Some(Value::Int(wrong_number(number, wrong, word)?)),
        (Value::Bool(true), WrongValue::Zero) => Some(Value::Bool(false)),
        (Value::Bool(false), WrongValue::ZeroAsOne) => Some(Value::Bool(true)),
        (Value::Bytes(bytes), WrongValue::Zero) if !bytes.is_empty() => {
            Some(Value::Bytes(vec![0; bytes.len()]))
        }
        (Value::Bytes(bytes), WrongValue::LowLimb) if bytes.iter().skip(8).any(|byte| *byte != 0) => {
            Some(Value::Bytes([&bytes[..8], &vec![0; bytes.len() - 8]].concat()))
        }
        _ => None,
    }
}

fn wrong_number(number: &BigInt, wrong: WrongValue, word: u32) -> Option<BigInt> {
    let low = |bits: u32| number & ((BigInt::from(1) << bits) - 1);
    let other = match wrong {
        WrongValue::OneMore => number + 1,
        WrongValue::OneLess => number - 1,
        WrongValue::LowByte => low(8),
        WrongValue::LowLimb => low(64),
        WrongValue::LowHalf => low(128),
        // The sign of an unsigned word is its highest bit.
        WrongValue::SignLost if number.bits() == u64::from(word) && number.sign() == Sign::Plus => {
            low(word - 1)
        }
        WrongValue::SignLost if number.sign() == Sign::Minus => -number,
        WrongValue::Zero => BigInt::ZERO,
        WrongValue::ZeroAsOne if number.sign() == Sign::NoSign => BigInt::from(1),
        WrongValue::SignLost | WrongValue::ZeroAsOne => return None,
    };
    (other != *number).then_some(other)
}

/// The opposite of a truth value.
pub(super) fn opposite(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(truth) => Some(Value::Bool(!truth)),
        Value::Int(number) if *number <= BigInt::from(1) && *number >= BigInt::ZERO => {
            Some(Value::Int(1 - number))
        }
        Value::Typed(name, inner) => Some(Value::typed(name.clone(), opposite(inner)?)),
        _ => None,
    }
}
