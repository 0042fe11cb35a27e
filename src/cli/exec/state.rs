//! The state that a program left, for people and for programs.

use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};
use vmconf::machines::MachineInfo;
use vmconf::model::escape::escaped;
use vmconf::model::value::Value;
use vmconf::wire::line::one_line;

use crate::cli::form::OutputForm;
use crate::cli::output;

/// The longest value that stays in one line.
const WIDTH: usize = 88;

/// The most characters of a value without parts that are shown.
const MAX_LENGTH: usize = 1024;

/// What a program left.
pub(super) struct Left {
    /// How the run ended, in one line.
    pub(super) ended: String,
    /// The fields of the state that have a value.
    pub(super) fields: Vec<(&'static str, Value)>,
}

impl Left {
    /// A field of the state, if it has a value.
    pub(super) fn field(&self, name: &str) -> Option<Value> {
        self.fields.iter().find(|field| field.0 == name).map(|field| field.1.clone())
    }
}

/// Prints how the machine ended, and every field of its state that has a value.
pub(super) fn print(machine: &MachineInfo, left: &Left, form: OutputForm) -> io::Result<()> {
    let Left { ended, fields } = left;
    let mut out = output::stdout();
    match form {
        OutputForm::Json => {
            let state: Map<_, _> =
                fields.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
            let document = json!({"machine": machine.name, "ended": ended, "state": Json::Object(state)});
            writeln!(out, "{}", one_line(&document))?;
        }
        OutputForm::Text => {
            writeln!(out, "{}", escaped(ended))?;
            for (name, value) in fields {
                print_value(&mut out, 2, name, value)?;
            }
        }
    }
    out.flush()
}

/// Prints a value in a line; one that is too long with a line for each of its parts.
fn print_value(out: &mut impl Write, indent: usize, name: &str, value: &Value) -> io::Result<()> {
    let text = value.to_string();
    let parts: Vec<(String, &Value)> = match value {
        Value::List(items) => items.iter().enumerate().map(|(at, item)| (format!("[{at}]"), item)).collect(),
        Value::Record(members) => members.iter().map(|(name, value)| (name.to_string(), value)).collect(),
        _ => Vec::new(),
    };
    if parts.is_empty() || indent + name.len() + text.len() <= WIDTH {
        let shown: String = text.chars().take(MAX_LENGTH).collect();
        let rest = if shown.len() < text.len() { "…" } else { "" };
        return writeln!(out, "{:indent$}{}: {}{rest}", "", escaped(name), escaped(&shown));
    }
    writeln!(out, "{:indent$}{}:", "", escaped(name))?;
    parts.iter().try_for_each(|(name, part)| print_value(out, indent + 2, name, part))
}
