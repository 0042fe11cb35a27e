//! The lines for the fields of a family in C.

use std::collections::BTreeSet;

use vmconf::model::{DeclaredField, FieldType};

use super::words::is_of_words;
use crate::cli::vm_command::machine_template::{comment, lines, quoted};

/// What no member of a structure can be called: the keywords of C, and macros of the headers that the template includes.
const RESERVED: &str = "alignas alignof auto bool break case char const constexpr continue default do double else enum extern \
    false float for goto if inline int long nullptr register restrict return short signed sizeof static \
    static_assert struct switch thread_local true typedef typeof typeof_unqual union unsigned void volatile \
    while linux unix stdin stdout stderr BUFSIZ EOF JSON NULL";

/// The template with what a program has of these fields.
pub(super) fn filled(text: &str, fields: &[&DeclaredField]) -> String {
    let mut taken = BTreeSet::new();
    let members: Vec<_> = fields.iter().map(|field| CMember::of(field, &mut taken)).collect();
    text.replace("{{members}}", &lines(members.iter().map(CMember::declaration)))
        .replace("{{loads}}", &lines(members.iter().map(CMember::load)))
        .replace("{{reports}}", &lines(members.iter().map(CMember::report)))
}

/// A field as a member of a structure.
struct CMember<'f> {
    field: &'f DeclaredField,
    identifier: String,
    kind: CKind,
}

/// What a field is in C.
enum CKind {
    /// A number of this type.
    Unsigned(&'static str),
    Signed(&'static str),
    Memory,
    /// The text of the request.
    Json,
}

impl CKind {
    fn of(field_type: &FieldType) -> CKind {
        match field_type {
            FieldType::Unsigned(0..=8) => CKind::Unsigned("uint8_t"),
            FieldType::Unsigned(9..=16) => CKind::Unsigned("uint16_t"),
            FieldType::Unsigned(17..=32) => CKind::Unsigned("uint32_t"),
            FieldType::Unsigned(33..=64) => CKind::Unsigned("uint64_t"),
            FieldType::Signed(0..=8) => CKind::Signed("int8_t"),
            FieldType::Signed(9..=16) => CKind::Signed("int16_t"),
            FieldType::Signed(17..=32) => CKind::Signed("int32_t"),
            FieldType::Signed(33..=64) => CKind::Signed("int64_t"),
            FieldType::Memory(memory) if is_of_words(memory) => CKind::Memory,
            _ => CKind::Json,
        }
    }
}

impl<'f> CMember<'f> {
    fn of(field: &'f DeclaredField, taken: &mut BTreeSet<String>) -> CMember<'f> {
        let mut identifier = identifier(&field.name);
        while !taken.insert(identifier.clone()) {
            identifier.push('_');
        }
        CMember { field, identifier, kind: CKind::of(&field.field_type) }
    }

    fn declaration(&self) -> String {
        let CMember { field, identifier, kind } = self;
        let declared = match kind {
            CKind::Unsigned(name) | CKind::Signed(name) => format!("{name} {identifier}"),
            CKind::Memory => format!("struct memory {identifier}"),
            CKind::Json => format!("const char *{identifier}"),
        };
        format!("    {declared}; /* {} */", comment(&field.field_type.notation()))
    }

    fn load(&self) -> String {
        let CMember { field, identifier, kind } = self;
        let given = format!("member(program, JSON({}))", quoted(&field.name));
        match kind {
            CKind::Unsigned(name) | CKind::Signed(name) => {
                format!("    machine->{identifier} = ({name})number({given});")
            }
            CKind::Memory => format!("    read_memory(&machine->{identifier}, {given});"),
            CKind::Json => format!("    machine->{identifier} = {given};"),
        }
    }

    fn report(&self) -> String {
        let CMember { field, identifier, kind } = self;
        let (write, address) = match kind {
            CKind::Unsigned(_) => ("write_unsigned", ""),
            CKind::Signed(_) => ("write_signed", ""),
            CKind::Memory => ("write_memory", "&"),
            CKind::Json => ("write_json", ""),
        };
        let name = format!("JSON({})", quoted(&field.name));
        format!("    if (is(field, {name})) {write}(fields, {name}, {address}machine->{identifier});")
    }
}

/// The name of a member of a structure for a field with this name.
fn identifier(name: &str) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '_' };
    let mut identifier: String = name.chars().map(plain).collect();
    if identifier.starts_with(|first: char| first.is_ascii_digit()) {
        identifier.insert(0, '_');
    }
    if RESERVED.split(' ').any(|word| word == identifier) {
        identifier.push('_');
    }
    identifier
}
