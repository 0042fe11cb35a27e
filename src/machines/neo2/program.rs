//! Loads a program record into a machine.

use std::collections::HashMap;
use std::rc::Rc;

use super::core::Neo2Core;
use super::opcodes::NEO2;
use super::script::Script;
use crate::isa::OpInfo;
use crate::machines::info::in_bytes;
use crate::machines::neo::script;
use crate::machines::record::{bytes, list, record};
use crate::machines::status::LoadError;
use crate::model::{Program, Shape, Value};

record! {
    /// A program record.
    Neo2Program;
    "script": Shape::Bytes, "the script" => script: Option<Vec<u8>> = optional script;
    "message": Shape::Bytes, "what signatures are verified against" => message: Option<&'v [u8]> = optional bytes;
    "scriptTable": Shape::List(&Shape::Bytes), "further scripts, which are called by their hash"
        => table: Option<Vec<&'v [u8]>> = optional table;
}

/// Alternative mnemonics, each with the one of the table.
pub(super) const ALIASES: &[(&str, &str)] = &[("PUSHF", "PUSH0"), ("PUSHT", "PUSH1")];

/// Fills the environment of a fresh core from the program. Returns the scripts; the first one is executed.
pub(super) fn load(program: &Program, core: &mut Neo2Core) -> Result<Vec<Script>, LoadError> {
    let record = Neo2Program(&program.0);
    let mut scripts = vec![Script::new(record.script()?.unwrap_or_default())];
    if let Some(table) = record.table()? {
        scripts.extend(table.into_iter().map(|script| Script::new(script.to_vec())));
        let numbers = scripts.iter().enumerate().skip(1);
        core.table = Some(numbers.map(|(number, script)| (script.hash(), number)).collect::<HashMap<_, _>>());
    }
    core.message = record.message()?.map(|message| Rc::new(message.to_vec()));
    Ok(scripts)
}

/// See [`crate::machines::MachineInfo::assemble`].
pub(super) fn assemble(program: &Program) -> Result<Program, LoadError> {
    script::assemble(&NEO2, program, op_of)
}

/// See [`crate::machines::MachineInfo::contains`]; covers the script and those that it can call.
pub(super) fn contains(program: &Program) -> Vec<&'static OpInfo> {
    let record = Neo2Program(&program.0);
    let (script, table) = (record.script().ok().flatten(), record.table().ok().flatten());
    let all = script.iter().map(Vec::as_slice).chain(table.into_iter().flatten());
    all.flat_map(|script| in_bytes(&NEO2, script)).collect()
}

fn script(_: &str, value: &Value) -> Result<Vec<u8>, LoadError> {
    script::script(&NEO2, value, op_of)
}

fn table<'v>(name: &str, value: &'v Value) -> Result<Vec<&'v [u8]>, LoadError> {
    let scripts = list(name, value)?.iter();
    scripts.map(|script| bytes("an entry of scriptTable", script)).collect()
}

/// The instruction of a mnemonic, in any case.
fn op_of(name: &str) -> Option<&'static OpInfo> {
    let alias = ALIASES.iter().find(|alias| alias.0.eq_ignore_ascii_case(name));
    NEO2.by_name(alias.map_or(name, |alias| alias.1))
}
