//! The accounts of a program, as revm asks for them.

use std::collections::BTreeMap;
use std::convert::Infallible;

use revm::Database;
use revm::bytecode::Bytecode;
use revm::primitives::{Address, B256, U256, keccak256};
use revm::state::AccountInfo;
use serde_json::Value as Json;

use crate::request::{Refused, members, read, short};

#[derive(Clone, Default)]
pub struct Account {
    pub info: AccountInfo,
    pub storage: BTreeMap<U256, U256>,
}

pub struct World(pub BTreeMap<Address, Account>);

fn account(record: &Json) -> Result<Account, Refused> {
    let code = Bytecode::new_legacy(read(record, "code")?);
    let info = AccountInfo::new(read(record, "balance")?, short(record, "nonce")?, code.hash_slow(), code);
    let slot = |(slot, key)| Ok((slot, read(&record["storage"], key)?));
    Ok(Account { info, storage: members(record, "storage")?.into_iter().map(slot).collect::<Result<_, _>>()? })
}

/// The accounts of the program.
pub fn accounts(program: &Json) -> Result<BTreeMap<Address, Account>, Refused> {
    members::<Address>(program, "pre")?.into_iter().map(|(address, key)| Ok((address, account(&program["pre"][key])?))).collect()
}

impl Database for World {
    type Error = Infallible;

    fn basic(&mut self, address: Address) -> Result<Option<AccountInfo>, Infallible> {
        Ok(self.0.get(&address).map(|account| account.info.clone()))
    }

    fn code_by_hash(&mut self, _: B256) -> Result<Bytecode, Infallible> {
        unreachable!("every account comes with its code")
    }

    fn storage(&mut self, address: Address, key: U256) -> Result<U256, Infallible> {
        Ok(self.0.get(&address).and_then(|account| account.storage.get(&key)).copied().unwrap_or_default())
    }

    /// The hash of a block is that of its number in decimal digits.
    fn block_hash(&mut self, number: u64) -> Result<B256, Infallible> {
        Ok(keccak256(number.to_string()))
    }
}
