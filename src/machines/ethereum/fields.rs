//! What can be observed.

use revm_context::result::ExecutionResult;
use revm_primitives::Log;

use super::logs;
use super::machine::{Ethereum, TransactionEnd, TransactionOutcome};
use super::shapes::{LOG, STACK};
use crate::machines::inspect::Inspect;
use crate::machines::observe::{StateField, StateFields};
use crate::machines::record::{ACCOUNTS, HEX, word_value};
use crate::model::shape::Shape;
use crate::model::value::Value;

/// Before the transaction has ended, only the frame and its stack can be observed.
impl StateFields for Ethereum {
    const FIELDS: &'static [StateField<Ethereum>] = &[
        StateField {
            name: "outcome",
            doc: "executed or refused; none while running",
            shape: Shape::Text,
            read: outcome,
        },
        StateField { name: "exception", doc: "the class of a refusal", shape: Shape::Text, read: exception },
        StateField {
            name: "status",
            doc: "success, revert or halt, if executed",
            shape: Shape::Text,
            read: status,
        },
        StateField {
            name: "root",
            doc: "root of the state trie",
            shape: Shape::Bytes,
            read: |m| Some(Value::Bytes(m.after()?.root().to_vec())),
        },
        StateField {
            name: "logs",
            doc: "Keccak-256 of the RLP list of the log entries",
            shape: Shape::Bytes,
            read: |m| Some(Value::Bytes(logs::hash(m.ended()?.logs()).to_vec())),
        },
        StateField {
            name: "logEntries",
            doc: "log entries, in order",
            shape: Shape::List(&LOG),
            read: |m| Some(logs::value(m.ended()?.logs())),
        },
        StateField {
            name: "state",
            doc: "accounts by address",
            shape: ACCOUNTS,
            read: |m| Some(m.after()?.value()),
        },
        StateField {
            name: "gasUsed",
            doc: "gas used after refunds, if executed",
            shape: HEX,
            read: gas_used,
        },
        StateField { name: "output", doc: "bytes returned, if executed", shape: Shape::Bytes, read: output },
        StateField {
            name: "fork",
            doc: "the fork whose rules hold",
            shape: Shape::Text,
            read: |m| Some(Value::text(m.fork()?.name)),
        },
        StateField {
            name: "refund",
            doc: "gas to give back at the end, before any limit on it",
            shape: HEX,
            read: |m| Some(Value::int(m.refund()?)),
        },
        StateField {
            name: "memorySize",
            doc: "bytes of memory of the frame",
            shape: HEX,
            read: |m| Some(Value::int(m.running()?.interpreter.memory.len())),
        },
        StateField {
            name: "returnData",
            doc: "what the last call of the frame returned",
            shape: Shape::Bytes,
            read: |m| Some(Value::Bytes(m.running()?.interpreter.return_data.0.to_vec())),
        },
        StateField {
            name: "stack",
            doc: "stack items of the frame, bottom first",
            shape: STACK,
            read: stack,
        },
    ];
}

impl TransactionEnd {
    fn result(&self) -> Option<&ExecutionResult> {
        match &self.outcome {
            TransactionOutcome::Executed(result) => Some(result),
            TransactionOutcome::Refused(_) => None,
        }
    }

    fn logs(&self) -> &[Log] {
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
