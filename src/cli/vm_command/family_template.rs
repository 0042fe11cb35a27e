//! The template of an adapter for a family: what its declaration says, in a language.

use vmconf::model::field_type::{DeclaredField, FieldType, MemoryType};
use vmconf::model::shape::{MemberShape, Shape};
use vmconf::run::FamilyMachine;

use super::machine_template::{announced, lines, quoted};

/// A language that has a template for families.
#[derive(Debug, Clone, Copy)]
pub(super) enum FamilyLanguage {
    Python,
    Rust,
    JavaScript,
}

/// The text of an adapter with this name.
pub(super) fn family_template(known: FamilyMachine, name: &str, language: FamilyLanguage) -> String {
    let FamilyMachine { family, machine } = known;
    let declared = || family.program.iter().filter_map(declared);
    let memories = declared().filter(|field| matches!(field.field_type, FieldType::Memory(_)));
    let memories: Vec<_> = memories.map(|field| quoted(&field.name)).collect();
    let text = language
        .text()
        .replace("{{loads}}", &lines(declared().map(|field| language.load(field))))
        .replace("{{memories}}", &format!("[{}]", memories.join(", ")));
    announced(&text, name, machine, &family.actions())
}

fn declared(member: &MemberShape) -> Option<&'static DeclaredField> {
    match member.shape {
        Shape::Declared(field) => Some(field),
        _ => None,
    }
}

impl FamilyLanguage {
    fn text(self) -> &'static str {
        match self {
            FamilyLanguage::Python => include_str!("../templates/adapter-family.py"),
            FamilyLanguage::Rust => include_str!("../templates/adapter-family.rs.txt"),
            FamilyLanguage::JavaScript => include_str!("../templates/adapter-family.mjs"),
        }
    }

    /// The line that reads a member of a program.
    fn load(self, field: &DeclaredField) -> String {
        let (name, notation) = (quoted(&field.name), field.field_type.notation());
        match self {
            FamilyLanguage::Python => match python(&field.field_type, &name) {
                Some(value) => format!("        self.state[{name}] = {value}  # {notation}"),
                None => format!(
                    "        if {name} in program:  # {notation}\n            self.state[{name}] = program[{name}]"
                ),
            },
            FamilyLanguage::Rust => {
                format!("            ({name}, {}), // {notation}", rust(&field.field_type, &name))
            }
            FamilyLanguage::JavaScript => {
                format!("      {name}: {}, // {notation}", javascript(&field.field_type, &name))
            }
        }
    }
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
