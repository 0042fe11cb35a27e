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

/// The most slots of a table: as many as [`JsonSlot`] has numbers for.
pub(super) const MAX_SLOTS: usize = 1 << NEXT_BITS;

const NEXT_BITS: u32 = 29;

/// All kinds, in their order.
const KINDS: [SlotKind; 8] = [
    SlotKind::Null,
    SlotKind::False,
    SlotKind::True,
    SlotKind::Number,
    SlotKind::PlainString,
    SlotKind::EscapedString,
    SlotKind::Array,
    SlotKind::Object,
];

/// One datum: where its text starts and ends, and the next slot that is not inside it.
#[derive(Debug, Clone, Copy)]
pub(super) struct JsonSlot {
    pub(super) at: u32,
    pub(super) end: u32,
    /// The kind in the upper bits, the next slot in the others: tables take most of the memory of a large run.
    kind_and_next: u32,
}

impl JsonSlot {
    /// `next` is at most [`MAX_SLOTS`] - 1.
    pub(super) fn new(kind: SlotKind, at: u32, end: u32, next: u32) -> JsonSlot {
        JsonSlot { at, end, kind_and_next: (kind as u32) << NEXT_BITS | next }
    }

    #[inline]
    pub(super) fn kind(self) -> SlotKind {
        KINDS[(self.kind_and_next >> NEXT_BITS) as usize]
    }

    #[inline]
    pub(super) fn next(self) -> u32 {
        self.kind_and_next & (MAX_SLOTS as u32 - 1)
    }

    /// The slot of an array or object that ends here.
    pub(super) fn closed(self, end: u32, next: u32) -> JsonSlot {
        JsonSlot::new(self.kind(), self.at, end, next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_and_next_share_a_number() {
        for (number, kind) in KINDS.into_iter().enumerate() {
            assert_eq!(kind as usize, number);
            for next in [0, 1, MAX_SLOTS as u32 - 1] {
                let slot = JsonSlot::new(kind, 3, 5, next);
                assert_eq!((slot.kind(), slot.next()), (kind, next));
                let closed = slot.closed(9, 7);
                assert_eq!((closed.kind(), closed.at, closed.end, closed.next()), (kind, 3, 9, 7));
            }
        }
    }
}
