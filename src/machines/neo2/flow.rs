//! Jumps and THROW.

use super::count::CountChange;
use super::fault::{Neo2Fault, Neo2Flow, Neo2Stop};
use super::frame::Neo2Frame;

#[inline(always)]
pub(super) fn nop(_: &mut Neo2Frame<'_>) -> Neo2Flow {
    Ok(())
}

#[inline(always)]
pub(super) fn jmp(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.pc = target(frame)?;
    Ok(())
}

#[inline(always)]
pub(super) fn jmpif(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let target = target(frame)?;
    if condition(frame)? {
        frame.pc = target;
    }
    Ok(())
}

#[inline(always)]
pub(super) fn jmpifnot(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let target = target(frame)?;
    if !condition(frame)? {
        frame.pc = target;
    }
    Ok(())
}

#[inline(always)]
fn condition(frame: &mut Neo2Frame<'_>) -> Result<bool, Neo2Stop> {
    frame.note(CountChange::Loose(-1))?;
    frame.pop_boolean()
}

#[inline(always)]
fn target(frame: &mut Neo2Frame<'_>) -> Result<usize, Neo2Stop> {
    let offset = frame.offset()?;
    frame.inside(offset)
}

impl Neo2Frame<'_> {
    /// Reads an offset; returns its target, which may be outside the script.
    #[inline(always)]
    pub(super) fn offset(&mut self) -> Result<i64, Neo2Stop> {
        let offset = i16::from_le_bytes(self.operand()?);
        Ok(self.at as i64 + i64::from(offset))
    }

    /// Checks that the target is in the script or at its end.
    #[inline(always)]
    pub(super) fn inside(&self, place: i64) -> Result<usize, Neo2Stop> {
        let place = usize::try_from(place).ok();
        place.filter(|place| *place < self.code.len()).ok_or(Neo2Stop::Faulted(Neo2Fault::Position))
    }
}

#[inline(never)]
pub(super) fn throw(_: &mut Neo2Frame<'_>) -> Neo2Flow {
    Err(Neo2Fault::Thrown.into())
}

#[inline(always)]
pub(super) fn throwifnot(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    if !frame.pop_boolean()? {
        return Err(Neo2Fault::Thrown.into());
    }
    frame.note(CountChange::Loose(-1))
}
