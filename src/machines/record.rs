//! Records of programs, one row for each member, and conversions between 256-bit words and values.

use num_bigint::{BigInt, BigUint, Sign};
use ruint::Uint;

use super::status::LoadError;
use crate::model::{MapKeys, Name, NumberNotation, Shape, Value};
use crate::text::json::quoted;

/// A number modulo 2^256.
pub(super) type EvmWord = Uint<256, 4>;

/// The notation of a number in the process protocol.
pub(super) const HEX: Shape = Shape::Int(NumberNotation::Hex);

/// The notation of the accounts of a world, by address.
pub(super) const ACCOUNTS: Shape = Shape::Map(MapKeys::Bytes, &ACCOUNT);

static ACCOUNT: Shape = Shape::Record(AccountRecord::MEMBERS);

/// Generates a record of a program from its members, one row each: its name, its notation, what it is, and the method
/// that reads it, with what that returns, whether the member is `needed` or `optional`, and the function that reads its
/// value. Only what a machine ignores has no method.
///
/// A member that a machine forgets to read is a method that nothing calls, which the compiler reports.
macro_rules! record {
    ($(#[$doc:meta])* $record:ident;
        $($name:literal: $shape:expr, $what:literal $(=> $get:ident: $type:ty = $need:ident $read:expr)?;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(in crate::machines) struct $record<'v>(pub(in crate::machines) &'v $crate::model::value::Value);

        impl<'v> $record<'v> {
            pub(in crate::machines) const MEMBERS: &'static [$crate::model::shape::MemberShape] =
                $crate::model::shape::members! { $($name: $shape, $what;)* };

            $($(
                pub(in crate::machines) fn $get(self) -> Result<$type, $crate::machines::status::LoadError> {
                    $crate::machines::record::$need($name, self.0, $read)
                }
            )?)*
        }
    };
}

pub(super) use record;

record! {
    /// An account of a world.
    AccountRecord;
    "balance": HEX, "wei that it owns" => balance: EvmWord = needed word;
    "nonce": HEX, "how many transactions it has sent, or accounts it has created" => nonce: EvmWord = needed word;
    "code": Shape::Bytes, "empty for an account without code" => code: &'v [u8] = needed bytes;
    "storage": Shape::Map(MapKeys::Number, &HEX), "words that are not zero, by key"
        => storage: &'v [(Name, Value)] = needed members_of;
}

/// A member that must be there.
pub(super) fn needed<'v, T>(
    name: &'static str,
    record: &'v Value,
    read: impl FnOnce(&'static str, &'v Value) -> Result<T, LoadError>,
) -> Result<T, LoadError> {
    read(name, record.get(name).ok_or_else(|| LoadError::new(format!("the program has no {name}")))?)
}

/// A member that may be missing.
pub(super) fn optional<'v, T>(
    name: &'static str,
    record: &'v Value,
    read: impl FnOnce(&'static str, &'v Value) -> Result<T, LoadError>,
) -> Result<Option<T>, LoadError> {
    record.get(name).map(|value| read(name, value)).transpose()
}

pub(super) fn any<'v>(_: &str, value: &'v Value) -> Result<&'v Value, LoadError> {
    Ok(value)
}

pub(super) fn address(name: &str, value: &Value) -> Result<EvmWord, LoadError> {
    let bytes = bytes(name, value)?;
    match bytes.len() {
        20 => Ok(EvmWord::from_be_slice(bytes)),
        length => Err(LoadError::new(format!("{name} must be 20 bytes and is {length}"))),
    }
}

#[cfg(feature = "ethereum")]
pub(super) fn text<'v>(name: &str, value: &'v Value) -> Result<&'v str, LoadError> {
    typed(name, value.as_text(), "text")
}

pub(super) fn members_of<'v>(name: &str, value: &'v Value) -> Result<&'v [(Name, Value)], LoadError> {
    let members = if let Value::Record(members) = value { Some(&members[..]) } else { None };
    typed(name, members, "a record")
}

pub(super) fn bytes<'v>(name: &str, value: &'v Value) -> Result<&'v [u8], LoadError> {
    typed(name, value.as_bytes(), "bytes")
}

pub(super) fn list<'v>(name: &str, value: &'v Value) -> Result<&'v [Value], LoadError> {
    typed(name, value.items(), "a list")
}

/// What a value is, if it is of the type that the member must have.
fn typed<'v, T: ?Sized>(name: &str, found: Option<&'v T>, expected: &str) -> Result<&'v T, LoadError> {
    found.ok_or_else(|| LoadError::new(format!("{name} must be {expected}")))
}

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

/// The number that a key denotes: `0x` and hex digits.
pub(super) fn word_of_key(key: &str) -> Result<EvmWord, LoadError> {
    // The parser would take no digits for 0, and pass over underscores.
    let is_number =
        |digits: &&str| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let digits = key.strip_prefix("0x").filter(is_number);
    digits
        .and_then(|digits| EvmWord::from_str_radix(digits, 16).ok())
        .ok_or_else(|| LoadError::new(format!("{} must be a hex number of at most 32 bytes", quoted(key))))
}

pub(super) fn word_value(word: EvmWord) -> Value {
    Value::Int(match *word.as_limbs() {
        [low, 0, 0, 0] => BigInt::from(low),
        _ => BigInt::from(BigUint::from_bytes_le(word.as_le_slice())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_0x_once_and_hex_digits() {
        let max = format!("0x{}", "f".repeat(64));
        assert_eq!(word_of_key("0x0A"), Ok(EvmWord::from(10)));
        assert_eq!(word_of_key(&max), Ok(EvmWord::MAX));
        for key in ["0x0x1", "0x", "", "1", "0x_1", "0x1_0", "0x+1", "0x-1", "0X1", &format!("{max}0")] {
            assert!(word_of_key(key).is_err(), "{key}");
        }
    }
}
