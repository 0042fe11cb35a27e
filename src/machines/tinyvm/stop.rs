//! Instructions that concern the program as a whole: yield, cpuid, debug, time.

use super::core::{Core, Flow};
use super::instruction::Instruction;

/// `yield`
#[inline(always)]
pub(super) fn yield_(_: &mut Core, _: &Instruction) -> Flow {
    Flow::Yield
}

/// `cpuid`
pub(super) fn cpuid(core: &mut Core, _: &Instruction) -> Flow {
    let features = if core.has_powers { 0xc000 } else { 0x8000 };
    let leaf = core.registers[0];
    core.registers[..4].copy_from_slice(&[if leaf == 0 { features } else { 0 }, 0, 0, 0]);
    Flow::Next
}

/// `debug`
#[inline(always)]
pub(super) fn debug(_: &mut Core, _: &Instruction) -> Flow {
    Flow::Next
}

/// `time`
#[inline(always)]
pub(super) fn time(_: &mut Core, _: &Instruction) -> Flow {
    Flow::Time
}
