//! A frame of the invocation stack.

/// What is stored about a frame while it is not the current one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Neo2Context {
    /// Its script's number.
    pub(super) script: usize,
    /// Offset of its next instruction. It is outside the script only if that caused a fault.
    pub(super) pc: i64,
    /// Where its items start in the stack of all frames; `alt_base` is the same for the alt stack.
    pub(super) base: usize,
    pub(super) alt_base: usize,
    /// How many items it must return; `None` if it returns all of them, and its alt stack, too.
    pub(super) wanted: Option<u8>,
}
