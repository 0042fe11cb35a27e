//! SHA3, which is Keccak-256 with the original padding.

use sha3::{Digest, Keccak256};

use super::frame::{Flow, Frame, Word};

#[inline(never)]
pub(super) fn sha3(f: &mut Frame<'_>) -> Flow {
    let (offset, size) = (f.pop(), f.top());
    let range = f.memory_range(offset, size)?;
    f.charge_each(6, range.len().div_ceil(32) as u64)?;
    let hash = keccak(&f.context.memory[range]);
    f.set_top(Word::from_be_bytes(hash));
    Ok(())
}

/// Keccak-256 of the bytes.
pub(super) fn keccak(bytes: &[u8]) -> [u8; 32] {
    Keccak256::digest(bytes).into()
}
