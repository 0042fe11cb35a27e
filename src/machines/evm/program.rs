//! Loads a program record into the machine, and converts words and accounts back to values.

use super::context::EvmContext;
use super::context::EvmEnvironment;
use super::opcodes::EVM;
use super::word::Word;
use super::world::Storage;
use super::world::{EvmAccount, EvmWorld, address_bytes};
use crate::isa::OpInfo;
use crate::machines::info::in_bytes;
use crate::machines::record::{
    ACCOUNTS, AccountRecord, HEX, address, any, bytes, members_of, record, word, word_of_key, word_value,
};
use crate::machines::status::LoadError;
use crate::model::{Name, Program, Shape, Value, bytes_key, number_key};

record! {
    /// A program record.
    EvmProgram;
    "code": Shape::Bytes, "the code that is executed" => code: &'v [u8] = needed bytes;
    "data": Shape::Bytes, "the input, as CALLDATALOAD reads it" => data: &'v [u8] = needed bytes;
    "gas": HEX, "the gas at the start" => gas: Word = needed word;
    "address": Shape::Bytes, "the executing account, 20 bytes" => address: Word = needed address;
    "caller": Shape::Bytes, "who called it, 20 bytes" => caller: Word = needed address;
    "origin": Shape::Bytes, "the sender of the transaction, 20 bytes" => origin: Word = needed address;
    "value": HEX, "what was sent" => value: Word = needed word;
    "debit": Shape::Bool, "whether the caller pays value and the executing account receives it" => debit: &'v Value = needed any;
    "gasPrice": HEX, "the price of gas in the transaction" => gas_price: Word = needed word;
    "coinbase": Shape::Bytes, "the beneficiary of the block, 20 bytes" => coinbase: Word = needed address;
    "difficulty": HEX, "the difficulty of the block" => difficulty: Word = needed word;
    "gasLimit": HEX, "the gas limit of the block" => gas_limit: Word = needed word;
    "number": HEX, "the number of the block" => number: Word = needed word;
    "timestamp": HEX, "the time of the block" => timestamp: Word = needed word;
    "pre": ACCOUNTS, "the accounts before the run, by address" => pre: &'v [(Name, Value)] = needed members_of;
}

/// The largest gas that a signed number can hold.
const MAX_GAS: u64 = i64::MAX as u64;

/// Fills the context and the code from the program; returns the gas.
pub(super) fn load(
    program: &Program,
    context: &mut EvmContext,
    code: &mut Vec<u8>,
) -> Result<u64, LoadError> {
    let record = EvmProgram(&program.0);
    context.environment = EvmEnvironment {
        address: record.address()?,
        caller: record.caller()?,
        origin: record.origin()?,
        value: record.value()?,
        gas_price: record.gas_price()?,
        data: record.data()?.to_vec(),
        coinbase: record.coinbase()?,
        difficulty: record.difficulty()?,
        gas_limit: record.gas_limit()?,
        number: record.number()?,
        timestamp: record.timestamp()?,
        debit: record.debit()? == &Value::Bool(true),
    };
    load_world(record.pre()?, &mut context.world)?;
    let executing = context.world.touch(context.environment.address);
    context.storage = std::mem::take(&mut executing.storage);
    let gas = u64::try_from(record.gas()?).ok().filter(|gas| *gas <= MAX_GAS);
    let gas = gas.ok_or_else(|| LoadError::new(format!("gas must be at most {MAX_GAS}")))?;
    // Last, so that a program that cannot be loaded leaves the code unchanged.
    let bytes = record.code()?;
    code.clear();
    code.extend_from_slice(bytes);
    Ok(gas)
}

/// See [`crate::machines::MachineInfo::contains`].
pub(super) fn contains(program: &Program) -> Vec<&'static OpInfo> {
    EvmProgram(&program.0).code().map_or_else(|_| Vec::new(), |code| in_bytes(&EVM, code))
}

/// The word of the executing account's storage before the program runs, as a cell names it.
pub(super) fn stored_before(program: &Program, key: &str) -> Option<Value> {
    let record = EvmProgram(&program.0);
    let own = bytes_key(&address_bytes(record.address().ok()?));
    let account = record.pre().ok()?.iter().find(|(address, _)| **address == *own)?;
    account.1.get("storage")?.get(key).cloned().or_else(|| Some(Value::int(0)))
}

fn load_world(accounts: &[(Name, Value)], world: &mut EvmWorld) -> Result<(), LoadError> {
    world.clear();
    for (key, value) in accounts {
        let record = AccountRecord(value);
        let address = word_of_key(key)?;
        let mut storage = Storage::new();
        for (key, value) in record.storage()? {
            let value = word(key, value)?;
            if !value.is_zero() {
                storage.insert(word_of_key(key)?, value);
            }
        }
        *world.touch(address) = EvmAccount {
            balance: record.balance()?,
            nonce: record.nonce()?,
            code: record.code()?.to_vec(),
            storage,
        };
    }
    Ok(())
}

/// The account as a record.
pub(super) fn account_value(account: &EvmAccount, storage: &Storage) -> Value {
    let storage =
        storage.iter().map(|(key, value)| (number_key(&key.to_be_bytes::<32>()), word_value(*value)));
    Value::record([
        ("balance", word_value(account.balance)),
        ("nonce", word_value(account.nonce)),
        ("code", Value::Bytes(account.code.clone())),
        ("storage", Value::record(storage)),
    ])
}
