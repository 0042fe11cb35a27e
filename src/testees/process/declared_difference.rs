//! What differs between two values of a field that is described by data: bits, flags by name, cells that are not
//! listed.

use num_bigint::BigInt;

use crate::model::{BitName, DeclaredField, Expected, FieldType, Path, Value};

/// See [`TesteeState::tell_apart`](crate::testees::TesteeState::tell_apart).
pub(super) fn tell_apart(
    field: &DeclaredField,
    at: &Path,
    expected: &Expected,
    actual: Option<&Value>,
) -> Option<String> {
    let flags = || field.declared_at(&at.keys()[1..]).map_or(&[][..], |inner| &inner.options.flags);
    match (&field.field_type, expected, actual) {
        (_, Expected::Is(Value::Int(expected)), Some(Value::Int(actual))) => {
            flags_of(flags(), &(expected ^ actual), actual)
        }
        (_, Expected::Bits(bits), Some(actual @ Value::Int(number))) => {
            let differing = bits.differing(actual)?;
            let mask = format!("only {:#x} is compared", bits.mask);
            Some(match flags_of(flags(), &differing, number) {
                Some(flags) => format!("{flags}; {mask}"),
                None => format!("{differing:#x} differs; {mask}"),
            })
        }
        (FieldType::Memory(_), Expected::Absent, Some(_)) => {
            Some("must be 0: the vector does not list this cell".to_owned())
        }
        _ => None,
    }
}

/// The flags that differ: `Z set, must be clear; C clear, must be set`. `None` if none of them has a name.
fn flags_of(names: &[BitName], differing: &BigInt, actual: &BigInt) -> Option<String> {
    let bits = (0..names.len()).rev().map(|bit| bit as u64);
    let differing: Vec<_> = bits.zip(names).filter(|(bit, _)| differing.bit(*bit)).collect();
    if !differing.iter().any(|(_, name)| name.is_some()) {
        return None;
    }
    let with = |is_set: bool| {
        let those = differing.iter().filter(|(bit, _)| actual.bit(*bit) == is_set);
        let names: Vec<_> = those
            .map(|(bit, name)| name.map_or_else(|| format!("bit {bit}"), |name| name.to_string()))
            .collect();
        let (is, must_be) = if is_set { ("set", "clear") } else { ("clear", "set") };
        (!names.is_empty()).then(|| format!("{} {is}, must be {must_be}", names.join(", ")))
    };
    Some([with(true), with(false)].into_iter().flatten().collect::<Vec<_>>().join("; "))
}
