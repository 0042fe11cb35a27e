//! What can be observed.

use super::call::RecordedCall;
use super::context::EvmContext;
use super::frame::EvmStop;
use super::log::{Log, hash_logs};
use super::machine::Evm;
use super::program::account_value;
use super::shapes::{CALL, LOG, NUMBER, WORD};
use super::world::address_bytes;
use crate::machines::observe::{StateField, StateFields, state_fields};
use crate::machines::record::{ACCOUNTS, HEX, word_value};
use crate::model::hex::bytes_key;
use crate::model::shape::Shape;
use crate::model::value::Value;

/// After an exceptional halt, gas, output, logs, calls and accounts cannot be observed.
impl StateFields for Evm {
    const FIELDS: &'static [StateField<Evm>] = state_fields! {
        "outcome": Shape::Text, "success or halt; none while running", outcome;
        "gas": HEX, "gas left", |m| Some(Value::int(m.gas));
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

impl Evm {
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
