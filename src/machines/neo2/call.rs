//! Frames: CALL, RET, and the calls of other scripts that hand over the whole evaluation stack.

use super::count::Change;
use super::frame::{Fault, Flow, Frame, Stop};
use super::script::Hash;

/// The most frames.
const MOST_FRAMES: usize = 1024;

/// What there is to know about a frame while others are called from it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    /// Its script's number.
    pub(super) script: usize,
    /// Offset of its next instruction. Outside the script only where that was the fault.
    pub(super) pc: i64,
    /// Where its items start in the stack and in the alt stack of all frames.
    pub(super) base: usize,
    pub(super) alt_base: usize,
    /// How many items it must return; none where it returns all and its alt stack, too.
    pub(super) wanted: Option<u8>,
}

#[inline(never)]
pub(super) fn call(f: &mut Frame<'_>) -> Flow {
    let place = f.offset()?;
    f.need_room_for_frame()?;
    f.enter_frame(f.current().script, place, None);
    f.inside(place)?;
    f.hand_over(f.base);
    Err(Stop::Switched)
}

#[inline(never)]
pub(super) fn appcall(f: &mut Frame<'_>) -> Flow {
    let hash = f.take_array()?;
    f.need_table()?;
    f.need_room_for_frame()?;
    let script = static_or_dynamic(f, hash)?;
    f.enter_frame(script, 0, None);
    f.hand_over(f.base);
    f.note(Change::Loose(0))?;
    Err(Stop::Switched)
}

#[inline(never)]
pub(super) fn tailcall(f: &mut Frame<'_>) -> Flow {
    let hash = f.take_array()?;
    f.need_table()?;
    let script = static_or_dynamic(f, hash)?;
    f.enter_frame(script, 0, None);
    f.hand_over(f.base);
    f.remove_caller();
    f.note(Change::Loose(0))?;
    Err(Stop::Switched)
}

/// The script of a hash; of the hash on top of the stack if it is all zeros.
fn static_or_dynamic(f: &mut Frame<'_>, hash: Hash) -> Result<usize, Stop> {
    if hash == [0; 20] {
        let hash = f.pop_bytes()?;
        return f.script_of(&hash);
    }
    f.script_of(&hash)
}

#[inline(never)]
pub(super) fn ret(f: &mut Frame<'_>) -> Flow {
    let context = &mut *f.context;
    let Some(call) = context.frames.pop() else { return Err(Stop::Halted) };
    if let Some(wanted) = call.wanted {
        let kept = context.stack.len().checked_sub(usize::from(wanted));
        let kept = kept.filter(|kept| *kept >= call.base);
        context.alt.truncate(call.alt_base);
        context.stack.drain(call.base..kept.unwrap_or(context.stack.len()));
        kept.ok_or(Stop::Faulted(Fault::TooFewResults))?;
    }
    let halted = context.frames.is_empty();
    if halted {
        context.results = std::mem::take(&mut context.stack);
        context.alt.clear();
    }
    f.note(Change::Loose(0))?;
    Err(if halted { Stop::Halted } else { Stop::Switched })
}

impl Frame<'_> {
    /// The record of this frame.
    pub(super) fn current(&self) -> Call {
        *self.context.frames.last().expect("a frame runs")
    }

    pub(super) fn need_table(&self) -> Flow {
        self.context.table.as_ref().map(drop).ok_or(Stop::Faulted(Fault::NoTable))
    }

    pub(super) fn need_room_for_frame(&self) -> Flow {
        let room = self.context.frames.len() < MOST_FRAMES;
        if room { Ok(()) } else { Err(Fault::TooManyFrames.into()) }
    }

    /// The number of the script of this hash.
    pub(super) fn script_of(&self, hash: &[u8]) -> Result<usize, Stop> {
        let table = self.context.table.as_ref().ok_or(Stop::Faulted(Fault::NoTable))?;
        table.get(hash).copied().ok_or(Stop::Faulted(Fault::NoSuchScript))
    }

    /// Adds a frame with empty stacks. This one goes on behind the instruction.
    pub(super) fn enter_frame(&mut self, script: usize, pc: i64, wanted: Option<u8>) {
        let context = &mut *self.context;
        if let Some(own) = context.frames.last_mut() {
            own.pc = self.pc as i64;
        }
        let (base, alt_base) = (context.stack.len(), context.alt.len());
        context.frames.push(Call { script, pc, base, alt_base, wanted });
    }

    /// Makes this frame's items from a place of the stack on those of the frame just added.
    pub(super) fn hand_over(&mut self, from: usize) {
        if let Some(added) = self.context.frames.last_mut() {
            added.base = from;
        }
    }

    /// Removes this frame, which is below the one just added, with all that it has left.
    pub(super) fn remove_caller(&mut self) {
        let context = &mut *self.context;
        let (Some(added), Some(own)) = (context.frames.pop(), context.frames.pop()) else { return };
        context.stack.drain(own.base..added.base);
        context.alt.truncate(own.alt_base);
        context.frames.push(Call { base: own.base, alt_base: own.alt_base, ..added });
    }
}
