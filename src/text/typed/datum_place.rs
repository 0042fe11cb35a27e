//! Where a typed datum stands.

/// Where a datum stands, which decides the notation of `base64`: every other type is read the same everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatumPlace {
    /// In a vector or a declaration: base64.
    Vector,
    /// In an answer of a machine or a report, as [`super::write()`] writes it: `0x` and hex digits. Base64 is refused
    /// there, since a text such as `0x0A` would be both.
    Wire,
}
