//! A program with the call, block and accounts that it runs in, as plain data of which each side
//! makes what it needs.

use std::collections::BTreeMap;

use num_bigint::{BigInt, Sign};
use revm::primitives::hardfork::SpecId;
use revm::primitives::{Address, U256};
use vmconf::model::{Program, Value, bytes_key, number_key};

use super::generate;
use super::random::Random;

/// Everything that decides how a program ends.
pub(crate) struct Scenario {
    /// Frontier or Homestead, which agree on all that is run here.
    pub(crate) rules: SpecId,
    pub(crate) code: Vec<u8>,
    pub(crate) data: Vec<u8>,
    pub(crate) gas: u64,
    pub(crate) address: Address,
    pub(crate) caller: Address,
    pub(crate) origin: Address,
    pub(crate) value: U256,
    pub(crate) gas_price: u128,
    pub(crate) block: Block,
    pub(crate) accounts: BTreeMap<Address, Account>,
}

pub(crate) struct Block {
    pub(crate) coinbase: Address,
    pub(crate) difficulty: U256,
    pub(crate) gas_limit: u64,
    pub(crate) number: u64,
    pub(crate) timestamp: U256,
}

#[derive(Clone, Default)]
pub(crate) struct Account {
    pub(crate) balance: U256,
    pub(crate) nonce: u64,
    pub(crate) code: Vec<u8>,
    pub(crate) storage: BTreeMap<U256, U256>,
}

/// The addresses that scenarios are about; the first executes. One is that of a precompiled
/// contract, which is nothing special to either side.
pub(crate) const ADDRESSES: [Address; 6] = [
    Address::repeat_byte(0xaa),
    Address::repeat_byte(0xbb),
    Address::repeat_byte(0xcc),
    Address::repeat_byte(0x00),
    Address::repeat_byte(0xff),
    Address::with_last_byte(1),
];

impl Scenario {
    /// The scenario of this seed.
    pub(crate) fn random(seed: u64) -> Scenario {
        let mut random = Random::new(seed);
        let number = random.pick(&[0, 1, 200, 256, 257, 258, 1_000, u64::MAX >> 1]);
        let code = generate::code(&mut random, number);
        Scenario {
            rules: random.pick(&[SpecId::FRONTIER, SpecId::HOMESTEAD]),
            data: random_bytes(&mut random),
            gas: random_gas(&mut random),
            address: ADDRESSES[0],
            caller: random.pick(&ADDRESSES),
            origin: random.pick(&ADDRESSES),
            value: generate::word(&mut random),
            gas_price: u128::from(random.next()) << random.below(65),
            block: Block {
                coinbase: random.pick(&ADDRESSES),
                difficulty: generate::word(&mut random),
                gas_limit: random.next() >> random.below(64),
                number,
                timestamp: generate::word(&mut random),
            },
            accounts: random_accounts(&mut random, &code),
            code,
        }
    }

    /// The scenario as our machine loads it.
    pub(crate) fn program(&self) -> Program {
        let address = |address: Address| Value::Bytes(address.to_vec());
        let accounts =
            self.accounts.iter().map(|(address, account)| (address_key(*address), account.value()));
        Program::from(record([
            ("code", Value::Bytes(self.code.clone())),
            ("data", Value::Bytes(self.data.clone())),
            ("gas", Value::int(self.gas)),
            ("gasPrice", Value::int(self.gas_price)),
            ("value", word_value(self.value)),
            ("address", address(self.address)),
            ("caller", address(self.caller)),
            ("origin", address(self.origin)),
            ("coinbase", address(self.block.coinbase)),
            ("difficulty", word_value(self.block.difficulty)),
            ("gasLimit", Value::int(self.block.gas_limit)),
            ("number", Value::int(self.block.number)),
            ("timestamp", word_value(self.block.timestamp)),
            ("debit", Value::Bool(false)),
            ("pre", Value::record(accounts)),
        ]))
    }
}

impl Account {
    /// Whether it equals an account that does not exist. A storage word of zero counts as absent.
    pub(crate) fn is_empty(&self) -> bool {
        self.balance.is_zero() && self.nonce == 0 && self.code.is_empty() && self.words().next().is_none()
    }

    /// As our machine reads and shows accounts.
    pub(crate) fn value(&self) -> Value {
        let word = |(key, value): (&U256, &U256)| (number_key(&key.to_be_bytes::<32>()), word_value(*value));
        record([
            ("balance", word_value(self.balance)),
            ("nonce", Value::int(self.nonce)),
            ("code", Value::Bytes(self.code.clone())),
            ("storage", Value::record(self.words().map(word))),
        ])
    }

    fn words(&self) -> impl Iterator<Item = (&U256, &U256)> {
        self.storage.iter().filter(|(_, value)| !value.is_zero())
    }
}

pub(crate) fn address_key(address: Address) -> String {
    bytes_key(address.as_slice())
}

pub(crate) fn word_value(word: U256) -> Value {
    Value::Int(BigInt::from_bytes_be(Sign::Plus, &word.to_be_bytes::<32>()))
}

pub(crate) fn record<const N: usize>(members: [(&'static str, Value); N]) -> Value {
    Value::record(members)
}

fn random_bytes(random: &mut Random) -> Vec<u8> {
    let size = random.below(100);
    random.bytes(size)
}

/// Mostly enough for any program that ends.
fn random_gas(random: &mut Random) -> u64 {
    if random.one_in(8) { random.next() % 100_000 } else { 1_000_000 }
}

fn random_accounts(random: &mut Random, code: &[u8]) -> BTreeMap<Address, Account> {
    let mut accounts = BTreeMap::new();
    for address in ADDRESSES {
        if !random.one_in(4) {
            accounts.insert(address, random_account(random));
        }
    }
    if let Some(executing) = accounts.get_mut(&ADDRESSES[0]).filter(|_| random.one_in(2)) {
        code.clone_into(&mut executing.code);
    }
    accounts
}

/// Balances are so small that no sum of them overflows, which no chain can see and each EVM answers
/// in its own way.
fn random_account(random: &mut Random) -> Account {
    let slots = random.below(4);
    let word = |_| (generate::slot(random), generate::word(random));
    let storage = (0..slots).map(word).collect();
    Account {
        balance: generate::word(random) >> 8,
        nonce: random.pick(&[0, 1, 1_000]),
        code: if random.one_in(2) { random_bytes(random) } else { Vec::new() },
        storage,
    }
}
