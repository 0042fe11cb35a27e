//! Fields that the user does not compare: `--ignore`.

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexSet;
use num_bigint::{BigInt, BigUint};

use crate::model::{
    Assertion, DeclaredField, Expected, ExpectedBits, FieldType, ListOrder, MemberShape, Mismatch, Name,
    Path, PathKey, Shape, Step, Value,
};
use crate::text::number::natural;
use crate::text::typed::written;

/// A field that is not compared, or a datum in it, or some of their bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredField {
    /// The field: `ram`; or the datum in it: `cpu/f`, `ram/0x1234`.
    pub at: Path,
    /// The bits that are ignored; `None` for all.
    pub mask: Option<BigUint>,
}

impl IgnoredField {
    /// This field as a whole.
    pub fn whole(field: impl Into<Name>) -> IgnoredField {
        IgnoredField { at: Path::field(field), mask: None }
    }

    /// Parses `FIELD` or `FIELD:MASK`, where the field may be a path: `cpu/f:0x28`. An error says in one line what is
    /// wrong.
    pub fn parse(text: &str) -> Result<IgnoredField, String> {
        let (field, mask) = text.split_once(':').map_or((text, None), |(field, mask)| (field, Some(mask)));
        if field.is_empty() {
            return Err("the name of a field is missing".to_owned());
        }
        let at = Path::parse(field)
            .ok_or_else(|| format!("{field:?} is not a path; expected names and indices: cpu/f, ports[0]"))?;
        let number = |mask: &str| {
            let number = mask.starts_with("0x").then(|| natural(mask)).flatten();
            number.ok_or_else(|| format!("{mask:?} is not a mask; expected 0x and hex digits"))
        };
        Ok(IgnoredField { at, mask: mask.map(number).transpose()? })
    }

    /// The path, with the bits: as [`IgnoredField::parse`] reads it.
    pub fn text(&self) -> String {
        let mask = self.mask.as_ref().map(|mask| format!(":{mask:#x}"));
        self.at.to_string() + mask.as_deref().unwrap_or("")
    }

    /// Each of these once, without what is in data that are ignored as a whole: what is left out is counted for each.
    pub fn distinct(all: &[IgnoredField]) -> Vec<IgnoredField> {
        let is_covered = |ignored: &IgnoredField| {
            let mut whole = all.iter().filter(|other| other.mask.is_none());
            whole.any(|whole| whole.covers(&ignored.at) && (ignored.mask.is_some() || ignored.at != whole.at))
        };
        let mut distinct: Vec<IgnoredField> = Vec::new();
        for ignored in all {
            if !is_covered(ignored) && !distinct.contains(ignored) {
                distinct.push(ignored.clone());
            }
        }
        distinct
    }

    /// The name of the field that it is, or is in.
    pub fn field(&self) -> &str {
        match self.at.first() {
            PathKey::Name(name) => name,
            PathKey::Index(_) => "",
        }
    }

    /// Whether a datum is in it, or is it.
    pub(crate) fn covers(&self, datum: &Path) -> bool {
        datum.starts_with(&self.at)
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

    /// Whether the user ignores a datum as a whole.
    pub(crate) fn has(self, at: &Path) -> bool {
        self.ignored.iter().any(|ignored| ignored.mask.is_none() && ignored.covers(at))
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

    /// The steps without assertions on what the user ignores as a whole: a field that no assertion is left on need not
    /// be reported.
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
        let at = Path::field(field);
        (!self.has(&at)).then(|| self.without_ignored(&at, value))
    }

    /// The value of a datum without the parts of it and the bits that the user ignores.
    pub(crate) fn without_ignored(self, at: &Path, value: Value) -> Value {
        let mut value = match self.mask_of(at) {
            Some(mask) => without(&mask, &value, self.type_at(at)),
            None => value,
        };
        for ignored in self.parts_of(at) {
            let keys = &ignored.at.keys()[at.keys().len()..];
            match &ignored.mask {
                Some(mask) => {
                    if let Some(part) = part_mut(&mut value, keys) {
                        *part = without(&BigInt::from(mask.clone()), part, self.type_at(&ignored.at));
                    }
                }
                None => remove(&mut value, keys),
            }
        }
        value
    }

    /// Whether all that differs is what the user ignores: the datum, which an assertion on the whole field is about, the
    /// bits of all its masks, or parts of it.
    pub(super) fn has_all_of(self, mismatch: &Mismatch) -> bool {
        if self.has(&mismatch.at) {
            return true;
        }
        let Mismatch { at, expected, actual: Some(actual), .. } = mismatch else { return false };
        if self.mask_of(at).is_none() && self.parts_of(at).next().is_none() {
            return false;
        }
        let rest = |value: &Value| self.without_ignored(at, value.clone());
        match expected {
            Expected::Bits(bits) => bits
                .differing(actual)
                .zip(self.mask_of(at))
                .is_some_and(|(differing, mask)| &differing & mask == differing),
            Expected::Is(expected @ Value::List(_)) if self.is_in_any_order(at) => self
                .mask_of(at)
                .zip(self.type_at(at))
                .is_some_and(|(mask, of)| has_same_items_without(&mask, expected, actual, of.present())),
            Expected::Is(expected) => rest(expected) == rest(actual),
            // A cell that the vector does not list is 0.
            Expected::Absent if self.is_cell(at) => rest(&Value::int(0)) == rest(actual),
            _ => false,
        }
    }

    /// What the user ignores of the parts of a datum, and not of all of it.
    fn parts_of(self, at: &Path) -> impl Iterator<Item = &'i IgnoredField> {
        self.ignored.iter().filter(move |ignored| ignored.at != *at && ignored.at.starts_with(at))
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

    /// The bits of the numbers of a datum that the user ignores; `None` if there are none.
    fn mask_of(self, at: &Path) -> Option<BigInt> {
        let ignored = self.ignored.iter().filter(|ignored| ignored.covers(at));
        let masks = ignored.filter_map(|it| it.mask.as_ref());
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

/// The part of a value at a path, without its type; `None` if it is not there.
fn part_mut<'v>(value: &'v mut Value, keys: &[&PathKey]) -> Option<&'v mut Value> {
    if let Value::Typed(_, inner) = value {
        return part_mut(Arc::make_mut(inner), keys);
    }
    let Some((first, rest)) = keys.split_first() else { return Some(value) };
    let inner = match (value, first) {
        (Value::List(items), PathKey::Index(index)) => items.get_mut(*index)?,
        (Value::Record(members), PathKey::Name(name)) => {
            &mut members.iter_mut().find(|member| member.0 == *name)?.1
        }
        _ => return None,
    };
    part_mut(inner, rest)
}

/// Removes the part of a value at a path, if it is there. Instead of an item of a list there is null, so that the
/// others keep their indices.
fn remove(value: &mut Value, keys: &[&PathKey]) {
    let Some((last, outer)) = keys.split_last() else { return };
    match (part_mut(value, outer), last) {
        (Some(Value::Record(members)), PathKey::Name(name)) => members.retain(|member| member.0 != *name),
        (Some(Value::List(items)), PathKey::Index(index)) => {
            items.get_mut(*index).into_iter().for_each(|item| *item = Value::Null);
        }
        _ => {}
    }
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

    /// What is ignored as a whole includes what is in it.
    #[test]
    fn each_datum_is_ignored_once() {
        let parsed =
            |texts: &[&str]| texts.iter().map(|it| IgnoredField::parse(it).expect(it)).collect::<Vec<_>>();
        let distinct = |texts: &[&str]| {
            IgnoredField::distinct(&parsed(texts)).iter().map(IgnoredField::text).collect::<Vec<_>>()
        };
        assert_eq!(distinct(&["f", "f:0x1", "f"]), ["f"]);
        assert_eq!(distinct(&["c/f:0x1", "c/f:0x2", "c/f:0x1", "c/g"]), ["c/f:0x1", "c/f:0x2", "c/g"]);
        assert_eq!(distinct(&["c/f:0x1", "c/f", "c[0]/f", "c"]), ["c"]);
        assert_eq!(distinct(&["c/f", "cf", "c:0x1"]), ["c/f", "cf", "c:0x1"]);
    }

    #[test]
    fn a_value_is_compared_without_ignored_parts() {
        let ignored: Vec<_> =
            ["c/f", "c/g:0xf", "p[1]", "p[7]"].iter().map(|it| IgnoredField::parse(it).expect(it)).collect();
        let ignored = IgnoredFields::new(&ignored, &[]);
        let cpu = [("a", 0x11), ("f", 0x22), ("g", 0x33)].map(|(name, number)| (name, Value::int(number)));
        let left = [("a", Value::int(0x11)), ("g", Value::int(0x30))];
        assert_eq!(ignored.compared("c", Value::record(cpu.clone())), Some(Value::record(left)));
        let list = |items: [Value; 3]| Value::List(items.into());
        let ports = list([Value::int(1), Value::int(2), Value::int(3)]);
        assert_eq!(ignored.compared("p", ports), Some(list([Value::int(1), Value::Null, Value::int(3)])));
        assert_eq!(ignored.compared("d", Value::record(cpu.clone())), Some(Value::record(cpu)));
    }
}
