//! Instructions that arrange the evaluation stack. Items that are only moved stay counted.

use super::fault::{Fault, Flow, Stop};
use super::frame::Frame;
use super::item::Item;

/// How many items are moved per unit.
pub(super) const MOVED_IN_UNIT: usize = 16;

/// DEPTH
pub(super) fn depth(frame: &mut Frame<'_>) -> Flow {
    let height = frame.height();
    frame.push(Item::count(height));
    Ok(())
}

/// DROP
#[inline(always)]
pub(super) fn drop(frame: &mut Frame<'_>) -> Flow {
    frame.forget()
}

/// NIP
#[inline(always)]
pub(super) fn nip(frame: &mut Frame<'_>) -> Flow {
    remove(frame, 1)
}

/// XDROP
pub(super) fn xdrop(frame: &mut Frame<'_>) -> Flow {
    let below = index(frame)?;
    frame.work(below / MOVED_IN_UNIT)?;
    remove(frame, below)
}

/// CLEAR
pub(super) fn clear(frame: &mut Frame<'_>) -> Flow {
    while frame.height() > 0 {
        frame.forget()?;
    }
    Ok(())
}

/// DUP
#[inline(always)]
pub(super) fn dup(frame: &mut Frame<'_>) -> Flow {
    frame.push_copy(0)
}

/// OVER
#[inline(always)]
pub(super) fn over(frame: &mut Frame<'_>) -> Flow {
    frame.push_copy(1)
}

/// PICK
#[inline(always)]
pub(super) fn pick(frame: &mut Frame<'_>) -> Flow {
    let below = index(frame)?;
    frame.push_copy(below)
}

/// TUCK
#[inline(always)]
pub(super) fn tuck(frame: &mut Frame<'_>) -> Flow {
    frame.top(2)?.rotate_right(1);
    frame.push_copy(1)
}

/// SWAP
#[inline(always)]
pub(super) fn swap(frame: &mut Frame<'_>) -> Flow {
    frame.top(2)?.reverse();
    Ok(())
}

/// ROT
#[inline(always)]
pub(super) fn rot(frame: &mut Frame<'_>) -> Flow {
    frame.top(3)?.rotate_left(1);
    Ok(())
}

/// ROLL
pub(super) fn roll(frame: &mut Frame<'_>) -> Flow {
    let below = index(frame)?;
    frame.work(below / MOVED_IN_UNIT)?;
    frame.top(below + 1)?.rotate_left(1);
    Ok(())
}

/// REVERSE3 and REVERSE4
pub(super) fn reverse<const N: usize>(frame: &mut Frame<'_>) -> Flow {
    frame.top(N)?.reverse();
    Ok(())
}

/// REVERSEN
pub(super) fn reversen(frame: &mut Frame<'_>) -> Flow {
    let count = frame.pop_count("The number of items")?;
    if count > frame.height() {
        return Err(Fault::OutOfRange("The number of items").into());
    }
    frame.work(count / MOVED_IN_UNIT)?;
    frame.top(count)?.reverse();
    Ok(())
}

/// Pops the distance of an existing item from the top.
#[inline(always)]
fn index(frame: &mut Frame<'_>) -> Result<usize, Stop> {
    let below = frame.pop_count("The index of the item")?;
    if below < frame.height() { Ok(below) } else { Err(Fault::Underflow.into()) }
}

/// Removes the item at this distance from the top.
#[inline(always)]
fn remove(frame: &mut Frame<'_>, below: usize) -> Flow {
    let Some(place) = frame.height().checked_sub(below + 1) else { return Err(Fault::Underflow.into()) };
    let item = frame.core.stack.remove(place);
    frame.core.heap.let_go(&item);
    Ok(())
}
