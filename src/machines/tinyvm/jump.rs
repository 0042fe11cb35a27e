//! Jumps.

use super::core::{Core, Flow};
use super::instruction::Instruction;

/// `b`
#[inline(always)]
pub(super) fn b(core: &mut Core, i: &Instruction) -> Flow {
    if *core.register(i.a) == 0 { Flow::Next } else { Flow::To(i.value) }
}

/// `j` by a distance
#[inline(always)]
pub(super) fn j(_: &mut Core, i: &Instruction) -> Flow {
    Flow::To(i.value)
}

/// `j` to a register
#[inline(always)]
pub(super) fn jr(core: &mut Core, i: &Instruction) -> Flow {
    Flow::To(core.register(i.a).wrapping_add(i.value))
}

/// `jhi`
#[inline(always)]
pub(super) fn jhi(core: &mut Core, i: &Instruction) -> Flow {
    Flow::To(i.value | *core.register(i.a) & 0xff)
}
