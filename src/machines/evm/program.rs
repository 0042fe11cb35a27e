//! From a program record to a loaded machine, and from words and accounts back to values.

use num_bigint::{BigInt, BigUint, Sign};

use super::environment::Environment;
use super::frame::Word;
use super::machine::Context;
use super::storage::Storage;
use super::table::EVM;
use super::world::{Account, World};
use crate::isa::OpInfo;
use crate::machines::in_bytes;
use crate::machines::machine::LoadError;
use crate::model::case::Program;
use crate::model::hex::number_key;
use crate::model::value::Value;

/// The largest gas that a signed number can hold.
const MOST_GAS: u64 = i64::MAX as u64;

/// Fills the context and the code from the program; returns the gas.
pub(super) fn load(program: &Program, context: &mut Context, code: &mut Vec<u8>) -> Result<u64, LoadError> {
    let record = Record(&program.0);
    context.environment = Environment {
        address: record.address("address")?,
        caller: record.address("caller")?,
        origin: record.address("origin")?,
        value: record.word("value")?,
        gas_price: record.word("gasPrice")?,
        data: record.bytes("data")?.to_vec(),
        coinbase: record.address("coinbase")?,
        difficulty: record.word("difficulty")?,
        gas_limit: record.word("gasLimit")?,
        number: record.word("number")?,
        timestamp: record.word("timestamp")?,
        debit: record.get("debit")? == &Value::Bool(true),
    };
    load_world(record.members("pre")?, &mut context.world)?;
    let executing = context.world.touch(context.environment.address);
    context.storage = std::mem::take(&mut executing.storage);
    let gas = u64::try_from(record.word("gas")?).ok().filter(|gas| *gas <= MOST_GAS);
    let gas = gas.ok_or_else(|| LoadError::new(format!("gas must be at most {MOST_GAS}")))?;
    // Last, so that a program that cannot be loaded leaves the code as it was.
    let bytes = record.bytes("code")?;
    code.clear();
    code.extend_from_slice(bytes);
    Ok(gas)
}

/// See [`crate::machines::MachineInfo::contains`].
pub(super) fn contains(program: &Program) -> Vec<&'static OpInfo> {
    Record(&program.0).bytes("code").map_or_else(|_| Vec::new(), |code| in_bytes(&EVM, code))
}

fn load_world(accounts: &[(String, Value)], world: &mut World) -> Result<(), LoadError> {
    world.clear();
    for (key, value) in accounts {
        let record = Record(value);
        let address = word_of_key(key)?;
        let mut storage = Storage::new();
        for (key, value) in record.members("storage")? {
            let value = word(key, value)?;
            if !value.is_zero() {
                storage.insert(word_of_key(key)?, value);
            }
        }
        *world.touch(address) = Account {
            balance: record.word("balance")?,
            nonce: record.word("nonce")?,
            code: record.bytes("code")?.to_vec(),
            storage,
        };
    }
    Ok(())
}

/// A record that must have certain members.
struct Record<'v>(&'v Value);

impl<'v> Record<'v> {
    fn get(&self, name: &str) -> Result<&'v Value, LoadError> {
        self.0.get(name).ok_or_else(|| LoadError::new(format!("the program has no {name}")))
    }

    fn word(&self, name: &str) -> Result<Word, LoadError> {
        word(name, self.get(name)?)
    }

    fn bytes(&self, name: &str) -> Result<&'v [u8], LoadError> {
        bytes(name, self.get(name)?)
    }

    fn address(&self, name: &str) -> Result<Word, LoadError> {
        let bytes = self.bytes(name)?;
        match bytes.len() {
            20 => Ok(Word::from_be_slice(bytes)),
            length => Err(LoadError::new(format!("{name} must be 20 bytes and is {length}"))),
        }
    }

    fn members(&self, name: &str) -> Result<&'v [(String, Value)], LoadError> {
        match self.get(name)? {
            Value::Record(members) => Ok(members),
            _ => Err(LoadError::new(format!("{name} must be a record"))),
        }
    }
}

/// The value as bytes.
pub(super) fn bytes<'v>(name: &str, value: &'v Value) -> Result<&'v [u8], LoadError> {
    match value {
        Value::Bytes(bytes) => Ok(bytes),
        _ => Err(LoadError::new(format!("{name} must be bytes"))),
    }
}

/// The value as a word.
pub(super) fn word(name: &str, value: &Value) -> Result<Word, LoadError> {
    let wrong = || LoadError::new(format!("{name} must be a number from 0 to 2^256-1"));
    match value {
        Value::Int(number) if number.sign() != Sign::Minus => {
            let mut limbs = [0; 4];
            for (index, digit) in number.iter_u64_digits().enumerate() {
                *limbs.get_mut(index).ok_or_else(wrong)? = digit;
            }
            Ok(Word::from_limbs(limbs))
        }
        _ => Err(wrong()),
    }
}

/// The number that a key is.
pub(super) fn word_of_key(key: &str) -> Result<Word, LoadError> {
    Word::from_str_radix(key.trim_start_matches("0x"), 16)
        .map_err(|_| LoadError::new(format!("{key:?} must be a hex number of at most 32 bytes")))
}

/// The word as a number.
pub(super) fn word_value(word: Word) -> Value {
    Value::Int(match *word.as_limbs() {
        [low, 0, 0, 0] => BigInt::from(low),
        _ => BigInt::from(BigUint::from_bytes_le(word.as_le_slice())),
    })
}

/// The account as a record.
pub(super) fn account_value(account: &Account, storage: &Storage) -> Value {
    let storage =
        storage.iter().map(|(key, value)| (number_key(&key.to_be_bytes::<32>()), word_value(*value)));
    Value::Record(vec![
        ("balance".to_owned(), word_value(account.balance)),
        ("nonce".to_owned(), word_value(account.nonce)),
        ("code".to_owned(), Value::Bytes(account.code.clone())),
        ("storage".to_owned(), Value::Record(storage.collect())),
    ])
}
