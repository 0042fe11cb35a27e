//! Frames: CALL, CALLA, CALLT and RET.

use super::core::Core;
use super::fault::{End, Fault, Flow};
use super::flow::{go_on, offset, target};
use super::frame::Frame;
use super::item::Item;

/// CALL
pub(super) fn call<const N: usize>(frame: &mut Frame<'_>) -> Flow {
    let offset = offset::<N>(frame)?;
    let position = target(frame, offset)?;
    enter(frame, position)
}

/// CALLA
pub(super) fn calla(frame: &mut Frame<'_>) -> Flow {
    match frame.pop()? {
        Item::Pointer(position) => enter(frame, position as i32),
        _ => Err(Fault::Wrong("CALLA takes a Pointer.").into()),
    }
}

/// The charge for a new frame, in units.
const FRAME: usize = 2;

/// Adds a frame at a position, which shares the stack and the static fields.
fn enter(frame: &mut Frame<'_>, position: i32) -> Flow {
    frame.work(FRAME)?;
    let back = frame.pc;
    go_on(frame, position)?;
    let most = frame.core.limits.invocation_stack_size;
    if frame.core.callers.len() as u64 + 1 >= most {
        return Err(Fault::Frames { most }.into());
    }
    let mut caller = std::mem::take(&mut frame.core.context);
    caller.pc = back;
    frame.core.callers.push(caller);
    Ok(())
}

/// CALLT
pub(super) fn callt(frame: &mut Frame<'_>) -> Flow {
    let token = frame.operand().map(u16::from_le_bytes)?;
    Err(Fault::NoToken(token).into())
}

/// RET
pub(super) fn ret(frame: &mut Frame<'_>) -> Flow {
    unload(frame);
    let Some(caller) = frame.core.callers.pop() else {
        release_all(frame, |core| &mut core.statics);
        return Err(End::Halted.into());
    };
    frame.pc = caller.pc;
    frame.core.context = caller;
    Ok(())
}

/// Releases what only the current frame owns.
pub(super) fn unload(frame: &mut Frame<'_>) {
    release_all(frame, |core| &mut core.context.locals);
    release_all(frame, |core| &mut core.context.arguments);
}

fn release_all(frame: &mut Frame<'_>, slots: fn(&mut Core) -> &mut Vec<Item>) {
    for item in std::mem::take(slots(frame.core)) {
        frame.core.heap.release(&item);
    }
}
