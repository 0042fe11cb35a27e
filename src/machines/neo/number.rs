//! 64-bit numbers as bytes in two's complement, least significant byte first.

use std::ops::Deref;

/// The bytes of a number; empty by default.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::machines) struct SignedBytes {
    bytes: [u8; 8],
    length: usize,
}

impl Deref for SignedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// The number in as few bytes as possible, but at least one.
pub(in crate::machines) fn signed_bytes(number: i64) -> SignedBytes {
    // One bit more than the magnitude, for the sign.
    let magnitude = 64 - (number ^ (number >> 63)).leading_zeros() as usize;
    SignedBytes { bytes: number.to_le_bytes(), length: magnitude / 8 + 1 }
}

/// The number that bytes represent, 0 for no bytes; `None` for more than eight bytes.
#[inline(always)]
pub(in crate::machines) fn small_of_bytes(bytes: &[u8]) -> Option<i64> {
    let sign = if bytes.last().is_some_and(|last| last & 0x80 != 0) { 0xff } else { 0 };
    let mut number = [sign; 8];
    number.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(i64::from_le_bytes(number))
}
