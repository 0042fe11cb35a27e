//! Reads the program of a request. What is wrong is an error, and what revm's types cannot hold is skipped.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt::Display;
use std::str::FromStr;

use revm::Database;
use revm::bytecode::Bytecode;
use revm::primitives::{Address, B256, U256, keccak256};
use revm::state::AccountInfo;
use serde_json::{Value as Json, json};

/// Why a program is not run: an answer without its id.
pub struct Refused(pub Json);

pub fn skip(reason: impl Display) -> Refused {
    Refused(json!({"type": "skip", "reason": reason.to_string()}))
}

fn error(message: impl Display) -> Refused {
    Refused(json!({"type": "error", "message": message.to_string()}))
}

fn parse<T: FromStr<Err: Display>>(name: &str, text: &str) -> Result<T, Refused> {
    text.parse().map_err(|why| error(format!("{name}: {text:?} is wrong: {why}")))
}

/// A member as its type writes it.
pub fn read<T: FromStr<Err: Display>>(record: &Json, name: &str) -> Result<T, Refused> {
    parse(name, record[name].as_str().ok_or_else(|| error(format!("the program has no {name}")))?)
}

/// A number that revm holds in fewer bits.
pub fn short<T: TryFrom<U256>>(record: &Json, name: &str) -> Result<T, Refused> {
    T::try_from(read::<U256>(record, name)?).map_err(|_| skip(format!("revm has {} bits for {name}", 8 * size_of::<T>())))
}

/// The members of an object by key.
fn members<'j, K: FromStr<Err: Display>>(record: &'j Json, name: &str) -> Result<Vec<(K, &'j str)>, Refused> {
    let found = record[name].as_object().ok_or_else(|| error(format!("the program has no {name}")))?;
    found.keys().map(|key| Ok((parse(name, key)?, key.as_str()))).collect()
}

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
