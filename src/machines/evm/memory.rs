//! Memory, and copying into it.

use super::frame::{Flow, Frame, Halt, Stop, Word, small};

pub(super) fn mload(f: &mut Frame<'_>) -> Flow {
    let offset = offset(*f.peek(0))?;
    let range = f.memory_at(offset, 32)?;
    let mut bytes = [0; 32];
    bytes.copy_from_slice(&f.context.memory[range]);
    *f.peek(0) = Word::from_be_bytes(bytes);
    Ok(())
}

pub(super) fn mstore(f: &mut Frame<'_>) -> Flow {
    let (offset, word) = (offset(f.pop())?, f.pop());
    let range = f.memory_at(offset, 32)?;
    f.context.memory[range].copy_from_slice(&word.to_be_bytes::<32>());
    Ok(())
}

pub(super) fn mstore8(f: &mut Frame<'_>) -> Flow {
    let (offset, word) = (offset(f.pop())?, f.pop());
    let range = f.memory_at(offset, 1)?;
    f.context.memory[range].fill(word.byte(0));
    Ok(())
}

pub(super) fn msize(f: &mut Frame<'_>) -> Flow {
    f.push(Word::from(f.context.memory.len()));
    Ok(())
}

pub(super) fn calldatacopy(f: &mut Frame<'_>) -> Flow {
    let data = std::mem::take(&mut f.context.environment.data);
    let flow = copy(f, &data);
    f.context.environment.data = data;
    flow
}

pub(super) fn codecopy(f: &mut Frame<'_>) -> Flow {
    copy(f, f.code)
}

pub(super) fn extcodecopy(f: &mut Frame<'_>) -> Flow {
    let address = f.pop();
    let code = std::mem::take(&mut f.context.world.touch(address).code);
    let flow = copy(f, &code);
    f.context.world.touch(address).code = code;
    flow
}

/// `memory[a, a+c) = source[b, b+c)`, with zeros for what lies behind the end of the source.
fn copy(f: &mut Frame<'_>, source: &[u8]) -> Flow {
    let (to, from, size) = (f.pop(), f.pop(), f.pop());
    let range = f.memory_range(to, size)?;
    f.charge_each(3, range.len().div_ceil(32) as u64)?;
    let rest = small(from).and_then(|from| source.get(from..)).unwrap_or_default();
    let target = &mut f.context.memory[range];
    let (copied, zeros) = target.split_at_mut(rest.len().min(target.len()));
    copied.copy_from_slice(&rest[..copied.len()]);
    zeros.fill(0);
    Ok(())
}

/// No gas pays for an offset that is not small.
#[inline(always)]
fn offset(word: Word) -> Result<usize, Stop> {
    small(word).ok_or(Stop::Halted(Halt::OutOfGas))
}
