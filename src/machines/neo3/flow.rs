//! Jumps, ABORT and ASSERT.

use std::cmp::Ordering;

use super::fault::{Neo3Fault, Neo3Flow};
use super::frame::{ALLOCATION, Neo3Frame};
use super::value::{length, text};

/// How many bytes are read as text per unit.
const CHARACTERS_OF_UNIT: usize = 8;

/// An operand of one or four bytes, counted from the opcode.
#[inline(always)]
pub(super) fn offset<const N: usize>(frame: &mut Neo3Frame<'_>) -> Result<i32, Neo3Fault> {
    let bytes: [u8; N] = frame.operand()?;
    let mut offset = [if bytes[N - 1] & 0x80 == 0 { 0 } else { 0xff }; 4];
    offset[..N].copy_from_slice(&bytes);
    Ok(i32::from_le_bytes(offset))
}

/// The target of an offset, which may be outside the script. Fails if it does not fit 32 bits.
#[inline(always)]
pub(super) fn target(frame: &Neo3Frame<'_>, offset: i32) -> Result<i32, Neo3Fault> {
    let at = frame.core.at as i32;
    at.checked_add(offset).ok_or(Neo3Fault::Overflow)
}

/// Continues at a position, which may be the end of the script.
pub(super) fn go_on(frame: &mut Neo3Frame<'_>, position: i32) -> Result<(), Neo3Fault> {
    match usize::try_from(position) {
        Ok(inside) if inside <= frame.length() => {
            frame.pc = inside;
            Ok(())
        }
        _ => Err(Neo3Fault::Position(position.into())),
    }
}

/// Jumps by an offset; the end of the script is not a valid target.
#[inline(always)]
fn jump(frame: &mut Neo3Frame<'_>, offset: i32) -> Neo3Flow {
    let position = target(frame, offset)?;
    match usize::try_from(position) {
        Ok(inside) if inside < frame.length() => {
            frame.pc = inside;
            Ok(())
        }
        _ => Err(Neo3Fault::Position(position.into()).into()),
    }
}

#[inline(always)]
fn jump_if(frame: &mut Neo3Frame<'_>, offset: i32, taken: bool) -> Neo3Flow {
    if taken { jump(frame, offset) } else { Ok(()) }
}

#[inline(always)]
fn jump_if_compared<const N: usize>(frame: &mut Neo3Frame<'_>, taken: fn(Ordering) -> bool) -> Neo3Flow {
    let offset = offset::<N>(frame)?;
    let order = frame.pop_compared()?;
    jump_if(frame, offset, taken(order))
}

#[inline(always)]
pub(super) fn nop(_: &mut Neo3Frame<'_>) -> Neo3Flow {
    Ok(())
}

#[inline(always)]
pub(super) fn jmp<const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let offset = offset::<N>(frame)?;
    jump(frame, offset)
}

#[inline(always)]
pub(super) fn jmpif<const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let offset = offset::<N>(frame)?;
    let taken = frame.pop_boolean()?;
    jump_if(frame, offset, taken)
}

#[inline(always)]
pub(super) fn jmpifnot<const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let offset = offset::<N>(frame)?;
    let taken = !frame.pop_boolean()?;
    jump_if(frame, offset, taken)
}

#[inline(always)]
pub(super) fn jmpeq<const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    jump_if_compared::<N>(frame, Ordering::is_eq)
}

#[inline(always)]
pub(super) fn jmpne<const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    jump_if_compared::<N>(frame, Ordering::is_ne)
}

#[inline(always)]
pub(super) fn jmpgt<const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    jump_if_compared::<N>(frame, Ordering::is_gt)
}

#[inline(always)]
pub(super) fn jmpge<const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    jump_if_compared::<N>(frame, Ordering::is_ge)
}

#[inline(always)]
pub(super) fn jmplt<const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    jump_if_compared::<N>(frame, Ordering::is_lt)
}

#[inline(always)]
pub(super) fn jmple<const N: usize>(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    jump_if_compared::<N>(frame, Ordering::is_le)
}

pub(super) fn abort(_: &mut Neo3Frame<'_>) -> Neo3Flow {
    Err(Neo3Fault::Abort.into())
}

pub(super) fn abortmsg(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let reason = text(&frame.pop()?)?.unwrap_or_default();
    Err(Neo3Fault::AbortWith(reason).into())
}

pub(super) fn assert(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    if frame.pop_boolean()? { Ok(()) } else { Err(Neo3Fault::Assert.into()) }
}

pub(super) fn assertmsg(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let message = frame.pop()?;
    frame.work(ALLOCATION + length(&message) / CHARACTERS_OF_UNIT)?;
    let reason = text(&message)?;
    match (frame.pop_boolean()?, reason) {
        (true, Some(_)) => Ok(()),
        (true, None) => Err(Neo3Fault::Cast.into()),
        (false, reason) => Err(Neo3Fault::AssertWith(reason.unwrap_or_default()).into()),
    }
}
