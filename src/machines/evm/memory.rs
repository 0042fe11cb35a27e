//! Instructions that read and write memory, and that copy into it.

use super::frame::{EvmFrame, PADDING, range};
use super::operands::Operands;
use super::stop::{EvmFlow, EvmStop, Halt};
use super::word::{Word, small, words};
use super::world::LOOK_UP;

/// How many words are copied per unit.
const WORDS_OF_UNIT: u64 = 11;

#[inline(always)]
pub(super) fn mload(f: &mut EvmFrame<'_>) -> EvmFlow {
    let offset = offset(f.top())?;
    let range = f.memory_at(offset, 32)?;
    let mut bytes = [0; 32];
    bytes.copy_from_slice(&f.context.memory[range]);
    f.set_top(Word::from_be_bytes(bytes));
    Ok(())
}

#[inline(always)]
pub(super) fn mstore(f: &mut EvmFrame<'_>) -> EvmFlow {
    let (offset, word) = (offset(f.pop())?, f.pop());
    let range = f.memory_at(offset, 32)?;
    f.context.memory[range].copy_from_slice(&word.to_be_bytes::<32>());
    Ok(())
}

#[inline(always)]
pub(super) fn mstore8(f: &mut EvmFrame<'_>) -> EvmFlow {
    let (offset, word) = (offset(f.pop())?, f.pop());
    let range = f.memory_at(offset, 1)?;
    f.context.memory[range].fill(word.byte(0));
    Ok(())
}

#[inline(always)]
pub(super) fn msize(f: &mut EvmFrame<'_>) -> EvmFlow {
    f.push(Word::from(f.context.memory.size()));
    Ok(())
}

#[inline(never)]
pub(super) fn calldatacopy(f: &mut EvmFrame<'_>) -> EvmFlow {
    let data = std::mem::take(&mut f.context.environment.data);
    let flow = copy(f, &data);
    f.context.environment.data = data;
    flow
}

#[inline(never)]
pub(super) fn codecopy(f: &mut EvmFrame<'_>) -> EvmFlow {
    copy(f, &f.code[..f.code.len() - PADDING])
}

#[inline(never)]
pub(super) fn extcodecopy(f: &mut EvmFrame<'_>) -> EvmFlow {
    let address = f.pop();
    f.work(2 * LOOK_UP)?;
    let code = std::mem::take(&mut f.context.touch(address)?.code);
    let flow = copy(f, &code);
    f.context.touch(address)?.code = code;
    flow
}

/// `memory[a, a+c) = source[b, b+c)`, with zeros beyond the end of the source.
fn copy(f: &mut EvmFrame<'_>, source: &[u8]) -> EvmFlow {
    let (to, from, size) = (f.pop(), f.pop(), f.pop());
    let range = range(to, size)?;
    let words = words(range.len());
    f.pay(words.saturating_mul(3), range.end)?;
    f.work(2 + words / WORDS_OF_UNIT)?;
    let rest = small(from).and_then(|from| source.get(from..)).unwrap_or_default();
    let target = &mut f.context.memory[range];
    let (copied, zeros) = target.split_at_mut(rest.len().min(target.len()));
    copied.copy_from_slice(&rest[..copied.len()]);
    zeros.fill(0);
    Ok(())
}

/// No amount of gas pays for a large offset.
#[inline(always)]
fn offset(word: Word) -> Result<usize, EvmStop> {
    small(word).ok_or(EvmStop::Halted(Halt::OutOfGas))
}
