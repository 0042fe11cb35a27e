//! The table of the data of a text.

/// The type of a datum, and whether a string has escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SlotKind {
    Null,
    False,
    True,
    Number,
    PlainString,
    EscapedString,
    Array,
    Object,
}

/// One datum: where its text starts and ends, and the next slot that is not inside it.
#[derive(Debug, Clone, Copy)]
pub(super) struct JsonSlot {
    pub(super) at: u32,
    pub(super) end: u32,
    pub(super) next: u32,
    pub(super) kind: SlotKind,
}
