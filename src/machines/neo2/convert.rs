//! Conversions between types.

use std::rc::Rc;

use num_bigint::BigInt;

use super::item::{HostObject, Neo2Item};
use crate::machines::neo::number::{signed_bytes, small_of_bytes};

impl Neo2Item {
    /// Its value as a condition.
    #[inline(always)]
    pub(super) fn boolean(&self) -> bool {
        match self {
            Neo2Item::Boolean(truth) => *truth,
            Neo2Item::Integer(number) => *number != 0,
            Neo2Item::Bytes(bytes) => is_true(bytes),
            Neo2Item::Interop(host) => *host == HostObject::Message,
            Neo2Item::Big(_) | Neo2Item::Array(_) | Neo2Item::Struct(_) | Neo2Item::Map(_) => true,
        }
    }

    /// Its value as a number, if it has at most 8 bytes and fits 64 bits.
    #[inline(always)]
    pub(super) fn small(&self) -> Option<i64> {
        match self {
            Neo2Item::Integer(number) => Some(*number),
            Neo2Item::Boolean(truth) => Some(i64::from(*truth)),
            Neo2Item::Bytes(bytes) => small_of_bytes(bytes),
            Neo2Item::Big(_)
            | Neo2Item::Array(_)
            | Neo2Item::Struct(_)
            | Neo2Item::Map(_)
            | Neo2Item::Interop(_) => None,
        }
    }

    /// Its value as a number; `None` if it is not a number.
    pub(super) fn number(&self) -> Option<BigInt> {
        match self {
            Neo2Item::Big(number) => Some(BigInt::clone(number)),
            Neo2Item::Bytes(bytes) => Some(BigInt::from_signed_bytes_le(bytes)),
            other => other.small().map(BigInt::from),
        }
    }

    /// Its bytes; for a number, the shortest two's complement, least significant byte first. `None` for
    /// compounds and host objects.
    pub(super) fn bytes(&self) -> Option<Rc<Vec<u8>>> {
        match self {
            Neo2Item::Bytes(bytes) => Some(Rc::clone(bytes)),
            Neo2Item::Boolean(truth) => Some(Rc::new(if *truth { vec![1] } else { Vec::new() })),
            Neo2Item::Integer(number) => Some(Rc::new(signed_bytes(*number).to_vec())),
            Neo2Item::Big(number) => Some(Rc::new(number.to_signed_bytes_le())),
            Neo2Item::Array(_) | Neo2Item::Struct(_) | Neo2Item::Map(_) | Neo2Item::Interop(_) => None,
        }
    }
}

/// Bytes that are too long for a number are true, whatever their values.
fn is_true(bytes: &[u8]) -> bool {
    bytes.len() > 32 || bytes.iter().any(|byte| *byte != 0)
}
