//! The services of the host that a script can call.

use super::count::Change;
use super::fault::{Fault, Flow, Stop};
use super::frame::Frame;
use super::item::{Host, Item};

#[inline(never)]
pub(super) fn syscall(frame: &mut Frame<'_>) -> Flow {
    let [length] = frame.operand()?;
    let name = frame.data(usize::from(length))?;
    let frames = frame.core.frames.len();
    match name {
        b"System.ExecutionEngine.GetScriptContainer" => container(frame)?,
        b"System.ExecutionEngine.GetExecutingScriptHash" => push_hash(frame, frames.checked_sub(1))?,
        b"System.ExecutionEngine.GetCallingScriptHash" => push_hash(frame, frames.checked_sub(2))?,
        b"System.ExecutionEngine.GetEntryScriptHash" => push_hash(frame, Some(0))?,
        _ => return Err(Fault::NoSuchService.into()),
    }
    frame.charge(Change::Unknown)
}

fn container(frame: &mut Frame<'_>) -> Flow {
    let core = &mut *frame.core;
    let host = if core.message.is_some() {
        Host::Message
    } else {
        core.nothings = core.nothings.wrapping_add(1);
        Host::Nothing(core.nothings)
    };
    frame.push(Item::Interop(host));
    Ok(())
}

/// Pushes the hash of the script of a frame, counted from the entry.
fn push_hash(frame: &mut Frame<'_>, index: Option<usize>) -> Flow {
    let context = index.and_then(|index| frame.core.frames.get(index));
    let script = context.ok_or(Stop::Faulted(Fault::NoCaller))?.script;
    frame.push_bytes(frame.scripts[script].hash().to_vec())
}
