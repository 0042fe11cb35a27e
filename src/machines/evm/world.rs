//! The accounts.

use std::collections::BTreeMap;

use super::word::Word;

/// The words that are not zero, by key.
pub(super) type Storage = BTreeMap<Word, Word>;

/// The size of an account in bytes, with its copies as values.
pub(super) const ENTRY: u64 = 512;

/// The charge for looking up an account, in units.
pub(super) const LOOK_UP: u64 = 32;

#[derive(Debug, Clone, Default)]
pub(super) struct EvmAccount {
    pub(super) balance: Word,
    pub(super) nonce: Word,
    pub(super) code: Vec<u8>,
    pub(super) storage: Storage,
}

impl EvmAccount {
    /// Whether it is like an account that does not exist.
    pub(super) fn is_empty(&self) -> bool {
        self.balance.is_zero() && self.nonce.is_zero() && self.code.is_empty() && self.storage.is_empty()
    }
}

/// All accounts by address. Ordered, so that nothing depends on hashing.
#[derive(Debug, Clone, Default)]
pub(super) struct EvmWorld(BTreeMap<Word, EvmAccount>);

impl EvmWorld {
    /// The account; created empty if it does not exist, since reading an account creates it. Only the low 160
    /// bits of the address count.
    pub(super) fn touch(&mut self, address: Word) -> &mut EvmAccount {
        self.0.entry(low_160(address)).or_default()
    }

    pub(super) fn get(&self, address: Word) -> Option<&EvmAccount> {
        self.0.get(&low_160(address))
    }

    /// Whether the account exists.
    pub(super) fn contains(&self, address: Word) -> bool {
        self.get(address).is_some()
    }

    /// Deletes the account.
    pub(super) fn remove(&mut self, address: Word) {
        self.0.remove(&low_160(address));
    }

    /// Deletes all accounts.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The accounts by address, in order.
    pub(super) fn accounts(&self) -> impl Iterator<Item = (&Word, &EvmAccount)> {
        self.0.iter()
    }
}

/// An address from a stack word, without the bits that do not belong to it.
pub(super) fn low_160(address: Word) -> Word {
    let [a, b, c, _] = *address.as_limbs();
    Word::from_limbs([a, b, c & 0xffff_ffff, 0])
}

pub(super) fn address_bytes(address: Word) -> [u8; 20] {
    let mut bytes = [0; 20];
    bytes.copy_from_slice(&address.to_be_bytes::<32>()[12..]);
    bytes
}
