//! What a template of an adapter says of its machine.

use vmconf::machines::MachineInfo;
use vmconf::wire::protocol::WireAction;

/// The text of an adapter with this name for a machine that vmconf embeds.
pub(super) fn machine_template(text: &str, name: &str, machine: &MachineInfo) -> String {
    let actions = WireAction::all().map(|action| action.name());
    announced(text, name, machine, &actions)
}

/// The text with the name of the adapter, and with the name, actions and fields of the machine.
pub(super) fn announced(text: &str, name: &str, machine: &MachineInfo, actions: &[&str]) -> String {
    let fields = machine.fields.iter().map(|field| format!("        {},", quoted(field.name)));
    let optional = match machine.optional {
        [] => String::new(),
        names => format!("; a machine need not have {}", names.join(", ")),
    };
    let actions: Vec<_> = actions.iter().map(|action| quoted(action)).collect();
    text.replace("{{fields}}", &lines(fields))
        .replace("{{optional}}", &optional)
        .replace("{{actions}}", &actions.join(", "))
        .replace("{{name}}", name)
        .replace("{{machine}}", machine.name)
}

pub(super) fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

/// A text as Python, JavaScript and Rust write it.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
