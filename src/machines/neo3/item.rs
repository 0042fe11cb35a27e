//! Items of the evaluation stack and their types.

use std::cell::RefCell;
use std::rc::Rc;

use num_bigint::BigInt;

use super::fault::Fault;

/// The maximum size of an Integer, in bytes.
pub(super) const MAX_INTEGER: usize = 32;

/// The data that a script works on. Compounds are referred to by their number in the [`super::heap::Heap`].
///
/// An item takes 16 bytes, since a stack machine spends most of its time copying items.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Item {
    #[default]
    Null,
    Boolean(bool),
    /// A 64-bit Integer.
    Integer(i64),
    /// An Integer that needs more than 64 bits.
    Big(Rc<BigInt>),
    ByteString(Rc<Vec<u8>>),
    Buffer(Rc<Buffer>),
    Array(Id),
    Struct(Id),
    Map(Id),
    /// A position in the script.
    Pointer(u32),
    /// A host object, by its number.
    Interop(u32),
}

const _: () = assert!(size_of::<Item>() == 16);

/// Mutable bytes, which all copies of the item share.
#[derive(Debug, PartialEq)]
pub(super) struct Buffer {
    /// The number of the Buffer in its run, from 0.
    pub(super) number: u32,
    pub(super) bytes: RefCell<Vec<u8>>,
}

/// The number of a compound in the heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Id(pub(super) u32);

/// The types, with their codes in CONVERT, ISTYPE and NEWARRAY_T and their names in vectors.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Any = 0x00,
    Pointer = 0x10,
    Boolean = 0x20,
    Integer = 0x21,
    ByteString = 0x28,
    Buffer = 0x30,
    Array = 0x40,
    Struct = 0x41,
    Map = 0x48,
    InteropInterface = 0x60,
}

impl Type {
    const ALL: [Type; 10] = [
        Type::Any,
        Type::Pointer,
        Type::Boolean,
        Type::Integer,
        Type::ByteString,
        Type::Buffer,
        Type::Array,
        Type::Struct,
        Type::Map,
        Type::InteropInterface,
    ];

    /// The type of a code; `None` for an undefined one.
    pub(super) fn of_code(code: u8) -> Option<Type> {
        Type::ALL.into_iter().find(|it| *it as u8 == code)
    }
}

impl Item {
    /// A ByteString.
    pub(super) fn bytes(bytes: impl Into<Vec<u8>>) -> Item {
        Item::ByteString(Rc::new(bytes.into()))
    }

    /// An Integer of any allowed size.
    pub(super) fn integer(number: BigInt) -> Result<Item, Fault> {
        if let Ok(small) = i64::try_from(&number) {
            return Ok(Item::Integer(small));
        }
        // Two's complement needs one bit more than the magnitude, except for the lowest number.
        let size = number.to_signed_bytes_le().len();
        if size > MAX_INTEGER { Err(Fault::IntegerSize(size)) } else { Ok(Item::Big(Rc::new(number))) }
    }

    /// A size or a position as an Integer.
    pub(super) fn count(count: usize) -> Item {
        Item::Integer(count as i64)
    }

    /// A copy of the item. Nearly all items are 64-bit numbers, so these are checked first.
    #[inline(always)]
    pub(super) fn copy(&self) -> Item {
        match self {
            Item::Integer(number) => Item::Integer(*number),
            other => other.clone(),
        }
    }

    /// Its type.
    pub(super) fn kind(&self) -> Type {
        match self {
            Item::Null => Type::Any,
            Item::Boolean(_) => Type::Boolean,
            Item::Integer(_) | Item::Big(_) => Type::Integer,
            Item::ByteString(_) => Type::ByteString,
            Item::Buffer(_) => Type::Buffer,
            Item::Array(_) => Type::Array,
            Item::Struct(_) => Type::Struct,
            Item::Map(_) => Type::Map,
            Item::Pointer(_) => Type::Pointer,
            Item::Interop(_) => Type::InteropInterface,
        }
    }

    /// The number of bytes that it refers to, divided by the number of items that share them.
    pub(super) fn share(&self) -> usize {
        match self {
            Item::ByteString(bytes) => bytes.len() / Rc::strong_count(bytes),
            Item::Buffer(buffer) => buffer.bytes.borrow().len() / Rc::strong_count(buffer),
            _ => 0,
        }
    }

    /// The compound; `None` if this is not one.
    #[inline(always)]
    pub(super) fn compound(&self) -> Option<Id> {
        match self {
            Item::Array(id) | Item::Struct(id) | Item::Map(id) => Some(*id),
            _ => None,
        }
    }

    /// The list; `None` if this is neither an Array nor a Struct.
    pub(super) fn list(&self) -> Option<Id> {
        match self {
            Item::Array(id) | Item::Struct(id) => Some(*id),
            _ => None,
        }
    }

    /// Whether this is a Boolean, Integer or ByteString.
    pub(super) fn is_primitive(&self) -> bool {
        matches!(self, Item::Boolean(_) | Item::Integer(_) | Item::Big(_) | Item::ByteString(_))
    }
}
