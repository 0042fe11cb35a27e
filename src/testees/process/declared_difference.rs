//! What differs between two values of a field that is described by data: flags by name, cells that are not listed.

use num_bigint::BigInt;

use crate::model::assertion::Expected;
use crate::model::field_type::{BitName, DeclaredField, FieldType};
use crate::model::path::Path;
use crate::model::value::Value;

/// See [`TesteeState::tell_apart`](crate::testees::TesteeState::tell_apart).
pub(super) fn tell_apart(
    field: &DeclaredField,
    at: &Path,
    expected: &Expected,
    actual: Option<&Value>,
) -> Option<String> {
    match (&field.field_type, expected, actual) {
        (_, Expected::Is(Value::Int(expected)), Some(Value::Int(actual))) if at.parent().is_none() => {
            flags(&field.options.flags, expected, actual)
        }
        (FieldType::Memory(_), Expected::Absent, Some(_)) => {
            Some("must be 0: the vector does not list this cell".to_owned())
        }
        _ => None,
    }
}

/// The flags that differ: `Z set, C clear; must be: Z clear, C set`. `None` if none of them has a name.
fn flags(names: &[BitName], expected: &BigInt, actual: &BigInt) -> Option<String> {
    let bits = (0..names.len()).rev();
    let differing: Vec<_> =
        bits.zip(names).filter(|(bit, _)| expected.bit(*bit as u64) != actual.bit(*bit as u64)).collect();
    if !differing.iter().any(|(_, name)| name.is_some()) {
        return None;
    }
    let state = |number: &BigInt| {
        let each = differing.iter().map(|(bit, name)| {
            let name = name.map_or_else(|| format!("bit {bit}"), |name| name.to_string());
            format!("{name} {}", if number.bit(*bit as u64) { "set" } else { "clear" })
        });
        each.collect::<Vec<_>>().join(", ")
    };
    Some(format!("{}; must be: {}", state(actual), state(expected)))
}
