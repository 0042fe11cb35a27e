//! The lines for the fields of a family in Go.

use vmconf::model::{DeclaredField, FieldType};

use super::words::is_of_words;
use crate::cli::vm_command::machine_template::{comment, lines, quoted};

/// The template with what a program has of these fields.
pub(super) fn filled(text: &str, fields: &[&DeclaredField]) -> String {
    let loads: Vec<_> = fields.iter().map(|field| load(field)).collect();
    let longest = loads.iter().map(|load| load.chars().count()).max().unwrap_or_default();
    // As gofmt aligns the comments.
    let line = |(load, field): (&String, &&DeclaredField)| {
        format!("\t{load:longest$} // {}", comment(&field.field_type.notation()))
    };
    text.replace("{{loads}}", &lines(loads.iter().zip(fields).map(line)))
}

/// The statement that reads a member of a program.
fn load(field: &DeclaredField) -> String {
    let name = quoted(&field.name);
    let given = format!("program[{name}]");
    let value = match &field.field_type {
        FieldType::Unsigned(0..=64) => format!("unsigned({given})"),
        FieldType::Signed(0..=64) => format!("signed({given})"),
        FieldType::Unsigned(_) | FieldType::Signed(_) | FieldType::Int => format!("wide({given})"),
        FieldType::Memory(memory) if is_of_words(memory) => format!("cells({given})"),
        _ => given,
    };
    format!("state[{name}] = {value}")
}
