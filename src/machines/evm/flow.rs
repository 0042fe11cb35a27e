//! Jumps, ends, and what an instruction can learn about the frame.

use super::frame::{Flow, Frame, Halt, Stop, Word, is_zero, range, small, words};
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
    let valid = match f.destinations.known.get(target) {
        Some(Destination::Yes) => true,
        Some(Destination::Unknown) => f.destinations.learn(f.code, target),
        Some(Destination::No) | None => false,
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

/// The valid jump destinations: each JUMPDEST that is not data of a PUSH. Computed lazily, each offset once:
/// most programs jump to a few places, and analysing all of their code would cost more than it saves.
#[derive(Debug, Clone, Default)]
pub(super) struct Destinations {
    known: Vec<Destination>,
    /// An instruction starts here, and all before it are known.
    scanned: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Destination {
    Unknown,
    Yes,
    No,
}

impl Destinations {
    /// Forgets all, for another code of `length` bytes.
    pub(super) fn reset(&mut self, length: usize) {
        self.known.clear();
        self.known.resize(length, Destination::Unknown);
        self.scanned = 0;
    }

    /// Finds out what an offset is.
    #[cold]
    #[inline(never)]
    fn learn(&mut self, code: &[u8], target: usize) -> bool {
        /// From here on it costs less to look at the code before an offset than to go there.
        const FAR: usize = 512;
        let far = target > self.scanned + FAR;
        if code[target] != Op::JUMPDEST as u8 {
            self.known[target] = Destination::No;
        } else if far && starts(code, target) {
            self.known[target] = Destination::Yes;
        } else {
            self.scan(code, target);
        }
        self.known[target] == Destination::Yes
    }

    /// Goes on through the instructions until it is past `target`.
    fn scan(&mut self, code: &[u8], target: usize) {
        let mut at = self.scanned;
        while at <= target {
            let byte = code[at];
            if byte == Op::JUMPDEST as u8 {
                self.known[at] = Destination::Yes;
            }
            at += 1 + push_data(byte);
        }
        self.scanned = at;
        if self.known[target] == Destination::Unknown {
            self.known[target] = Destination::No;
        }
    }
}

/// Whether an instruction certainly starts here: no PUSH before reaches this far, whether it is
/// one or itself data.
fn starts(code: &[u8], at: usize) -> bool {
    let mut before = code[at.saturating_sub(32)..at].iter().rev().zip(1..);
    before.all(|(byte, distance)| push_data(*byte) < distance)
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
    let range = range(offset, size)?;
    f.pay(0, range.end)?;
    f.work(words(range.len()))?;
    f.context.keep(0, range.len())?;
    f.context.output = f.context.memory[range].to_vec();
    Err(Stop::Returned)
}
