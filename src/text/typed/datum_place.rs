//! Where a typed datum stands.

use crate::text::json::JsonNode;

/// Where a datum stands, which decides the notation of `base64`, and whether a list may be null: all else is read the
/// same everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatumPlace {
    /// In a vector or a declaration: base64.
    Vector,
    /// In an answer of a machine or a report, as [`super::write()`] writes it: `0x` and hex digits. Base64 is refused
    /// there, since a text such as `0x0A` would be both.
    Wire,
}

impl DatumPlace {
    /// Whether a datum is the null that a machine may write for a list, map or memory without entries.
    pub(super) fn allows_null_for_empty(self, node: JsonNode<'_>) -> bool {
        self == DatumPlace::Wire && node.is_null()
    }
}
