//! PUSH, POP, DUP and SWAP.

use super::frame::EvmFrame;
use super::stop::EvmFlow;
use super::word::Word;

#[inline(always)]
pub(super) fn push<const SIZE: usize>(f: &mut EvmFrame<'_>) -> EvmFlow {
    // The program counter is known to be within the code; only the length remains to be checked.
    let (data, _) = f.code[f.pc..].split_at(SIZE);
    f.push(word_of(data));
    f.context.count.pass(SIZE);
    Ok(())
}

/// At most 32 bytes as a number. Built limb by limb, since a wide load of bytes that were just written one by
/// one would stall.
#[inline(always)]
pub(super) fn word_of(bytes: &[u8]) -> Word {
    let mut limbs = [0; 4];
    for (limb, bytes) in limbs.iter_mut().zip(bytes.rchunks(8)) {
        *limb = bytes.iter().fold(0, |limb, byte| limb << 8 | u64::from(*byte));
    }
    Word::from_limbs(limbs)
}

#[inline(always)]
pub(super) fn pop(f: &mut EvmFrame<'_>) -> EvmFlow {
    f.pop();
    Ok(())
}

#[inline(always)]
pub(super) fn dup<const NTH: usize>(f: &mut EvmFrame<'_>) -> EvmFlow {
    // Store the old top first, since it is the item that DUP1 copies.
    f.height += 1;
    *f.below(1) = f.top;
    f.top = *f.below(NTH);
    Ok(())
}

#[inline(always)]
pub(super) fn swap<const BELOW: usize>(f: &mut EvmFrame<'_>) -> EvmFlow {
    let top = f.top;
    f.top = std::mem::replace(f.below(BELOW), top);
    Ok(())
}
