//! The values of a machine that a fault can get wrong: its cells, read and set between two instructions.

use crate::machines::MachineInfo;
use crate::machines::machine::Machine;
use crate::model::case::Program;
use crate::model::cell::Cell;
use crate::model::hex::bytes_key;
use crate::model::path::PathKey;
use crate::model::value::Value;
use num_bigint::BigInt;

/// The maximum number of bytes of memory that form one value.
const MAX_BYTES: usize = 1 << 16;

/// The value of a cell; `None` if it cannot be observed.
pub fn read(machine: &dyn Machine, program: &Program, cell: &Cell) -> Option<Value> {
    match cell {
        Cell::Range(_, range) if range.len() > MAX_BYTES => None,
        _ => machine.content(cell).or_else(|| observed(machine, program, cell)),
    }
}

fn observed(machine: &dyn Machine, program: &Program, cell: &Cell) -> Option<Value> {
    let zero = || Some(Value::int(0));
    match cell {
        Cell::Stack(at) => machine.item(machine.height().checked_sub(at + 1)?),
        Cell::Range("memory", range) => {
            let Value::Bytes(memory) = machine.observe("memory")? else { return None };
            let byte = |at| memory.get(at).copied().unwrap_or_default();
            Some(Value::Bytes(range.clone().map(byte).collect()))
        }
        Cell::Range("data", range) => {
            let address = format!("0x{:04x}", range.start);
            machine.observe("data")?.get(&address).cloned().or_else(zero)
        }
        Cell::Named("register", name) => machine.observe("registers")?.get(name).cloned(),
        // The initial value: a forgotten write is always forgotten.
        Cell::Named("storage", key) => {
            let Value::Bytes(address) = program.0.get("address")? else { return None };
            let account = program.0.get("pre")?.get(&bytes_key(address))?;
            account.get("storage")?.get(key).cloned().or_else(zero)
        }
        Cell::Named("slot", name) => {
            let Value::List(frames) = machine.observe("call_stack")? else { return None };
            item(frames.last()?.get("locals")?, name)
        }
        Cell::Named("alt", _) => current_frame(machine, "altStack", "0"),
        Cell::Named("static", name) => current_frame(machine, "staticFields", name),
        Cell::Named("local", name) => current_frame(machine, "localVariables", name),
        Cell::Named("argument", name) => current_frame(machine, "arguments", name),
        _ => None,
    }
}

/// The change that gives the cell of a machine this value; `None` if it cannot be set.
pub fn change(info: &MachineInfo, machine: &dyn Machine, cell: &Cell, value: Value) -> Option<Value> {
    let (field, key, value) = match cell {
        Cell::Stack(at) => (info.stack?, machine.height().checked_sub(at + 1)?.to_string(), value),
        Cell::Range("memory", range) => ("memory", format!("0x{:x}", range.start), value),
        Cell::Range("data", range) => {
            let Value::Int(word) = value else { return None };
            let word = u16::try_from(word).ok()?;
            ("data", format!("0x{:04x}", range.start), Value::Bytes(word.to_be_bytes().to_vec()))
        }
        Cell::Named("register", name) => ("registers", name.to_string(), value),
        Cell::Named("storage", key) => ("storage", key.to_string(), value),
        Cell::Named("slot", name) => ("locals", number(name)?.to_string(), value),
        Cell::Named("alt", _) => ("altStack", "0".to_owned(), value),
        Cell::Named("static", name) => ("staticFields", number(name)?.to_string(), value),
        Cell::Named("local", name) => ("localVariables", number(name)?.to_string(), value),
        Cell::Named("argument", name) => ("arguments", number(name)?.to_string(), value),
        _ => return None,
    };
    let mut members = vec![(field, Value::record([(key, value)]))];
    if info.changes.iter().any(|member| member.name == "phase") {
        members.push(("phase", Value::text("same")));
    }
    Some(Value::record(members))
}

/// The value plus one; a truth value negated, bytes with a different last byte.
pub fn one_more(value: &Value) -> Option<Value> {
    match value {
        Value::Int(number) => Some(Value::Int(number + BigInt::from(1))),
        Value::Bool(truth) => Some(Value::Bool(!truth)),
        Value::Bytes(bytes) => {
            let (last, rest) = bytes.split_last().unwrap_or((&0, &[]));
            Some(Value::Bytes([rest, &[last.wrapping_add(1)]].concat()))
        }
        Value::Typed(name, value) => Some(Value::typed(name.clone(), one_more(value)?)),
        Value::Null | Value::Text(_) | Value::List(_) | Value::Record(_) => None,
    }
}

/// One of the variables of the current frame of a NeoVM.
fn current_frame(machine: &dyn Machine, field: &str, name: &str) -> Option<Value> {
    let Value::List(frames) = machine.observe("invocationStack")? else { return None };
    item(frames.first()?.get(field)?, name)
}

fn item(list: &Value, name: &str) -> Option<Value> {
    list.child(&PathKey::Index(number(name)?)).cloned()
}

/// The number that a name begins with: `3 of frame 0`.
fn number(name: &str) -> Option<usize> {
    name.split(' ').next()?.parse().ok()
}
