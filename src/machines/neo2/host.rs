//! The services of the host that a script can call.

use super::count::CountChange;
use super::fault::{Neo2Fault, Neo2Flow, Neo2Stop};
use super::frame::Neo2Frame;
use super::item::{HostObject, Neo2Item};

#[inline(never)]
pub(super) fn syscall(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let [length] = frame.operand()?;
    let name = frame.data(usize::from(length))?;
    let frames = frame.core.frames.len();
    match name {
        b"System.ExecutionEngine.GetScriptContainer" => container(frame)?,
        b"System.ExecutionEngine.GetExecutingScriptHash" => push_hash(frame, frames.checked_sub(1))?,
        b"System.ExecutionEngine.GetCallingScriptHash" => push_hash(frame, frames.checked_sub(2))?,
        b"System.ExecutionEngine.GetEntryScriptHash" => push_hash(frame, Some(0))?,
        _ => return Err(Neo2Fault::NoSuchService.into()),
    }
    frame.charge(CountChange::Unknown)
}

fn container(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let core = &mut *frame.core;
    let host = if core.message.is_some() {
        HostObject::Message
    } else {
        core.nothings = core.nothings.wrapping_add(1);
        HostObject::Nothing(core.nothings)
    };
    frame.push(Neo2Item::Interop(host));
    Ok(())
}

/// Pushes the hash of the script of a frame, counted from the entry.
fn push_hash(frame: &mut Neo2Frame<'_>, index: Option<usize>) -> Neo2Flow {
    let context = index.and_then(|index| frame.core.frames.get(index));
    let script = context.ok_or(Neo2Stop::Faulted(Neo2Fault::NoCaller))?.script;
    frame.push_bytes(frame.scripts[script].hash().to_vec())
}
