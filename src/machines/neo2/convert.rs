//! Conversions between types.

use std::rc::Rc;

use num_bigint::BigInt;

use super::item::{Host, Item};
use crate::machines::neo::number::{signed_bytes, small_of_bytes};

impl Item {
    /// Its value as a condition.
    #[inline(always)]
    pub(super) fn boolean(&self) -> bool {
        match self {
            Item::Boolean(truth) => *truth,
            Item::Integer(number) => *number != 0,
            Item::Bytes(bytes) => is_true(bytes),
            Item::Interop(host) => *host == Host::Message,
            Item::Big(_) | Item::Array(_) | Item::Struct(_) | Item::Map(_) => true,
        }
    }

    /// Its value as a number, if it has at most 8 bytes and fits 64 bits.
    #[inline(always)]
    pub(super) fn small(&self) -> Option<i64> {
        match self {
            Item::Integer(number) => Some(*number),
            Item::Boolean(truth) => Some(i64::from(*truth)),
            Item::Bytes(bytes) => small_of_bytes(bytes),
            Item::Big(_) | Item::Array(_) | Item::Struct(_) | Item::Map(_) | Item::Interop(_) => None,
        }
    }

    /// Its value as a number; `None` if it is not a number.
    pub(super) fn number(&self) -> Option<BigInt> {
        match self {
            Item::Big(number) => Some(BigInt::clone(number)),
            Item::Bytes(bytes) => Some(BigInt::from_signed_bytes_le(bytes)),
            other => other.small().map(BigInt::from),
        }
    }

    /// Its bytes; for a number, the shortest two's complement, least significant byte first. `None` for
    /// compounds and host objects.
    pub(super) fn bytes(&self) -> Option<Rc<Vec<u8>>> {
        match self {
            Item::Bytes(bytes) => Some(Rc::clone(bytes)),
            Item::Boolean(truth) => Some(Rc::new(if *truth { vec![1] } else { Vec::new() })),
            Item::Integer(number) => Some(Rc::new(signed_bytes(*number).to_vec())),
            Item::Big(number) => Some(Rc::new(number.to_signed_bytes_le())),
            Item::Array(_) | Item::Struct(_) | Item::Map(_) | Item::Interop(_) => None,
        }
    }
}

/// Bytes that are too long for a number are true, whatever their values.
fn is_true(bytes: &[u8]) -> bool {
    bytes.len() > 32 || bytes.iter().any(|byte| *byte != 0)
}
