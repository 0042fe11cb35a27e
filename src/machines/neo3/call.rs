//! Frames: CALL, CALLA, CALLT and RET.

use super::core::Neo3Core;
use super::fault::{Neo3End, Neo3Fault, Neo3Flow};
use super::flow::{go_on, offset, target};
use super::frame::Neo3Frame;
use super::item::Neo3Item;

pub(super) fn call<const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let offset = offset::<N>(frame)?;
    let position = target(frame, offset)?;
    enter(frame, position)
}

pub(super) fn calla(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    match frame.pop()? {
        Neo3Item::Pointer(position) => enter(frame, position as i32),
        _ => Err(Neo3Fault::Wrong("CALLA takes a Pointer.").into()),
    }
}

/// The charge for a new frame, in units.
const FRAME: usize = 2;

/// Adds a frame at a position, which shares the stack and the static fields.
fn enter(frame: &mut Neo3Frame<'_>, position: i32) -> Neo3Flow {
    frame.work(FRAME)?;
    let back = frame.pc;
    go_on(frame, position)?;
    let most = frame.core.limits.invocation_stack_size;
    if frame.core.callers.len() as u64 + 1 >= most {
        return Err(Neo3Fault::Frames { most }.into());
    }
    let mut caller = std::mem::take(&mut frame.core.context);
    caller.pc = back;
    frame.core.callers.push(caller);
    Ok(())
}

pub(super) fn callt(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let token = frame.operand().map(u16::from_le_bytes)?;
    Err(Neo3Fault::NoToken(token).into())
}

pub(super) fn ret(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    unload(frame);
    let Some(caller) = frame.core.callers.pop() else {
        release_all(frame, |core| &mut core.statics);
        return Err(Neo3End::Halted.into());
    };
    frame.pc = caller.pc;
    frame.core.context = caller;
    Ok(())
}

/// Releases what only the current frame owns.
pub(super) fn unload(frame: &mut Neo3Frame<'_>) {
    release_all(frame, |core| &mut core.context.locals);
    release_all(frame, |core| &mut core.context.arguments);
}

fn release_all(frame: &mut Neo3Frame<'_>, slots: fn(&mut Neo3Core) -> &mut Vec<Neo3Item>) {
    for item in std::mem::take(slots(frame.core)) {
        frame.core.heap.release(&item);
    }
}
