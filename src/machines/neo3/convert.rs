//! Conversions between types.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

use super::fault::{Fault, Flow, Stop};
use super::frame::{CONVERSION, Frame};
use super::heap::Content;
use super::item::{Id, Item, MAX_INTEGER, Type};
use crate::machines::neo::number::{SignedBytes, signed_bytes, small_of_bytes};

/// The item as a truth value.
#[inline]
pub(super) fn boolean(item: &Item) -> Result<bool, Fault> {
    match item {
        Item::Boolean(value) => Ok(*value),
        Item::Integer(number) => Ok(*number != 0),
        Item::Null => Ok(false),
        Item::ByteString(bytes) if bytes.len() > MAX_INTEGER => Err(Fault::Cast),
        Item::ByteString(bytes) => Ok(bytes.iter().any(|byte| *byte != 0)),
        Item::Big(_)
        | Item::Buffer(_)
        | Item::Array(_)
        | Item::Struct(_)
        | Item::Map(_)
        | Item::Pointer(_)
        | Item::Interop(_) => Ok(true),
    }
}

/// The item as an Integer item.
#[inline]
pub(super) fn integer(item: &Item) -> Result<Item, Fault> {
    match item {
        Item::Integer(_) | Item::Big(_) => Ok(item.clone()),
        Item::Boolean(value) => Ok(Item::Integer((*value).into())),
        Item::ByteString(bytes) => integer_of_bytes(bytes),
        Item::Null
        | Item::Buffer(_)
        | Item::Array(_)
        | Item::Struct(_)
        | Item::Map(_)
        | Item::Pointer(_)
        | Item::Interop(_) => Err(Fault::Cast),
    }
}

/// The Integer that bytes represent in two's complement, least significant byte first.
fn integer_of_bytes(bytes: &[u8]) -> Result<Item, Fault> {
    if bytes.len() > MAX_INTEGER {
        return Err(Fault::LongInteger(bytes.len()));
    }
    match small_of_bytes(bytes) {
        Some(small) => Ok(Item::Integer(small)),
        None => Item::integer(BigInt::from_signed_bytes_le(bytes)),
    }
}

/// The item as a number.
pub(super) fn number(item: &Item) -> Result<BigInt, Fault> {
    match integer(item)? {
        Item::Integer(small) => Ok(BigInt::from(small)),
        Item::Big(big) => Ok((*big).clone()),
        _ => Err(Fault::Cast),
    }
}

/// The item as a signed 32-bit number.
#[inline]
pub(super) fn int32(item: &Item) -> Result<i32, Fault> {
    match integer(item)? {
        Item::Integer(small) => i32::try_from(small).map_err(|_| Fault::NotInt32),
        Item::Big(_) => Err(Fault::NotInt32),
        _ => Err(Fault::Cast),
    }
}

/// How two numbers compare.
#[inline]
pub(super) fn compare(a: &Item, b: &Item) -> Result<Ordering, Fault> {
    match (a, b) {
        (Item::Integer(a), Item::Integer(b)) => Ok(a.cmp(b)),
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
pub(super) fn with_bytes<T>(item: &Item, work: impl FnOnce(&[u8]) -> T) -> Result<T, Fault> {
    match item {
        Item::Boolean(value) => Ok(work(&[u8::from(*value)])),
        Item::Integer(number) => Ok(work(&small_bytes(*number))),
        Item::Big(number) => Ok(work(&number.to_signed_bytes_le())),
        Item::ByteString(bytes) => Ok(work(bytes)),
        Item::Buffer(buffer) => Ok(work(&buffer.bytes.borrow())),
        Item::Null
        | Item::Array(_)
        | Item::Struct(_)
        | Item::Map(_)
        | Item::Pointer(_)
        | Item::Interop(_) => Err(Fault::Cast),
    }
}

/// How many bytes an item has; 0 if it has none.
pub(super) fn length(item: &Item) -> usize {
    with_bytes(item, <[u8]>::len).unwrap_or_default()
}

/// A copy of the item's bytes.
pub(super) fn bytes(item: &Item) -> Result<Vec<u8>, Fault> {
    with_bytes(item, <[u8]>::to_vec)
}

/// The text of an item; `None` for Null.
pub(super) fn text(item: &Item) -> Result<Option<String>, Fault> {
    const NOT_UTF8: Fault = Fault::Wrong("The bytes of a text are not UTF-8.");
    match item {
        Item::Null => Ok(None),
        _ => String::from_utf8(bytes(item)?).map(Some).map_err(|_| NOT_UTF8),
    }
}

/// ISNULL
pub(super) fn isnull(frame: &mut Frame<'_>) -> Flow {
    frame.test(|item| matches!(item, Item::Null))
}

/// ISTYPE
pub(super) fn istype(frame: &mut Frame<'_>) -> Flow {
    let [code] = frame.operand()?;
    if let Some(kind) = wanted_type(code) {
        return frame.test(|item| item.kind() == kind);
    }
    frame.pop()?;
    Err(Fault::IsType(code).into())
}

/// CONVERT
pub(super) fn convert(frame: &mut Frame<'_>) -> Flow {
    let [code] = frame.operand()?;
    frame.make_room()?;
    frame.work(CONVERSION)?;
    let item = frame.pop()?;
    let converted = match (wanted_type(code), &item) {
        (Some(kind), item) => converted(frame, item, kind)?,
        (None, Item::Null) => return Err(Fault::NullTo(code).into()),
        (None, _) => return Err(Fault::Cast.into()),
    };
    frame.push(converted);
    Ok(())
}

/// The type that the operand of ISTYPE or CONVERT names; `None` for Any and for undefined codes.
fn wanted_type(code: u8) -> Option<Type> {
    Type::of_code(code).filter(|kind| *kind != Type::Any)
}

fn converted(frame: &mut Frame<'_>, item: &Item, kind: Type) -> Result<Item, Stop> {
    Ok(match (item, kind) {
        (Item::Null, _) => Item::Null,
        (item, kind) if item.kind() == kind => item.clone(),
        (_, Type::Boolean) => Item::Boolean(boolean(item)?),
        (Item::Buffer(buffer), Type::Integer) if buffer.bytes.borrow().len() > MAX_INTEGER => {
            return Err(Fault::Cast.into());
        }
        (Item::Buffer(buffer), Type::Integer) => integer_of_bytes(&buffer.bytes.borrow())?,
        (_, Type::Integer) => integer(item)?,
        (_, Type::ByteString) => Item::bytes(frame.made(bytes(item)?)?),
        (_, Type::Buffer) => {
            let bytes = frame.made(bytes(item)?)?;
            frame.core.new_buffer(bytes)
        }
        (Item::Array(list), Type::Struct) => Item::Struct(copy(frame, *list)?),
        (Item::Struct(list), Type::Array) => Item::Array(copy(frame, *list)?),
        _ => return Err(Fault::Cast.into()),
    })
}

/// Creates a list of the same items.
fn copy(frame: &mut Frame<'_>, list: Id) -> Result<Id, Stop> {
    let items = frame.core.heap.list(list).to_vec();
    frame.visit(items.len())?;
    Ok(frame.core.heap.add(Content::List(items)))
}
