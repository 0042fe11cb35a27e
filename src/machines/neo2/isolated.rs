//! Calls that state their numbers of arguments and results.

use super::context::Neo2Context;
use super::count::CountChange;
use super::fault::{Neo2Fault, Neo2Flow, Neo2Stop};
use super::frame::Neo2Frame;
use super::script::Hash;

/// CALL_I counts its offset from this many bytes after the position from which CALL counts.
const OFFSET_FROM: i64 = 2;

#[inline(never)]
pub(super) fn call_i(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let counts = ItemCounts::take(frame)?;
    let place = frame.offset()? + OFFSET_FROM;
    frame.need_room_for_frame()?;
    counts.need_arguments(frame)?;
    frame.enter_frame(frame.current().script, place, Some(counts.results));
    frame.inside(place)?;
    counts.hand_over(frame)?;
    Err(Neo2Stop::Switched)
}

#[inline(never)]
pub(super) fn call_e(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let counts = ItemCounts::take(frame)?;
    let hash: Hash = frame.operand()?;
    frame.need_table()?;
    counts.need_arguments(frame)?;
    frame.need_room_for_frame()?;
    enter(frame, &counts, &hash)
}

#[inline(never)]
pub(super) fn call_ed(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let counts = ItemCounts::take(frame)?;
    frame.need_table()?;
    counts.need_arguments(frame)?;
    frame.need_room_for_frame()?;
    let hash = pop_hash(frame)?;
    enter(frame, &counts, &hash)
}

#[inline(never)]
pub(super) fn call_et(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let counts = ItemCounts::take(frame)?;
    let hash: Hash = frame.operand()?;
    frame.need_table()?;
    counts.need_arguments(frame)?;
    counts.need_own_results(frame)?;
    replace(frame, &counts, &hash)
}

#[inline(never)]
pub(super) fn call_edt(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let counts = ItemCounts::take(frame)?;
    frame.need_table()?;
    counts.need_arguments(frame)?;
    counts.need_own_results(frame)?;
    let hash = pop_hash(frame)?;
    replace(frame, &counts, &hash)
}

fn pop_hash(frame: &mut Neo2Frame<'_>) -> Result<std::rc::Rc<Vec<u8>>, Neo2Stop> {
    let hash = frame.pop_bytes()?;
    frame.note(CountChange::Strict(-1))?;
    Ok(hash)
}

fn enter(frame: &mut Neo2Frame<'_>, counts: &ItemCounts, hash: &[u8]) -> Neo2Flow {
    let script = frame.script_of(hash)?;
    frame.enter_frame(script, 0, Some(counts.results));
    counts.hand_over(frame)?;
    Err(Neo2Stop::Switched)
}

fn replace(frame: &mut Neo2Frame<'_>, counts: &ItemCounts, hash: &[u8]) -> Neo2Flow {
    let script = frame.script_of(hash)?;
    frame.enter_frame(script, 0, Some(counts.results));
    // If the hash was counted as an argument, one is missing; that is not a fault here.
    let _ = counts.hand_over(frame);
    frame.remove_caller();
    Err(Neo2Stop::Switched)
}

/// How many items are passed to the callee and returned.
struct ItemCounts {
    results: u8,
    arguments: usize,
}

impl ItemCounts {
    fn take(frame: &mut Neo2Frame<'_>) -> Result<ItemCounts, Neo2Stop> {
        let [results, arguments] = frame.operand()?;
        Ok(ItemCounts { results, arguments: usize::from(arguments) })
    }

    /// Checks that there are enough arguments. A hash on the stack counts as one here, although it is not.
    fn need_arguments(&self, frame: &Neo2Frame<'_>) -> Neo2Flow {
        if frame.items().len() < self.arguments { Err(Neo2Fault::Underflow.into()) } else { Ok(()) }
    }

    fn need_own_results(&self, frame: &Neo2Frame<'_>) -> Neo2Flow {
        let Neo2Context { wanted, .. } = frame.current();
        if wanted == Some(self.results) { Ok(()) } else { Err(Neo2Fault::OtherResults.into()) }
    }

    /// Passes on the arguments, or as many as there are; a fault if there are too few.
    fn hand_over(&self, frame: &mut Neo2Frame<'_>) -> Neo2Flow {
        let count = self.arguments.min(frame.items().len());
        frame.hand_over(frame.core.stack.len() - count);
        if count < self.arguments { Err(Neo2Fault::Underflow.into()) } else { Ok(()) }
    }
}
