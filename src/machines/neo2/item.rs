//! The items that stacks and compounds hold.

use std::rc::Rc;

use num_bigint::BigInt;

use super::heap::Id;

/// An item. Copying any item costs the same: compounds are shared, and so are long numbers and byte arrays,
/// which are immutable.
#[derive(Debug, Clone)]
pub(super) enum Item {
    Integer(i64),
    /// An Integer that does not fit [`Item::Integer`].
    Big(Rc<BigInt>),
    Boolean(bool),
    Bytes(Rc<Vec<u8>>),
    Array(Id),
    Struct(Id),
    Map(Id),
    Interop(Host),
}

const _: () = assert!(size_of::<Item>() == 16);

/// What a host item represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Host {
    /// The script container.
    Message,
    /// A missing script container; each request for it gets its own number.
    Nothing(u32),
}

impl Item {
    /// The name of its type in vectors.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Item::Integer(_) | Item::Big(_) => "Integer",
            Item::Boolean(_) => "Boolean",
            Item::Bytes(_) => "ByteArray",
            Item::Array(_) => "Array",
            Item::Struct(_) => "Struct",
            Item::Map(_) => "Map",
            Item::Interop(_) => "Interop",
        }
    }

    /// Whether it is an Array, a Struct or a Map.
    pub(super) fn is_compound(&self) -> bool {
        matches!(self, Item::Array(_) | Item::Struct(_) | Item::Map(_))
    }

    /// The number of the compound that it refers to, among lists and maps together.
    pub(super) fn compound(&self) -> Option<usize> {
        match self {
            Item::Array(id) | Item::Struct(id) => Some(2 * id.number()),
            Item::Map(id) => Some(2 * id.number() + 1),
            Item::Integer(_) | Item::Big(_) | Item::Boolean(_) | Item::Bytes(_) | Item::Interop(_) => None,
        }
    }

    /// The approximate length of a byte array or a long number, in bytes; 0 for other items.
    pub(super) fn length(&self) -> usize {
        match self {
            Item::Bytes(bytes) => bytes.len(),
            Item::Big(number) => number.bits() as usize / 8,
            _ => 0,
        }
    }

    /// Its share of the memory that it uses beyond its own slot, in bytes.
    pub(super) fn size(&self) -> u64 {
        match self {
            Item::Bytes(bytes) => long_size(self.length() as u64) / Rc::strong_count(bytes) as u64,
            Item::Big(number) => long_size(self.length() as u64) / Rc::strong_count(number) as u64,
            _ => 0,
        }
    }
}

/// The size in bytes of a byte array or a long number of `length` bytes, with its overhead.
pub(super) fn long_size(length: u64) -> u64 {
    64 + length
}

impl From<i64> for Item {
    fn from(number: i64) -> Item {
        Item::Integer(number)
    }
}

impl From<usize> for Item {
    fn from(size: usize) -> Item {
        Item::Integer(size as i64)
    }
}

impl From<bool> for Item {
    fn from(truth: bool) -> Item {
        Item::Boolean(truth)
    }
}

impl From<BigInt> for Item {
    fn from(number: BigInt) -> Item {
        i64::try_from(number).map_or_else(|error| Item::Big(Rc::new(error.into_original())), Item::Integer)
    }
}
