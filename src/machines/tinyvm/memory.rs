//! Loads and stores.

use super::core::{TinyCore, TinyFlow};
use super::instruction::TinyInstruction;

#[inline(always)]
pub(super) fn sw(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    let (address, value) = (*core.register(i.a), *core.register(i.b));
    core.data[usize::from(address)] = value;
    TinyFlow::Next
}

/// `lw` from memory
#[inline(always)]
pub(super) fn lw(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    let address = *core.register(i.b);
    *core.register(i.a) = core.data[usize::from(address)];
    TinyFlow::Next
}

#[inline(always)]
pub(super) fn lwi(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    let address = *core.register(i.b);
    *core.register(i.a) = core.instructions[usize::from(address)];
    TinyFlow::Next
}

/// `lw` of a constant
#[inline(always)]
pub(super) fn li(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    *core.register(i.a) = i.value;
    TinyFlow::Next
}

#[inline(always)]
pub(super) fn lhi(core: &mut TinyCore, i: &TinyInstruction) -> TinyFlow {
    let register = core.register(i.a);
    *register = i.value | *register & 0xff;
    TinyFlow::Next
}
