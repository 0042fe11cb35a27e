//! Items as truth values, numbers and bytes.

use std::cmp::Ordering;
use std::rc::Rc;

use num_bigint::{BigInt, Sign};

use super::fault::Neo3Fault;
use super::item::{MAX_INTEGER, Neo3Item};
use crate::machines::neo::number::{SignedBytes, signed_bytes, small_of_bytes};

impl Neo3Item {
    /// An Integer of any allowed size.
    pub(super) fn integer(number: BigInt) -> Result<Neo3Item, Neo3Fault> {
        if let Ok(small) = i64::try_from(&number) {
            return Ok(Neo3Item::Integer(small));
        }
        // Two's complement needs one bit more than the magnitude, except for the lowest number.
        let size = number.to_signed_bytes_le().len();
        if size > MAX_INTEGER {
            Err(Neo3Fault::IntegerSize(size))
        } else {
            Ok(Neo3Item::Big(Rc::new(number)))
        }
    }
}

/// The item as a truth value.
#[inline]
pub(super) fn boolean(item: &Neo3Item) -> Result<bool, Neo3Fault> {
    match item {
        Neo3Item::Boolean(value) => Ok(*value),
        Neo3Item::Integer(number) => Ok(*number != 0),
        Neo3Item::Null => Ok(false),
        Neo3Item::ByteString(bytes) if bytes.len() > MAX_INTEGER => Err(Neo3Fault::Cast),
        Neo3Item::ByteString(bytes) => Ok(bytes.iter().any(|byte| *byte != 0)),
        Neo3Item::Big(_)
        | Neo3Item::Buffer(_)
        | Neo3Item::Array(_)
        | Neo3Item::Struct(_)
        | Neo3Item::Map(_)
        | Neo3Item::Pointer(_)
        | Neo3Item::Interop(_) => Ok(true),
    }
}

#[inline]
pub(super) fn integer(item: &Neo3Item) -> Result<Neo3Item, Neo3Fault> {
    match item {
        Neo3Item::Integer(_) | Neo3Item::Big(_) => Ok(item.clone()),
        Neo3Item::Boolean(value) => Ok(Neo3Item::Integer((*value).into())),
        Neo3Item::ByteString(bytes) => integer_of_bytes(bytes),
        Neo3Item::Null
        | Neo3Item::Buffer(_)
        | Neo3Item::Array(_)
        | Neo3Item::Struct(_)
        | Neo3Item::Map(_)
        | Neo3Item::Pointer(_)
        | Neo3Item::Interop(_) => Err(Neo3Fault::Cast),
    }
}

/// The Integer that bytes represent in two's complement, least significant byte first.
pub(super) fn integer_of_bytes(bytes: &[u8]) -> Result<Neo3Item, Neo3Fault> {
    if bytes.len() > MAX_INTEGER {
        return Err(Neo3Fault::LongInteger(bytes.len()));
    }
    match small_of_bytes(bytes) {
        Some(small) => Ok(Neo3Item::Integer(small)),
        None => Neo3Item::integer(BigInt::from_signed_bytes_le(bytes)),
    }
}

pub(super) fn number(item: &Neo3Item) -> Result<BigInt, Neo3Fault> {
    match integer(item)? {
        Neo3Item::Integer(small) => Ok(BigInt::from(small)),
        Neo3Item::Big(big) => Ok((*big).clone()),
        _ => Err(Neo3Fault::Cast),
    }
}

/// The item as a signed 32-bit number.
#[inline]
pub(super) fn int32(item: &Neo3Item) -> Result<i32, Neo3Fault> {
    match integer(item)? {
        Neo3Item::Integer(small) => i32::try_from(small).map_err(|_| Neo3Fault::NotInt32),
        Neo3Item::Big(_) => Err(Neo3Fault::NotInt32),
        _ => Err(Neo3Fault::Cast),
    }
}

/// How two numbers compare.
#[inline]
pub(super) fn compare(a: &Neo3Item, b: &Neo3Item) -> Result<Ordering, Neo3Fault> {
    match (a, b) {
        (Neo3Item::Integer(a), Neo3Item::Integer(b)) => Ok(a.cmp(b)),
        _ => Ok(number(a)?.cmp(&number(b)?)),
    }
}

/// The bytes of a 64-bit number, as few as possible; empty for 0.
pub(super) fn small_bytes(number: i64) -> SignedBytes {
    if number == 0 { SignedBytes::default() } else { signed_bytes(number) }
}

/// The bytes of any number.
pub(super) fn big_bytes(number: &BigInt) -> Vec<u8> {
    if number.sign() == Sign::NoSign { Vec::new() } else { number.to_signed_bytes_le() }
}

/// Calls `work` with the item's bytes; an error if it has no bytes.
pub(super) fn with_bytes<T>(item: &Neo3Item, work: impl FnOnce(&[u8]) -> T) -> Result<T, Neo3Fault> {
    match item {
        Neo3Item::Boolean(value) => Ok(work(&[u8::from(*value)])),
        Neo3Item::Integer(number) => Ok(work(&small_bytes(*number))),
        Neo3Item::Big(number) => Ok(work(&number.to_signed_bytes_le())),
        Neo3Item::ByteString(bytes) => Ok(work(bytes)),
        Neo3Item::Buffer(buffer) => Ok(work(&buffer.bytes.borrow())),
        Neo3Item::Null
        | Neo3Item::Array(_)
        | Neo3Item::Struct(_)
        | Neo3Item::Map(_)
        | Neo3Item::Pointer(_)
        | Neo3Item::Interop(_) => Err(Neo3Fault::Cast),
    }
}

/// How many bytes an item has; 0 if it has none.
pub(super) fn length(item: &Neo3Item) -> usize {
    with_bytes(item, <[u8]>::len).unwrap_or_default()
}

/// A copy of the item's bytes.
pub(super) fn bytes(item: &Neo3Item) -> Result<Vec<u8>, Neo3Fault> {
    with_bytes(item, <[u8]>::to_vec)
}

/// The text of an item; `None` for Null.
pub(super) fn text(item: &Neo3Item) -> Result<Option<String>, Neo3Fault> {
    const NOT_UTF8: Neo3Fault = Neo3Fault::Wrong("The bytes of a text are not UTF-8.");
    match item {
        Neo3Item::Null => Ok(None),
        _ => String::from_utf8(bytes(item)?).map(Some).map_err(|_| NOT_UTF8),
    }
}
