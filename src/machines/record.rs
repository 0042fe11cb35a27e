//! Program records of machines with 256-bit words, and conversions between words and values.

use num_bigint::{BigInt, BigUint, Sign};
use ruint::Uint;

use super::machine::LoadError;
use crate::model::name::Name;
use crate::model::shape::{MapKeys, NumberNotation, Shape, members};
use crate::model::value::Value;

/// A number modulo 2^256.
pub(super) type EvmWord = Uint<256, 4>;

/// The notation of a number in the process protocol.
pub(super) const HEX: Shape = Shape::Int(NumberNotation::Hex);

/// The notation of the accounts of a world, by address.
pub(super) const ACCOUNTS: Shape = Shape::Map(MapKeys::Bytes, &ACCOUNT);

static ACCOUNT: Shape = Shape::Record(members! {
    "balance": HEX, "";
    "nonce": HEX, "";
    "code": Shape::Bytes, "";
    "storage": Shape::Map(MapKeys::Number, &HEX), "words that are not zero, by key";
});

/// A record with required members.
pub(super) struct ProgramRecord<'v>(pub(super) &'v Value);

impl<'v> ProgramRecord<'v> {
    pub(super) fn get(&self, name: &str) -> Result<&'v Value, LoadError> {
        self.0.get(name).ok_or_else(|| LoadError::new(format!("the program has no {name}")))
    }

    pub(super) fn word(&self, name: &str) -> Result<EvmWord, LoadError> {
        word(name, self.get(name)?)
    }

    pub(super) fn bytes(&self, name: &str) -> Result<&'v [u8], LoadError> {
        bytes(name, self.get(name)?)
    }

    pub(super) fn address(&self, name: &str) -> Result<EvmWord, LoadError> {
        let bytes = self.bytes(name)?;
        match bytes.len() {
            20 => Ok(EvmWord::from_be_slice(bytes)),
            length => Err(LoadError::new(format!("{name} must be 20 bytes and is {length}"))),
        }
    }

    #[cfg(feature = "ethereum")]
    pub(super) fn text(&self, name: &str) -> Result<&'v str, LoadError> {
        match self.get(name)? {
            Value::Text(text) => Ok(text),
            _ => Err(LoadError::new(format!("{name} must be text"))),
        }
    }

    pub(super) fn members(&self, name: &str) -> Result<&'v [(Name, Value)], LoadError> {
        match self.get(name)? {
            Value::Record(members) => Ok(members),
            _ => Err(LoadError::new(format!("{name} must be a record"))),
        }
    }
}

/// The value as bytes.
pub(super) fn bytes<'v>(name: &str, value: &'v Value) -> Result<&'v [u8], LoadError> {
    match value {
        Value::Bytes(bytes) => Ok(bytes),
        _ => Err(LoadError::new(format!("{name} must be bytes"))),
    }
}

/// The value as a word.
pub(super) fn word(name: &str, value: &Value) -> Result<EvmWord, LoadError> {
    let wrong = || LoadError::new(format!("{name} must be a number from 0 to 2^256-1"));
    match value {
        Value::Int(number) if number.sign() != Sign::Minus => {
            let mut limbs = [0; 4];
            for (index, digit) in number.iter_u64_digits().enumerate() {
                *limbs.get_mut(index).ok_or_else(wrong)? = digit;
            }
            Ok(EvmWord::from_limbs(limbs))
        }
        _ => Err(wrong()),
    }
}

/// The number that a key denotes.
pub(super) fn word_of_key(key: &str) -> Result<EvmWord, LoadError> {
    EvmWord::from_str_radix(key.trim_start_matches("0x"), 16)
        .map_err(|_| LoadError::new(format!("{key:?} must be a hex number of at most 32 bytes")))
}

/// The word as a number.
pub(super) fn word_value(word: EvmWord) -> Value {
    Value::Int(match *word.as_limbs() {
        [low, 0, 0, 0] => BigInt::from(low),
        _ => BigInt::from(BigUint::from_bytes_le(word.as_le_slice())),
    })
}
