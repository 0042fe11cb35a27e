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
    match small(target) {
        Some(target) if f.destinations.get(target) == Some(&true) => {
            f.pc = target;
            Ok(())
        }
        _ => Err(Stop::Halted(Halt::BadJump)),
    }
}

/// For each offset of `code`, whether it is a JUMPDEST that is no data of a PUSH, written over
/// `destinations`.
pub(super) fn find_destinations(code: &[u8], destinations: &mut Vec<bool>) {
    destinations.clear();
    destinations.resize(code.len(), false);
    let mut at = 0;
    while let Some(&byte) = code.get(at) {
        destinations[at] = byte == Op::JUMPDEST as u8;
        let data = byte.wrapping_sub(Op::PUSH1 as u8);
        at += if data < 32 { 2 + usize::from(data) } else { 1 };
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
