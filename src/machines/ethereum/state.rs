//! What can be observed.

use revm_context::result::ExecutionResult;
use revm_primitives::Log;

use super::logs;
use super::machine::{Ethereum, TransactionEnd, TransactionOutcome};
use crate::machines::observe::{StateField, StateFields, state_fields};
use crate::machines::record::{ACCOUNTS, HEX, word_value};
use crate::model::shape::members;
use crate::model::{Shape, Value};

/// Before the transaction has ended, only the frame and its stack can be observed.
impl StateFields for Ethereum {
    const FIELDS: &'static [StateField<Ethereum>] = state_fields! {
        "outcome": Shape::Text, "executed or refused; none while running", outcome;
        "exception": Shape::Text, "the class of a refusal", exception;
        "status": Shape::Text, "success, revert or halt, if executed", status;
        "root": Shape::Bytes, "root of the state trie", |m| Some(Value::Bytes(m.after()?.root().to_vec()));
        "logs": Shape::Bytes, "Keccak-256 of the RLP list of the log entries",
            |m| Some(Value::Bytes(logs::hash(m.ended()?.logs()).to_vec()));
        "logEntries": Shape::List(&LOG), "log entries, in order", |m| Some(logs::value(m.ended()?.logs()));
        "state": ACCOUNTS, "accounts by address", |m| Some(m.after()?.value());
        "gasUsed": HEX, "gas used after refunds, if executed", gas_used;
        "output": Shape::Bytes, "bytes returned, if executed", output;
        "fork": Shape::Text, "the fork whose rules hold", |m| Some(Value::text(m.fork?.name));
        "refund": HEX, "gas to give back at the end, before any limit on it",
            |m| Some(Value::int(m.refunded()));
        "memorySize": HEX, "bytes of memory of the frame",
            |m| Some(Value::int(m.running()?.interpreter.memory.len()));
        "returnData": Shape::Bytes, "what the last call of the frame returned",
            |m| Some(Value::Bytes(m.running()?.interpreter.return_data.0.to_vec()));
        "stack": Shape::List(&WORD), "stack items of the frame, bottom first", stack;
    };
}

static WORD: Shape = HEX;

static LOG: Shape = Shape::Record(members! {
    "address": Shape::Bytes, "the account that wrote it, 20 bytes";
    "topics": Shape::List(&Shape::Bytes), "32 bytes each, at most 4";
    "data": Shape::Bytes, "the bytes of memory that were logged";
});

impl TransactionEnd {
    fn result(&self) -> Option<&ExecutionResult> {
        match &self.outcome {
            TransactionOutcome::Executed(result) => Some(result),
            TransactionOutcome::Refused(_) => None,
        }
    }

    /// The log entries of the transaction.
    pub(super) fn logs(&self) -> &[Log] {
        match self.result() {
            Some(ExecutionResult::Success { logs, .. }) => logs,
            // The logs of a frame are discarded when it fails.
            Some(ExecutionResult::Revert { .. } | ExecutionResult::Halt { .. }) | None => &[],
        }
    }
}

fn outcome(machine: &Ethereum) -> Option<Value> {
    Some(Value::text(match machine.ended()?.outcome {
        TransactionOutcome::Executed(_) => "executed",
        TransactionOutcome::Refused(_) => "refused",
    }))
}

fn exception(machine: &Ethereum) -> Option<Value> {
    match &machine.ended()?.outcome {
        TransactionOutcome::Executed(_) => None,
        TransactionOutcome::Refused(refusal) => Some(Value::text(refusal.class)),
    }
}

fn status(machine: &Ethereum) -> Option<Value> {
    Some(Value::text(match machine.ended()?.result()? {
        ExecutionResult::Success { .. } => "success",
        ExecutionResult::Revert { .. } => "revert",
        ExecutionResult::Halt { .. } => "halt",
    }))
}

fn gas_used(machine: &Ethereum) -> Option<Value> {
    Some(Value::int(machine.ended()?.result()?.tx_gas_used()))
}

fn output(machine: &Ethereum) -> Option<Value> {
    let output = machine.ended()?.result()?.output();
    Some(Value::Bytes(output.map(|output| output.to_vec()).unwrap_or_default()))
}

fn stack(machine: &Ethereum) -> Option<Value> {
    let stack = machine.running()?.interpreter.stack.data();
    Some(Value::List(stack.iter().copied().map(word_value).collect()))
}
