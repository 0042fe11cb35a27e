//! The operands of instructions that only compute.

use super::stop::EvmFlow;
use super::word::Word;

/// The cost of an instruction besides the price in its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct WordPrice {
    pub(super) gas: u64,
    /// The charge to the runner's account.
    pub(super) units: u64,
}

/// The operands of an instruction, a on top, and the place for its result. The plain loop has them on the
/// stack, a hot block in any slots.
pub(super) trait Operands {
    /// The result is `operation(a)`.
    fn unary(&mut self, operation: impl FnOnce(Word) -> Word) -> EvmFlow;

    /// The result is `operation(a, b)`.
    fn binary(&mut self, operation: impl FnOnce(Word, Word) -> Word) -> EvmFlow;

    /// The result is `operation(a, b, c)`.
    fn ternary(&mut self, operation: impl FnOnce(Word, Word, Word) -> Word) -> EvmFlow;

    /// Like [`Operands::binary`], for a price that depends on b and is highest for the highest word.
    fn priced(&mut self, price: fn(Word) -> WordPrice, operation: impl FnOnce(Word, Word) -> Word)
    -> EvmFlow;

    /// Charges the runner's account for the extra time of the instruction compared with a plain one. The
    /// charge does not depend on the operands.
    fn work(&mut self, units: u64) -> EvmFlow;
}
