//! Reads a program record into a script and a host; strict validation of scripts.

use std::collections::BTreeSet;

use super::core::{HostServices, SignedData};
use super::fault::Neo3Fault;
use super::item::ItemType;
use super::opcodes::{NEO3, Op};
use crate::isa::{ImmediateOperand, OpInfo};
use crate::machines::ecdsa::Curve;
use crate::machines::info::in_bytes;
use crate::machines::neo::script::{self, wrong};
use crate::machines::neo::shapes::NUMBER;
use crate::machines::record::{any, record};
use crate::machines::status::LoadError;
use crate::model::limits::{self, Limits};
use crate::model::{MapKeys, Path, Program, Shape, Value};

record! {
    /// A program record.
    Neo3Program;
    "script": Shape::Bytes, "the script" => script: Option<Vec<u8>> = optional script;
    "strict": Shape::Bool, "whether a script that strict validation rejects faults before its first instruction"
        => strict: Option<bool> = optional truth;
    "host": Shape::Text, "which system calls there are: test or crypto" => host: Option<HostKind> = optional host;
    "message": Shape::Bytes, "what the system calls for signatures verify, of the host crypto"
        => message: Option<Vec<u8>> = optional message;
    "curve": Shape::Text, "secp256r1 or secp256k1, of the host crypto" => curve: Option<Curve> = optional curve;
    "limits": Shape::Map(MapKeys::Text, &NUMBER), "limits of the engine that the vector lowers, by name"
        => limits: Option<&'v Value> = optional any;
}

/// A program that was read.
pub(super) struct LoadedProgram {
    pub(super) script: Vec<u8>,
    pub(super) host: HostServices,
    /// The limits; those of the engine do not exceed the ones passed to [`load`].
    pub(super) limits: Limits,
    /// Why strict validation rejects the script, if it was requested.
    pub(super) rejected: Option<Neo3Fault>,
}

/// Reads a program record, whose member `limits` may lower the limits of the engine.
pub(super) fn load(program: &Program, limits: &Limits) -> Result<LoadedProgram, LoadError> {
    let record = Neo3Program(&program.0);
    let script = record.script()?.unwrap_or_default();
    let is_strict = record.strict()?.unwrap_or_default();
    let rejected = if is_strict { rejected(&script).map(Neo3Fault::Rejected) } else { None };
    Ok(LoadedProgram {
        script,
        host: services(record)?,
        limits: lowered(record.limits()?, limits)?,
        rejected,
    })
}

/// The limits as lowered by the program.
fn lowered(demanded: Option<&Value>, limits: &Limits) -> Result<Limits, LoadError> {
    let mut lowered = limits.clone();
    let Some(demanded) = demanded else { return Ok(lowered) };
    for (member, row) in limits::of_machine(NEO3.machine) {
        let Some(value) = demanded.get(member) else { continue };
        let most = (row.get)(limits);
        let number = value.number().filter(|number| *number <= most).ok_or_else(|| {
            let what = format!("{member} is {value} and must be 0 to {most} (--{} raises it)", row.flag);
            LoadError::at(Path::field("limits").child(member), what)
        })?;
        (row.set)(&mut lowered, number);
    }
    Ok(lowered)
}

/// See [`crate::machines::MachineInfo::assemble`].
pub(super) fn assemble(program: &Program) -> Result<Program, LoadError> {
    script::assemble(&NEO3, program, op_of)
}

/// See [`crate::machines::MachineInfo::contains`].
pub(super) fn contains(program: &Program) -> Vec<&'static OpInfo> {
    let script = Neo3Program(&program.0).script().ok().flatten();
    script.map_or_else(Vec::new, |script| in_bytes(&NEO3, &script))
}

/// The instruction with this mnemonic, spelled as in the table.
fn op_of(name: &str) -> Option<&'static OpInfo> {
    NEO3.by_name(name).filter(|op| op.name == name)
}

fn services(record: Neo3Program<'_>) -> Result<HostServices, LoadError> {
    match record.host()? {
        None | Some(HostKind::Test) => Ok(HostServices::Test),
        Some(HostKind::Crypto) => {
            let missing = || LoadError::new("the host \"crypto\" needs a \"message\"");
            let message = record.message()?.ok_or_else(missing)?;
            Ok(HostServices::Crypto(SignedData {
                message,
                curve: record.curve()?.unwrap_or(Curve::Secp256r1),
            }))
        }
    }
}

/// The hosts, by their names.
#[derive(Clone, Copy)]
pub(super) enum HostKind {
    Test,
    Crypto,
}

fn script(_: &str, value: &Value) -> Result<Vec<u8>, LoadError> {
    script::script(&NEO3, value, op_of)
}

fn truth(name: &'static str, value: &Value) -> Result<bool, LoadError> {
    match value {
        Value::Bool(truth) => Ok(*truth),
        other => Err(wrong(name, other, "true or false")),
    }
}

fn host(name: &'static str, value: &Value) -> Result<HostKind, LoadError> {
    match value {
        Value::Text(name) if name == "test" => Ok(HostKind::Test),
        Value::Text(name) if name == "crypto" => Ok(HostKind::Crypto),
        other => Err(wrong(name, other, "\"test\" or \"crypto\"")),
    }
}

fn message(name: &'static str, value: &Value) -> Result<Vec<u8>, LoadError> {
    match value {
        Value::Bytes(message) => Ok(message.clone()),
        other => Err(wrong(name, other, "bytes")),
    }
}

fn curve(name: &'static str, value: &Value) -> Result<Curve, LoadError> {
    match value {
        Value::Text(name) if name == "secp256r1" => Ok(Curve::Secp256r1),
        Value::Text(name) if name == "secp256k1" => Ok(Curve::Secp256k1),
        other => Err(wrong(name, other, "\"secp256r1\" or \"secp256k1\"")),
    }
}

/// Why strict validation rejects a script; `None` if it accepts it. An accepted script only reaches positions
/// at the start of an instruction, so nothing needs to be checked while it runs.
fn rejected(script: &[u8]) -> Option<String> {
    let mut starts = BTreeSet::new();
    let mut at = 0;
    while at < script.len() {
        let Some(op) = NEO3.by_code(script[at].into()) else {
            return Some(format!("0x{:02x} at {at} is not an instruction", script[at]));
        };
        let Some(length) = op.operand_len(&script[at + 1..]) else {
            return Some(format!("{} at {at} is cut off by the end", op.name));
        };
        if !has_type(op, script[at + 1..].first()) {
            return Some(format!("the operand of {} at {at} is not a type", op.name));
        }
        starts.insert(at);
        at += 1 + length;
    }
    let starts_at = |target: i64| usize::try_from(target).is_ok_and(|target| starts.contains(&target));
    starts.iter().find_map(|at| {
        let target = targets(script, *at).into_iter().find(|target| !starts_at(*target))?;
        Some(format!("the target {target} of the instruction at {at} is not an instruction"))
    })
}

/// Whether the operand is a type, if the instruction demands one.
fn has_type(op: &OpInfo, operand: Option<&u8>) -> bool {
    let kind = operand.and_then(|code| ItemType::of_code(*code));
    if op.code == Op::NEWARRAY_T as u16 {
        kind.is_some()
    } else if op.code == Op::ISTYPE as u16 || op.code == Op::CONVERT as u16 {
        kind.is_some_and(|kind| kind != ItemType::Any)
    } else {
        true
    }
}

/// The targets of the offsets of an instruction.
fn targets(script: &[u8], at: usize) -> Vec<i64> {
    let mut rest = &script[at + 1..];
    let mut targets = Vec::new();
    for operand in NEO3.by_code(script[at].into()).map_or(&[][..], |op| op.operands) {
        let Some((bytes, further)) = operand.split(rest) else { break };
        if let ImmediateOperand::Offset(_) = operand {
            targets.push(at as i64 + signed_offset(bytes));
        }
        rest = further;
    }
    targets
}

fn signed_offset(bytes: &[u8]) -> i64 {
    match *bytes {
        [offset] => i64::from(offset as i8),
        [a, b, c, d] => i64::from(i32::from_le_bytes([a, b, c, d])),
        _ => 0,
    }
}
