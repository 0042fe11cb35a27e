//! Moving items within the evaluation stack, and between it and the alt stack.

use super::count::Change;
use super::fault::{Fault, Flow, Stop};
use super::frame::Frame;

#[inline(always)]
pub(super) fn dupfromaltstack(f: &mut Frame<'_>) -> Flow {
    let alt = &f.core.alt;
    let item = alt[f.current().alt_base..].last().cloned().ok_or(Stop::Faulted(Fault::Underflow))?;
    f.push(item);
    f.charge(Change::Strict(1))
}

#[inline(always)]
pub(super) fn toaltstack(f: &mut Frame<'_>) -> Flow {
    let item = f.pop()?;
    f.core.alt.push(item);
    Ok(())
}

#[inline(always)]
pub(super) fn fromaltstack(f: &mut Frame<'_>) -> Flow {
    if f.core.alt.len() <= f.current().alt_base {
        return Err(Fault::Underflow.into());
    }
    let item = f.core.alt.pop().ok_or(Stop::Faulted(Fault::Underflow))?;
    f.push(item);
    Ok(())
}

#[inline(never)]
pub(super) fn xdrop(f: &mut Frame<'_>) -> Flow {
    let position = f.pop_count()?;
    let place = f.place(position)?;
    f.core.stack.remove(place);
    f.core.work_on_items(position)?;
    f.note(Change::Loose(-2))
}

#[inline(never)]
pub(super) fn xswap(f: &mut Frame<'_>) -> Flow {
    let position = f.pop_count()?;
    f.note(Change::Strict(-1))?;
    if position > 0 {
        let (place, top) = (f.place(position)?, f.place(0)?);
        f.core.stack.swap(place, top);
    }
    Ok(())
}

#[inline(never)]
pub(super) fn xtuck(f: &mut Frame<'_>) -> Flow {
    let position = f.pop_count()?;
    let below = position.checked_sub(1).ok_or(Stop::Faulted(Fault::OutOfRange))?;
    let (place, top) = (f.place(below)?, f.place(0)?);
    let copy = f.core.stack[top].clone();
    f.core.stack.insert(place, copy);
    f.core.work_on_items(position)
}

#[inline(always)]
pub(super) fn depth(f: &mut Frame<'_>) -> Flow {
    f.push(f.items().len());
    f.charge(Change::Strict(1))
}

#[inline(always)]
pub(super) fn drop(f: &mut Frame<'_>) -> Flow {
    f.pop()?;
    f.note(Change::Loose(-1))
}

#[inline(always)]
pub(super) fn dup(f: &mut Frame<'_>) -> Flow {
    copy(f, 0)?;
    f.charge(Change::Strict(1))
}

#[inline(always)]
pub(super) fn nip(f: &mut Frame<'_>) -> Flow {
    let place = f.place(1)?;
    f.core.stack.swap_remove(place);
    f.note(Change::Loose(-1))
}

#[inline(always)]
pub(super) fn over(f: &mut Frame<'_>) -> Flow {
    copy(f, 1)?;
    f.charge(Change::Strict(1))
}

#[inline(always)]
pub(super) fn pick(f: &mut Frame<'_>) -> Flow {
    let position = f.pop_count()?;
    copy(f, position)
}

/// Puts a copy of the item at a position on top.
#[inline(always)]
fn copy(f: &mut Frame<'_>, position: usize) -> Flow {
    let place = f.place(position)?;
    f.push(f.core.stack[place].clone());
    Ok(())
}

#[inline(never)]
pub(super) fn roll(f: &mut Frame<'_>) -> Flow {
    let position = f.pop_count()?;
    f.note(Change::Strict(-1))?;
    if position > 0 {
        let place = f.place(position)?;
        f.core.stack[place..].rotate_left(1);
    }
    f.core.work_on_items(position)
}

#[inline(always)]
pub(super) fn rot(f: &mut Frame<'_>) -> Flow {
    let place = f.place(2)?;
    f.core.stack.swap(place, place + 1);
    f.core.stack.swap(place + 1, place + 2);
    Ok(())
}

#[inline(always)]
pub(super) fn swap(f: &mut Frame<'_>) -> Flow {
    let place = f.place(1)?;
    f.core.stack.swap(place, place + 1);
    Ok(())
}

#[inline(always)]
pub(super) fn tuck(f: &mut Frame<'_>) -> Flow {
    swap(f)?;
    copy(f, 1)?;
    f.charge(Change::Strict(1))
}
