//! SHA3, which is Keccak-256 with the original padding.

use sha3::{Digest, Keccak256};

use super::frame::{EvmFrame, range};
use super::operands::Operands;
use super::stop::EvmFlow;
use super::word::{Word, words};

#[inline(never)]
pub(super) fn sha3(f: &mut EvmFrame<'_>) -> EvmFlow {
    let (offset, size) = (f.pop(), f.top());
    let range = range(offset, size)?;
    f.pay(words(range.len()).saturating_mul(6), range.end)?;
    f.work(keccak_units(range.len()))?;
    let hash = keccak(&f.context.memory[range]);
    f.set_top(Word::from_be_bytes(hash));
    Ok(())
}

/// The price of hashing this number of bytes.
pub(super) fn keccak_units(length: usize) -> u64 {
    const BLOCK: usize = 136;
    70 * (1 + length / BLOCK) as u64
}

pub(super) fn keccak(bytes: &[u8]) -> [u8; 32] {
    Keccak256::digest(bytes).into()
}
