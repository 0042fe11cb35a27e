//! PUSH, POP, DUP and SWAP.

use super::frame::{Flow, Frame, Word};

#[inline(always)]
pub(super) fn push<const SIZE: usize>(f: &mut Frame<'_>) -> Flow {
    // That the program counter is within the code is known; only the length is left to check.
    let (data, _) = f.code[f.pc..].split_at(SIZE);
    f.push(word_of(data));
    f.context.count.pass(SIZE);
    Ok(())
}

/// At most 32 bytes as a number. Built limb by limb: bytes that are put together in memory could
/// not be loaded from there at once.
#[inline(always)]
pub(super) fn word_of(bytes: &[u8]) -> Word {
    let mut limbs = [0; 4];
    for (limb, bytes) in limbs.iter_mut().zip(bytes.rchunks(8)) {
        *limb = bytes.iter().fold(0, |limb, byte| limb << 8 | u64::from(*byte));
    }
    Word::from_limbs(limbs)
}

#[inline(always)]
pub(super) fn pop(f: &mut Frame<'_>) -> Flow {
    f.pop();
    Ok(())
}

#[inline(always)]
pub(super) fn dup<const NTH: usize>(f: &mut Frame<'_>) -> Flow {
    // The old top goes to its place first: it is the item that DUP1 copies.
    f.height += 1;
    *f.below(1) = f.top;
    f.top = *f.below(NTH);
    Ok(())
}

#[inline(always)]
pub(super) fn swap<const BELOW: usize>(f: &mut Frame<'_>) -> Flow {
    let top = f.top;
    f.top = std::mem::replace(f.below(BELOW), top);
    Ok(())
}
