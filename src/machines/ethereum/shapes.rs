//! The notation of tests and states in the process protocol: the same as in Ethereum's vectors.

use crate::machines::record::{ACCOUNTS, HEX};
use crate::model::shape::{MapKeys, MemberShape, Shape, members};

static WORD: Shape = HEX;

/// A program record: what all cases of a test have in common.
pub(super) const PROGRAM: &[MemberShape] = members! {
    "env": Shape::Record(ENV), "the block";
    "chainId": HEX, "the chain";
    "blobSchedule": Shape::Map(MapKeys::Text, &BLOBS), "the blob parameters by fork, where they are not the usual ones";
    "transaction": Shape::Record(TRANSACTION), "the members of the transaction that the cases share";
    "pre": ACCOUNTS, "the accounts before the transaction, by address";
};

/// What an action `set` changes: the fork, and the transaction of a case.
pub(super) const CHANGES: &[MemberShape] = members! {
    "fork": Shape::Text, "the fork, by its name in state tests";
    "data": Shape::Bytes, "the input, or the code of a creation";
    "gasLimit": HEX, "the gas limit of the transaction";
    "value": HEX, "what is sent";
    "type": HEX, "the type of the transaction, 0 to 4";
    "accessList": Shape::List(&ACCESS), "the access list; none for a transaction without one";
    "refusal": Shape::Text, "coinbase if a refused transaction touches that account, else nothing";
};

const ENV: &[MemberShape] = members! {
    "coinbase": Shape::Bytes, "the beneficiary, 20 bytes";
    "gasLimit": HEX, "the gas limit of the block";
    "number": HEX, "the number of the block";
    "timestamp": HEX, "the time of the block, in seconds";
    "difficulty": HEX, "before Paris";
    "random": HEX, "from Paris on";
    "baseFee": HEX, "from London on";
    "excessBlobGas": HEX, "from Cancun on";
    "slotNumber": HEX, "from Amsterdam on";
};

static BLOBS: Shape = Shape::Record(members! {
    "max": HEX, "the most blobs of a block";
    "baseFeeUpdateFraction": HEX, "how slowly the price of blobs changes, see EIP-4844";
});

const TRANSACTION: &[MemberShape] = members! {
    "nonce": HEX, "the number of earlier transactions of the sender";
    "to": Shape::Bytes, "the receiver, 20 bytes; none for a creation";
    "sender": Shape::Bytes, "20 bytes";
    "secretKey": Shape::Bytes, "32 bytes; without sender, its owner is the sender; without both, the signature is invalid";
    "gasPrice": HEX, "types 0 and 1";
    "maxFeePerGas": HEX, "types 2 to 4";
    "maxPriorityFeePerGas": HEX, "types 2 to 4";
    "maxFeePerBlobGas": HEX, "type 3";
    "chainId": HEX, "where it is not that of the program";
    "blobVersionedHashes": Shape::List(&Shape::Bytes), "type 3";
    "authorizationList": Shape::List(&AUTHORIZATION), "type 4";
};

static AUTHORIZATION: Shape = Shape::Record(members! {
    "chainId": HEX, "the chain on which it holds; 0 for any";
    "address": Shape::Bytes, "the account whose code the signer gets, 20 bytes";
    "nonce": HEX, "the nonce of the signer";
    "v": HEX, "the parity of the signature";
    "r": HEX, "the first half of the signature";
    "s": HEX, "the second half of the signature";
});

static ACCESS: Shape = Shape::Record(members! {
    "address": Shape::Bytes, "the account, 20 bytes";
    "storageKeys": Shape::List(&WORD), "the keys of its words";
});

pub(super) const STACK: Shape = Shape::List(&WORD);

pub(super) static LOG: Shape = Shape::Record(members! {
    "address": Shape::Bytes, "the account that wrote it, 20 bytes";
    "topics": Shape::List(&Shape::Bytes), "32 bytes each, at most 4";
    "data": Shape::Bytes, "the bytes of memory that were logged";
});
