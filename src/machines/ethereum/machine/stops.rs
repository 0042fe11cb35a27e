//! Before which instructions a run stops.

use crate::isa::OpSet;

/// A set of instructions before which a run stops.
pub(super) trait Stops {
    /// Whether it stops before the instruction with this code.
    fn before(&self, code: u8) -> bool;
}

/// Stops before no instruction.
pub(super) struct Nowhere;

impl Stops for Nowhere {
    #[inline(always)]
    fn before(&self, _: u8) -> bool {
        false
    }
}

impl Stops for &OpSet {
    #[inline(always)]
    fn before(&self, code: u8) -> bool {
        self.may_have(code)
    }
}
