//! The state: what can be observed, and what can be changed between two instructions.

use std::ops::Range;

use super::cells;
use super::context::EvmContext;
use super::context::Log;
use super::context::RecordedCall;
use super::log::hash_logs;
use super::machine::Evm;
use super::program::account_value;
use super::stop::EvmStop;
use super::word::{Halves, Word};
use super::world::address_bytes;
use crate::machines::change::{PartCells, StateChange, StateChanges, numbered, state_changes, unchangeable};
use crate::machines::observe::{StateField, StateFields, state_fields};
use crate::machines::record::{ACCOUNTS, HEX, bytes, word, word_of_key, word_value};
use crate::machines::status::LoadError;
use crate::model::shape::members;
use crate::model::{MapKeys, NumberNotation, Shape, Value, bytes_key};

/// After an exceptional halt, output, logs, calls and accounts cannot be observed, and no gas is left.
impl StateFields for Evm {
    const FIELDS: &'static [StateField<Evm>] = state_fields! {
        "outcome": Shape::Text, "success or halt; none while running", outcome;
        "gas": HEX, "gas left; 0 after an exceptional halt", |m| Some(Value::int(m.gas_left()));
        "out": Shape::Bytes, "bytes returned", |m| m.result(|c| Value::Bytes(c.output.clone()));
        "logs": Shape::List(&LOG), "log entries with their bloom filters, in order", |m| m.result(logs);
        "logsHash": Shape::Bytes, "Keccak-256 of the RLP list of the log entries", |m| m.result(logs_hash);
        "callcreates": Shape::List(&CALL), "recorded calls and creations, in order", |m| m.result(calls);
        "post": ACCOUNTS, "accounts by address; an empty one and a zero word are not there",
            |m| m.so_far(post);
        "pc": NUMBER, "program counter", |m| Some(Value::int(m.pc));
        "stack": Shape::List(&WORD), "stack items, bottom first", |m| Some(m.stack_value());
        "memory": Shape::Bytes, "memory", |m| Some(Value::Bytes(m.context.memory.bytes().to_vec()));
        "memorySize": NUMBER, "size of memory in bytes", |m| Some(Value::int(m.context.memory.size()));
        "refund": HEX, "refund counter, never paid out", |m| Some(Value::int(m.context.refund));
    };
}

impl StateChanges for Evm {
    const CHANGES: &'static [StateChange<Evm>] = state_changes! {
        "gas": HEX, "the gas left", Evm::change_gas;
        "stack": Shape::Map(MapKeys::Text, &WORD), "items by their number from the top, 0 first",
            Evm::change_items, PartCells::Stack;
        "memory": Shape::Map(MapKeys::Number, &Shape::Bytes), "bytes by the offset of the first",
            Evm::change_memory, PartCells::Bytes(cells::MEMORY, Evm::bytes_at);
        "storage": Shape::Map(MapKeys::Number, &WORD), "words of the executing account by key",
            Evm::change_storage, PartCells::ByName(cells::STORAGE, Evm::stored_at);
    };
}

const NUMBER: Shape = Shape::Int(NumberNotation::Number);
static WORD: Shape = HEX;

static LOG: Shape = Shape::Record(members! {
    "address": Shape::Bytes, "the account that wrote it, 20 bytes";
    "topics": Shape::List(&Shape::Bytes), "32 bytes each, at most 4";
    "data": Shape::Bytes, "the bytes of memory that were logged";
    "bloom": Shape::Bytes, "the bloom filter of address and topics, 256 bytes";
});

static CALL: Shape = Shape::Record(members! {
    "data": Shape::Bytes, "the input, or the code of a creation";
    "destination": Shape::Bytes, "the account that is called, 20 bytes; empty for a creation";
    "gasLimit": HEX, "the gas that it gets";
    "value": HEX, "what is sent";
});

impl Evm {
    /// An exceptional halt takes what was left before the instruction.
    fn gas_left(&self) -> u64 {
        if self.has_halted() { 0 } else { self.gas }
    }

    fn result(&self, read: fn(&EvmContext) -> Value) -> Option<Value> {
        self.ended_normally().then(|| read(&self.context))
    }

    /// A result that is also known while the program runs.
    fn so_far(&self, read: fn(&EvmContext) -> Value) -> Option<Value> {
        (self.stop.is_none() || self.ended_normally()).then(|| read(&self.context))
    }

    fn stack_value(&self) -> Value {
        Value::List(self.stack[1..=self.height].iter().map(|item| word_value(item.word())).collect())
    }
}

fn outcome(machine: &Evm) -> Option<Value> {
    match machine.stop? {
        EvmStop::Stopped | EvmStop::Returned => Some(Value::text("success")),
        EvmStop::Halted(_) => Some(Value::text("halt")),
        EvmStop::Limited(_) | EvmStop::Fenced | EvmStop::Hot => None,
    }
}

fn logs(context: &EvmContext) -> Value {
    let address = context.environment.address;
    let entry = |log: &Log| {
        let topics = log.topics.iter().map(|topic| Value::Bytes(topic.to_be_bytes_vec()));
        Value::record([
            ("address", Value::Bytes(address_bytes(address).to_vec())),
            ("topics", Value::List(topics.collect())),
            ("data", Value::Bytes(log.data.clone())),
            ("bloom", Value::Bytes(log.bloom(address).to_vec())),
        ])
    };
    Value::List(context.logs.iter().map(entry).collect())
}

fn logs_hash(context: &EvmContext) -> Value {
    Value::Bytes(hash_logs(context.environment.address, &context.logs).to_vec())
}

fn calls(context: &EvmContext) -> Value {
    let entry = |call: &RecordedCall| {
        let destination = call.destination.map(|to| address_bytes(to).to_vec());
        Value::record([
            ("data", Value::Bytes(call.data.clone())),
            ("destination", Value::Bytes(destination.unwrap_or_default())),
            ("gasLimit", Value::int(call.gas_limit)),
            ("value", word_value(call.value)),
        ])
    };
    Value::List(context.calls.iter().map(entry).collect())
}

fn post(context: &EvmContext) -> Value {
    let executing = context.environment.address;
    let accounts = context.world.accounts().filter_map(|(address, account)| {
        let storage = if *address == executing { &context.storage } else { &account.storage };
        let there = !account.is_empty() || !storage.is_empty();
        there.then(|| (bytes_key(&address_bytes(*address)), account_value(account, storage)))
    });
    Value::record(accounts)
}

impl Evm {
    fn change_gas(&mut self, name: &str, gas: &Value) -> Result<(), LoadError> {
        self.gas = u64::try_from(word(name, gas)?).map_err(|_| unchangeable(name, gas))?;
        Ok(())
    }

    fn change_items(&mut self, name: &'static str, items: &Value) -> Result<(), LoadError> {
        for (below, item) in numbered(name, items)? {
            if below >= self.height {
                return Err(LoadError::new(format!("there is no item {below} below the top one")));
            }
            self.stack[self.height - below] = Halves::new(word(name, item)?);
        }
        Ok(())
    }

    fn change_memory(&mut self, name: &str, parts: &Value) -> Result<(), LoadError> {
        for (at, part) in parts.members().ok_or_else(|| unchangeable(name, parts))? {
            self.put_bytes(word_of_key(at)?, bytes(name, part)?)?;
        }
        Ok(())
    }

    fn put_bytes(&mut self, at: Word, bytes: &[u8]) -> Result<(), LoadError> {
        let memory = &mut self.context.memory;
        let start = usize::try_from(at).ok();
        let range = start.and_then(|start| Some(start..start.checked_add(bytes.len())?));
        let range = range.filter(|range| range.end <= memory.size());
        let outside = || LoadError::new(format!("{} bytes at {at} are not all in memory", bytes.len()));
        memory[range.ok_or_else(outside)?].copy_from_slice(bytes);
        Ok(())
    }

    fn change_storage(&mut self, name: &str, words: &Value) -> Result<(), LoadError> {
        for (key, value) in words.members().ok_or_else(|| unchangeable(name, words))? {
            let (key, value) = (word_of_key(key)?, word(name, value)?);
            if value.is_zero() {
                self.context.storage.remove(&key);
            } else {
                self.context.storage.insert(key, value);
            }
        }
        Ok(())
    }

    /// The bytes of this range, with zeros beyond the memory.
    fn bytes_at(&self, range: &Range<usize>) -> Option<Value> {
        let memory = self.context.memory.bytes();
        Some(Value::Bytes(range.clone().map(|at| memory.get(at).copied().unwrap_or_default()).collect()))
    }

    /// The word of storage in the cell with this name.
    pub(super) fn stored_at(&self, key: &str) -> Option<Value> {
        let key = Word::from_str_radix(key.strip_prefix("0x")?, 16).ok()?;
        Some(word_value(self.context.storage.get(&key).copied().unwrap_or_default()))
    }
}
