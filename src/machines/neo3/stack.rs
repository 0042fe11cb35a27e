//! Instructions that arrange the evaluation stack. Items that are only moved stay counted.

use super::fault::{Neo3Fault, Neo3Flow, Neo3Stop};
use super::frame::Neo3Frame;
use super::item::Neo3Item;

/// How many items are moved per unit.
pub(super) const MOVED_IN_UNIT: usize = 16;

pub(super) fn depth(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let height = frame.height();
    frame.push(Neo3Item::count(height));
    Ok(())
}

#[inline(always)]
pub(super) fn drop(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.forget()
}

#[inline(always)]
pub(super) fn nip(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    remove(frame, 1)
}

pub(super) fn xdrop(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let below = index(frame)?;
    frame.work(below / MOVED_IN_UNIT)?;
    remove(frame, below)
}

pub(super) fn clear(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    while frame.height() > 0 {
        frame.forget()?;
    }
    Ok(())
}

#[inline(always)]
pub(super) fn dup(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.push_copy(0)
}

#[inline(always)]
pub(super) fn over(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.push_copy(1)
}

#[inline(always)]
pub(super) fn pick(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let below = index(frame)?;
    frame.push_copy(below)
}

#[inline(always)]
pub(super) fn tuck(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.top(2)?.rotate_right(1);
    frame.push_copy(1)
}

#[inline(always)]
pub(super) fn swap(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.top(2)?.reverse();
    Ok(())
}

#[inline(always)]
pub(super) fn rot(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.top(3)?.rotate_left(1);
    Ok(())
}

pub(super) fn roll(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let below = index(frame)?;
    frame.work(below / MOVED_IN_UNIT)?;
    frame.top(below + 1)?.rotate_left(1);
    Ok(())
}

/// REVERSE3 and REVERSE4
pub(super) fn reverse<const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.top(N)?.reverse();
    Ok(())
}

pub(super) fn reversen(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let count = frame.pop_count("The number of items")?;
    if count > frame.height() {
        return Err(Neo3Fault::OutOfRange("The number of items").into());
    }
    frame.work(count / MOVED_IN_UNIT)?;
    frame.top(count)?.reverse();
    Ok(())
}

/// Pops the distance of an existing item from the top.
#[inline(always)]
fn index(frame: &mut Neo3Frame<'_>) -> Result<usize, Neo3Stop> {
    let below = frame.pop_count("The index of the item")?;
    if below < frame.height() { Ok(below) } else { Err(Neo3Fault::Underflow.into()) }
}

/// Removes the item at this distance from the top.
#[inline(always)]
fn remove(frame: &mut Neo3Frame<'_>, below: usize) -> Neo3Flow {
    let Some(place) = frame.height().checked_sub(below + 1) else { return Err(Neo3Fault::Underflow.into()) };
    let item = frame.core.stack.remove(place);
    frame.core.heap.let_go(&item);
    Ok(())
}
