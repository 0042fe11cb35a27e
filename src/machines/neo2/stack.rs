//! Instructions that move items within the evaluation stack, or between it and the alt stack.

use super::count::Change;
use super::fault::{Fault, Flow, Stop};
use super::frame::Frame;

#[inline(always)]
pub(super) fn dupfromaltstack(frame: &mut Frame<'_>) -> Flow {
    let alt = &frame.core.alt;
    let item = alt[frame.current().alt_base..].last().cloned().ok_or(Stop::Faulted(Fault::Underflow))?;
    frame.push(item);
    frame.charge(Change::Strict(1))
}

#[inline(always)]
pub(super) fn toaltstack(frame: &mut Frame<'_>) -> Flow {
    let item = frame.pop()?;
    frame.core.alt.push(item);
    Ok(())
}

#[inline(always)]
pub(super) fn fromaltstack(frame: &mut Frame<'_>) -> Flow {
    if frame.core.alt.len() <= frame.current().alt_base {
        return Err(Fault::Underflow.into());
    }
    let item = frame.core.alt.pop().ok_or(Stop::Faulted(Fault::Underflow))?;
    frame.push(item);
    Ok(())
}

#[inline(never)]
pub(super) fn xdrop(frame: &mut Frame<'_>) -> Flow {
    let position = frame.pop_count()?;
    let place = frame.place(position)?;
    frame.core.stack.remove(place);
    frame.core.work_on_items(position)?;
    frame.note(Change::Loose(-2))
}

#[inline(never)]
pub(super) fn xswap(frame: &mut Frame<'_>) -> Flow {
    let position = frame.pop_count()?;
    frame.note(Change::Strict(-1))?;
    if position > 0 {
        let (place, top) = (frame.place(position)?, frame.place(0)?);
        frame.core.stack.swap(place, top);
    }
    Ok(())
}

#[inline(never)]
pub(super) fn xtuck(frame: &mut Frame<'_>) -> Flow {
    let position = frame.pop_count()?;
    let below = position.checked_sub(1).ok_or(Stop::Faulted(Fault::OutOfRange))?;
    let (place, top) = (frame.place(below)?, frame.place(0)?);
    let copy = frame.core.stack[top].clone();
    frame.core.stack.insert(place, copy);
    frame.core.work_on_items(position / 2)
}

#[inline(always)]
pub(super) fn depth(frame: &mut Frame<'_>) -> Flow {
    frame.push(frame.items().len());
    frame.charge(Change::Strict(1))
}

#[inline(always)]
pub(super) fn drop(frame: &mut Frame<'_>) -> Flow {
    frame.pop()?;
    frame.note(Change::Loose(-1))
}

#[inline(always)]
pub(super) fn dup(frame: &mut Frame<'_>) -> Flow {
    copy(frame, 0)?;
    frame.charge(Change::Strict(1))
}

#[inline(always)]
pub(super) fn nip(frame: &mut Frame<'_>) -> Flow {
    let place = frame.place(1)?;
    frame.core.stack.swap_remove(place);
    frame.note(Change::Loose(-1))
}

#[inline(always)]
pub(super) fn over(frame: &mut Frame<'_>) -> Flow {
    copy(frame, 1)?;
    frame.charge(Change::Strict(1))
}

#[inline(always)]
pub(super) fn pick(frame: &mut Frame<'_>) -> Flow {
    let position = frame.pop_count()?;
    copy(frame, position)
}

/// Pushes a copy of the item at a position.
#[inline(always)]
fn copy(frame: &mut Frame<'_>, position: usize) -> Flow {
    let place = frame.place(position)?;
    frame.push(frame.core.stack[place].clone());
    Ok(())
}

#[inline(never)]
pub(super) fn roll(frame: &mut Frame<'_>) -> Flow {
    let position = frame.pop_count()?;
    frame.note(Change::Strict(-1))?;
    if position > 0 {
        let place = frame.place(position)?;
        frame.core.stack[place..].rotate_left(1);
    }
    frame.core.work_on_items(position)
}

#[inline(always)]
pub(super) fn rot(frame: &mut Frame<'_>) -> Flow {
    let place = frame.place(2)?;
    frame.core.stack.swap(place, place + 1);
    frame.core.stack.swap(place + 1, place + 2);
    Ok(())
}

#[inline(always)]
pub(super) fn swap(frame: &mut Frame<'_>) -> Flow {
    let place = frame.place(1)?;
    frame.core.stack.swap(place, place + 1);
    Ok(())
}

#[inline(always)]
pub(super) fn tuck(frame: &mut Frame<'_>) -> Flow {
    swap(frame)?;
    copy(frame, 1)?;
    frame.charge(Change::Strict(1))
}
