//! Fields that the user does not compare: `--ignore`.

use num_bigint::{BigInt, BigUint};

use crate::model::assertion::Expected;
use crate::model::path::{Path, PathKey};
use crate::model::value::Value;
use crate::model::verdict::CaseDifference;

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
            let number =
                mask.strip_prefix("0x").and_then(|digits| BigUint::parse_bytes(digits.as_bytes(), 16));
            number.ok_or_else(|| format!("{mask:?} is not a mask; expected 0x and hex digits"))
        };
        Ok(IgnoredField { field: field.to_owned(), mask: mask.map(number).transpose()? })
    }

    fn is_of(&self, at: &Path) -> bool {
        matches!(at.first(), PathKey::Name(name) if **name == *self.field)
    }

    /// Whether the user ignores this difference.
    pub(super) fn covers(&self, difference: &CaseDifference) -> bool {
        if !self.is_of(&difference.at) {
            return false;
        }
        let Some(mask) = &self.mask else { return true };
        match (&difference.expected, &difference.actual) {
            (Expected::Is(Value::Int(expected)), Some(Value::Int(actual))) => {
                let differing = expected ^ actual;
                differing.clone() & BigInt::from(mask.clone()) == differing
            }
            _ => false,
        }
    }
}
