//! The places besides the operand stack that instructions read and write.

use crate::isa::PlaceKind;

/// The places that an instruction can read or write besides the stack.
#[derive(Clone, Copy)]
pub(crate) enum MiniPlace {
    /// The slot of the current frame that the argument names.
    Slot,
    /// The slots of the frame that a call creates.
    CalleeSlots,
    /// The result of the first function, if the instruction returns from it.
    Result,
}

impl MiniPlace {
    /// What is there.
    pub(super) const fn kind(self) -> PlaceKind {
        match self {
            MiniPlace::Slot => PlaceKind::Variable,
            MiniPlace::CalleeSlots | MiniPlace::Result => PlaceKind::Other,
        }
    }
}
