//! Fields that the user does not compare: `--ignore`.

use num_bigint::{BigInt, BigUint};

use crate::model::{
    Expected, ExpectedBits, FieldType, MemberShape, Mismatch, Name, Path, PathKey, Shape, Value,
};
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

/// What the user ignores of a machine.
#[derive(Clone, Copy)]
pub(crate) struct IgnoredFields<'i> {
    ignored: &'i [IgnoredField],
    /// The fields of the machine: the bits of a negative number are those of its type.
    fields: &'static [MemberShape],
}

impl<'i> IgnoredFields<'i> {
    pub(crate) fn new(ignored: &'i [IgnoredField], fields: &'static [MemberShape]) -> IgnoredFields<'i> {
        IgnoredFields { ignored, fields }
    }

    pub(super) fn is_none(self) -> bool {
        self.ignored.is_empty()
    }

    /// Whether the user ignores the whole field of a datum.
    pub(super) fn has(self, at: &Path) -> bool {
        self.ignored.iter().any(|ignored| ignored.mask.is_none() && ignored.is_of(at))
    }

    /// Whether all that differs are bits that the user ignores: those of all masks of the field.
    pub(super) fn has_bits_of(self, mismatch: &Mismatch) -> bool {
        let Some(mask) = self.mask_of(&mismatch.at) else { return false };
        let zero = Value::int(0);
        let datum_type = self.type_at(&mismatch.at);
        match (&mismatch.expected, &mismatch.actual) {
            (Expected::Bits(bits), Some(actual)) => {
                bits.differing(actual).is_some_and(|differing| &differing & &mask == differing)
            }
            (Expected::Is(expected), Some(actual)) => is_equal_without(&mask, expected, actual, datum_type),
            // A cell that is not listed is 0, on either side.
            (Expected::Absent, Some(actual)) if self.is_cell(&mismatch.at) => {
                is_equal_without(&mask, &zero, actual, datum_type)
            }
            (Expected::Is(expected), None) if self.is_cell(&mismatch.at) => {
                is_equal_without(&mask, expected, &zero, datum_type)
            }
            _ => false,
        }
    }

    /// What is expected of a datum but for the bits that the user ignores.
    pub(super) fn without_bits(self, at: &Path, expected: Expected) -> Expected {
        let Some(ignored) = self.mask_of(at) else { return expected };
        let (value, mask) = match (expected, self.type_at(at).and_then(FieldType::bits)) {
            (Expected::Is(value @ Value::Int(_)), Some(bits)) => (value, (BigInt::from(1) << bits) - 1),
            (Expected::Bits(bits), _) => (bits.value, BigInt::from(bits.mask)),
            (other, _) => return other,
        };
        let mask = (mask & !ignored).to_biguint().unwrap_or_default();
        Expected::Bits(Box::new(ExpectedBits { value, mask }))
    }

    /// The bits of the numbers of a field that the user ignores; `None` if there are none.
    fn mask_of(self, at: &Path) -> Option<BigInt> {
        let of_field = self.ignored.iter().filter(|ignored| ignored.is_of(at));
        let masks = of_field.filter_map(|it| it.mask.as_ref());
        masks.cloned().reduce(|all, mask| all | mask).map(BigInt::from)
    }

    /// Whether a datum is a cell of a memory.
    fn is_cell(self, at: &Path) -> bool {
        let of = at.parent().and_then(|memory| self.type_at(memory));
        matches!(of.map(FieldType::present), Some(FieldType::Memory(_)))
    }

    /// The declared type of a datum; `None` if its field is not that of a family.
    fn type_at(self, at: &Path) -> Option<&'static FieldType> {
        let keys = at.keys();
        let (PathKey::Name(name), rest) = keys.split_first()? else { return None };
        let field = self.fields.iter().find(|field| *field.name == **name)?;
        let Shape::Declared(declared) = field.shape else { return None };
        declared.field_type.at(rest)
    }
}

/// Whether values are equal but for these bits of the numbers in them.
fn is_equal_without(mask: &BigInt, one: &Value, other: &Value, of: Option<&FieldType>) -> bool {
    let part = |key: PathKey| of.and_then(|of| of.at(&[&key]));
    match (one, other) {
        (Value::Int(one), Value::Int(other)) => {
            let mut differing = one ^ other;
            if let Some(FieldType::Signed(bits)) = of.map(FieldType::present) {
                // A number in two's complement has its sign in all bits above.
                differing &= (BigInt::from(1) << *bits) - 1;
            }
            differing.clone() & mask == differing
        }
        (Value::List(ones), Value::List(others)) => {
            let pairs = ones.iter().zip(others).enumerate();
            ones.len() == others.len()
                && pairs.into_iter().all(|(index, (one, other))| {
                    is_equal_without(mask, one, other, part(PathKey::Index(index)))
                })
        }
        (Value::Record(ones), Value::Record(others)) => {
            let is_equal = |(one, other): (&(Name, Value), &(Name, Value))| {
                let of = part(PathKey::Name(one.0.clone()));
                one.0 == other.0 && is_equal_without(mask, &one.1, &other.1, of)
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
