//! Instructions that move items within the evaluation stack, or between it and the alt stack.

use super::count::CountChange;
use super::fault::{Neo2Fault, Neo2Flow, Neo2Stop};
use super::frame::Neo2Frame;

#[inline(always)]
pub(super) fn dupfromaltstack(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let alt = &frame.core.alt;
    let item =
        alt[frame.current().alt_base..].last().cloned().ok_or(Neo2Stop::Faulted(Neo2Fault::Underflow))?;
    frame.push(item);
    frame.charge(CountChange::Strict(1))
}

#[inline(always)]
pub(super) fn toaltstack(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let item = frame.pop()?;
    frame.core.alt.push(item);
    Ok(())
}

#[inline(always)]
pub(super) fn fromaltstack(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    if frame.core.alt.len() <= frame.current().alt_base {
        return Err(Neo2Fault::Underflow.into());
    }
    let item = frame.core.alt.pop().ok_or(Neo2Stop::Faulted(Neo2Fault::Underflow))?;
    frame.push(item);
    Ok(())
}

#[inline(never)]
pub(super) fn xdrop(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let position = frame.pop_count()?;
    let place = frame.place(position)?;
    frame.core.stack.remove(place);
    frame.core.work_on_items(position)?;
    frame.note(CountChange::Loose(-2))
}

#[inline(never)]
pub(super) fn xswap(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let position = frame.pop_count()?;
    frame.note(CountChange::Strict(-1))?;
    if position > 0 {
        let (place, top) = (frame.place(position)?, frame.place(0)?);
        frame.core.stack.swap(place, top);
    }
    Ok(())
}

#[inline(never)]
pub(super) fn xtuck(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let position = frame.pop_count()?;
    let below = position.checked_sub(1).ok_or(Neo2Stop::Faulted(Neo2Fault::OutOfRange))?;
    let (place, top) = (frame.place(below)?, frame.place(0)?);
    let copy = frame.core.stack[top].clone();
    frame.core.stack.insert(place, copy);
    frame.core.work_on_items(position / 2)
}

#[inline(always)]
pub(super) fn depth(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.push(frame.items().len());
    frame.charge(CountChange::Strict(1))
}

#[inline(always)]
pub(super) fn drop(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.pop()?;
    frame.note(CountChange::Loose(-1))
}

#[inline(always)]
pub(super) fn dup(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    copy(frame, 0)?;
    frame.charge(CountChange::Strict(1))
}

#[inline(always)]
pub(super) fn nip(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let place = frame.place(1)?;
    frame.core.stack.swap_remove(place);
    frame.note(CountChange::Loose(-1))
}

#[inline(always)]
pub(super) fn over(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    copy(frame, 1)?;
    frame.charge(CountChange::Strict(1))
}

#[inline(always)]
pub(super) fn pick(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let position = frame.pop_count()?;
    copy(frame, position)
}

/// Pushes a copy of the item at a position.
#[inline(always)]
fn copy(frame: &mut Neo2Frame<'_>, position: usize) -> Neo2Flow {
    let place = frame.place(position)?;
    frame.push(frame.core.stack[place].clone());
    Ok(())
}

#[inline(never)]
pub(super) fn roll(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let position = frame.pop_count()?;
    frame.note(CountChange::Strict(-1))?;
    if position > 0 {
        let place = frame.place(position)?;
        frame.core.stack[place..].rotate_left(1);
    }
    frame.core.work_on_items(position)
}

#[inline(always)]
pub(super) fn rot(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let place = frame.place(2)?;
    frame.core.stack.swap(place, place + 1);
    frame.core.stack.swap(place + 1, place + 2);
    Ok(())
}

#[inline(always)]
pub(super) fn swap(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let place = frame.place(1)?;
    frame.core.stack.swap(place, place + 1);
    Ok(())
}

#[inline(always)]
pub(super) fn tuck(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    swap(frame)?;
    copy(frame, 1)?;
    frame.charge(CountChange::Strict(1))
}
