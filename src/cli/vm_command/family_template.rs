//! The template of an adapter for a family: what its declaration says, in Python.

use std::fmt::Write;

use vmconf::formats::family::Family;
use vmconf::model::field_type::{DeclaredField, FieldType};
use vmconf::model::shape::{MemberShape, Shape};

const TEMPLATE: &str = include_str!("../templates/adapter-family.py");

/// The text of an adapter with this name.
pub(super) fn family_template(family: &Family, name: &str) -> String {
    let fields = family.fields.iter().map(|field| format!("        {},", quoted(field.name)));
    let fields: Vec<_> = fields.collect();
    let optional = match family.optional {
        [] => String::new(),
        names => format!("; a machine need not have {}", names.join(", ")),
    };
    let actions: Vec<_> = family.actions().iter().map(|action| quoted(action)).collect();
    let memories = family.program.iter().filter(|member| is_memory(member));
    let memories: Vec<_> = memories.map(|member| quoted(member.name)).collect();
    TEMPLATE
        .replace("{{loads}}", loads(family).trim_end())
        .replace("{{fields}}", &fields.join("\n"))
        .replace("{{optional}}", &optional)
        .replace("{{actions}}", &actions.join(", "))
        .replace("{{memories}}", &format!("[{}]", memories.join(", ")))
        .replace("{{name}}", name)
        .replace("{{machine}}", family.machine)
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn declared(member: &MemberShape) -> Option<&'static DeclaredField> {
    match member.shape {
        Shape::Declared(field) => Some(field),
        _ => None,
    }
}

fn is_memory(member: &MemberShape) -> bool {
    declared(member).is_some_and(|field| matches!(field.field_type, FieldType::Memory(_)))
}

/// A line for each member of a program, which reads it.
fn loads(family: &Family) -> String {
    let mut lines = String::new();
    for member in family.program {
        let Some(field) = declared(member) else { continue };
        let (name, empty) = (quoted(member.name), quoted("0x0"));
        let value = match &field.field_type {
            FieldType::Unsigned(_) | FieldType::Signed(_) | FieldType::Int => {
                format!("number(program.get({name}, {empty}))")
            }
            FieldType::Memory(_) => {
                format!("{{number(address): number(cell) for address, cell in program.get({name}, [])}}")
            }
            _ => format!("program.get({name})"),
        };
        // Writing to a string does not fail.
        let _ = writeln!(lines, "        self.state[{name}] = {value}  # {}", field.field_type.notation());
    }
    lines
}
