//! What a vector could demand and does not, as placeholder values that [`Format::write_back`] then replaces.
//!
//! [`Format::write_back`]: super::Format::write_back

use serde_json::Value as Json;

use crate::text::edit::TextChange;
use crate::text::json::JsonNode;

/// The demands that a case lacks.
#[derive(Debug, Default)]
pub struct Fill<'d> {
    /// How the run ends. What else can be demanded depends on it, so these come first.
    pub ends: Vec<TextChange<'d>>,
    /// Everything else.
    pub rest: Vec<TextChange<'d>>,
}

/// Adds the members that an object lacks.
pub(super) fn missing<'d, 'n>(
    object: JsonNode<'d>,
    members: impl IntoIterator<Item = (&'n str, Json)>,
) -> impl Iterator<Item = TextChange<'d>> {
    let missing =
        members.into_iter().filter(move |(name, _)| object.is_object() && object.member(name).is_none());
    missing.map(move |(name, placeholder)| TextChange::add_member(object, name, placeholder))
}

/// Adds the members that an object lacks, and writes those that it has as null, where a null demands nothing. `find` finds
/// a member of the object.
pub(super) fn missing_or_null<'d, 'n>(
    object: JsonNode<'d>,
    members: impl IntoIterator<Item = (&'n str, Json)>,
    find: fn(JsonNode<'d>, &str) -> Option<JsonNode<'d>>,
) -> impl Iterator<Item = TextChange<'d>> {
    let members = members.into_iter().filter(move |_| object.is_object());
    members.filter_map(move |(name, placeholder)| match find(object, name) {
        None => Some(TextChange::add_member(object, name, placeholder)),
        Some(node) if node.is_null() => Some(TextChange::Replace { node, value: placeholder }),
        Some(_) => None,
    })
}
