//! A frame of the invocation stack.

use super::item::Neo3Item;
use super::try_catch::Try;

/// A frame of the invocation stack. The evaluation stack belongs to all frames.
#[derive(Debug, Clone, Default)]
pub(super) struct Neo3Context {
    /// Where execution continues when it is the current frame again.
    pub(super) pc: usize,
    pub(super) locals: Vec<Neo3Item>,
    pub(super) arguments: Vec<Neo3Item>,
    pub(super) tries: Vec<Try>,
}
