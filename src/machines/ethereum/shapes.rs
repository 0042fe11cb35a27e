//! How programs and states are written for a machine in another process: as in the vectors of Ethereum.

use crate::model::shape::{Keys, Member, Notation, Shape, members};

pub(super) static HEX: Shape = Shape::Int(Notation::Hex);

/// A program record.
pub(super) const PROGRAM: &[Member] = members! {
    "env": ENVIRONMENT, "the block; what is missing is zero, and the base fee 10";
    "pre": ACCOUNTS, "the accounts before the transaction, by address";
    "transaction": TRANSACTION, "what all cases of the test have in common of the transaction";
    "chainId": HEX, "the number of the chain";
    "blobSchedule": Shape::Map(Keys::Text, &BLOBS), "blob parameters by fork; may be missing";
};

/// What an action `set` chooses.
pub(super) const CHANGES: &[Member] = members! {
    "fork": Shape::Text, "the name of the fork";
    "type": HEX, "the type of the transaction";
    "data": Shape::Bytes, "its input";
    "gasLimit": HEX, "its gas limit";
    "value": HEX, "what it sends";
    "accessList": Shape::List(&ACCESS), "may be missing";
    "refusal": Shape::Text, "coinbase if a refused transaction touches that account, else nothing";
};

const ENVIRONMENT: Shape = Shape::Record(members! {
    "coinbase": Shape::Bytes, "";
    "gasLimit": HEX, "";
    "number": HEX, "";
    "timestamp": HEX, "";
    "difficulty": HEX, "";
    "random": HEX, "";
    "baseFee": HEX, "";
    "excessBlobGas": HEX, "";
    "slotNumber": HEX, "";
});

const TRANSACTION: Shape = Shape::Record(members! {
    "nonce": HEX, "";
    "to": Shape::Bytes, "missing for a creation";
    "sender": Shape::Bytes, "";
    "secretKey": Shape::Bytes, "only without sender; without both, the signature is invalid";
    "gasPrice": HEX, "";
    "maxFeePerGas": HEX, "";
    "maxPriorityFeePerGas": HEX, "";
    "maxFeePerBlobGas": HEX, "";
    "chainId": HEX, "if it differs from that of the chain";
    "blobVersionedHashes": Shape::List(&Shape::Bytes), "";
    "authorizationList": Shape::List(&AUTHORIZATION), "";
});

static AUTHORIZATION: Shape = Shape::Record(members! {
    "address": Shape::Bytes, "";
    "chainId": HEX, "";
    "nonce": HEX, "";
    "v": HEX, "";
    "r": HEX, "";
    "s": HEX, "";
});

static ACCESS: Shape = Shape::Record(members! {
    "address": Shape::Bytes, "";
    "storageKeys": Shape::List(&HEX), "";
});

static BLOBS: Shape = Shape::Record(members! {
    "max": HEX, "";
    "baseFeeUpdateFraction": HEX, "";
});

pub(super) const ACCOUNTS: Shape = Shape::Map(Keys::Bytes, &ACCOUNT);

static ACCOUNT: Shape = Shape::Record(members! {
    "balance": HEX, "";
    "nonce": HEX, "";
    "code": Shape::Bytes, "";
    "storage": Shape::Map(Keys::Number, &HEX), "words that are not zero, by key";
});

pub(super) static LOG: Shape = Shape::Record(members! {
    "address": Shape::Bytes, "";
    "topics": Shape::List(&Shape::Bytes), "";
    "data": Shape::Bytes, "";
});
