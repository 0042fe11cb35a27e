//! The notation of programs and states in the process protocol: the same as in Ethereum's vectors.

use crate::machines::record::{ACCOUNTS, HEX};
use crate::model::shape::{MapKeys, MemberShape, NumberNotation, Shape, members};

pub(super) const NUMBER: Shape = Shape::Int(NumberNotation::Number);
pub(super) static WORD: Shape = HEX;

/// A program record.
pub(super) const PROGRAM: &[MemberShape] = members! {
    "code": Shape::Bytes, "the code that is executed";
    "data": Shape::Bytes, "the input, as CALLDATALOAD reads it";
    "gas": HEX, "the gas at the start";
    "address": Shape::Bytes, "the executing account, 20 bytes";
    "caller": Shape::Bytes, "who called it, 20 bytes";
    "origin": Shape::Bytes, "the sender of the transaction, 20 bytes";
    "value": HEX, "what was sent";
    "debit": Shape::Bool, "whether the caller pays value and the executing account receives it";
    "gasPrice": HEX, "the price of gas in the transaction";
    "coinbase": Shape::Bytes, "the beneficiary of the block, 20 bytes";
    "difficulty": HEX, "the difficulty of the block";
    "gasLimit": HEX, "the gas limit of the block";
    "number": HEX, "the number of the block";
    "timestamp": HEX, "the time of the block";
    "pre": ACCOUNTS, "the accounts before the run, by address";
};

/// What an action `set` can change.
pub(super) const CHANGES: &[MemberShape] = members! {
    "gas": HEX, "the gas left";
    "stack": Shape::Map(MapKeys::Text, &WORD), "items by their number from the top, 0 first";
    "memory": Shape::Map(MapKeys::Number, &Shape::Bytes), "bytes by the offset of the first";
    "storage": Shape::Map(MapKeys::Number, &WORD), "words of the executing account by key";
};

pub(super) static LOG: Shape = Shape::Record(members! {
    "address": Shape::Bytes, "the account that wrote it, 20 bytes";
    "topics": Shape::List(&Shape::Bytes), "32 bytes each, at most 4";
    "data": Shape::Bytes, "the bytes of memory that were logged";
    "bloom": Shape::Bytes, "the bloom filter of address and topics, 256 bytes";
});

pub(super) static CALL: Shape = Shape::Record(members! {
    "data": Shape::Bytes, "the input, or the code of a creation";
    "destination": Shape::Bytes, "the account that is called, 20 bytes; empty for a creation";
    "gasLimit": HEX, "the gas that it gets";
    "value": HEX, "what is sent";
});
