//! Fields that the user does not compare: `--ignore`.

use std::borrow::Cow;

use indexmap::IndexSet;
use num_bigint::{BigInt, BigUint};

use crate::model::{
    Assertion, DeclaredField, Expected, ExpectedBits, FieldType, ListOrder, MemberShape, Mismatch, Path,
    PathKey, Shape, Step, Value,
};
use crate::text::number::natural;
use crate::text::typed::written;

/// A field that is not compared, or some of its bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredField {
    /// The name of the field.
    pub field: String,
    /// The bits that are ignored; `None` for the whole field.
    pub mask: Option<BigUint>,
}

impl IgnoredField {
    /// Parses `FIELD` or `FIELD:MASK`. An error says in one line what is wrong.
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

    /// The name of the field, with the bits: as [`IgnoredField::parse`] reads it.
    pub fn text(&self) -> String {
        let mask = self.mask.as_ref().map(|mask| format!(":{mask:#x}"));
        self.field.clone() + mask.as_deref().unwrap_or("")
    }

    /// Each of these once, without bits of fields that are ignored as a whole: what is left out is counted for each.
    pub fn distinct(all: &[IgnoredField]) -> Vec<IgnoredField> {
        let is_whole = |field: &str| all.iter().any(|it| it.mask.is_none() && it.field == *field);
        let mut distinct: Vec<IgnoredField> = Vec::new();
        for ignored in all {
            let is_covered = ignored.mask.is_some() && is_whole(&ignored.field);
            if !is_covered && !distinct.contains(ignored) {
                distinct.push(ignored.clone());
            }
        }
        distinct
    }

    /// Whether it is the field of a datum, or has bits of it.
    pub(crate) fn is_of(&self, at: &Path) -> bool {
        matches!(at.first(), PathKey::Name(name) if **name == *self.field)
    }
}

/// What the user ignores of a machine.
#[derive(Clone, Copy)]
pub struct IgnoredFields<'i> {
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
    pub(crate) fn has(self, at: &Path) -> bool {
        self.ignored.iter().any(|ignored| ignored.mask.is_none() && ignored.is_of(at))
    }

    /// The fields that steps demand, in a line, if the user ignores all of them; `None` if something is compared, or
    /// nothing is demanded.
    pub(super) fn all_that_is_demanded(self, steps: &[Step]) -> Option<String> {
        let demanded = || steps.iter().flat_map(Step::demands).map(|assertion| &assertion.at);
        if self.is_none() || demanded().next().is_none() || demanded().any(|at| !self.has(at)) {
            return None;
        }
        let fields: IndexSet<_> = demanded().map(|at| at.first().to_string()).collect();
        Some(fields.into_iter().collect::<Vec<_>>().join(", "))
    }

    /// The steps without assertions on whole fields that the user ignores, which a testee need not report.
    pub(crate) fn observed(self, steps: &[Step]) -> Cow<'_, [Step]> {
        if !steps.iter().flat_map(Step::demands).any(|assertion| self.has(&assertion.at)) {
            return Cow::Borrowed(steps);
        }
        let is_observed = |assertion: &&Assertion| !self.has(&assertion.at);
        let observed = |step: &Step| Step {
            actions: step.actions.clone(),
            end: step.end.iter().find(is_observed).cloned(),
            assertions: step.assertions.iter().filter(is_observed).cloned().collect(),
        };
        steps.iter().map(observed).collect()
    }

    /// What is compared of the value of a field; `None` if the user ignores the field.
    pub fn compared(self, field: &'static str, value: Value) -> Option<Value> {
        (!self.has(&Path::field(field))).then(|| self.clear_bits(field, value))
    }

    /// The value of a field without the bits that the user ignores.
    pub(crate) fn clear_bits(self, field: &'static str, value: Value) -> Value {
        let at = Path::field(field);
        match self.mask_of(&at) {
            Some(mask) => without(&mask, &value, self.type_at(&at)),
            None => value,
        }
    }

    /// Whether all that differs are bits that the user ignores: those of all masks of the field.
    pub(super) fn has_bits_of(self, mismatch: &Mismatch) -> bool {
        let Some(mask) = self.mask_of(&mismatch.at) else { return false };
        let datum_type = self.type_at(&mismatch.at);
        match (&mismatch.expected, &mismatch.actual) {
            (Expected::Bits(bits), Some(actual)) => {
                bits.differing(actual).is_some_and(|differing| &differing & &mask == differing)
            }
            (Expected::Is(expected @ Value::List(_)), Some(actual)) if self.is_in_any_order(&mismatch.at) => {
                datum_type.is_some_and(|of| has_same_items_without(&mask, expected, actual, of.present()))
            }
            (Expected::Is(expected), Some(actual)) => is_equal_without(&mask, expected, actual, datum_type),
            // A cell that the vector does not list is 0.
            (Expected::Absent, Some(actual)) if self.is_cell(&mismatch.at) => {
                is_equal_without(&mask, &Value::int(0), actual, datum_type)
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

    /// Whether a datum is a list whose order is not compared.
    fn is_in_any_order(self, at: &Path) -> bool {
        let declared = self.declared(at).and_then(|field| field.declared_at(&at.keys()[1..]));
        declared.is_some_and(|field| field.options.order == ListOrder::Any)
    }

    /// The declared type of a datum; `None` if its field is not that of a family.
    fn type_at(self, at: &Path) -> Option<&'static FieldType> {
        self.declared(at)?.field_type.at(&at.keys()[1..])
    }

    /// The field of a datum; `None` if it is not that of a family.
    fn declared(self, at: &Path) -> Option<&'static DeclaredField> {
        let PathKey::Name(name) = at.first() else { return None };
        let field = self.fields.iter().find(|field| *field.name == **name)?;
        let Shape::Declared(declared) = field.shape else { return None };
        Some(declared)
    }
}

/// Whether values are equal but for these bits of the numbers in them.
fn is_equal_without(mask: &BigInt, one: &Value, other: &Value, of: Option<&FieldType>) -> bool {
    one == other || without(mask, one, of) == without(mask, other, of)
}

/// The value without these bits of the numbers in it.
fn without(mask: &BigInt, value: &Value, of: Option<&FieldType>) -> Value {
    let part = |key: PathKey| of.and_then(|of| of.at(&[&key]));
    match value {
        // A number in two's complement has its sign in all bits above.
        Value::Int(number) => Value::Int(match of.map(FieldType::present) {
            Some(FieldType::Signed(bits)) => number & ((BigInt::from(1) << *bits) - 1) & !mask,
            _ => number & !mask,
        }),
        Value::List(items) => {
            let items = items.iter().enumerate();
            Value::List(items.map(|(index, item)| without(mask, item, part(PathKey::Index(index)))).collect())
        }
        Value::Record(members) => Value::Record(
            members
                .iter()
                .map(|(name, value)| (name.clone(), without(mask, value, part(PathKey::Name(name.clone())))))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// Whether lists have the same items in some order, but for these bits of the numbers in them.
fn has_same_items_without(mask: &BigInt, one: &Value, other: &Value, of: &FieldType) -> bool {
    let item_type = of.at(&[&PathKey::Index(0)]).unwrap_or(&FieldType::Json);
    let items = |value: &Value| {
        let Value::List(items) = value else { return None };
        let mut items: Vec<_> =
            items.iter().map(|item| written(&without(mask, item, Some(item_type)), item_type)).collect();
        items.sort_unstable();
        Some(items)
    };
    items(one) == items(other)
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
