//! Jumps and THROW.

use super::count::Change;
use super::fault::{Fault, Flow, Stop};
use super::frame::Frame;

#[inline(always)]
pub(super) fn nop(_: &mut Frame<'_>) -> Flow {
    Ok(())
}

#[inline(always)]
pub(super) fn jmp(frame: &mut Frame<'_>) -> Flow {
    frame.pc = target(frame)?;
    Ok(())
}

#[inline(always)]
pub(super) fn jmpif(frame: &mut Frame<'_>) -> Flow {
    let target = target(frame)?;
    if condition(frame)? {
        frame.pc = target;
    }
    Ok(())
}

#[inline(always)]
pub(super) fn jmpifnot(frame: &mut Frame<'_>) -> Flow {
    let target = target(frame)?;
    if !condition(frame)? {
        frame.pc = target;
    }
    Ok(())
}

#[inline(always)]
fn condition(frame: &mut Frame<'_>) -> Result<bool, Stop> {
    frame.note(Change::Loose(-1))?;
    frame.pop_boolean()
}

#[inline(always)]
fn target(frame: &mut Frame<'_>) -> Result<usize, Stop> {
    let offset = frame.offset()?;
    frame.inside(offset)
}

impl Frame<'_> {
    /// Reads an offset; returns its target, which may be outside the script.
    #[inline(always)]
    pub(super) fn offset(&mut self) -> Result<i64, Stop> {
        let offset = i16::from_le_bytes(self.operand()?);
        Ok(self.at as i64 + i64::from(offset))
    }

    /// Checks that the target is in the script or at its end.
    #[inline(always)]
    pub(super) fn inside(&self, place: i64) -> Result<usize, Stop> {
        let place = usize::try_from(place).ok();
        place.filter(|place| *place < self.code.len()).ok_or(Stop::Faulted(Fault::Position))
    }
}

#[inline(never)]
pub(super) fn throw(_: &mut Frame<'_>) -> Flow {
    Err(Fault::Thrown.into())
}

#[inline(always)]
pub(super) fn throwifnot(frame: &mut Frame<'_>) -> Flow {
    if !frame.pop_boolean()? {
        return Err(Fault::Thrown.into());
    }
    frame.note(Change::Loose(-1))
}
