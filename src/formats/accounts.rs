//! Accounts as listed in Ethereum's vectors: an object of `balance`, `nonce`, `code` and `storage` by address.

use std::cell::LazyCell;

use num_bigint::BigInt;
use smallvec::SmallVec;

use super::ethereum_json::{self, data, number, quantity};
use super::fields::{Diagnostics, FieldReader, RecordMembers, object, same_key};
use crate::model::rule::LintRule;
use crate::model::{Diagnostic, Expected, Name, Path, PathKey, Value, bytes_key};
use crate::text::json::JsonNode;

/// An account as listed in `pre` and `post`, each leaf with its position.
pub(super) struct AccountReader {
    pub(super) at: u32,
    pub(super) address: [u8; 20],
    pub(super) key: Name,
    pub(super) balance: Option<(u32, BigInt)>,
    pub(super) nonce: Option<(u32, BigInt)>,
    pub(super) code: Option<(u32, Vec<u8>)>,
    pub(super) storage: Vec<(Name, u32, BigInt)>,
    pub(super) storage_at: Option<u32>,
}

impl AccountReader {
    pub(super) fn value(self) -> Value {
        let storage = self.storage.into_iter().map(|(key, _, value)| (key, Value::Int(value)));
        let mut members = RecordMembers::default();
        members.keep("balance", self.balance.map(|leaf| Value::Int(leaf.1)));
        members.keep("nonce", self.nonce.map(|leaf| Value::Int(leaf.1)));
        members.keep("code", self.code.map(|leaf| Value::Bytes(leaf.1)));
        members.push("storage", Value::record(storage));
        members.record()
    }
}

pub(super) fn read_accounts(
    accounts: JsonNode<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<AccountReader>> {
    let expected = "an object of accounts by address";
    let accounts = diagnostics.keep(object(accounts, "the list of accounts", expected))?;
    let (mut read, mut keys) = (Vec::new(), AccountKeys::new());
    for member in accounts.members() {
        let Some(address) = diagnostics.keep(ethereum_json::address_key(&member.key, member.key_at)) else {
            continue;
        };
        let key = Name::from(bytes_key(&address));
        keys.push((key.clone(), member.key_at));
        read.extend(read_account(member.value, address, key, diagnostics));
    }
    report_duplicates(keys, accounts, "address", diagnostics);
    Some(read)
}

fn read_account(
    node: JsonNode<'_>,
    address: [u8; 20],
    key: Name,
    diagnostics: &mut Diagnostics,
) -> Option<AccountReader> {
    let mut fields = FieldReader::open(node, "account", diagnostics)?;
    let leaf = |name: &'static str, fields: &mut FieldReader<'_>, diagnostics: &mut Diagnostics| {
        let node = fields.required(name, diagnostics)?;
        Some((node.at(), diagnostics.keep(quantity(node))?))
    };
    let balance = leaf("balance", &mut fields, diagnostics);
    let nonce = leaf("nonce", &mut fields, diagnostics);
    let code = fields.required("code", diagnostics);
    let code = code.and_then(|node| Some((node.at(), diagnostics.keep(data(node))?)));
    let storage = fields.required("storage", diagnostics);
    let storage_at = storage.map(JsonNode::at);
    let storage = storage.map(|node| read_storage(node, diagnostics)).unwrap_or_default();
    fields.finish(diagnostics);
    Some(AccountReader { at: node.at(), address, key, balance, nonce, code, storage, storage_at })
}

fn read_storage(storage: JsonNode<'_>, diagnostics: &mut Diagnostics) -> Vec<(Name, u32, BigInt)> {
    let storage = object(storage, "storage", "an object of words by key");
    let Some(storage) = diagnostics.keep(storage) else { return Vec::new() };
    let (mut words, mut keys) = (Vec::new(), AccountKeys::new());
    for member in storage.members() {
        let key = diagnostics.keep(ethereum_json::storage_key(&member.key, member.key_at)).map(Name::from);
        let value = diagnostics.keep(number(member.value));
        if let (Some(key), Some(value)) = (key, value) {
            keys.push((key.clone(), member.key_at));
            words.push((key, member.value.at(), value));
        }
    }
    report_duplicates(keys, storage, "storage key", diagnostics);
    words
}

/// What an account without a balance, nonce, code and storage is.
#[derive(Clone, Copy)]
pub(super) enum EmptyAccount {
    /// The same as no account.
    IsAbsent,
    /// An account.
    #[cfg_attr(not(feature = "ethereum"), expect(dead_code, reason = "only state tests tell them apart"))]
    Exists,
}

/// Demands that there are these accounts at this path, with exactly these leaves, and nothing else.
pub(super) fn demand_accounts(
    accounts: Vec<AccountReader>,
    (at, origin): (Path, u32),
    empty: EmptyAccount,
    demand: &mut impl FnMut(Path, Expected, u32),
) {
    let listed = accounts.iter().map(|account| PathKey::from(account.key.clone())).collect();
    demand(at.clone(), Expected::Only(listed), origin);
    let inside = at.as_parent();
    for account in accounts {
        let at = inside.child(account.key);
        if let EmptyAccount::Exists = empty {
            demand(at.clone(), Expected::Record, account.at);
        }
        let at = at.as_parent();
        let leaves = [
            ("balance", account.balance.map(|(origin, number)| (origin, Value::Int(number)))),
            ("nonce", account.nonce.map(|(origin, number)| (origin, Value::Int(number)))),
            ("code", account.code.map(|(origin, code)| (origin, Value::Bytes(code)))),
        ];
        for (name, leaf) in leaves {
            let Some((origin, value)) = leaf else { continue };
            let expected = match empty {
                EmptyAccount::IsAbsent => or_absent(value),
                EmptyAccount::Exists => Expected::Is(value),
            };
            demand(at.child(name), expected, origin);
        }
        let storage = at.child("storage");
        let listed = account.storage.iter().map(|word| PathKey::from(word.0.clone())).collect();
        demand(storage.clone(), Expected::Only(listed), account.storage_at.unwrap_or(account.at));
        let storage = LazyCell::new(|| storage.as_parent());
        for (key, origin, value) in account.storage {
            demand(storage.child(key), or_absent(Value::Int(value)), origin);
        }
    }
}

/// Demands this value; zero or empty code equals absence.
fn or_absent(value: Value) -> Expected {
    if value == Value::Int(BigInt::ZERO) || value.is_empty() {
        Expected::IsOrAbsent(value)
    } else {
        Expected::Is(value)
    }
}

/// The keys of an object, each with its position. No allocation for as many keys as most objects have.
type AccountKeys = SmallVec<[(Name, u32); 4]>;

/// Reports keys that are spelled differently but mean the same. Duplicates with the same spelling are detected
/// when the document is parsed.
fn report_duplicates(mut keys: AccountKeys, object: JsonNode<'_>, what: &str, diagnostics: &mut Diagnostics) {
    let document = object.document();
    keys.sort_unstable();
    for pair in keys.windows(2) {
        let [(key, first), (next, at)] = pair else { continue };
        if key == next && !same_key(document, *first, *at) {
            let line = document.position(*first).line;
            let expected = format!("each once; the first is in line {line}");
            let diagnostic = Diagnostic::at(*at, format!("{what} {key} is duplicated")).expected(expected);
            diagnostics.error(diagnostic.under(LintRule::DuplicateKey));
        }
    }
}
