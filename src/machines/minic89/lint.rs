//! Finds suspicious parts of a program that can be loaded nevertheless.

use num_bigint::BigInt;

use super::opcodes::MiniOp;
use super::program::{Code, Function, plain};
use super::source::items;
use crate::machines::status::LoadError;
use crate::model::{Path, Program, Value};

/// Everything suspicious, each with the path of its datum.
pub(super) fn lint(program: &Program) -> Vec<LoadError> {
    let Ok(code) = Code::new(&program.0) else { return Vec::new() };
    let mut odd = Vec::new();
    for (index, function) in code.functions.iter().enumerate() {
        let at = Path::field("functions").child(index);
        let Some(record) = program.0.get("functions").and_then(|it| it.child(&index.into())) else {
            continue;
        };
        instructions(&code, index, function, &at, &mut odd);
        source_map(record, function, &at, &mut odd);
        locals(record, function, &at, &mut odd);
    }
    odd
}

fn instructions(code: &Code, index: usize, function: &Function, at: &Path, odd: &mut Vec<LoadError>) {
    let decoded = &function.instructions[..function.instructions.len() - 1];
    for (ip, instruction) in decoded.iter().enumerate() {
        let argument = instruction.argument;
        let is_place = |count: usize| usize::try_from(argument).is_ok_and(|place| place < count);
        let shown = || plain(&code.argument(index, ip));
        let what = match instruction.op {
            MiniOp::Undecodable => {
                let (op, reason) = function.why_undecodable(ip);
                format!("{op:?} is not an instruction ({reason}) and traps when it is reached")
            }
            MiniOp::JMP | MiniOp::JZ | MiniOp::JNZ if !is_place(decoded.len()) => {
                format!("target {} is not an instruction of this function", shown())
            }
            MiniOp::LOAD_LOCAL | MiniOp::STORE_LOCAL if !is_place(function.local_count) => {
                format!("slot {} is out of range ({} slots)", shown(), function.local_count)
            }
            MiniOp::PUSH_FUN | MiniOp::CALL_DIRECT if code.by_fid(argument).is_none() => {
                format!("there is no function {}", shown())
            }
            _ => continue,
        };
        odd.push(LoadError::at(at.child("code").child(ip), what));
    }
}

fn source_map(record: &Value, function: &Function, at: &Path, odd: &mut Vec<LoadError>) {
    let code_len = BigInt::from(function.instructions.len() - 1);
    let mut last: Option<&BigInt> = None;
    for (index, entry) in items(record.get("source_map")).iter().enumerate() {
        let at = at.child("source_map").child(index);
        let Some(Value::Int(ip)) = entry.get("ip") else { continue };
        if last.is_some_and(|last| ip < last) {
            odd.push(LoadError::at(at.clone(), format!("ip {ip} follows a larger one")));
        }
        if *ip > code_len {
            odd.push(LoadError::at(at, format!("ip {ip} is past the {code_len} instructions")));
        }
        last = Some(ip);
    }
}

fn locals(record: &Value, function: &Function, at: &Path, odd: &mut Vec<LoadError>) {
    for (index, entry) in items(record.get("locals")).iter().enumerate() {
        let at = at.child("locals").child(index);
        let (Some(Value::Int(slot)), Some(Value::Text(kind))) = (entry.get("slot"), entry.get("kind")) else {
            continue;
        };
        let wanted = if *slot < BigInt::from(function.param_count) { "param" } else { "local" };
        if *slot >= BigInt::from(function.local_count) {
            odd.push(LoadError::at(
                at.clone(),
                format!("slot {slot} is out of range ({} slots)", function.local_count),
            ));
        } else if kind != wanted {
            let what = format!("slot {slot} is called a {kind} and is a {wanted}");
            odd.push(LoadError::at(at.clone(), what));
        }
        if let Some(scope) = entry.get("scope")
            && let (Some(Value::Int(start)), Some(Value::Int(end))) =
                (scope.get("ip_start"), scope.get("ip_end"))
            && start > end
        {
            odd.push(LoadError::at(at, format!("the scope starts at {start} and ends at {end}")));
        }
    }
}
