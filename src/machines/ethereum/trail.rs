//! What the last instruction did to the accounts, read from the engine's journal, and to other frames.
//!
//! Kept only while instructions are executed one at a time, for a watch.

use revm_context::{JournalEntry, JournalInner};
use revm_context_interface::journaled_state::JournalCheckpoint;
use revm_interpreter::InstructionResult;
use revm_primitives::{Address, U256};

use super::cells;
use crate::machines::record::word_of_key;
use crate::model::{Cell, bytes_key, number_key};

/// The maximum height of a stack.
pub(super) const MAX_ITEMS: usize = 1024;

/// The changes of one instruction.
#[derive(Default)]
pub(super) struct Trail {
    /// How many entries of the journal have been read.
    seen: usize,
    entries: Vec<JournalEntry>,
    /// What another frame received or got back.
    passed: Vec<Cell>,
    /// Why the instruction could not be executed.
    pub(super) failure: Option<InstructionResult>,
}

impl Trail {
    /// The trail of an instruction that is about to be executed.
    pub(super) fn before(journal: &[JournalEntry]) -> Trail {
        Trail { seen: journal.len(), ..Trail::default() }
    }

    /// A frame ends with this result. What it changed since `start` is undone if it fails.
    pub(super) fn end(
        &mut self,
        journal: &JournalInner<JournalEntry>,
        start: &JournalCheckpoint,
        result: InstructionResult,
    ) {
        if !result.is_ok() {
            self.entries.extend_from_slice(journal.journal.get(start.journal_i..).unwrap_or_default());
            if journal.logs.len() > start.log_i {
                self.pass(vec![Cell::named(cells::LOGS, "")]);
            }
            self.failure = (!result.is_revert()).then_some(result);
        }
    }

    /// Another frame received this, or got it back.
    pub(super) fn pass(&mut self, cells: Vec<Cell>) {
        self.passed.extend(cells);
    }

    /// Reads the new entries.
    pub(super) fn follow(&mut self, journal: &[JournalEntry]) {
        self.entries.extend_from_slice(journal.get(self.seen..).unwrap_or_default());
        self.seen = journal.len();
    }

    /// The cells that were written.
    pub(super) fn cells(&self) -> Vec<Cell> {
        let mut cells: Vec<_> =
            self.entries.iter().flat_map(written).chain(self.passed.iter().cloned()).collect();
        cells.dedup();
        cells
    }
}

/// A datum of an account.
pub(super) fn of_account(kind: &'static str, address: Address) -> Cell {
    Cell::named(kind, bytes_key(address.as_slice()))
}

/// A word of storage.
pub(super) fn storage(kind: &'static str, address: Address, key: U256) -> Cell {
    let (address, key) = (bytes_key(address.as_slice()), number_key(&key.to_be_bytes::<32>()));
    Cell::named(kind, format!("{key} of {address}"))
}

fn written(entry: &JournalEntry) -> Vec<Cell> {
    match *entry {
        JournalEntry::AccountWarmed { .. } | JournalEntry::StorageWarmed { .. } => Vec::new(),
        JournalEntry::AccountTouched { address } => vec![of_account(cells::ACCOUNT, address)],
        JournalEntry::BalanceChange { address, .. } => vec![of_account(cells::BALANCE, address)],
        JournalEntry::BalanceTransfer { from, to, .. } => {
            vec![of_account(cells::BALANCE, from), of_account(cells::BALANCE, to)]
        }
        JournalEntry::NonceChange { address, .. } | JournalEntry::NonceBump { address } => {
            vec![of_account(cells::NONCE, address)]
        }
        JournalEntry::AccountCreated { address, .. } => {
            vec![of_account(cells::ACCOUNT, address), of_account(cells::NONCE, address)]
        }
        JournalEntry::AccountDestroyed { address, target, .. } => {
            let all = [cells::ACCOUNT, cells::BALANCE, cells::NONCE, cells::CODE]
                .map(|kind| of_account(kind, address));
            [of_account(cells::BALANCE, target)].into_iter().chain(all).collect()
        }
        JournalEntry::StorageChanged { key, address, .. } => vec![storage(cells::STORAGE, address, key)],
        JournalEntry::TransientStorageChange { key, address, .. } => {
            vec![storage(cells::TRANSIENT_STORAGE, address, key)]
        }
        JournalEntry::CodeChange { address, .. } => vec![of_account(cells::CODE, address)],
    }
}

/// The account and the key of a word of storage, by the name of its cell.
pub(super) fn storage_of(name: &str) -> Option<(Address, U256)> {
    let (key, account) = name.split_once(" of ")?;
    Some((address(account)?, word_of_key(key).ok()?))
}

pub(super) fn address(key: &str) -> Option<Address> {
    Some(Address::from_word(word_of_key(key).ok()?.into()))
}
