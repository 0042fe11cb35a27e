//! The places besides the operand stack that instructions read and write.

use crate::isa::PlaceKind;

/// The places that an instruction can read or write besides the items that it pops and pushes. Numbers are
/// operands: 0 is the top item.
#[derive(Clone, Copy)]
pub(crate) enum Neo2Place {
    /// The item at the distance below the index on top that the index gives.
    Picked,
    /// The item below the index on top, and the one at the distance below it that the index gives.
    Swapped,
    /// All of the compound that the operand refers to.
    Compound(usize),
    /// Like [`Neo2Place::Compound`], for a Struct that is cloned.
    Struct(usize),
    /// The item of the first operand at the index or key given by the second one, if it exists.
    Item(usize, usize),
    /// Like [`Neo2Place::Item`], whether it exists or not.
    Entry(usize, usize),
    /// What removing the second operand from the first one changes: the value of a Map at the key, all of a list, whose
    /// items move.
    Removed(usize, usize),
    /// The position after the last item of a list.
    End(usize),
    /// The list of signatures, below the keys or their list.
    Signatures,
    /// The top item of the alt stack.
    Alt,
    /// The position above the top item of the alt stack.
    NewAlt,
}

impl Neo2Place {
    /// What is there.
    pub(super) const fn kind(self) -> PlaceKind {
        match self {
            Neo2Place::Compound(_) | Neo2Place::Removed(..) => PlaceKind::Compound,
            Neo2Place::Struct(_) => PlaceKind::Struct,
            Neo2Place::Picked
            | Neo2Place::Swapped
            | Neo2Place::Item(..)
            | Neo2Place::Entry(..)
            | Neo2Place::End(_)
            | Neo2Place::Signatures
            | Neo2Place::Alt
            | Neo2Place::NewAlt => PlaceKind::Other,
        }
    }
}
