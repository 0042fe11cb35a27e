//! Jumps.

use super::core::{TinyCore, TinyFlow};
use super::instruction::TinyInstruction;

#[inline(always)]
pub(super) fn b(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    if *core.register(i.a) == 0 { TinyFlow::Next } else { TinyFlow::To(i.value) }
}

/// `j` by a distance
#[inline(always)]
pub(super) fn j(_: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    TinyFlow::To(i.value)
}

/// `j` to a register
#[inline(always)]
pub(super) fn jr(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    TinyFlow::To(core.register(i.a).wrapping_add(i.value))
}

#[inline(always)]
pub(super) fn jhi(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    TinyFlow::To(i.value | *core.register(i.a) & 0xff)
}
