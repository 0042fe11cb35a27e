//! What a template of an adapter says of its machine.

use vmconf::machines::MachineInfo;
use vmconf::model::escaped;
use vmconf::wire::protocol::WireAction;

/// The text of an adapter with this name for a machine that vmconf embeds.
pub(super) fn machine_template(text: &str, name: &str, machine: &MachineInfo) -> String {
    let actions = WireAction::all().map(|action| action.name());
    announced(text, name, machine, &actions, &field_lines(machine, "        ", quoted))
}

/// The text with the name of the adapter, and with the name, actions and fields of the machine.
pub(super) fn announced(
    text: &str,
    name: &str,
    machine: &MachineInfo,
    actions: &[&str],
    fields: &str,
) -> String {
    let optional = match machine.optional {
        [] => String::new(),
        names => format!("; a machine need not have {}", comment(&names.join(", "))),
    };
    let actions: Vec<_> = actions.iter().map(|action| quoted(action)).collect();
    text.replace("{{fields}}", fields)
        .replace("{{optional}}", &optional)
        .replace("{{actions}}", &actions.join(", "))
        .replace("{{name}}", name)
        .replace("{{machine}}", machine.name)
}

/// A line for each field of the machine, which a comma ends.
pub(super) fn field_lines(machine: &MachineInfo, indent: &str, quoted: fn(&str) -> String) -> String {
    lines(machine.fields.iter().map(|field| format!("{indent}{},", quoted(field.name))))
}

/// A text in a comment of any language: it may have names with any characters.
pub(super) fn comment(text: &str) -> String {
    escaped(text).replace("*/", "* /")
}

pub(super) fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

/// A text as JSON, Python, JavaScript and Go write it.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
