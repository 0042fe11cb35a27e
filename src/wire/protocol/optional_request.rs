//! Requests that a process may offer to answer.

use strum::VariantArray;

/// A request that a process may answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum OptionalRequest {
    /// See [`super::Request::Digests`].
    Digests,
    /// See [`super::Request::Trace`].
    Trace,
}

impl OptionalRequest {
    /// All of them.
    pub const ALL: &[OptionalRequest] = OptionalRequest::VARIANTS;

    /// Its name in [`super::Offer::requests`].
    pub fn name(self) -> &'static str {
        self.into()
    }
}
