//! Loads a program record into the machine, and converts words and accounts back to values.

use super::context::EvmContext;
use super::environment::EvmEnvironment;
use super::opcodes::EVM;
use super::storage::Storage;
use super::world::{EvmAccount, EvmWorld};
use crate::isa::OpInfo;
use crate::machines::info::in_bytes;
use crate::machines::machine::LoadError;
use crate::machines::record::{ProgramRecord, word, word_of_key, word_value};
use crate::model::case::Program;
use crate::model::hex::number_key;
use crate::model::name::Name;
use crate::model::value::Value;

/// The largest gas that a signed number can hold.
const MAX_GAS: u64 = i64::MAX as u64;

/// Fills the context and the code from the program; returns the gas.
pub(super) fn load(
    program: &Program,
    context: &mut EvmContext,
    code: &mut Vec<u8>,
) -> Result<u64, LoadError> {
    let record = ProgramRecord(&program.0);
    context.environment = EvmEnvironment {
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
    let gas = u64::try_from(record.word("gas")?).ok().filter(|gas| *gas <= MAX_GAS);
    let gas = gas.ok_or_else(|| LoadError::new(format!("gas must be at most {MAX_GAS}")))?;
    // Last, so that a program that cannot be loaded leaves the code unchanged.
    let bytes = record.bytes("code")?;
    code.clear();
    code.extend_from_slice(bytes);
    Ok(gas)
}

/// See [`crate::machines::MachineInfo::contains`].
pub(super) fn contains(program: &Program) -> Vec<&'static OpInfo> {
    ProgramRecord(&program.0).bytes("code").map_or_else(|_| Vec::new(), |code| in_bytes(&EVM, code))
}

fn load_world(accounts: &[(Name, Value)], world: &mut EvmWorld) -> Result<(), LoadError> {
    world.clear();
    for (key, value) in accounts {
        let record = ProgramRecord(value);
        let address = word_of_key(key)?;
        let mut storage = Storage::new();
        for (key, value) in record.members("storage")? {
            let value = word(key, value)?;
            if !value.is_zero() {
                storage.insert(word_of_key(key)?, value);
            }
        }
        *world.touch(address) = EvmAccount {
            balance: record.word("balance")?,
            nonce: record.word("nonce")?,
            code: record.bytes("code")?.to_vec(),
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
