//! Frames: CALL, RET, and the calls of other scripts that pass on the whole evaluation stack.

use super::context::Neo2Context;
use super::count::CountChange;
use super::fault::{Neo2Fault, Neo2Flow, Neo2Stop};
use super::frame::Neo2Frame;
use super::script::Hash;

/// The charge for looking up a script, in units.
const LOOK_UP: u64 = 4;

/// The maximum number of frames.
const MAX_FRAMES: usize = 1024;

#[inline(never)]
pub(super) fn call(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let place = frame.offset()?;
    frame.need_room_for_frame()?;
    frame.enter_frame(frame.current().script, place, None);
    frame.inside(place)?;
    frame.hand_over(frame.base);
    Err(Neo2Stop::Switched)
}

#[inline(never)]
pub(super) fn appcall(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let hash = frame.operand()?;
    frame.need_table()?;
    frame.need_room_for_frame()?;
    let script = static_or_dynamic(frame, hash)?;
    frame.enter_frame(script, 0, None);
    frame.hand_over(frame.base);
    frame.note(CountChange::Loose(0))?;
    Err(Neo2Stop::Switched)
}

#[inline(never)]
pub(super) fn tailcall(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let hash = frame.operand()?;
    frame.need_table()?;
    let script = static_or_dynamic(frame, hash)?;
    frame.enter_frame(script, 0, None);
    frame.hand_over(frame.base);
    frame.remove_caller();
    frame.note(CountChange::Loose(0))?;
    Err(Neo2Stop::Switched)
}

/// The script with this hash or, if that is all zeros, with the hash on top of the stack.
fn static_or_dynamic(frame: &mut Neo2Frame<'_>, hash: Hash) -> Result<usize, Neo2Stop> {
    if hash == [0; 20] {
        let hash = frame.pop_bytes()?;
        return frame.script_of(&hash);
    }
    frame.script_of(&hash)
}

#[inline(never)]
pub(super) fn ret(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let core = &mut *frame.core;
    let Some(call) = core.frames.pop() else { return Err(Neo2Stop::Halted) };
    if let Some(wanted) = call.wanted {
        let kept = core.stack.len().checked_sub(usize::from(wanted));
        let kept = kept.filter(|kept| *kept >= call.base);
        core.alt.truncate(call.alt_base);
        core.stack.drain(call.base..kept.unwrap_or(core.stack.len()));
        kept.ok_or(Neo2Stop::Faulted(Neo2Fault::TooFewResults))?;
    }
    let halted = core.frames.is_empty();
    if halted {
        core.results = std::mem::take(&mut core.stack);
        core.alt.clear();
    }
    frame.note(CountChange::Loose(0))?;
    Err(if halted { Neo2Stop::Halted } else { Neo2Stop::Switched })
}

impl Neo2Frame<'_> {
    /// The record of this frame.
    pub(super) fn current(&self) -> Neo2Context {
        *self.core.frames.last().expect("a frame runs")
    }

    pub(super) fn need_table(&self) -> Neo2Flow {
        self.core.table.as_ref().map(drop).ok_or(Neo2Stop::Faulted(Neo2Fault::NoTable))
    }

    pub(super) fn need_room_for_frame(&self) -> Neo2Flow {
        let room = self.core.frames.len() < MAX_FRAMES;
        if room { Ok(()) } else { Err(Neo2Fault::Frames.into()) }
    }

    /// The number of the script with this hash.
    pub(super) fn script_of(&mut self, hash: &[u8]) -> Result<usize, Neo2Stop> {
        self.core.work(LOOK_UP)?;
        let table = self.core.table.as_ref().ok_or(Neo2Stop::Faulted(Neo2Fault::NoTable))?;
        table.get(hash).copied().ok_or(Neo2Stop::Faulted(Neo2Fault::NoSuchScript))
    }

    /// Adds a frame with empty stacks. The current frame will continue after the instruction.
    pub(super) fn enter_frame(&mut self, script: usize, pc: i64, wanted: Option<u8>) {
        let core = &mut *self.core;
        if let Some(own) = core.frames.last_mut() {
            own.pc = self.pc as i64;
        }
        let (base, alt_base) = (core.stack.len(), core.alt.len());
        core.frames.push(Neo2Context { script, pc, base, alt_base, wanted });
    }

    /// Passes this frame's items, from a position of the stack on, to the frame just added.
    pub(super) fn hand_over(&mut self, from: usize) {
        if let Some(added) = self.core.frames.last_mut() {
            added.base = from;
        }
    }

    /// Removes this frame, which is below the one just added, with all its remaining items.
    pub(super) fn remove_caller(&mut self) {
        let core = &mut *self.core;
        let (Some(added), Some(own)) = (core.frames.pop(), core.frames.pop()) else { return };
        core.stack.drain(own.base..added.base);
        core.alt.truncate(own.alt_base);
        core.frames.push(Neo2Context { base: own.base, alt_base: own.alt_base, ..added });
    }
}
