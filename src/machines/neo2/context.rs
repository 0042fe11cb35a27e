//! A frame of the invocation stack.

/// What there is to know about a frame while others are called from it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context {
    /// Its script's number.
    pub(super) script: usize,
    /// Offset of its next instruction. Outside the script only if that was the fault.
    pub(super) pc: i64,
    /// Where its items start in the stack and in the alt stack of all frames.
    pub(super) base: usize,
    pub(super) alt_base: usize,
    /// How many items it must return; `None` when it returns all, and its alt stack too.
    pub(super) wanted: Option<u8>,
}
