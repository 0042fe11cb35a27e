//! Reads JSON as a [`FieldType`] says, and writes values of one: the data of families, in vectors and on the wire.
//!
//! Numbers are written as `"0x1f"`, bytes as `"0x0a"`, a memory as a list of pairs in ascending order; what is read
//! may have any of the notations that `docs/src/families.md` lists. A memory is a [`Value::Record`] with a member for
//! each cell, named by its address.

mod datum_place;
mod fault;
mod json_number;
mod memory;
mod scalar;
mod write;

pub use self::datum_place::DatumPlace;
pub use self::memory::{MAX_CELLS, MemoryCell, address_key, address_of_key, cells};
pub use self::scalar::key;
pub use self::write::{quote, write, written};

use std::collections::HashSet;

use self::fault::{of_item, wrong};
use super::json::{JsonDatum, JsonNode, quoted};
use super::suggest::nearest;
use crate::model::rule::LintRule;
use crate::model::{
    DeclaredField, Diagnostic, FieldOptions, FieldType, ListOrder, Name, Origin, Program, UnlistedCells,
    Value, counted,
};

/// A value, or what is wrong with the first datum that is not of its type.
pub type TypedReading = Result<Value, Diagnostic<Origin>>;

/// Reads a datum of a vector or a declaration. `name` is what it is, for errors. The error is the first datum that is
/// not of its type.
pub fn read(node: JsonNode<'_>, field_type: &FieldType, name: &str) -> TypedReading {
    read_at(node, field_type, name, DatumPlace::Vector)
}

/// Reads a datum of an answer or a report, as [`read`] does one of a vector.
pub fn read_wire(node: JsonNode<'_>, field_type: &FieldType, name: &str) -> TypedReading {
    read_at(node, field_type, name, DatumPlace::Wire)
}

fn read_at(node: JsonNode<'_>, field_type: &FieldType, name: &str, place: DatumPlace) -> TypedReading {
    match field_type {
        FieldType::Unsigned(_) | FieldType::Signed(_) | FieldType::Int => {
            scalar::number(node, field_type, name).map(Value::Int)
        }
        FieldType::Bool => scalar::bool(node, name).map(Value::Bool),
        FieldType::Text => match node.text() {
            Some(text) => Ok(Value::text(text)),
            None => Err(wrong(node, name, "a string")),
        },
        FieldType::Bytes => scalar::bytes(node, name).map(Value::Bytes),
        FieldType::Base64 => scalar::base64(node, name, place).map(Value::Bytes),
        FieldType::Optional(_) if node.is_null() => Ok(Value::Null),
        FieldType::Optional(inner) => read_at(node, inner, name, place),
        FieldType::List(_) | FieldType::Map(..) | FieldType::Memory(_)
            if place.allows_null_for_empty(node) =>
        {
            Ok(field_type.empty())
        }
        FieldType::List(item) => {
            read_items(node, (name, place), &|| "an array".to_owned(), |_| Some(item)).map(Value::List)
        }
        FieldType::Array(item, length) => {
            let expected = || format!("an array of exactly {length}");
            read_items(node, (name, place), &expected, |index| (index < *length).then_some(&**item))
                .and_then(|items| of_length(node, items, *length, name, &expected))
        }
        FieldType::Tuple(types) => {
            let expected = || format!("an array of exactly {}: {}", types.len(), field_type.notation());
            read_items(node, (name, place), &expected, |index| types.get(index))
                .and_then(|items| of_length(node, items, types.len(), name, &expected))
        }
        FieldType::Table(fields) => read_table(node, fields, name, place),
        FieldType::Map(key, value) => read_map(node, (key, value), name, place),
        FieldType::Memory(memory) => Ok(memory::record(&cells(node, memory, name)?)),
        FieldType::Json => Ok(plain(node)),
    }
}

/// The items of an array. `type_of` is the type of the item at an index; `None` if there must be none.
fn read_items<'t>(
    node: JsonNode<'_>,
    (name, place): (&str, DatumPlace),
    expected: &dyn Fn() -> String,
    type_of: impl Fn(usize) -> Option<&'t FieldType>,
) -> Result<Vec<Value>, Diagnostic<Origin>> {
    if !node.is_array() {
        return Err(wrong(node, name, &expected()));
    }
    let mut values = Vec::new();
    for (index, item) in node.items().enumerate() {
        let Some(field_type) = type_of(index) else {
            let what = format!("{name} has more than {}", counted(index, "item"));
            return Err(Diagnostic::at(item.at(), what).expected(expected()).under(LintRule::Malformed));
        };
        values.push(read_at(item, field_type, "an item", place).map_err(|error| of_item(error, name))?);
    }
    Ok(values)
}

fn of_length(
    node: JsonNode<'_>,
    items: Vec<Value>,
    length: usize,
    name: &str,
    expected: &dyn Fn() -> String,
) -> TypedReading {
    if items.len() == length {
        return Ok(Value::List(items));
    }
    let what = format!("{name} has {}", counted(items.len(), "item"));
    Err(Diagnostic::at(node.at(), what).expected(expected()).under(LintRule::Malformed))
}

fn read_table(node: JsonNode<'_>, fields: &[DeclaredField], name: &str, place: DatumPlace) -> TypedReading {
    if !node.is_object() {
        return Err(wrong(node, name, "an object"));
    }
    let mut values: Vec<(Name, Value)> = Vec::with_capacity(fields.len());
    for member in node.members() {
        let Some(field) = fields.iter().find(|field| field.name == *member.key) else {
            let what = format!("unknown member {} of {name}", quoted(&member.key));
            let known = fields.iter().map(|field| &*field.name);
            let unknown = Diagnostic::at(member.key_at, what).under(LintRule::UnknownMember);
            return Err(unknown.suggest(nearest(&member.key, known)));
        };
        let inner = format!("{name}/{}", field.name);
        let value = read_at(member.value, &field.field_type, &inner, place)?;
        match values.iter_mut().find(|known| known.0 == field.name) {
            Some(known) => known.1 = value,
            None => values.push((field.name.clone(), value)),
        }
    }
    match fields.iter().find(|field| !values.iter().any(|known| known.0 == field.name)) {
        None => Ok(Value::Record(values)),
        Some(missing) => {
            let what = format!("{name} without {}", quoted(&missing.name));
            let expected = format!("a member {}", quoted(&missing.name));
            Err(Diagnostic::at(node.at(), what).expected(expected).under(LintRule::MissingMember))
        }
    }
}

fn read_map(
    node: JsonNode<'_>,
    (key, value): (&FieldType, &FieldType),
    name: &str,
    place: DatumPlace,
) -> TypedReading {
    if !node.is_object() {
        return Err(wrong(node, name, "an object"));
    }
    let mut seen = HashSet::new();
    let mut values = Vec::new();
    for member in node.members() {
        let text = scalar::key(&member.key, key).ok_or_else(|| {
            let what = format!("{} as a key of {name}", quoted(&member.key));
            Diagnostic::at(member.key_at, what).expected(scalar::expected(key)).under(LintRule::Malformed)
        })?;
        if !seen.insert(text.clone()) {
            let what = format!("the key {} of {name} is there a second time", quoted(&member.key));
            return Err(Diagnostic::at(member.key_at, what)
                .expected("each key once")
                .under(LintRule::DuplicateKey));
        }
        let inner = read_at(member.value, value, "an item", place).map_err(|error| of_item(error, name))?;
        values.push((Name::from(text), inner));
    }
    Ok(Value::Record(values))
}

/// Any JSON. Of members with the same key, the last one counts.
fn plain(node: JsonNode<'_>) -> Value {
    match node.datum() {
        JsonDatum::Null => Value::Null,
        JsonDatum::Bool(bool) => Value::Bool(bool),
        JsonDatum::Number(digits) => json_number::value(digits),
        JsonDatum::Text(text) => Value::text(text),
        JsonDatum::Array => Value::List(node.items().map(plain).collect()),
        JsonDatum::Object => {
            let mut members = indexmap::IndexMap::new();
            for member in node.members() {
                members.insert(member.key.into_owned(), plain(member.value));
            }
            Value::record(members)
        }
    }
}

/// The part of a value that is compared as a whole: numbers without the bits outside of the mask, lists whose order is
/// not compared in one order, a memory without cells that are 0, maps and tables in the order of their keys.
pub fn compared(value: Value, field_type: &FieldType, options: &FieldOptions) -> Value {
    in_form(value, field_type, options, OtherBits::Cleared)
}

/// The part of a field of a state after a program that is compared: as [`compared`], and of a memory in which cells that
/// vectors do not list are not compared, the cells that the program gives. Its cells are in ascending order.
pub fn compared_after(program: &Program, field: &DeclaredField, value: Value) -> Value {
    let value = compared(value, &field.field_type, &field.options);
    match (value, &field.field_type) {
        (Value::Record(mut cells), FieldType::Memory(_)) => {
            if field.options.unlisted == UnlistedCells::Any {
                let given = program.0.get(&field.name).and_then(Value::members).unwrap_or_default();
                let given: HashSet<_> = given.iter().map(|cell| &cell.0).collect();
                cells.retain(|cell| given.contains(&cell.0));
            }
            cells.sort_by_cached_key(|cell| address_of_key(&cell.0));
            Value::Record(cells)
        }
        (value, _) => value,
    }
}

/// The form of a value whose parts are compared one by one: as [`compared`], but numbers have all their bits, except in
/// lists in any order, which are compared as a whole.
pub fn compared_in_parts(value: Value, field_type: &FieldType, options: &FieldOptions) -> Value {
    in_form(value, field_type, options, OtherBits::Kept)
}

/// What becomes of the bits of a number that are not compared.
#[derive(Clone, Copy, PartialEq)]
enum OtherBits {
    Kept,
    Cleared,
}

fn in_form(value: Value, field_type: &FieldType, options: &FieldOptions, others: OtherBits) -> Value {
    match (value, field_type) {
        (value, FieldType::Optional(inner)) => in_form(value, inner, options, others),
        (Value::Int(number), _) if others == OtherBits::Cleared => Value::Int(masked(number, options)),
        (Value::List(items), FieldType::List(item) | FieldType::Array(item, _)) => {
            // Lists in the list keep their order.
            let inner = FieldOptions { order: ListOrder::Compared, ..options.clone() };
            let others = if options.order == ListOrder::Any { OtherBits::Cleared } else { others };
            let items = items.into_iter().map(|value| in_form(value, item, &inner, others));
            Value::List(ordered(items.collect(), item, options.order))
        }
        (Value::List(items), FieldType::Tuple(types)) => {
            let plain = FieldOptions::default();
            let items =
                items.into_iter().zip(types).map(|(value, item)| in_form(value, item, &plain, others));
            Value::List(items.collect())
        }
        (Value::Record(cells), FieldType::Memory(_)) => {
            let zero = Value::int(0);
            Value::Record(cells.into_iter().filter(|cell| cell.1 != zero).collect())
        }
        (Value::Record(members), FieldType::Table(fields)) => {
            let member = |(name, value): (Name, Value)| match fields.iter().find(|field| field.name == name) {
                Some(field) => (name, in_form(value, &field.field_type, &field.options, others)),
                None => (name, value),
            };
            Value::Record(members.into_iter().map(member).collect()).in_order()
        }
        (Value::Record(members), FieldType::Map(_, inner)) => {
            let plain = FieldOptions::default();
            let member = |(name, value)| (name, in_form(value, inner, &plain, others));
            Value::Record(members.into_iter().map(member).collect()).in_order()
        }
        (value, FieldType::Json) => value.in_order(),
        (value, _) => value,
    }
}

fn masked(number: num_bigint::BigInt, options: &FieldOptions) -> num_bigint::BigInt {
    match &options.mask {
        Some(mask) => number & num_bigint::BigInt::from(mask.clone()),
        None => number,
    }
}

fn ordered(mut items: Vec<Value>, item: &FieldType, order: ListOrder) -> Vec<Value> {
    if order == ListOrder::Any {
        items.sort_by_cached_key(|value| written(value, item));
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MemoryType;

    /// Searching all given cells for each reported one would take minutes.
    #[test]
    fn cells_that_were_given_are_found_by_their_addresses() {
        const CELLS: u32 = 400_000;
        let number = |bits| Box::new(FieldType::Unsigned(bits));
        let field = DeclaredField {
            name: "ram".into(),
            doc: String::new(),
            field_type: FieldType::Memory(MemoryType { address: number(32), cell: number(8) }),
            options: FieldOptions { unlisted: UnlistedCells::Any, ..FieldOptions::default() },
        };
        let cells = |addresses: &mut dyn Iterator<Item = u32>| {
            Value::record(addresses.map(|address| (format!("{address:#x}"), Value::int(1))))
        };
        let given = Program::from(Value::record([("ram", cells(&mut (0..CELLS)))]));
        let reported = cells(&mut (CELLS - 2..2 * CELLS).rev());
        let expected = cells(&mut (CELLS - 2..CELLS));
        assert_eq!(compared_after(&given, &field, reported), expected);
    }
}
