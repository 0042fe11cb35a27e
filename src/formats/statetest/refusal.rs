//! What a refused transaction touches. The filler of 2021 touched the coinbase, which creates that account in forks
//! that keep empty ones; the execution specifications do not. An entry says which of both it demands.

use alloy_trie::root::{state_root_unhashed, storage_root_unhashed};
use alloy_trie::{KECCAK_EMPTY, TrieAccount};
use num_bigint::BigInt;
use revm_primitives::{Address, B256, U256, keccak256};

use crate::formats::ethereum_json::{address_key, hash};
use crate::model::{Name, Value, hex_bytes};
use crate::text::json::JsonNode;

/// `coinbase` if an entry demands that the refused transaction touched that account, else `nothing`. For forks that
/// keep empty accounts.
pub(super) fn touched(
    program: &Value,
    root: Option<JsonNode<'_>>,
    state: Option<JsonNode<'_>>,
) -> &'static str {
    let touches = match state {
        Some(state) => program.get("env").is_some_and(|env| lists_coinbase(state, env)),
        None => is_root_with_coinbase(program, root),
    };
    if touches { "coinbase" } else { "nothing" }
}

fn lists_coinbase(state: JsonNode<'_>, env: &Value) -> bool {
    let Some(Value::Bytes(coinbase)) = env.get("coinbase") else { return false };
    let is_it = |key: &str| address_key(key, 0).is_ok_and(|address| address[..] == coinbase[..]);
    state.members().any(|account| is_it(&account.key))
}

/// Whether the demanded root is that of the accounts before the transaction and an empty coinbase.
fn is_root_with_coinbase(program: &Value, root: Option<JsonNode<'_>>) -> bool {
    let touched = || {
        let mut leaves = leaves_of(program.get("pre")?)?;
        let Some(Value::Bytes(coinbase)) = program.get("env")?.get("coinbase") else { return None };
        let coinbase = Address::try_from(&**coinbase).ok()?;
        // An account that was there stays as it was, whether it was touched or not.
        let is_new = leaves.iter().all(|(address, _)| *address != coinbase);
        leaves.push((coinbase, TrieAccount::default()));
        is_new.then(|| state_root_unhashed(leaves))
    };
    root.and_then(|root| hash(root).ok()).is_some_and(|root| touched() == Some(B256::from(root)))
}

/// The accounts of a record, as the trie has them.
fn leaves_of(accounts: &Value) -> Option<Vec<(Address, TrieAccount)>> {
    let account = |(key, account): &(Name, Value)| {
        Some((Address::try_from(&*hex_bytes(key.strip_prefix("0x")?)?).ok()?, leaf(account)?))
    };
    accounts.members()?.iter().map(account).collect()
}

fn leaf(account: &Value) -> Option<TrieAccount> {
    let number = |name| if let Some(Value::Int(number)) = account.get(name) { word(number) } else { None };
    let Some(Value::Bytes(code)) = account.get("code") else { return None };
    let slot = |(key, value): &(Name, Value)| {
        let Value::Int(value) = value else { return None };
        let key = U256::from_str_radix(key.strip_prefix("0x")?, 16).ok()?;
        Some((B256::from(key), word(value)?))
    };
    let slots: Option<Vec<_>> = account.get("storage")?.members()?.iter().map(slot).collect();
    // A trie has no zero words.
    let slots = slots?.into_iter().filter(|slot| !slot.1.is_zero());
    let code_hash = if code.is_empty() { KECCAK_EMPTY } else { keccak256(code) };
    let nonce = number("nonce")?.try_into().ok()?;
    Some(TrieAccount::new(nonce, number("balance")?, storage_root_unhashed(slots), code_hash))
}

fn word(number: &BigInt) -> Option<U256> {
    U256::try_from_be_slice(&number.to_bytes_be().1)
}
