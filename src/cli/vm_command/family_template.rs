//! The template of an adapter for a family: what its declaration says, in a language.

mod c;
mod go;
mod words;

use clap::ValueEnum;
use vmconf::machines::MachineInfo;
use vmconf::model::{DeclaredField, FieldType, MemberShape, MemoryType, Shape};
use vmconf::run::FamilyMachine;

use super::machine_template::{announced, comment, field_lines, lines, quoted};

/// The indentation of names of fields in most templates.
const INDENT: &str = "        ";

/// A language that has templates.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum TemplateLanguage {
    Python,
    Rust,
    C,
    Go,
    Js,
}

/// The text of an adapter with this name.
pub(super) fn family_template(known: FamilyMachine, name: &str, language: TemplateLanguage) -> String {
    let FamilyMachine { family, machine } = known;
    let declared: Vec<_> = family.program.iter().filter_map(declared).collect();
    let text = language.filled(&declared);
    announced(&text, name, machine, &family.actions(), &language.field_lines(machine))
}

fn declared(member: &MemberShape) -> Option<&'static DeclaredField> {
    match member.shape {
        Shape::Declared(field) => Some(field),
        _ => None,
    }
}

impl TemplateLanguage {
    /// The template with what a program has of these fields.
    fn filled(self, fields: &[&DeclaredField]) -> String {
        match self {
            TemplateLanguage::Python => {
                let memories = fields.iter().filter(|field| matches!(field.field_type, FieldType::Memory(_)));
                let memories: Vec<_> = memories.map(|field| quoted(&field.name)).collect();
                with_loads(include_str!("../templates/adapter-family.py"), fields, python_load)
                    .replace("{{memories}}", &format!("[{}]", memories.join(", ")))
            }
            TemplateLanguage::Rust => {
                with_loads(include_str!("../templates/adapter-family.rs.txt"), fields, rust_load)
            }
            TemplateLanguage::C => c::filled(include_str!("../templates/adapter-family.c"), fields),
            TemplateLanguage::Go => go::filled(include_str!("../templates/adapter-family.go"), fields),
            TemplateLanguage::Js => {
                with_loads(include_str!("../templates/adapter-family.mjs"), fields, javascript_load)
            }
        }
    }

    fn field_lines(self, machine: &MachineInfo) -> String {
        match self {
            TemplateLanguage::Go => field_lines(machine, "\t\t", quoted),
            // They are JSON there, which has no comma after the last one.
            TemplateLanguage::C => field_lines(machine, INDENT, quoted).trim_end_matches(',').to_owned(),
            TemplateLanguage::Rust => field_lines(machine, INDENT, rust_quoted),
            TemplateLanguage::Python | TemplateLanguage::Js => field_lines(machine, INDENT, quoted),
        }
    }
}

/// The template with a line that reads each field.
fn with_loads(text: &str, fields: &[&DeclaredField], load: fn(&DeclaredField) -> String) -> String {
    text.replace("{{loads}}", &lines(fields.iter().map(|field| load(field))))
}

fn python_load(field: &DeclaredField) -> String {
    let (name, notation) = (quoted(&field.name), typed(field));
    match python(&field.field_type, &name) {
        Some(value) => format!("        self.state[{name}] = {value}  # {notation}"),
        None => format!(
            "        if {name} in program:  # {notation}\n            self.state[{name}] = program[{name}]"
        ),
    }
}

/// A text as Rust writes it.
fn rust_quoted(text: &str) -> String {
    format!("{text:?}")
}

fn rust_load(field: &DeclaredField) -> String {
    let name = rust_quoted(&field.name);
    format!("            ({name}, {}), // {}", rust(&field.field_type, &name), typed(field))
}

fn javascript_load(field: &DeclaredField) -> String {
    let name = quoted(&field.name);
    format!("      {name}: {}, // {}", javascript(&field.field_type, &name), typed(field))
}

fn typed(field: &DeclaredField) -> String {
    comment(&field.field_type.notation())
}

/// The expression for the value of a member, with a default for one that is not given; `None` for a type without one.
fn python(field_type: &FieldType, name: &str) -> Option<String> {
    match field_type {
        FieldType::Unsigned(_) | FieldType::Signed(_) | FieldType::Int => {
            Some(format!("number(program.get({name}, \"0x0\"))"))
        }
        FieldType::Memory(_) => {
            Some(format!("{{number(address): number(cell) for address, cell in program.get({name}, [])}}"))
        }
        _ => None,
    }
}

fn rust(field_type: &FieldType, name: &str) -> String {
    // A number of the template has 128 bits with its sign.
    let is_short =
        |number: &FieldType| matches!(number, FieldType::Unsigned(0..=127) | FieldType::Signed(0..=127));
    match field_type {
        number if is_short(number) => format!("Datum::Number(number(&program[{name}]))"),
        FieldType::Memory(MemoryType { cell, .. }) if is_short(cell) => {
            format!("Datum::Memory(memory(&program[{name}]))")
        }
        _ => format!("Datum::Other(program.get({name}).cloned())"),
    }
}

fn javascript(field_type: &FieldType, name: &str) -> String {
    let reader = |number: &FieldType| match number {
        FieldType::Unsigned(0..=32) | FieldType::Signed(0..=32) => "number",
        _ => "wide",
    };
    match field_type {
        FieldType::Unsigned(_) | FieldType::Signed(_) | FieldType::Int => {
            format!("{}(program[{name}])", reader(field_type))
        }
        FieldType::Memory(MemoryType { address, cell }) => match [reader(address), reader(cell)] {
            ["number", "number"] => format!("memory(program[{name}])"),
            [address, cell] => format!("memory(program[{name}], {address}, {cell})"),
        },
        _ => format!("program[{name}]"),
    }
}
