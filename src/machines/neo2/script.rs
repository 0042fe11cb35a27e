//! Scripts and their hashes.

use std::cell::OnceCell;

use ripemd::Ripemd160;
use sha2::{Digest, Sha256};

use super::opcodes::Op;

/// The [`hash160`] of a script, by which it is called.
pub(super) type Hash = [u8; 20];

#[derive(Debug, Clone)]
pub(super) struct Script {
    /// Its bytes, followed by the RET that is executed at the end.
    pub(super) code: Vec<u8>,
    /// Computed on first use.
    hash: OnceCell<Hash>,
}

impl Script {
    pub(super) fn new(mut bytes: Vec<u8>) -> Script {
        bytes.push(Op::RET as u8);
        Script { code: bytes, hash: OnceCell::new() }
    }

    /// The script without the appended RET.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.code[..self.code.len() - 1]
    }

    pub(super) fn hash(&self) -> Hash {
        *self.hash.get_or_init(|| hash160(self.bytes()))
    }
}

/// RIPEMD-160 of SHA-256.
pub(super) fn hash160(bytes: &[u8]) -> Hash {
    Ripemd160::digest(Sha256::digest(bytes)).into()
}
