//! Calls that state their numbers of arguments and results.

use super::context::Context;
use super::count::Change;
use super::fault::{Fault, Flow, Stop};
use super::frame::Frame;
use super::script::Hash;

/// CALL_I counts its offset from this many bytes after the position from which CALL counts.
const OFFSET_FROM: i64 = 2;

#[inline(never)]
pub(super) fn call_i(frame: &mut Frame<'_>) -> Flow {
    let counts = Counts::take(frame)?;
    let place = frame.offset()? + OFFSET_FROM;
    frame.need_room_for_frame()?;
    counts.need_arguments(frame)?;
    frame.enter_frame(frame.current().script, place, Some(counts.results));
    frame.inside(place)?;
    counts.hand_over(frame)?;
    Err(Stop::Switched)
}

#[inline(never)]
pub(super) fn call_e(frame: &mut Frame<'_>) -> Flow {
    let counts = Counts::take(frame)?;
    let hash: Hash = frame.operand()?;
    frame.need_table()?;
    counts.need_arguments(frame)?;
    frame.need_room_for_frame()?;
    enter(frame, &counts, &hash)
}

#[inline(never)]
pub(super) fn call_ed(frame: &mut Frame<'_>) -> Flow {
    let counts = Counts::take(frame)?;
    frame.need_table()?;
    counts.need_arguments(frame)?;
    frame.need_room_for_frame()?;
    let hash = pop_hash(frame)?;
    enter(frame, &counts, &hash)
}

#[inline(never)]
pub(super) fn call_et(frame: &mut Frame<'_>) -> Flow {
    let counts = Counts::take(frame)?;
    let hash: Hash = frame.operand()?;
    frame.need_table()?;
    counts.need_arguments(frame)?;
    counts.need_own_results(frame)?;
    replace(frame, &counts, &hash)
}

#[inline(never)]
pub(super) fn call_edt(frame: &mut Frame<'_>) -> Flow {
    let counts = Counts::take(frame)?;
    frame.need_table()?;
    counts.need_arguments(frame)?;
    counts.need_own_results(frame)?;
    let hash = pop_hash(frame)?;
    replace(frame, &counts, &hash)
}

fn pop_hash(frame: &mut Frame<'_>) -> Result<std::rc::Rc<Vec<u8>>, Stop> {
    let hash = frame.pop_bytes()?;
    frame.note(Change::Strict(-1))?;
    Ok(hash)
}

fn enter(frame: &mut Frame<'_>, counts: &Counts, hash: &[u8]) -> Flow {
    let script = frame.script_of(hash)?;
    frame.enter_frame(script, 0, Some(counts.results));
    counts.hand_over(frame)?;
    Err(Stop::Switched)
}

fn replace(frame: &mut Frame<'_>, counts: &Counts, hash: &[u8]) -> Flow {
    let script = frame.script_of(hash)?;
    frame.enter_frame(script, 0, Some(counts.results));
    // If the hash was counted as an argument, one is missing; that is not a fault here.
    let _ = counts.hand_over(frame);
    frame.remove_caller();
    Err(Stop::Switched)
}

/// How many items are passed to the callee and returned.
struct Counts {
    results: u8,
    arguments: usize,
}

impl Counts {
    fn take(frame: &mut Frame<'_>) -> Result<Counts, Stop> {
        let [results, arguments] = frame.operand()?;
        Ok(Counts { results, arguments: usize::from(arguments) })
    }

    /// Checks that there are enough arguments. A hash on the stack counts as one here, although it is not.
    fn need_arguments(&self, frame: &Frame<'_>) -> Flow {
        if frame.items().len() < self.arguments { Err(Fault::Underflow.into()) } else { Ok(()) }
    }

    fn need_own_results(&self, frame: &Frame<'_>) -> Flow {
        let Context { wanted, .. } = frame.current();
        if wanted == Some(self.results) { Ok(()) } else { Err(Fault::OtherResults.into()) }
    }

    /// Passes on the arguments, or as many as there are; a fault if there are too few.
    fn hand_over(&self, frame: &mut Frame<'_>) -> Flow {
        let count = self.arguments.min(frame.items().len());
        frame.hand_over(frame.core.stack.len() - count);
        if count < self.arguments { Err(Fault::Underflow.into()) } else { Ok(()) }
    }
}
