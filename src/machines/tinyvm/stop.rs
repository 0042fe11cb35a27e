//! Instructions that concern the program as a whole: yield, cpuid, debug, time.

use super::core::{TinyCore, TinyFlow};
use super::instruction::TinyInstruction;

#[inline(always)]
pub(super) fn yield_(_: &mut TinyCore, _: &TinyInstruction) -> TinyFlow {
    TinyFlow::Yield
}

pub(super) fn cpuid(core: &mut TinyCore, _: &TinyInstruction) -> TinyFlow {
    let features = if core.has_powers { 0xc000 } else { 0x8000 };
    let leaf = core.registers[0];
    core.registers[..4].copy_from_slice(&[if leaf == 0 { features } else { 0 }, 0, 0, 0]);
    TinyFlow::Next
}

#[inline(always)]
pub(super) fn debug(_: &mut TinyCore, _: &TinyInstruction) -> TinyFlow {
    TinyFlow::Next
}

#[inline(always)]
pub(super) fn time(_: &mut TinyCore, _: &TinyInstruction) -> TinyFlow {
    TinyFlow::Time
}
