//! Log entries, as hash and as values.

use revm::primitives::{B256, Log, keccak256};
use rlp::RlpStream;

use crate::model::value::Value;

/// Keccak-256 of the RLP list of all entries, each `[address, [topics], data]`.
pub(super) fn hash(logs: &[Log]) -> B256 {
    let mut list = RlpStream::new_list(logs.len());
    for log in logs {
        list.begin_list(3);
        list.append(&log.address.as_slice());
        list.begin_list(log.data.topics().len());
        for topic in log.data.topics() {
            list.append(&topic.as_slice());
        }
        list.append(&log.data.data.as_ref());
    }
    keccak256(list.out())
}

/// The entries, decoded.
pub(super) fn value(logs: &[Log]) -> Value {
    let entry = |log: &Log| {
        let topics = log.data.topics().iter().map(|topic| Value::Bytes(topic.to_vec()));
        Value::record([
            ("address", Value::Bytes(log.address.to_vec())),
            ("topics", Value::List(topics.collect())),
            ("data", Value::Bytes(log.data.data.to_vec())),
        ])
    };
    Value::List(logs.iter().map(entry).collect())
}
