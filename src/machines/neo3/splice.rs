//! Byte strings: every result is a new Buffer.

use super::convert::{bytes, with_bytes};
use super::fault::{Fault, Flow, Stop};
use super::frame::{ALLOCATION, BYTES_OF_UNIT, Frame};
use super::item::{Item, MAX_ITEM};

/// NEWBUFFER
pub(super) fn newbuffer(frame: &mut Frame<'_>) -> Flow {
    let size = frame.pop_int32()?;
    let size = usize::try_from(size).map_err(|_| Fault::OutOfRange("The size of the Buffer"))?;
    if size > MAX_ITEM {
        return Err(Fault::ItemSize(size).into());
    }
    frame.work(size / BYTES_OF_UNIT)?;
    push(frame, vec![0; size])
}

/// MEMCPY
pub(super) fn memcpy(frame: &mut Frame<'_>) -> Flow {
    const RANGE: &str = "The range to copy";
    let count = frame.pop_count(usize::MAX, RANGE)?;
    let from = frame.pop_count(usize::MAX, RANGE)?;
    let source = frame.pop();
    let to = frame.pop_count(usize::MAX, RANGE)?;
    let Item::Buffer(target) = frame.pop() else {
        return Err(Fault::Wrong("MEMCPY copies to a Buffer.").into());
    };
    // A copy, since source and target may be the same.
    let copied = with_bytes(&source, |bytes| bytes.get(from..from + count).map(<[u8]>::to_vec))?;
    let copied = copied.ok_or(Fault::OutOfRange(RANGE))?;
    // The copy is as long as an allocation can be that the system makes anew each time.
    frame.work(ALLOCATION + 6 * count / BYTES_OF_UNIT)?;
    let mut target = target.borrow_mut();
    let place = target.get_mut(to..to + count).ok_or(Fault::OutOfRange(RANGE))?;
    place.copy_from_slice(&copied);
    Ok(())
}

/// CAT
pub(super) fn cat(frame: &mut Frame<'_>) -> Flow {
    frame.work(ALLOCATION)?;
    let (b, a) = (frame.pop(), frame.pop());
    let mut joined = bytes(&a)?;
    with_bytes(&b, |bytes| joined.extend_from_slice(bytes))?;
    if joined.len() > MAX_ITEM {
        return Err(Fault::ItemSize(joined.len()).into());
    }
    push(frame, joined)
}

/// SUBSTR
pub(super) fn substr(frame: &mut Frame<'_>) -> Flow {
    let (count, from) = (pop_length(frame)?, pop_length(frame)?);
    part(frame, |bytes| bytes.get(from..from + count))
}

/// LEFT
pub(super) fn left(frame: &mut Frame<'_>) -> Flow {
    let count = pop_length(frame)?;
    part(frame, |bytes| bytes.get(..count))
}

/// RIGHT
pub(super) fn right(frame: &mut Frame<'_>) -> Flow {
    let count = pop_length(frame)?;
    part(frame, |bytes| bytes.get(bytes.len().checked_sub(count)?..))
}

fn pop_length(frame: &mut Frame<'_>) -> Result<usize, Stop> {
    frame.pop_count(usize::MAX, "The part of the bytes")
}

/// Puts a part of the top item in its place.
fn part(frame: &mut Frame<'_>, choose: impl FnOnce(&[u8]) -> Option<&[u8]>) -> Flow {
    let item = frame.pop();
    let chosen = with_bytes(&item, |bytes| choose(bytes).map(<[u8]>::to_vec))?;
    push(frame, chosen.ok_or(Fault::OutOfRange("The part of the bytes"))?)
}

fn push(frame: &mut Frame<'_>, bytes: Vec<u8>) -> Flow {
    let bytes = frame.made(bytes)?;
    frame.push(Item::buffer(bytes));
    Ok(())
}
