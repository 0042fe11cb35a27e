//! The items that stacks and compounds hold.

use std::rc::Rc;

use num_bigint::BigInt;

/// The number of an Array or Struct among all lists, or of a Map among all maps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Neo2Id(pub(super) u32);

impl Neo2Id {
    pub(super) fn number(self) -> usize {
        self.0 as usize
    }
}

/// An item. Copying any item costs the same: compounds are shared, and so are long numbers and byte arrays,
/// which are immutable.
#[derive(Debug, Clone)]
pub(super) enum Neo2Item {
    Integer(i64),
    /// An Integer that does not fit [`Neo2Item::Integer`].
    Big(Rc<BigInt>),
    Boolean(bool),
    Bytes(Rc<Vec<u8>>),
    Array(Neo2Id),
    Struct(Neo2Id),
    Map(Neo2Id),
    Interop(HostObject),
}

const _: () = assert!(size_of::<Neo2Item>() == 16);

/// What a host item represents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostObject {
    /// The script container.
    Message,
    /// A missing script container; each request for it gets its own number.
    Nothing(u32),
}

impl Neo2Item {
    /// The name of its type in vectors.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Neo2Item::Integer(_) | Neo2Item::Big(_) => "Integer",
            Neo2Item::Boolean(_) => "Boolean",
            Neo2Item::Bytes(_) => "ByteArray",
            Neo2Item::Array(_) => "Array",
            Neo2Item::Struct(_) => "Struct",
            Neo2Item::Map(_) => "Map",
            Neo2Item::Interop(_) => "Interop",
        }
    }

    /// Whether it is an Array, a Struct or a Map.
    pub(super) fn is_compound(&self) -> bool {
        matches!(self, Neo2Item::Array(_) | Neo2Item::Struct(_) | Neo2Item::Map(_))
    }

    /// The number of the compound that it refers to, among lists and maps together.
    pub(super) fn compound(&self) -> Option<usize> {
        match self {
            Neo2Item::Array(id) | Neo2Item::Struct(id) => Some(2 * id.number()),
            Neo2Item::Map(id) => Some(2 * id.number() + 1),
            Neo2Item::Integer(_)
            | Neo2Item::Big(_)
            | Neo2Item::Boolean(_)
            | Neo2Item::Bytes(_)
            | Neo2Item::Interop(_) => None,
        }
    }

    /// The approximate length of a byte array or a long number, in bytes; 0 for other items.
    pub(super) fn length(&self) -> usize {
        match self {
            Neo2Item::Bytes(bytes) => bytes.len(),
            Neo2Item::Big(number) => number.bits() as usize / 8,
            _ => 0,
        }
    }

    /// Its share of the memory that it uses beyond its own slot, in bytes.
    pub(super) fn size(&self) -> u64 {
        match self {
            Neo2Item::Bytes(bytes) => long_size(self.length() as u64) / Rc::strong_count(bytes) as u64,
            Neo2Item::Big(number) => long_size(self.length() as u64) / Rc::strong_count(number) as u64,
            _ => 0,
        }
    }
}

/// The size in bytes of a byte array or a long number of `length` bytes, with its overhead.
pub(super) fn long_size(length: u64) -> u64 {
    64 + length
}

impl From<i64> for Neo2Item {
    fn from(number: i64) -> Neo2Item {
        Neo2Item::Integer(number)
    }
}

impl From<usize> for Neo2Item {
    fn from(size: usize) -> Neo2Item {
        Neo2Item::Integer(size as i64)
    }
}

impl From<bool> for Neo2Item {
    fn from(truth: bool) -> Neo2Item {
        Neo2Item::Boolean(truth)
    }
}

impl From<BigInt> for Neo2Item {
    fn from(number: BigInt) -> Neo2Item {
        i64::try_from(number)
            .map_or_else(|error| Neo2Item::Big(Rc::new(error.into_original())), Neo2Item::Integer)
    }
}
