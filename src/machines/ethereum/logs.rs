//! Log entries, as hash and as values.

use revm_primitives::{B256, Log, keccak256};

use crate::model::Value;

/// Keccak-256 of the RLP list of all entries, each `[address, [topics], data]`.
pub(super) fn hash(logs: &[Log]) -> B256 {
    let mut list = Vec::new();
    alloy_rlp::encode_list::<_, Log>(logs, &mut list);
    keccak256(list)
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
