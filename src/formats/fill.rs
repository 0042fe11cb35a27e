//! What a vector could demand and does not, as placeholder values that [`Format::write_back`] then replaces.
//!
//! [`Format::write_back`]: super::Format::write_back

use serde_json::Value as Json;

use crate::text::edit::Change;
use crate::text::json::Node;

/// The demands that a case lacks.
#[derive(Debug, Default)]
pub struct Fill<'d> {
    /// How the run ends. What else can be demanded depends on it, so these come first.
    pub ends: Vec<Change<'d>>,
    /// Everything else.
    pub rest: Vec<Change<'d>>,
}

/// Adds the members that an object lacks.
pub(super) fn missing<'d, 'n>(
    object: Node<'d>,
    members: impl IntoIterator<Item = (&'n str, Json)>,
) -> impl Iterator<Item = Change<'d>> {
    missing_by(|object, name| object.member(name).is_some(), object, members)
}

/// Like [`missing`], in a format where `has` decides whether an object has a member of this name.
pub(super) fn missing_by<'d, 'n>(
    has: impl Fn(Node<'d>, &str) -> bool,
    object: Node<'d>,
    members: impl IntoIterator<Item = (&'n str, Json)>,
) -> impl Iterator<Item = Change<'d>> {
    let missing = members.into_iter().filter(move |(name, _)| object.is_object() && !has(object, name));
    missing.map(move |(name, placeholder)| Change::add_member(object, name, placeholder))
}
