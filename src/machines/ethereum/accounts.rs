//! Accounts as rows, for people who look at a run: what each leaf is, and what it was before the transaction.

use std::collections::BTreeMap;

use revm_primitives::{Address, U256};
use revm_state::{AccountInfo, EvmState};

use super::world::{EthereumWorld, WorldAfter};
use crate::machines::record::word_value;
use crate::machines::view::{Section, ViewDatum, ViewRow};
use crate::model::{Path, PathKey, brief_bytes, bytes_key, number_key};

/// The accounts and words that a transaction has used so far.
pub(super) fn used(state: &EvmState, world: &EthereumWorld) -> Section {
    let there = state.iter().filter(|(_, account)| !account.is_loaded_as_not_existing_not_touched());
    let accounts: BTreeMap<_, _> = there.collect();
    let mut section = Section::new("accounts, as far as they were used");
    for (address, account) in accounts {
        let words = account.storage.iter().map(|(key, slot)| (*key, slot.present_value)).collect();
        push(&mut section, world, *address, Some(&account.info), &words);
    }
    section
}

/// All accounts after a transaction, and those that it removed.
pub(super) fn after(after: &WorldAfter<'_>, world: &EthereumWorld) -> Section {
    let mut section = Section::new("accounts");
    for (address, info, mut words) in after.accounts() {
        for key in world.words_of(address) {
            words.entry(key).or_insert(U256::ZERO);
        }
        push(&mut section, world, address, info, &words);
    }
    for address in world.addresses().filter(|address| !after.has(*address)) {
        section.push(ViewRow::new(key_of(address), "removed", None));
    }
    section
}

fn key_of(address: Address) -> String {
    bytes_key(address.as_slice())
}

fn path_of(address: Address) -> Path {
    Path::field("state").child(PathKey::from(key_of(address)))
}

/// Adds the rows of an account.
fn push(
    section: &mut Section,
    world: &EthereumWorld,
    address: Address,
    info: Option<&AccountInfo>,
    words: &BTreeMap<U256, U256>,
) {
    let (at, prior) = (path_of(address), world.info(address));
    let state = if prior.is_some() { "" } else { "new" };
    section.push(ViewRow::new(key_of(address), state, None));
    let mut leaf = |name: &str, at: Path, now: String, before: Option<String>| {
        let was = before.filter(|before| *before != now);
        let was = was.map_or(String::new(), |before| format!(", before {before}"));
        section.push(ViewRow::new(name, now + &was, Some(ViewDatum::At(at))).inside(1));
    };
    let balance =
        |info: Option<&AccountInfo>| word_value(info.map_or(U256::ZERO, |info| info.balance)).to_string();
    let nonce = |info: Option<&AccountInfo>| info.map_or(0, |info| info.nonce).to_string();
    let child = |name: &str| at.child(PathKey::from(name.to_owned()));
    leaf("balance", child("balance"), balance(info), prior.map(|prior| balance(Some(prior))));
    leaf("nonce", child("nonce"), nonce(info), prior.map(|prior| nonce(Some(prior))));
    leaf("code", child("code"), code(info), prior.map(|prior| code(Some(prior))));
    for (key, now) in words {
        let key_name = number_key(&key.to_be_bytes::<32>());
        let at = child("storage").child(PathKey::from(key_name.clone()));
        let before = word_value(world.stored(address, *key)).to_string();
        leaf(&format!("storage {key_name}"), at, word_value(*now).to_string(), Some(before));
    }
}

/// The beginning of the code, and its length.
fn code(info: Option<&AccountInfo>) -> String {
    const MAX_SHOWN: usize = 32;
    let code = info.and_then(|info| info.code.as_ref()).map_or(&[][..], |code| code.original_byte_slice());
    if code.is_empty() { "none".to_owned() } else { brief_bytes(code, MAX_SHOWN) }
}
