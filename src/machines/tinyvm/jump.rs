//! Jumps. Distances leave out the useless ones, 0 and 1: a sign and how far, from there on
//! (reference, section 1.6).

use super::core::{Core, Flow};
use super::memory::signed;

/// How far a distance of `BITS` bits and a sign above them leads. Computed without a branch of its
/// own, which would have to be predicted.
#[inline(always)]
fn skip<const BITS: u32>(word: u32) -> Flow {
    let word = word as u16;
    let distance = word & ((1 << BITS) - 1);
    // All bits of it are the sign.
    let sign = ((word << (15 - BITS)) as i16 >> 15) as u16;
    Flow::By((distance ^ sign).wrapping_add(2 & !sign))
}

/// `b`
#[inline(always)]
pub(super) fn b(core: &mut Core, word: u32) -> Flow {
    if *core.register(word, 8) == 0 { Flow::Next } else { skip::<7>(word) }
}

/// `j` so far
#[inline(always)]
pub(super) fn j(_: &mut Core, word: u32) -> Flow {
    skip::<11>(word)
}

/// `j` to a register
#[inline(always)]
pub(super) fn jr(core: &mut Core, word: u32) -> Flow {
    Flow::To(core.register(word, 8).wrapping_add(signed(word)))
}

/// `jhi`
#[inline(always)]
pub(super) fn jhi(core: &mut Core, word: u32) -> Flow {
    Flow::To((word << 8) as u16 | *core.register(word, 8) & 0xff)
}
