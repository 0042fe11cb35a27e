//! What a script can ask its host.

use super::count::Change;
use super::fault::{Fault, Flow, Stop};
use super::frame::Frame;
use super::item::{Host, Item};

#[inline(never)]
pub(super) fn syscall(f: &mut Frame<'_>) -> Flow {
    let [length] = f.operand()?;
    let name = f.data(usize::from(length))?;
    let frames = f.core.frames.len();
    match name {
        b"System.ExecutionEngine.GetScriptContainer" => container(f)?,
        b"System.ExecutionEngine.GetExecutingScriptHash" => push_hash(f, frames.checked_sub(1))?,
        b"System.ExecutionEngine.GetCallingScriptHash" => push_hash(f, frames.checked_sub(2))?,
        b"System.ExecutionEngine.GetEntryScriptHash" => push_hash(f, Some(0))?,
        _ => return Err(Fault::NoSuchService.into()),
    }
    f.charge(Change::Unknown)
}

fn container(f: &mut Frame<'_>) -> Flow {
    let core = &mut *f.core;
    let host = if core.message.is_some() {
        Host::Message
    } else {
        core.nothings = core.nothings.wrapping_add(1);
        Host::Nothing(core.nothings)
    };
    f.push(Item::Interop(host));
    Ok(())
}

/// Pushes the hash of the script of a frame, counted from the entry.
fn push_hash(f: &mut Frame<'_>, frame: Option<usize>) -> Flow {
    let call = frame.and_then(|frame| f.core.frames.get(frame));
    let script = call.ok_or(Stop::Faulted(Fault::NoCaller))?.script;
    f.push_bytes(f.scripts[script].hash().to_vec())
}
