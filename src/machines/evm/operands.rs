//! What an instruction that only computes works on.

use super::frame::{Flow, Word};

/// The operands of an instruction, a on top, and the place of its result. The plain loop has them on the stack, a
/// hot block anywhere.
pub(super) trait Operands {
    /// The result is `operation(a)`.
    fn unary(&mut self, operation: impl FnOnce(Word) -> Word) -> Flow;

    /// The result is `operation(a, b)`.
    fn binary(&mut self, operation: impl FnOnce(Word, Word) -> Word) -> Flow;

    /// The result is `operation(a, b, c)`.
    fn ternary(&mut self, operation: impl FnOnce(Word, Word, Word) -> Word) -> Flow;

    /// Charges the runner's account for what the instruction takes longer than a plain one. This does not depend on
    /// the operands.
    fn work(&mut self, units: u64) -> Flow;
}
