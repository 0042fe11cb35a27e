//! Calls with a number of arguments and of results of their own.

use super::context::Context;
use super::count::Change;
use super::fault::{Fault, Flow, Stop};
use super::frame::Frame;
use super::script::Hash;

/// CALL_I counts its offset from further behind than CALL.
const OFFSET_FROM: i64 = 2;

#[inline(never)]
pub(super) fn call_i(f: &mut Frame<'_>) -> Flow {
    let counts = Counts::take(f)?;
    let place = f.offset()? + OFFSET_FROM;
    f.need_room_for_frame()?;
    counts.need_arguments(f)?;
    f.enter_frame(f.current().script, place, Some(counts.results));
    f.inside(place)?;
    counts.hand_over(f)?;
    Err(Stop::Switched)
}

#[inline(never)]
pub(super) fn call_e(f: &mut Frame<'_>) -> Flow {
    let counts = Counts::take(f)?;
    let hash: Hash = f.operand()?;
    f.need_table()?;
    counts.need_arguments(f)?;
    f.need_room_for_frame()?;
    enter(f, &counts, &hash)
}

#[inline(never)]
pub(super) fn call_ed(f: &mut Frame<'_>) -> Flow {
    let counts = Counts::take(f)?;
    f.need_table()?;
    counts.need_arguments(f)?;
    f.need_room_for_frame()?;
    let hash = pop_hash(f)?;
    enter(f, &counts, &hash)
}

#[inline(never)]
pub(super) fn call_et(f: &mut Frame<'_>) -> Flow {
    let counts = Counts::take(f)?;
    let hash: Hash = f.operand()?;
    f.need_table()?;
    counts.need_arguments(f)?;
    counts.need_own_results(f)?;
    replace(f, &counts, &hash)
}

#[inline(never)]
pub(super) fn call_edt(f: &mut Frame<'_>) -> Flow {
    let counts = Counts::take(f)?;
    f.need_table()?;
    counts.need_arguments(f)?;
    counts.need_own_results(f)?;
    let hash = pop_hash(f)?;
    replace(f, &counts, &hash)
}

fn pop_hash(f: &mut Frame<'_>) -> Result<std::rc::Rc<Vec<u8>>, Stop> {
    let hash = f.pop_bytes()?;
    f.note(Change::Strict(-1))?;
    Ok(hash)
}

fn enter(f: &mut Frame<'_>, counts: &Counts, hash: &[u8]) -> Flow {
    let script = f.script_of(hash)?;
    f.enter_frame(script, 0, Some(counts.results));
    counts.hand_over(f)?;
    Err(Stop::Switched)
}

fn replace(f: &mut Frame<'_>, counts: &Counts, hash: &[u8]) -> Flow {
    let script = f.script_of(hash)?;
    f.enter_frame(script, 0, Some(counts.results));
    // Where the hash was counted as an argument, one is missing, and nobody looks.
    let _ = counts.hand_over(f);
    f.remove_caller();
    Err(Stop::Switched)
}

/// How many items go to the callee and come back.
struct Counts {
    results: u8,
    arguments: usize,
}

impl Counts {
    fn take(f: &mut Frame<'_>) -> Result<Counts, Stop> {
        let [results, arguments] = f.operand()?;
        Ok(Counts { results, arguments: usize::from(arguments) })
    }

    /// A hash on the stack counts as an argument here, though it is none.
    fn need_arguments(&self, f: &Frame<'_>) -> Flow {
        if f.items().len() < self.arguments { Err(Fault::Underflow.into()) } else { Ok(()) }
    }

    fn need_own_results(&self, f: &Frame<'_>) -> Flow {
        let Context { wanted, .. } = f.current();
        if wanted == Some(self.results) { Ok(()) } else { Err(Fault::OtherResults.into()) }
    }

    /// Hands the arguments over, or as many as there are; a fault where they are too few.
    fn hand_over(&self, f: &mut Frame<'_>) -> Flow {
        let count = self.arguments.min(f.items().len());
        f.hand_over(f.core.stack.len() - count);
        if count < self.arguments { Err(Fault::Underflow.into()) } else { Ok(()) }
    }
}
