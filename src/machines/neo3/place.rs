//! The places besides the operand stack that instructions read and write.

use crate::isa::PlaceKind;

/// The places that an instruction can read or write besides the items that it pops and pushes. Numbers are
/// operands: 0 is the top item.
#[derive(Clone, Copy)]
pub(crate) enum Neo3Place {
    /// The item at the distance below the index on top that the index gives.
    Picked,
    /// All of the compound or Buffer that the operand refers to.
    Compound(usize),
    /// Like [`Neo3Place::Compound`], for a Struct that is cloned.
    Struct(usize),
    /// The item of the first operand at the index or key given by the second one, if it exists.
    Item(usize, usize),
    /// Like [`Neo3Place::Item`]; for a Map, whether it exists or not.
    Entry(usize, usize),
    /// The exception that is thrown because there is no [`Neo3Place::Item`].
    NoItem(usize, usize),
    /// The exception that is thrown because there is no [`Neo3Place::Entry`].
    NoEntry(usize, usize),
    /// The bytes of the first operand, a Buffer, from the index that the second one gives, as many as the third one
    /// says.
    Copied(usize, usize, usize),
    /// What removing the second operand from the first one changes: the value of a Map at the key, all of a list, whose
    /// items move.
    Removed(usize, usize),
    /// The position after the last item of a list.
    End(usize),
    /// The last item of a list.
    Last(usize),
    /// The static field that the instruction names.
    Static,
    /// The local variable that the instruction names.
    Local,
    /// The argument that the instruction names.
    Argument,
    /// All static fields, which the instruction creates.
    NewStatics,
    /// All local variables, which the instruction creates.
    NewLocals,
    /// All arguments, which the instruction creates.
    NewArguments,
    /// The exception that is being thrown.
    Exception,
    /// The exception that waits for the end of a finally block, if there is one.
    Pending,
    /// The compounds that the operands of the service refer to.
    ServiceOperands,
}

impl Neo3Place {
    /// What is there.
    pub(super) const fn kind(self) -> PlaceKind {
        match self {
            Neo3Place::Static | Neo3Place::Local | Neo3Place::Argument => PlaceKind::Variable,
            Neo3Place::Compound(_) | Neo3Place::Removed(..) | Neo3Place::Copied(..) => PlaceKind::Compound,
            Neo3Place::Struct(_) => PlaceKind::Struct,
            Neo3Place::Exception | Neo3Place::Pending => PlaceKind::Exception,
            Neo3Place::NoItem(..) | Neo3Place::NoEntry(..) => PlaceKind::FailedOperands,
            Neo3Place::Picked
            | Neo3Place::Item(..)
            | Neo3Place::Entry(..)
            | Neo3Place::End(_)
            | Neo3Place::Last(_)
            | Neo3Place::NewStatics
            | Neo3Place::NewLocals
            | Neo3Place::NewArguments
            | Neo3Place::ServiceOperands => PlaceKind::Other,
        }
    }
}
