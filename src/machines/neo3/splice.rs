//! Byte strings: every result is a new Buffer.

use std::ops::Range;
use std::rc::Rc;

use super::fault::{Neo3Fault, Neo3Flow, Neo3Stop};
use super::frame::{ALLOCATION, BYTES_OF_UNIT, Neo3Frame};
use super::item::Neo3Item;
use super::value::with_bytes;

pub(super) fn newbuffer(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let size = frame.pop_int32()?;
    let size = frame.item_size(size.into())?;
    push(frame, vec![0; size])
}

pub(super) fn memcpy(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let (count, from) = (pop_length(frame)?, pop_length(frame)?);
    // Copies the bytes, since source and target may be the same.
    let copied = with_bytes(&frame.pop()?, |bytes| slice(bytes, from, count).map(<[u8]>::to_vec))??;
    let to = pop_length(frame)?;
    let Neo3Item::Buffer(target) = frame.pop()? else {
        return Err(Neo3Fault::Wrong("MEMCPY copies to a Buffer.").into());
    };
    // The charge is high because the allocator may obtain memory for a copy of this size from the system each time.
    frame.work(ALLOCATION + 6 * count / BYTES_OF_UNIT)?;
    let mut target = target.bytes.borrow_mut();
    target.get_mut(range(to, count)?).ok_or(OUTSIDE)?.copy_from_slice(&copied);
    Ok(())
}

pub(super) fn cat(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.work(2 * ALLOCATION)?;
    let right = frame.pop()?;
    let joined = with_bytes(&right, |right| join(frame, right))??;
    push(frame, joined)
}

/// The bytes of the top item, followed by `right`.
fn join(frame: &mut Neo3Frame<'_>, right: &[u8]) -> Result<Vec<u8>, Neo3Stop> {
    let left = frame.pop()?;
    let size = |left: usize| frame.item_size((left + right.len()) as i64);
    if let Neo3Item::Buffer(buffer) = &left
        && Rc::strong_count(buffer) == 1
    {
        // Nothing else holds the Buffer, so append in place: a script that joins pieces does not copy all of
        // them each time.
        size(buffer.bytes.borrow().len())?;
        let mut joined = buffer.bytes.take();
        joined.extend_from_slice(right);
        return Ok(joined);
    }
    with_bytes(&left, |left| {
        let mut joined = Vec::with_capacity(size(left.len())?);
        joined.extend_from_slice(left);
        joined.extend_from_slice(right);
        Ok(joined)
    })?
}

pub(super) fn substr(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let (count, from) = (pop_length(frame)?, pop_length(frame)?);
    part(frame, |bytes| slice(bytes, from, count))
}

pub(super) fn left(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let count = pop_length(frame)?;
    part(frame, |bytes| bytes.get(..count).ok_or(OUTSIDE))
}

pub(super) fn right(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let count = pop_length(frame)?;
    part(frame, |bytes| bytes.len().checked_sub(count).map(|from| &bytes[from..]).ok_or(OUTSIDE))
}

const PART: &str = "The part of the bytes";
const OUTSIDE: Neo3Fault = Neo3Fault::OutOfRange(PART);

fn pop_length(frame: &mut Neo3Frame<'_>) -> Result<usize, Neo3Stop> {
    frame.pop_count(PART)
}

fn slice(bytes: &[u8], from: usize, count: usize) -> Result<&[u8], Neo3Fault> {
    bytes.get(range(from, count)?).ok_or(OUTSIDE)
}

/// The range of `count` bytes from a position. The reference implementation adds 32-bit numbers.
fn range(from: usize, count: usize) -> Result<Range<usize>, Neo3Fault> {
    let end = i32::try_from(from + count).map_err(|_| Neo3Fault::Overflow)?;
    Ok(from..end as usize)
}

/// Replaces the top item with a part of it.
fn part(frame: &mut Neo3Frame<'_>, choose: impl FnOnce(&[u8]) -> Result<&[u8], Neo3Fault>) -> Neo3Flow {
    frame.work(ALLOCATION)?;
    let item = frame.pop()?;
    let chosen = with_bytes(&item, |bytes| choose(bytes).map(<[u8]>::to_vec))??;
    push(frame, chosen)
}

fn push(frame: &mut Neo3Frame<'_>, bytes: Vec<u8>) -> Neo3Flow {
    let bytes = frame.made(bytes)?;
    let buffer = frame.core.new_buffer(bytes);
    frame.push(buffer);
    Ok(())
}
