//! Fields that the user does not compare: `--ignore`.

use num_bigint::{BigInt, BigUint};

use crate::model::{Expected, Mismatch, Name, Path, PathKey, Value};
use crate::text::number::natural;

/// A field that is not compared, or some of its bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredField {
    /// The name of the field.
    pub field: String,
    /// The bits that are ignored; `None` for the whole field.
    pub mask: Option<BigUint>,
}

impl IgnoredField {
    /// Parses `FIELD` or `FIELD:MASK`.
    ///
    /// # Errors
    ///
    /// What is wrong, in one line.
    pub fn parse(text: &str) -> Result<IgnoredField, String> {
        let (field, mask) = text.split_once(':').map_or((text, None), |(field, mask)| (field, Some(mask)));
        if field.is_empty() {
            return Err("the name of a field is missing".to_owned());
        }
        let number = |mask: &str| {
            let number = mask.starts_with("0x").then(|| natural(mask)).flatten();
            number.ok_or_else(|| format!("{mask:?} is not a mask; expected 0x and hex digits"))
        };
        Ok(IgnoredField { field: field.to_owned(), mask: mask.map(number).transpose()? })
    }

    /// Whether it is the field of a datum, or has bits of it.
    pub(crate) fn is_of(&self, at: &Path) -> bool {
        matches!(at.first(), PathKey::Name(name) if **name == *self.field)
    }
}

/// Whether the user ignores the whole field of a datum.
pub(super) fn is_ignored(ignored: &[IgnoredField], at: &Path) -> bool {
    ignored.iter().any(|ignored| ignored.mask.is_none() && ignored.is_of(at))
}

/// Whether all that differs are bits that the user ignores: those of all masks of the field.
pub(super) fn is_in_ignored_bits(ignored: &[IgnoredField], mismatch: &Mismatch) -> bool {
    let masks =
        ignored.iter().filter(|ignored| ignored.is_of(&mismatch.at)).filter_map(|it| it.mask.as_ref());
    let Some(mask) = masks.cloned().reduce(|all, mask| all | mask) else { return false };
    let zero = Value::int(0);
    match (&mismatch.expected, &mismatch.actual) {
        (Expected::Is(expected), Some(actual)) => is_equal_without(&mask, expected, actual),
        // A cell that is not listed is 0, on either side.
        (Expected::Absent, Some(actual)) => is_equal_without(&mask, &zero, actual),
        (Expected::Is(expected), None) if mismatch.at.parent().is_some() => {
            is_equal_without(&mask, expected, &zero)
        }
        _ => false,
    }
}

/// Whether values are equal but for these bits of the numbers in them.
fn is_equal_without(mask: &BigUint, one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Int(one), Value::Int(other)) => {
            let differing = one ^ other;
            differing.clone() & BigInt::from(mask.clone()) == differing
        }
        (Value::List(ones), Value::List(others)) => {
            let pairs = ones.iter().zip(others);
            ones.len() == others.len()
                && pairs.into_iter().all(|(one, other)| is_equal_without(mask, one, other))
        }
        (Value::Record(ones), Value::Record(others)) => {
            let is_equal = |(one, other): (&(Name, Value), &(Name, Value))| {
                one.0 == other.0 && is_equal_without(mask, &one.1, &other.1)
            };
            ones.len() == others.len() && ones.iter().zip(others).all(is_equal)
        }
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_is_0x_and_hex_digits() {
        let mask = |text: &str| IgnoredField::parse(text).map(|ignored| ignored.mask);
        assert_eq!(mask("f:0xD7"), Ok(Some(BigUint::from(0xd7_u8))));
        for wrong in ["f:0x+d7", "f:0x-d7", "f:0xd_7", "f:0x", "f:7", "f:-0x7"] {
            assert!(mask(wrong).is_err_and(|error| error.contains("is not a mask")), "{wrong}");
        }
    }
}
