//! Members that blessing adds to a case.

use std::ops::Range;

use serde_json::Value as Json;

use crate::text::edit::TextChange;
use crate::text::json::JsonNode;

/// A member that was added at the end of an object of a case, or written instead of a null. Later members are added
/// after it.
pub(super) struct NewMember {
    /// Which child to take from the case on, level by level, to get to the object.
    object: Vec<usize>,
    /// Its index in the object.
    index: usize,
    before: MemberBefore,
}

/// What was there before the member.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MemberBefore {
    Nothing,
    Null,
}

impl NewMember {
    /// The members that changes add, each at its index once all are made.
    pub(super) fn all(changes: &[TextChange<'_>], case: JsonNode<'_>) -> Vec<NewMember> {
        let mut all: Vec<NewMember> = Vec::new();
        for mut member in changes.iter().filter_map(|change| NewMember::of(change, case)) {
            // Members are added at the end, in this order.
            let is_added = |it: &&NewMember| it.before == MemberBefore::Nothing && it.object == member.object;
            if member.before == MemberBefore::Nothing {
                member.index += all.iter().filter(is_added).count();
            }
            all.push(member);
        }
        all
    }

    fn of(change: &TextChange<'_>, case: JsonNode<'_>) -> Option<NewMember> {
        let ((into, index), before) = match change {
            TextChange::Insert { into, before, .. } => ((*into, *before), MemberBefore::Nothing),
            TextChange::Replace { node, .. } => (node.place()?, MemberBefore::Null),
            TextChange::Digits { .. }
            | TextChange::Remove { .. }
            | TextChange::RemoveNode { .. }
            | TextChange::Reorder { .. } => {
                return None;
            }
        };
        let around = case.document().around(into.at());
        let inside = around.iter().skip_while(|node| **node != case).collect::<Vec<_>>();
        let child = |pair: &[&JsonNode<'_>]| pair[0].values().position(|child| child == *pair[1]);
        let object = inside.windows(2).map(child).collect::<Option<_>>()?;
        Some(NewMember { object, index, before })
    }

    /// Whether the byte at `at` is the first of the object or in the member.
    pub(super) fn is_at(&self, case: JsonNode<'_>, at: u32) -> bool {
        let object = self.object(case);
        object.is_some_and(|object| object.at() == at) || self.contains(case, at)
    }

    /// Whether the byte at `at` is in the member.
    pub(super) fn contains(&self, case: JsonNode<'_>, at: u32) -> bool {
        self.member(case).is_some_and(|member| member.range().contains(&(at as usize)))
    }

    /// The changes that remove the member.
    pub(super) fn removal<'d>(&self, case: JsonNode<'d>) -> Vec<TextChange<'d>> {
        self.without_places(case, &[])
    }

    /// The changes that remove everything from the member that contains none of these places, given in ascending order:
    /// the whole member, or members inside of it.
    pub(super) fn without_places<'d>(&self, case: JsonNode<'d>, places: &[u32]) -> Vec<TextChange<'d>> {
        let (Some(object), Some(member)) = (self.object(case), self.member(case)) else { return Vec::new() };
        if self.before == MemberBefore::Null && !is_any_in(places, &member.range()) {
            return vec![TextChange::Replace { node: member, value: Json::Null }];
        }
        without_places(object, member, places)
    }

    fn object<'d>(&self, case: JsonNode<'d>) -> Option<JsonNode<'d>> {
        self.object.iter().try_fold(case, |object, index| object.values().nth(*index))
    }

    fn member<'d>(&self, case: JsonNode<'d>) -> Option<JsonNode<'d>> {
        self.object(case)?.values().nth(self.index)
    }
}

/// The changes that remove a member of an object, or members inside of it, that have none of these places.
fn without_places<'d>(object: JsonNode<'d>, member: JsonNode<'d>, places: &[u32]) -> Vec<TextChange<'d>> {
    if !is_any_in(places, &member.range()) {
        return TextChange::remove(object, member).into_iter().collect();
    }
    // A datum that starts at one of the places stays as a whole.
    if places.binary_search(&member.at()).is_ok() {
        return Vec::new();
    }
    member.members().flat_map(|inner| without_places(member, inner.value, places)).collect()
}

/// Whether one of the places, in ascending order, lies in the range.
fn is_any_in(places: &[u32], range: &Range<usize>) -> bool {
    let first = places.partition_point(|at| (*at as usize) < range.start);
    places.get(first).is_some_and(|at| range.contains(&(*at as usize)))
}
