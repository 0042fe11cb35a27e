//! Scripts in a program record, and the names of instructions in vectors.

use std::borrow::Cow;

use crate::isa::{Isa, OpInfo};
use crate::machines::info::UpcomingMembers;
use crate::machines::status::LoadError;
use crate::model::{Name, Path, Program, Value};

/// The bytes of a script, the member `script` of a program: bytes, or a list of bytes and mnemonics that follow each
/// other. `op_of` finds the instruction of a mnemonic. Fails if it is something else, or for each mnemonic that is
/// not in this instruction set.
pub(in crate::machines) fn script(
    isa: &Isa,
    script: &Value,
    op_of: fn(&str) -> Option<&'static OpInfo>,
) -> Result<Vec<u8>, LoadError> {
    let parts = match script {
        Value::Bytes(bytes) => return Ok(bytes.clone()),
        Value::List(parts) => parts,
        other => return Err(wrong("script", other, "bytes, or a list of bytes and mnemonics")),
    };
    let (mut script, mut is_known) = (Vec::new(), true);
    for part in parts {
        match part {
            Value::Bytes(bytes) => script.extend_from_slice(bytes),
            Value::Text(name) => match op_of(name) {
                Some(op) => script.push(op.code as u8),
                None => is_known = false,
            },
            other => return Err(wrong("script", other, "bytes or a mnemonic")),
        }
    }
    if is_known {
        return Ok(script);
    }
    let unknown = |(index, part): (usize, &Value)| {
        let Value::Text(name) = part else { return None };
        let what = format!("no instruction {name:?} (vmconf isa {} lists them)", isa.machine);
        op_of(name).is_none().then(|| LoadError::at(Path::field("script").child(index), what))
    };
    LoadError::of_all(parts.iter().enumerate().filter_map(unknown)).map_or(Ok(script), Err)
}

/// The program with its member `script` as bytes. For errors, see [`script`].
pub(in crate::machines) fn assemble(
    isa: &Isa,
    program: &Program,
    op_of: fn(&str) -> Option<&'static OpInfo>,
) -> Result<Program, LoadError> {
    let Some(script @ Value::List(_)) = program.0.get("script") else { return Ok(program.clone()) };
    let script = Value::Bytes(self::script(isa, script, op_of)?);
    let member = |(name, value): &(Name, Value)| {
        (name.clone(), if name == "script" { script.clone() } else { value.clone() })
    };
    Ok(Value::Record(program.0.members().unwrap_or_default().iter().map(member).collect()).into())
}

/// A member of a program with the wrong type or value.
pub(in crate::machines) fn wrong(name: &'static str, value: &Value, expected: &str) -> LoadError {
    LoadError::at(Path::field(name), format!("{name} is {value} and must be {expected}"))
}

/// The members of a frame that say which instruction is next.
pub(in crate::machines) const UPCOMING: UpcomingMembers =
    UpcomingMembers { name: "nextInstruction", code: "nextOpcode" };

/// The mnemonic of a code, or its number if it is undefined.
pub(in crate::machines) fn code_name(isa: &Isa, code: u8) -> Cow<'static, str> {
    isa.by_code(code.into()).map_or(Cow::Owned(code.to_string()), |op| Cow::Borrowed(op.name))
}
