//! Loads a program record into a machine.

use std::collections::HashMap;
use std::rc::Rc;

use super::core::Neo2Core;
use super::opcodes::NEO2;
use super::script::Script;
use super::shapes::ALIASES;
use crate::isa::OpInfo;
use crate::machines::info::in_bytes;
use crate::machines::machine::LoadError;
use crate::machines::neo::script::{self, script};
use crate::model::case::Program;
use crate::model::value::Value;

/// Fills the environment of a fresh core from the program. Returns the scripts; the first one is executed.
pub(super) fn load(program: &Program, core: &mut Neo2Core) -> Result<Vec<Script>, LoadError> {
    let record = &program.0;
    let mut scripts = vec![Script::new(script(&NEO2, record, op_of)?)];
    if let Some(table) = record.get("scriptTable") {
        let Value::List(entries) = table else { return Err(LoadError::new("scriptTable must be a list")) };
        for entry in entries {
            scripts.push(Script::new(bytes("an entry of scriptTable", entry)?.to_vec()));
        }
        let numbers = scripts.iter().enumerate().skip(1);
        core.table = Some(numbers.map(|(number, script)| (script.hash(), number)).collect::<HashMap<_, _>>());
    }
    let message = record.get("message").map(|message| bytes("message", message)).transpose()?;
    core.message = message.map(|message| Rc::new(message.to_vec()));
    Ok(scripts)
}

/// See [`crate::machines::MachineInfo::assemble`].
pub(super) fn assemble(program: &Program) -> Result<Program, LoadError> {
    script::assemble(&NEO2, program, op_of)
}

/// See [`crate::machines::MachineInfo::contains`]; covers the script and those that it can call.
pub(super) fn contains(program: &Program) -> Vec<&'static OpInfo> {
    let script = script(&NEO2, &program.0, op_of).ok();
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

/// The instruction of a mnemonic, in any case.
fn op_of(name: &str) -> Option<&'static OpInfo> {
    let alias = ALIASES.iter().find(|alias| alias.0.eq_ignore_ascii_case(name));
    NEO2.by_name(alias.map_or(name, |alias| alias.1))
}
