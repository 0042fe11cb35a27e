//! The members of a transaction: those that the cases of a test share, and those that a case chooses.

use num_bigint::BigInt;

use crate::machines::record::{EvmWord, HEX, address, bytes, list, record, text, word};
use crate::machines::status::LoadError;
use crate::model::{Shape, Value};

record! {
    /// The members of a transaction that the cases of a test share.
    TransactionRecord;
    "nonce": HEX, "the number of earlier transactions of the sender" => nonce: Option<NumberMember<'v>> = optional number;
    "to": Shape::Bytes, "the receiver, 20 bytes; none for a creation" => to: Option<EvmWord> = optional address;
    "sender": Shape::Bytes, "20 bytes" => sender: Option<EvmWord> = optional address;
    "secretKey": Shape::Bytes, "32 bytes; without sender, its owner is the sender; without both, the signature is invalid"
        => secret_key: Option<&'v [u8]> = optional bytes;
    "gasPrice": HEX, "types 0 and 1" => gas_price: Option<NumberMember<'v>> = optional number;
    "maxFeePerGas": HEX, "types 2 to 4" => fee: Option<NumberMember<'v>> = optional number;
    "maxPriorityFeePerGas": HEX, "types 2 to 4" => tip: Option<NumberMember<'v>> = optional number;
    "maxFeePerBlobGas": HEX, "type 3" => blob_fee: Option<NumberMember<'v>> = optional number;
    "chainId": HEX, "where it is not that of the program" => chain: Option<NumberMember<'v>> = optional number;
    "blobVersionedHashes": Shape::List(&Shape::Bytes), "type 3" => blob_hashes: Option<&'v [Value]> = optional list;
    "authorizationList": Shape::List(&AUTHORIZATION), "type 4" => authorizations: Option<&'v [Value]> = optional list;
}

record! {
    /// What a case chooses: the fork, and the rest of the transaction.
    ChosenTransaction;
    "fork": Shape::Text, "the fork, by its name in state tests" => fork: &'v str = needed text;
    "data": Shape::Bytes, "the input, or the code of a creation" => data: &'v [u8] = needed bytes;
    "gasLimit": HEX, "the gas limit of the transaction" => gas_limit: Option<NumberMember<'v>> = optional number;
    "value": HEX, "what is sent" => value: Option<NumberMember<'v>> = optional number;
    "type": HEX, "the type of the transaction, 0 to 4" => kind: Option<NumberMember<'v>> = optional number;
    "accessList": Shape::List(&ACCESS), "the access list; none for a transaction without one"
        => access_list: Option<&'v [Value]> = optional list;
    "refusal": Shape::Text, "coinbase if a refused transaction touches that account, else nothing"
        => refusal: &'v str = needed text;
}

static AUTHORIZATION: Shape = Shape::Record(AuthorizationRecord::MEMBERS);

record! {
    /// An authorization.
    AuthorizationRecord;
    "chainId": HEX, "the chain on which it holds; 0 for any" => chain: NumberMember<'v> = needed number;
    "address": Shape::Bytes, "the account whose code the signer gets, 20 bytes" => address: EvmWord = needed address;
    "nonce": HEX, "the nonce of the signer" => nonce: NumberMember<'v> = needed number;
    "v": HEX, "the parity of the signature" => v: NumberMember<'v> = needed number;
    "r": HEX, "the first half of the signature" => r: NumberMember<'v> = needed number;
    "s": HEX, "the second half of the signature" => s: NumberMember<'v> = needed number;
}

static ACCESS: Shape = Shape::Record(AccessRecord::MEMBERS);
static WORD: Shape = HEX;

record! {
    /// An account of an access list.
    AccessRecord;
    "address": Shape::Bytes, "the account, 20 bytes" => address: EvmWord = needed address;
    "storageKeys": Shape::List(&WORD), "the keys of its words" => keys: Option<&'v [Value]> = optional list;
}

/// A number that may be larger than any that a transaction can have.
#[derive(Clone, Copy)]
pub(super) struct NumberMember<'v> {
    pub(super) name: &'static str,
    value: &'v Value,
}

impl NumberMember<'_> {
    /// The number; `None` if it has more than 256 bits.
    pub(super) fn word(self) -> Result<Option<EvmWord>, LoadError> {
        match self.value {
            Value::Int(number) if number.bits() > 256 && *number > BigInt::ZERO => Ok(None),
            value => word(self.name, value).map(Some),
        }
    }
}

fn number<'v>(name: &'static str, value: &'v Value) -> Result<NumberMember<'v>, LoadError> {
    Ok(NumberMember { name, value })
}
