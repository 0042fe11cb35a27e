//! Jumps and THROW.

use super::count::Change;
use super::fault::{Fault, Flow, Stop};
use super::frame::Frame;

#[inline(always)]
pub(super) fn nop(_: &mut Frame<'_>) -> Flow {
    Ok(())
}

#[inline(always)]
pub(super) fn jmp(f: &mut Frame<'_>) -> Flow {
    f.pc = target(f)?;
    Ok(())
}

#[inline(always)]
pub(super) fn jmpif(f: &mut Frame<'_>) -> Flow {
    let target = target(f)?;
    if condition(f)? {
        f.pc = target;
    }
    Ok(())
}

#[inline(always)]
pub(super) fn jmpifnot(f: &mut Frame<'_>) -> Flow {
    let target = target(f)?;
    if !condition(f)? {
        f.pc = target;
    }
    Ok(())
}

#[inline(always)]
fn condition(f: &mut Frame<'_>) -> Result<bool, Stop> {
    f.note(Change::Loose(-1))?;
    f.pop_boolean()
}

#[inline(always)]
fn target(f: &mut Frame<'_>) -> Result<usize, Stop> {
    let offset = f.offset()?;
    f.inside(offset)
}

impl Frame<'_> {
    /// Takes an offset, and gives the place that it says, which may be outside the script.
    #[inline(always)]
    pub(super) fn offset(&mut self) -> Result<i64, Stop> {
        let offset = i16::from_le_bytes(self.operand()?);
        Ok(self.at as i64 + i64::from(offset))
    }

    /// The place, which must be in the script or at its end.
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
pub(super) fn throwifnot(f: &mut Frame<'_>) -> Flow {
    if !f.pop_boolean()? {
        return Err(Fault::Thrown.into());
    }
    f.note(Change::Loose(-1))
}
