//! The accounts: before a transaction as the engine reads them, and after it.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::rc::Rc;

use alloy_trie::root::{state_root, storage_root_unsorted};
use alloy_trie::{EMPTY_ROOT_HASH, TrieAccount};
use revm_bytecode::Bytecode;
use revm_database_interface::Database;
use revm_primitives::hardfork::SpecId;
use revm_primitives::{Address, B256, Bytes, KECCAK_EMPTY, StorageKey, StorageValue, U256, keccak256};
use revm_state::{Account, AccountInfo, EvmState};

use super::fault::FaultyRule;
use super::fork::ForkRules;
use crate::machines::record::{AccountRecord, word, word_of_key, word_value};
use crate::machines::status::LoadError;
use crate::model::{Name, Value, bytes_key, number_key};

/// The accounts before a transaction, with the hashes for the tries. All cases of a test share them.
#[derive(Default)]
pub(super) struct EthereumWorld(BTreeMap<Address, PriorAccount>);

/// An account before the transaction.
struct PriorAccount {
    info: AccountInfo,
    storage: BTreeMap<U256, StorageSlot>,
    hashed_address: B256,
    leaf: TrieAccount,
}

struct StorageSlot {
    value: U256,
    hashed_key: B256,
}

impl EthereumWorld {
    /// The accounts of a record by address.
    pub(super) fn read(accounts: &[(Name, Value)]) -> Result<EthereumWorld, LoadError> {
        let account = |(key, value): &(Name, Value)| {
            let address = Address::from_word(word_of_key(key)?.into());
            Ok((address, PriorAccount::read(address, AccountRecord(value))?))
        };
        accounts.iter().map(account).collect::<Result<_, _>>().map(EthereumWorld)
    }

    /// A word of an account's storage.
    pub(super) fn stored(&self, address: Address, key: U256) -> U256 {
        let slot = self.0.get(&address).and_then(|account| account.storage.get(&key));
        slot.map_or(U256::ZERO, |slot| slot.value)
    }

    pub(super) fn addresses(&self) -> impl Iterator<Item = Address> {
        self.0.keys().copied()
    }

    /// An account without its storage.
    pub(super) fn info(&self, address: Address) -> Option<&AccountInfo> {
        self.0.get(&address).map(|account| &account.info)
    }

    /// The keys of an account's storage words that are not zero.
    pub(super) fn words_of(&self, address: Address) -> impl Iterator<Item = U256> {
        self.0.get(&address).into_iter().flat_map(|account| account.storage.keys().copied())
    }

    pub(super) fn balance(&self, address: Address) -> U256 {
        self.0.get(&address).map_or(U256::ZERO, |account| account.info.balance)
    }
}

impl PriorAccount {
    fn read(address: Address, record: AccountRecord<'_>) -> Result<PriorAccount, LoadError> {
        let nonce = u64::try_from(record.nonce()?);
        let nonce = nonce.map_err(|_| LoadError::new("nonce must be less than 2^64"))?;
        let balance = record.balance()?;
        let mut storage = BTreeMap::new();
        for (key, value) in record.storage()? {
            let (value, key) = (word(key, value)?, word_of_key(key)?);
            if !value.is_zero() {
                storage.insert(key, StorageSlot { value, hashed_key: hash_key(key) });
            }
        }
        let code = code(record.code()?);
        let code_hash = if code.is_empty() { KECCAK_EMPTY } else { keccak256(code.original_byte_slice()) };
        let root = storage_root_unsorted(storage.values().map(|slot| (slot.hashed_key, slot.value)));
        let leaf = TrieAccount::new(nonce, balance, root, code_hash);
        let info = AccountInfo { balance, nonce, code_hash, code: Some(code), ..AccountInfo::default() };
        Ok(PriorAccount { info, storage, hashed_address: keccak256(address), leaf })
    }

    /// Whether there is nothing but storage, which makes a creation fail.
    fn has_only_storage(&self) -> bool {
        self.info.nonce == 0 && self.info.code_hash == KECCAK_EMPTY && !self.storage.is_empty()
    }
}

/// Code, or a delegation (EIP-7702).
fn code(bytes: &[u8]) -> Bytecode {
    let bytes = Bytes::copy_from_slice(bytes);
    Bytecode::new_eip7702_raw(bytes.clone()).unwrap_or_else(|_| Bytecode::new_legacy(bytes))
}

fn hash_key(key: U256) -> B256 {
    keccak256(key.to_be_bytes::<32>())
}

/// The root of a record of accounts.
pub(super) fn root_of(accounts: &Value) -> Option<Value> {
    let world = EthereumWorld::read(accounts.members()?).ok()?;
    let mut leaves: Vec<_> = world.0.values().map(|account| (account.hashed_address, account.leaf)).collect();
    leaves.sort_unstable_by_key(|leaf| leaf.0);
    Some(Value::Bytes(state_root(leaves).to_vec()))
}

/// The database from which the engine reads accounts.
#[derive(Clone, Default)]
pub(super) struct WorldSource {
    pub(super) world: Rc<EthereumWorld>,
    /// The fork of the transaction; `None` before the first one.
    pub(super) fork: Option<ForkRules>,
}

impl Database for WorldSource {
    type Error = Infallible;

    fn basic(&mut self, address: Address) -> Result<Option<AccountInfo>, Infallible> {
        let Some(account) = self.world.0.get(&address) else { return Ok(None) };
        let mut info = account.info.clone();
        // EIP-7610: with this code hash, the engine treats the address of the account as taken.
        if account.has_only_storage()
            && self.fork.is_some_and(|fork| fork.adds(FaultyRule::CreationCollision))
        {
            info.code_hash = B256::ZERO;
        }
        // Before delegations existed, a delegation designator was code that halts.
        if let Some(code) = &mut info.code
            && code.is_eip7702()
            && self
                .fork
                .is_some_and(|fork| !fork.has(SpecId::PRAGUE) && fork.adds(FaultyRule::DelegationOfPrague))
        {
            *code = Bytecode::new_legacy(code.original_bytes());
        }
        Ok(Some(info))
    }

    fn code_by_hash(&mut self, _: B256) -> Result<Bytecode, Infallible> {
        // Each account comes with its code.
        Ok(Bytecode::default())
    }

    fn storage(&mut self, address: Address, key: StorageKey) -> Result<StorageValue, Infallible> {
        Ok(self.world.stored(address, key))
    }

    /// There are no earlier blocks here: the hash of a block is the hash of its number in decimal digits.
    fn block_hash(&mut self, number: u64) -> Result<B256, Infallible> {
        let is_hashed = self.fork.is_some_and(|fork| fork.adds(FaultyRule::HashOfBlock));
        Ok(if is_hashed { keccak256(number.to_string()) } else { B256::ZERO })
    }
}

/// The accounts after a transaction.
pub(super) struct WorldAfter<'w>(BTreeMap<Address, AccountAfter<'w>>);

/// An account after the transaction.
enum AccountAfter<'w> {
    Untouched(&'w PriorAccount),
    /// The account in the engine, and the prior account, whose other storage remains.
    Changed(&'w Account, Option<&'w PriorAccount>),
    /// It exists but is empty.
    Empty,
}

impl<'w> WorldAfter<'w> {
    /// The accounts with the changes that the engine reports.
    pub(super) fn new(world: &'w EthereumWorld, changes: &'w EvmState, fork: ForkRules) -> WorldAfter<'w> {
        let mut accounts: BTreeMap<_, _> =
            world.0.iter().map(|(address, account)| (*address, AccountAfter::Untouched(account))).collect();
        for (address, account) in changes.iter().filter(|(_, account)| account.is_touched()) {
            let is_destroyed = account.is_selfdestructed() && fork.adds(FaultyRule::DestroyedRemoved);
            if is_destroyed || account.is_empty() && fork.removes_empty() {
                accounts.remove(address);
            } else {
                let prior = world.0.get(address).filter(|_| !account.is_created());
                accounts.insert(*address, AccountAfter::Changed(account, prior));
            }
        }
        WorldAfter(accounts)
    }

    /// Each account without its storage, and the storage words that are not zero.
    pub(super) fn accounts(
        &self,
    ) -> impl Iterator<Item = (Address, Option<&AccountInfo>, BTreeMap<U256, U256>)> {
        self.0.iter().map(|(address, account)| (*address, account.info(), account.storage()))
    }

    /// Whether there is an account.
    pub(super) fn has(&self, address: Address) -> bool {
        self.0.contains_key(&address)
    }

    /// An account without its storage.
    pub(super) fn info(&self, address: Address) -> Option<&AccountInfo> {
        self.0.get(&address)?.info()
    }

    /// Creates an empty account, unless the address has one.
    pub(super) fn touch(&mut self, address: Address) {
        self.0.entry(address).or_insert(AccountAfter::Empty);
    }

    /// The root of the state trie.
    pub(super) fn root(&self) -> B256 {
        let leaf =
            |(address, account): (&Address, &AccountAfter<'_>)| (account.hashed(*address), account.leaf());
        let mut leaves: Vec<_> = self.0.iter().map(leaf).collect();
        leaves.sort_unstable_by_key(|leaf| leaf.0);
        state_root(leaves)
    }

    /// The accounts by address, in its order.
    pub(super) fn value(&self) -> Value {
        let account = |(address, account): (&Address, &AccountAfter<'_>)| {
            (bytes_key(address.as_slice()), account.value())
        };
        Value::record(self.0.iter().map(account))
    }

    /// The number of storage words plus the number of bytes of code.
    pub(super) fn size(&self) -> u64 {
        const ACCOUNT: u64 = 512;
        const WORD: u64 = 256;
        let size = |account: &AccountAfter<'_>| {
            ACCOUNT + account.code().len() as u64 + WORD * account.storage_size() as u64
        };
        self.0.values().map(size).sum()
    }
}

impl AccountAfter<'_> {
    fn hashed(&self, address: Address) -> B256 {
        match self {
            AccountAfter::Untouched(prior) | AccountAfter::Changed(_, Some(prior)) => prior.hashed_address,
            AccountAfter::Changed(_, None) | AccountAfter::Empty => keccak256(address),
        }
    }

    fn leaf(&self) -> TrieAccount {
        match self {
            AccountAfter::Untouched(prior) => prior.leaf,
            AccountAfter::Changed(Account { info, .. }, _) => {
                let code_hash = if info.code_hash == B256::ZERO { KECCAK_EMPTY } else { info.code_hash };
                TrieAccount::new(info.nonce, info.balance, self.storage_root(), code_hash)
            }
            AccountAfter::Empty => TrieAccount::default(),
        }
    }

    fn storage_root(&self) -> B256 {
        let AccountAfter::Changed(account, prior) = self else { return EMPTY_ROOT_HASH };
        let before =
            |key| prior.and_then(|prior| prior.storage.get(key)).map_or(U256::ZERO, |slot| slot.value);
        let is_changed = account.storage.iter().any(|(key, slot)| before(key) != slot.present_value);
        match prior {
            Some(prior) if !is_changed => prior.leaf.storage_root,
            _ => {
                let hash = |(key, value)| {
                    let known = prior.and_then(|prior| prior.storage.get(&key));
                    (known.map_or_else(|| hash_key(key), |slot| slot.hashed_key), value)
                };
                storage_root_unsorted(self.storage().into_iter().map(hash))
            }
        }
    }

    /// The storage words that are not zero.
    fn storage(&self) -> BTreeMap<U256, U256> {
        let of = |prior: &PriorAccount| prior.storage.iter().map(|(key, slot)| (*key, slot.value)).collect();
        match self {
            AccountAfter::Untouched(prior) => of(prior),
            AccountAfter::Changed(account, prior) => {
                let mut storage: BTreeMap<_, _> = prior.map(of).unwrap_or_default();
                storage.extend(account.storage.iter().map(|(key, slot)| (*key, slot.present_value)));
                storage.retain(|_, value| !value.is_zero());
                storage
            }
            AccountAfter::Empty => BTreeMap::new(),
        }
    }

    fn storage_size(&self) -> usize {
        match self {
            AccountAfter::Untouched(prior) => prior.storage.len(),
            AccountAfter::Changed(account, prior) => {
                account.storage.len() + prior.map_or(0, |prior| prior.storage.len())
            }
            AccountAfter::Empty => 0,
        }
    }

    fn info(&self) -> Option<&AccountInfo> {
        match self {
            AccountAfter::Untouched(prior) => Some(&prior.info),
            AccountAfter::Changed(account, _) => Some(&account.info),
            AccountAfter::Empty => None,
        }
    }

    fn code(&self) -> &[u8] {
        self.info().and_then(|info| info.code.as_ref()).map_or(&[], Bytecode::original_byte_slice)
    }

    fn value(&self) -> Value {
        let storage = self.storage().into_iter();
        let storage = storage.map(|(key, value)| (number_key(&key.to_be_bytes::<32>()), word_value(value)));
        let info = self.info();
        Value::record([
            ("balance", word_value(info.map_or(U256::ZERO, |info| info.balance))),
            ("nonce", Value::int(info.map_or(0, |info| info.nonce))),
            ("code", Value::Bytes(self.code().to_vec())),
            ("storage", Value::record(storage)),
        ])
    }
}
