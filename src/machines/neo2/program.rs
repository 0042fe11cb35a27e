//! From a program record to a loaded machine.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use super::context::Context;
use super::script::Script;
use super::table::NEO2;
use crate::isa::OpInfo;
use crate::machines::in_bytes;
use crate::machines::machine::LoadError;
use crate::model::case::Program;
use crate::model::path::Path;
use crate::model::value::Value;

/// Second mnemonics.
const ALIASES: &[(&str, &str)] = &[("PUSHF", "PUSH0"), ("PUSHT", "PUSH1")];

/// Fills the environment of a fresh context from the program; gives the scripts, of which the
/// first is the one to execute.
pub(super) fn load(program: &Program, context: &mut Context) -> Result<Vec<Script>, LoadError> {
    let record = &program.0;
    let mut scripts = vec![Script::new(match record.get("script") {
        None => Vec::new(),
        Some(Value::List(entries)) => concatenated(entries)?,
        Some(script) => bytes("script", script)?.to_vec(),
    })];
    if let Some(table) = record.get("scriptTable") {
        let Value::List(entries) = table else { return Err(LoadError::new("scriptTable must be a list")) };
        for entry in entries {
            scripts.push(Script::new(bytes("an entry of scriptTable", entry)?.to_vec()));
        }
        let numbers = scripts.iter().enumerate().skip(1);
        context.table =
            Some(numbers.map(|(number, script)| (script.hash(), number)).collect::<HashMap<_, _>>());
    }
    let message = record.get("message").map(|message| bytes("message", message)).transpose()?;
    context.message = message.map(|message| Rc::new(message.to_vec()));
    Ok(scripts)
}

/// See [`crate::machines::MachineInfo::contains`]: of the script and of those that it can call.
pub(super) fn contains(program: &Program) -> Vec<&'static OpInfo> {
    let script = match program.0.get("script") {
        Some(Value::List(entries)) => concatenated(entries).ok(),
        Some(Value::Bytes(script)) => Some(script.clone()),
        _ => None,
    };
    let Some(Value::List(table)) = program.0.get("scriptTable") else {
        return script.map_or_else(Vec::new, |script| in_bytes(&NEO2, &script));
    };
    let table = table.iter().filter_map(|entry| bytes("an entry of scriptTable", entry).ok());
    let all = script.iter().map(Vec::as_slice).chain(table);
    all.flat_map(|script| in_bytes(&NEO2, script)).collect()
}

fn bytes<'v>(name: &str, value: &'v Value) -> Result<&'v [u8], LoadError> {
    match value {
        Value::Bytes(bytes) => Ok(bytes),
        _ => Err(LoadError::new(format!("{name} must be bytes"))),
    }
}

/// The script that bytes and mnemonics say one after the other.
fn concatenated(entries: &[Value]) -> Result<Vec<u8>, LoadError> {
    let mut script = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let wrong = |what| LoadError::at(Path::field("script").child(index), what);
        match entry {
            Value::Bytes(bytes) => script.extend(bytes),
            Value::Text(name) => {
                script.push(code(name).ok_or_else(|| wrong(format!("no instruction {name:?}")))?);
            }
            _ => return Err(wrong("neither bytes nor a mnemonic".to_owned())),
        }
    }
    Ok(script)
}

fn code(name: &str) -> Option<u8> {
    let alias = ALIASES.iter().find(|alias| alias.0.eq_ignore_ascii_case(name));
    NEO2.by_name(alias.map_or(name, |alias| alias.1)).map(|op| op.code as u8)
}

/// The instruction of a code as vectors name it: one that means nothing by its number.
pub(super) fn code_name(code: u8) -> Cow<'static, str> {
    NEO2.by_code(code.into()).map_or(Cow::Owned(code.to_string()), |op| Cow::Borrowed(op.name))
}
