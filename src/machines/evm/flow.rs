//! Jumps, ends, and what an instruction can learn about the frame.

use super::frame::{Flow, Frame, Halt, Stop, Word, is_zero, small};
use super::table::Op;

#[inline(always)]
pub(super) fn stop(_: &mut Frame<'_>) -> Flow {
    Err(Stop::Stopped)
}

#[inline(always)]
pub(super) fn jump(f: &mut Frame<'_>) -> Flow {
    let target = f.pop();
    go_to(f, target)
}

#[inline(always)]
pub(super) fn jumpi(f: &mut Frame<'_>) -> Flow {
    let (target, condition) = (f.pop(), f.pop());
    if is_zero(condition) { Ok(()) } else { go_to(f, target) }
}

#[inline(always)]
fn go_to(f: &mut Frame<'_>, target: Word) -> Flow {
    let Some(target) = small(target) else { return Err(BAD_JUMP) };
    let known = f.destinations.get(target).copied();
    let valid = match known.unwrap_or(Destination::No) {
        Destination::Yes => true,
        Destination::No => false,
        Destination::Unknown => learn(f.destinations, f.code, target),
    };
    if !valid {
        return Err(BAD_JUMP);
    }
    let fenced = f.context.count.jump(f.pc, target);
    f.pc = target;
    if fenced {
        // The loop takes the program counter back to the instruction that ended it.
        f.pc += 1;
        return Err(Stop::Fenced);
    }
    Ok(())
}

const BAD_JUMP: Stop = Stop::Halted(Halt::BadJump);

/// Whether an offset of the code is a JUMPDEST that is no data of a PUSH.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Destination {
    Unknown,
    Yes,
    No,
}

/// Finds out and keeps what an offset is. Most programs jump to a few places, so that looking at
/// all of their code would cost more than it saves.
#[cold]
#[inline(never)]
fn learn(destinations: &mut [Destination], code: &[u8], target: usize) -> bool {
    if code[target] != Op::JUMPDEST as u8 {
        destinations[target] = Destination::No;
    } else if !(1..=target.min(32)).any(|before| push_data(code[target - before]) >= before) {
        // No PUSH reaches this far, whether it is one or data itself.
        destinations[target] = Destination::Yes;
    } else {
        learn_all(destinations, code);
    }
    destinations[target] == Destination::Yes
}

/// What every offset is, going through the code from its start.
fn learn_all(destinations: &mut [Destination], code: &[u8]) {
    destinations.fill(Destination::No);
    let mut at = 0;
    while at < destinations.len() {
        if code[at] == Op::JUMPDEST as u8 {
            destinations[at] = Destination::Yes;
        }
        at += 1 + push_data(code[at]);
    }
}

/// How many bytes of data follow the code of an instruction.
fn push_data(code: u8) -> usize {
    match code.wrapping_sub(Op::PUSH1 as u8) {
        length @ 0..32 => usize::from(length) + 1,
        _ => 0,
    }
}

#[inline(always)]
pub(super) fn pc(f: &mut Frame<'_>) -> Flow {
    f.push(Word::from(f.pc - 1));
    Ok(())
}

#[inline(always)]
pub(super) fn gas(f: &mut Frame<'_>) -> Flow {
    f.push(Word::from(f.gas));
    Ok(())
}

#[inline(always)]
pub(super) fn jumpdest(_: &mut Frame<'_>) -> Flow {
    Ok(())
}

#[inline(never)]
pub(super) fn ret(f: &mut Frame<'_>) -> Flow {
    let (offset, size) = (f.pop(), f.pop());
    let range = f.memory_range(offset, size)?;
    f.context.put_out(range.len())?;
    f.context.output = f.context.memory[range].to_vec();
    Err(Stop::Returned)
}
