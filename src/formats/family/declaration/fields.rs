//! `[state]` and `[input]`: names with types and options.

use std::borrow::Cow;
use std::ops::Range;

use num_bigint::BigUint;
use toml::Spanned;
use toml::de::DeValue;

use super::parts::MAX_NAME;
use super::toml_reader::{TomlReader, TomlValue};
use crate::formats::family::type_notation;
use crate::model::{
    BitName, DeclaredField, FieldOptions, FieldType, ListOrder, NumberDisplay, UnlistedCells,
};
use crate::text::number::{MAX_DIGITS, natural};

/// The options of a field, and its type and doc.
const OPTIONS: [&str; 7] = ["type", "doc", "flags", "mask", "unlisted", "display", "order"];

/// The values of `unlisted`.
const UNLISTED: [(&str, UnlistedCells); 3] =
    [("unchanged", UnlistedCells::Unchanged), ("zero", UnlistedCells::Zero), ("any", UnlistedCells::Any)];

/// The values of `display`.
const DISPLAYS: [(&str, NumberDisplay); 2] =
    [("hexadecimal", NumberDisplay::Hexadecimal), ("decimal", NumberDisplay::Decimal)];

/// The values of `order`.
const ORDERS: [(&str, ListOrder); 2] = [("compared", ListOrder::Compared), ("any", ListOrder::Any)];

/// How deeply tables of fields may be nested.
const MAX_TABLES: usize = 8;

/// Reads a table of fields.
pub(super) fn read(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, what: &str) -> Vec<DeclaredField> {
    read_at(reader, value, what, 0)
}

fn read_at(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    what: &str,
    depth: usize,
) -> Vec<DeclaredField> {
    if depth > MAX_TABLES {
        reader.error(value.span(), "too many tables inside each other", format!("at most {MAX_TABLES}"));
        return Vec::new();
    }
    let mut fields = Vec::new();
    for (key, value) in reader.table(value, what) {
        let name = key.get_ref().as_ref();
        if !is_field_name(name) {
            reader.error(
                key.span(),
                format!("{name:?} as the name of a field"),
                format!("1 to {MAX_NAME} bytes, not *"),
            );
            continue;
        }
        let read = field(reader, value, name, depth);
        fields.extend(read.map(|(field_type, doc, options)| DeclaredField {
            name: name.to_owned().into(),
            doc,
            field_type,
            options,
        }));
    }
    fields
}

type TypeWithOptions = (FieldType, String, FieldOptions);

fn field(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    name: &str,
    depth: usize,
) -> Option<TypeWithOptions> {
    let Some(table) = value.get_ref().as_table().filter(|table| has_type(table)) else {
        let field_type = field_type(reader, value, name, depth)?;
        return Some((field_type, String::new(), FieldOptions::default()));
    };
    let of = field_type(reader, table.get("type")?, name, depth)?;
    let (mut doc, mut options) = (String::new(), FieldOptions::default());
    for (key, value) in reader.table(value, name) {
        match key.get_ref().as_ref() {
            "type" => {}
            "doc" => doc = reader.text(value, "doc").unwrap_or_default(),
            "flags" => options.flags = flags(reader, value, &of),
            "mask" => options.mask = mask(reader, value, &of),
            "unlisted" => {
                fits(reader, key.span(), "unlisted", &of, "memory<A, C>");
                options.unlisted = word(reader, value, "unlisted", &UNLISTED);
            }
            "display" => {
                fits(reader, key.span(), "display", &of, "u8, or one with numbers inside");
                options.display = word(reader, value, "display", &DISPLAYS);
            }
            "order" => {
                fits(reader, key.span(), "order", &of, "[T]");
                options.order = word(reader, value, "order", &ORDERS);
                if options.order == ListOrder::Any && has_uncompared_cells(&of) {
                    let what = "order = \"any\" of a list with a memory of unlisted = \"any\"";
                    reader.error(value.span(), what, "one of the two: items in any order are compared whole");
                }
            }
            _ => reader.unknown(key, "option", OPTIONS),
        }
    }
    Some((of, doc, options))
}

/// Whether a table is a type with options, and not a table of fields.
fn has_type(table: &toml::de::DeTable<'_>) -> bool {
    let mut beside = table.iter().filter(|(key, _)| *key.get_ref() != "type").peekable();
    let has_options = beside.peek().is_some() && beside.all(|(key, value)| is_option(key, value));
    table.get("type").is_some_and(|value| has_options || !table_of_options(value.get_ref()))
}

/// Whether a member of a table is an option, and not a field of this name.
fn is_option(key: &Spanned<Cow<'_, str>>, value: &TomlValue<'_>) -> bool {
    let is_type = value.get_ref().as_str().is_some_and(|text| type_notation::parse(text).is_ok());
    OPTIONS[1..].contains(&key.get_ref().as_ref()) && !is_type && !value.get_ref().is_table()
}

/// Whether the member `type` is itself a type with options: then it is a field of this name.
fn table_of_options(value: &DeValue<'_>) -> bool {
    value.as_table().is_some_and(|table| table.get("type").is_some())
}

/// A type: its notation, a list of one type, or a table of fields.
fn field_type(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    name: &str,
    depth: usize,
) -> Option<FieldType> {
    match value.get_ref() {
        DeValue::String(text) => match type_notation::parse(text) {
            Ok(field_type) => Some(field_type),
            Err(error) => {
                reader.notation(&value.span(), text, error);
                None
            }
        },
        DeValue::Table(_) => {
            let fields = read_at(reader, value, name, depth + 1);
            if fields.is_empty() {
                reader.error(value.span(), format!("{name} is a table without fields"), "at least one field");
            }
            Some(FieldType::Table(fields))
        }
        DeValue::Array(items) if items.len() == 1 => {
            if let Some(option) = option_of_items(&items[0]) {
                let what = format!("{name} has the option {} for its items", option.get_ref());
                reader.error(option.span(), what, "items without options: only fields have them");
                return None;
            }
            let item = field_type(reader, &items[0], name, depth + 1)?;
            Some(FieldType::List(Box::new(item)))
        }
        _ => {
            reader.wrong(value, name, "a type such as \"u8\", a table of fields, or a list of one of these");
            None
        }
    }
}

/// An option beside the type of a list's items; in a table of fields, it would be the type of a field.
fn option_of_items<'v, 'd>(item: &'v TomlValue<'d>) -> Option<&'v Spanned<Cow<'d, str>>> {
    let table = item.get_ref().as_table().filter(|table| has_type(table))?;
    table.iter().find(|(key, value)| is_option(key, value)).map(|(key, _)| key)
}

/// Reports an option of a field whose type has no such option.
fn fits(reader: &mut TomlReader<'_>, span: Range<usize>, option: &str, of: &FieldType, expected: &str) {
    if !has_option(of, option) {
        reader.error(
            span,
            format!("{option} of a field of type {}", of.notation()),
            format!("a field of type {expected}"),
        );
    }
}

fn has_option(of: &FieldType, option: &str) -> bool {
    match of {
        FieldType::Optional(inner) => has_option(inner, option),
        _ if option == "display" => has_numbers(of),
        FieldType::Memory(_) => option == "unlisted",
        FieldType::List(_) | FieldType::Array(..) => option == "order",
        _ => false,
    }
}

/// Whether a type is a number, or has numbers inside. Members of tables have options of their own.
fn has_numbers(of: &FieldType) -> bool {
    match of {
        FieldType::Unsigned(_) | FieldType::Signed(_) | FieldType::Int | FieldType::Memory(_) => true,
        FieldType::Optional(inner) | FieldType::List(inner) | FieldType::Array(inner, _) => {
            has_numbers(inner)
        }
        FieldType::Map(_, value) => has_numbers(value),
        FieldType::Tuple(items) => items.iter().any(has_numbers),
        _ => false,
    }
}

/// Whether a type has a memory inside of which only listed cells are compared.
fn has_uncompared_cells(of: &FieldType) -> bool {
    match of {
        FieldType::Optional(inner) | FieldType::List(inner) | FieldType::Array(inner, _) => {
            has_uncompared_cells(inner)
        }
        FieldType::Table(fields) => fields.iter().any(|field| {
            field.options.unlisted == UnlistedCells::Any || has_uncompared_cells(&field.field_type)
        }),
        // The notation of the others has no tables inside, and so no options.
        _ => false,
    }
}

fn word<T: Copy + Default>(
    reader: &mut TomlReader<'_>,
    value: &TomlValue<'_>,
    what: &str,
    words: &[(&str, T)],
) -> T {
    let Some(text) = reader.text(value, what) else { return T::default() };
    let known = words.iter().find(|word| word.0 == text);
    if known.is_none() {
        reader.no_such(value.span(), &format!("{what} is {text:?}"), &text, words.iter().map(|word| word.0));
    }
    known.map(|word| word.1).unwrap_or_default()
}

/// The bits of a number, for options that need one of a fixed width.
fn bits(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, option: &str, of: &FieldType) -> Option<u32> {
    let bits = of.bits();
    if bits.is_none() {
        let what = format!("{option} of a field of type {}", of.notation());
        reader.error(value.span(), what, "a field that is a number of a fixed width");
    }
    bits
}

/// The names of bits, the highest first.
fn flags(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, of: &FieldType) -> Vec<BitName> {
    let (Some(bits), Some(text)) = (bits(reader, value, "flags", of), reader.text(value, "flags")) else {
        return Vec::new();
    };
    let names: Vec<_> = text.chars().map(|name| (name != '-').then_some(name)).collect();
    if names.len() != bits as usize {
        let what = format!("flags has {} characters, and the field {bits} bits", names.len());
        reader.error(value.span(), what, format!("{bits} characters, - for a bit without a name"));
    }
    let is_twice = |(index, name): (usize, &BitName)| name.is_some() && names[..index].contains(name);
    if let Some(index) = names.iter().enumerate().position(is_twice) {
        let name = names[index].unwrap_or_default();
        reader.error(
            value.span(),
            format!("flags names two bits {name:?}"),
            "a character of its own for each bit",
        );
    }
    names
}

fn mask(reader: &mut TomlReader<'_>, value: &TomlValue<'_>, of: &FieldType) -> Option<BigUint> {
    let bits = bits(reader, value, "mask", of)?;
    let number = match value.get_ref() {
        DeValue::String(text) => text.starts_with("0x").then(|| natural(text)).flatten(),
        DeValue::Integer(number) if number.as_str().len() > MAX_DIGITS => None,
        DeValue::Integer(number) => BigUint::parse_bytes(number.as_str().as_bytes(), number.radix()),
        _ => None,
    };
    let number = number.filter(|number| number.bits() <= u64::from(bits));
    if number.as_ref().is_some_and(|number| number.bits() == 0) {
        reader.error(value.span(), "mask compares no bit", "at least one bit, or no such field in expect");
    }
    if number.is_none() {
        let expected = format!("a number of {bits} bits, such as \"0xd7\"");
        reader.error(value.span(), "mask is not a mask of this field", expected);
    }
    number
}

/// Whether a field can have this name.
pub(in crate::formats::family) fn is_field_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && name != "*"
}
