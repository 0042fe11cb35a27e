//! Loads and stores.

use super::core::{Core, Flow};
use super::instruction::Instruction;

/// `sw`
#[inline(always)]
pub(super) fn sw(core: &mut Core, i: &Instruction) -> Flow {
    let (address, value) = (*core.register(i.a), *core.register(i.b));
    core.data[usize::from(address)] = value;
    Flow::Next
}

/// `lw` from memory
#[inline(always)]
pub(super) fn lw(core: &mut Core, i: &Instruction) -> Flow {
    let address = *core.register(i.b);
    *core.register(i.a) = core.data[usize::from(address)];
    Flow::Next
}

/// `lwi`
#[inline(always)]
pub(super) fn lwi(core: &mut Core, i: &Instruction) -> Flow {
    let address = *core.register(i.b);
    *core.register(i.a) = core.instructions[usize::from(address)];
    Flow::Next
}

/// `lw` of a constant
#[inline(always)]
pub(super) fn li(core: &mut Core, i: &Instruction) -> Flow {
    *core.register(i.a) = i.value;
    Flow::Next
}

/// `lhi`
#[inline(always)]
pub(super) fn lhi(core: &mut Core, i: &Instruction) -> Flow {
    let register = core.register(i.a);
    *register = i.value | *register & 0xff;
    Flow::Next
}
