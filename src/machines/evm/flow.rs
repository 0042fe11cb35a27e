//! Jumps, ends, and instructions that query the frame.

use super::destinations::JumpDestination;
use super::frame::{EvmFrame, range};
use super::operands::Operands;
use super::stop::{EvmFlow, EvmStop, Halt};
use super::word::{Word, is_zero, small, words};

#[inline(always)]
pub(super) fn stop(_: &mut EvmFrame<'_>) -> EvmFlow {
    Err(EvmStop::Stopped)
}

#[inline(always)]
pub(super) fn jump(f: &mut EvmFrame<'_>) -> EvmFlow {
    let target = f.pop();
    go_to(f, target)
}

#[inline(always)]
pub(super) fn jumpi(f: &mut EvmFrame<'_>) -> EvmFlow {
    let (target, condition) = (f.pop(), f.pop());
    if is_zero(condition) { Ok(()) } else { go_to(f, target) }
}

#[inline(always)]
fn go_to(f: &mut EvmFrame<'_>, target: Word) -> EvmFlow {
    let Some(target) = small(target) else { return Err(BAD_JUMP) };
    let destination = f.destinations.visit(f.code, target);
    if destination == JumpDestination::NO {
        return Err(BAD_JUMP);
    }
    let fenced = f.context.count.jump(f.pc, target);
    f.pc = target;
    if fenced || destination == JumpDestination::HOT {
        // The loop moves the program counter back by one when it ends.
        f.pc += 1;
        return Err(if fenced { EvmStop::Fenced } else { EvmStop::Hot });
    }
    Ok(())
}

const BAD_JUMP: EvmStop = EvmStop::Halted(Halt::BadJump);

#[inline(always)]
pub(super) fn pc(f: &mut EvmFrame<'_>) -> EvmFlow {
    f.push(Word::from(f.pc - 1));
    Ok(())
}

#[inline(always)]
pub(super) fn gas(f: &mut EvmFrame<'_>) -> EvmFlow {
    f.push(Word::from(f.gas));
    Ok(())
}

#[inline(always)]
pub(super) fn jumpdest(_: &mut EvmFrame<'_>) -> EvmFlow {
    Ok(())
}

#[inline(never)]
pub(super) fn ret(f: &mut EvmFrame<'_>) -> EvmFlow {
    let (offset, size) = (f.pop(), f.pop());
    let range = range(offset, size)?;
    f.pay(0, range.end)?;
    f.work(words(range.len()))?;
    f.context.keep(0, range.len())?;
    f.context.output = f.context.memory[range].to_vec();
    Err(EvmStop::Returned)
}
