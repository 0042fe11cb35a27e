//! Items of the evaluation stack and their types.

use std::cell::RefCell;
use std::rc::Rc;

use num_bigint::BigInt;

/// The maximum size of an Integer, in bytes.
pub(super) const MAX_INTEGER: usize = 32;

/// The data that a script works on. Compounds are referred to by their number in the [`super::heap::Neo3Heap`].
///
/// An item takes 16 bytes, since a stack machine spends most of its time copying items.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) enum Neo3Item {
    #[default]
    Null,
    Boolean(bool),
    /// A 64-bit Integer.
    Integer(i64),
    /// An Integer that needs more than 64 bits.
    Big(Rc<BigInt>),
    ByteString(Rc<Vec<u8>>),
    Buffer(Rc<Buffer>),
    Array(Neo3Id),
    Struct(Neo3Id),
    Map(Neo3Id),
    /// A position in the script.
    Pointer(u32),
    /// A host object, by its number.
    Interop(u32),
}

const _: () = assert!(size_of::<Neo3Item>() == 16);

/// Mutable bytes, which all copies of the item share.
#[derive(Debug, PartialEq)]
pub(super) struct Buffer {
    /// The number of the Buffer in its run, from 0.
    pub(super) number: u32,
    pub(super) bytes: RefCell<Vec<u8>>,
}

/// The number of a compound in the heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Neo3Id(pub(super) u32);

/// The types, with their codes in CONVERT, ISTYPE and NEWARRAY_T and their names in vectors.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemType {
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

impl ItemType {
    const ALL: [ItemType; 10] = [
        ItemType::Any,
        ItemType::Pointer,
        ItemType::Boolean,
        ItemType::Integer,
        ItemType::ByteString,
        ItemType::Buffer,
        ItemType::Array,
        ItemType::Struct,
        ItemType::Map,
        ItemType::InteropInterface,
    ];

    /// The type of a code; `None` for an undefined one.
    pub(super) fn of_code(code: u8) -> Option<ItemType> {
        ItemType::ALL.into_iter().find(|it| *it as u8 == code)
    }
}

impl Neo3Item {
    /// A ByteString.
    pub(super) fn bytes(bytes: impl Into<Vec<u8>>) -> Neo3Item {
        Neo3Item::ByteString(Rc::new(bytes.into()))
    }

    /// A size or a position as an Integer.
    pub(super) fn count(count: usize) -> Neo3Item {
        Neo3Item::Integer(count as i64)
    }

    /// A copy of the item. Nearly all items are 64-bit numbers, so these are checked first.
    #[inline(always)]
    pub(super) fn copy(&self) -> Neo3Item {
        match self {
            Neo3Item::Integer(number) => Neo3Item::Integer(*number),
            other => other.clone(),
        }
    }

    pub(super) fn kind(&self) -> ItemType {
        match self {
            Neo3Item::Null => ItemType::Any,
            Neo3Item::Boolean(_) => ItemType::Boolean,
            Neo3Item::Integer(_) | Neo3Item::Big(_) => ItemType::Integer,
            Neo3Item::ByteString(_) => ItemType::ByteString,
            Neo3Item::Buffer(_) => ItemType::Buffer,
            Neo3Item::Array(_) => ItemType::Array,
            Neo3Item::Struct(_) => ItemType::Struct,
            Neo3Item::Map(_) => ItemType::Map,
            Neo3Item::Pointer(_) => ItemType::Pointer,
            Neo3Item::Interop(_) => ItemType::InteropInterface,
        }
    }

    /// The number of bytes that it refers to, divided by the number of items that share them.
    pub(super) fn share(&self) -> usize {
        match self {
            Neo3Item::ByteString(bytes) => bytes.len() / Rc::strong_count(bytes),
            Neo3Item::Buffer(buffer) => buffer.bytes.borrow().len() / Rc::strong_count(buffer),
            _ => 0,
        }
    }

    /// The compound; `None` if this is not one.
    #[inline(always)]
    pub(super) fn compound(&self) -> Option<Neo3Id> {
        match self {
            Neo3Item::Array(id) | Neo3Item::Struct(id) | Neo3Item::Map(id) => Some(*id),
            _ => None,
        }
    }

    /// The list; `None` if this is neither an Array nor a Struct.
    pub(super) fn list(&self) -> Option<Neo3Id> {
        match self {
            Neo3Item::Array(id) | Neo3Item::Struct(id) => Some(*id),
            _ => None,
        }
    }

    /// Whether this is a Boolean, Integer or ByteString.
    pub(super) fn is_primitive(&self) -> bool {
        matches!(
            self,
            Neo3Item::Boolean(_) | Neo3Item::Integer(_) | Neo3Item::Big(_) | Neo3Item::ByteString(_)
        )
    }
}
