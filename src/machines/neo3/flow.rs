//! Jumps, ABORT and ASSERT.

use std::cmp::Ordering;

use super::convert::{length, text};
use super::fault::{Fault, Flow};
use super::frame::{ALLOCATION, Frame};

/// How many bytes are read as text per unit.
const CHARACTERS_OF_UNIT: usize = 8;

/// An operand of one or four bytes, counted from the opcode.
#[inline(always)]
pub(super) fn offset<const N: usize>(frame: &mut Frame<'_>) -> Result<i32, Fault> {
    let bytes: [u8; N] = frame.operand()?;
    let mut offset = [if bytes[N - 1] & 0x80 == 0 { 0 } else { 0xff }; 4];
    offset[..N].copy_from_slice(&bytes);
    Ok(i32::from_le_bytes(offset))
}

/// The target of an offset, which may be outside the script. Fails if it does not fit 32 bits.
#[inline(always)]
pub(super) fn target(frame: &Frame<'_>, offset: i32) -> Result<i32, Fault> {
    let at = frame.core.at as i32;
    at.checked_add(offset).ok_or(Fault::Overflow)
}

/// Continues at a position, which may be the end of the script.
pub(super) fn go_on(frame: &mut Frame<'_>, position: i32) -> Result<(), Fault> {
    match usize::try_from(position) {
        Ok(inside) if inside <= frame.length() => {
            frame.pc = inside;
            Ok(())
        }
        _ => Err(Fault::Position(position.into())),
    }
}

/// Jumps by an offset; the end of the script is not a valid target.
#[inline(always)]
fn jump(frame: &mut Frame<'_>, offset: i32) -> Flow {
    let position = target(frame, offset)?;
    match usize::try_from(position) {
        Ok(inside) if inside < frame.length() => {
            frame.pc = inside;
            Ok(())
        }
        _ => Err(Fault::Position(position.into()).into()),
    }
}

#[inline(always)]
fn jump_if(frame: &mut Frame<'_>, offset: i32, taken: bool) -> Flow {
    if taken { jump(frame, offset) } else { Ok(()) }
}

#[inline(always)]
fn jump_if_compared<const N: usize>(frame: &mut Frame<'_>, taken: fn(Ordering) -> bool) -> Flow {
    let offset = offset::<N>(frame)?;
    let order = frame.pop_compared()?;
    jump_if(frame, offset, taken(order))
}

/// NOP
#[inline(always)]
pub(super) fn nop(_: &mut Frame<'_>) -> Flow {
    Ok(())
}

/// JMP
#[inline(always)]
pub(super) fn jmp<const N: usize>(frame: &mut Frame<'_>) -> Flow {
    let offset = offset::<N>(frame)?;
    jump(frame, offset)
}

/// JMPIF
#[inline(always)]
pub(super) fn jmpif<const N: usize>(frame: &mut Frame<'_>) -> Flow {
    let offset = offset::<N>(frame)?;
    let taken = frame.pop_boolean()?;
    jump_if(frame, offset, taken)
}

/// JMPIFNOT
#[inline(always)]
pub(super) fn jmpifnot<const N: usize>(frame: &mut Frame<'_>) -> Flow {
    let offset = offset::<N>(frame)?;
    let taken = !frame.pop_boolean()?;
    jump_if(frame, offset, taken)
}

/// JMPEQ
#[inline(always)]
pub(super) fn jmpeq<const N: usize>(frame: &mut Frame<'_>) -> Flow {
    jump_if_compared::<N>(frame, Ordering::is_eq)
}

/// JMPNE
#[inline(always)]
pub(super) fn jmpne<const N: usize>(frame: &mut Frame<'_>) -> Flow {
    jump_if_compared::<N>(frame, Ordering::is_ne)
}

/// JMPGT
#[inline(always)]
pub(super) fn jmpgt<const N: usize>(frame: &mut Frame<'_>) -> Flow {
    jump_if_compared::<N>(frame, Ordering::is_gt)
}

/// JMPGE
#[inline(always)]
pub(super) fn jmpge<const N: usize>(frame: &mut Frame<'_>) -> Flow {
    jump_if_compared::<N>(frame, Ordering::is_ge)
}

/// JMPLT
#[inline(always)]
pub(super) fn jmplt<const N: usize>(frame: &mut Frame<'_>) -> Flow {
    jump_if_compared::<N>(frame, Ordering::is_lt)
}

/// JMPLE
#[inline(always)]
pub(super) fn jmple<const N: usize>(frame: &mut Frame<'_>) -> Flow {
    jump_if_compared::<N>(frame, Ordering::is_le)
}

/// ABORT
pub(super) fn abort(_: &mut Frame<'_>) -> Flow {
    Err(Fault::Abort.into())
}

/// ABORTMSG
pub(super) fn abortmsg(frame: &mut Frame<'_>) -> Flow {
    let reason = text(&frame.pop()?)?.unwrap_or_default();
    Err(Fault::AbortWith(reason).into())
}

/// ASSERT
pub(super) fn assert(frame: &mut Frame<'_>) -> Flow {
    if frame.pop_boolean()? { Ok(()) } else { Err(Fault::Assert.into()) }
}

/// ASSERTMSG
pub(super) fn assertmsg(frame: &mut Frame<'_>) -> Flow {
    let message = frame.pop()?;
    frame.work(ALLOCATION + length(&message) / CHARACTERS_OF_UNIT)?;
    let reason = text(&message)?;
    match (frame.pop_boolean()?, reason) {
        (true, Some(_)) => Ok(()),
        (true, None) => Err(Fault::Cast.into()),
        (false, reason) => Err(Fault::AssertWith(reason.unwrap_or_default()).into()),
    }
}
