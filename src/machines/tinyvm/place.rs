//! The places besides the operand stack that instructions read and write.

use crate::isa::PlaceKind;

/// The places that an instruction can read or write.
#[derive(Clone, Copy)]
pub(crate) enum TinyPlace {
    /// The first register of the instruction.
    A,
    /// Its second register.
    B,
    /// The word of data at the address in the first register.
    DataAtA,
    /// The word of data at the address in the second register.
    DataAtB,
    /// r0.
    R0,
    /// r0 to r3.
    First4,
    /// The registers that a yield passes on.
    Command,
    /// What the driver's command copies.
    Source,
    /// What the driver's command changes.
    Target,
}

impl TinyPlace {
    /// What is there.
    pub(super) const fn kind(self) -> PlaceKind {
        match self {
            TinyPlace::A
            | TinyPlace::B
            | TinyPlace::DataAtA
            | TinyPlace::DataAtB
            | TinyPlace::R0
            | TinyPlace::First4 => PlaceKind::Variable,
            TinyPlace::Source => PlaceKind::CopySource,
            TinyPlace::Command | TinyPlace::Target => PlaceKind::Other,
        }
    }
}
