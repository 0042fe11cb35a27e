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

    /// Whether a change leaves all else of the case as it is, but for further members of the object.
    pub(super) fn takes(&self, change: &TextChange<'_>, case: JsonNode<'_>) -> bool {
        let contains = |node: JsonNode<'_>| self.contains(case, node.at());
        match change {
            TextChange::Insert { into, .. } => self.is_at(case, into.at()),
            TextChange::Replace { node, .. }
            | TextChange::Digits { node, .. }
            | TextChange::RemoveNode { node, .. } => contains(*node),
            TextChange::Reorder { object, .. } => contains(*object),
            TextChange::Remove { from, index } => from.values().nth(*index).is_some_and(contains),
        }
    }

    /// The changes that remove the member.
    pub(super) fn removal<'d>(&self, case: JsonNode<'d>) -> Vec<TextChange<'d>> {
        let (Some(object), Some(member)) = (self.object(case), self.member(case)) else { return Vec::new() };
        match self.before {
            MemberBefore::Null => vec![TextChange::Replace { node: member, value: Json::Null }],
            MemberBefore::Nothing => TextChange::remove(object, member).into_iter().collect(),
        }
    }

    /// The changes that remove from the member what is not compared: all of it, or members inside of it.
    pub(super) fn without_unknown<'d>(
        &self,
        case: JsonNode<'d>,
        places: &DemandedPlaces,
        emptied: EmptiedObject,
    ) -> Vec<TextChange<'d>> {
        let (Some(object), Some(member)) = (self.object(case), self.member(case)) else { return Vec::new() };
        if is_any_in(&places.compared, &member.range()) {
            return without_unknown(object, member, places);
        }
        match emptied {
            EmptiedObject::Stays if member.is_object() => {
                member.members().filter_map(|inner| TextChange::remove(member, inner.value)).collect()
            }
            EmptiedObject::Stays | EmptiedObject::Goes => self.removal(case),
        }
    }

    fn object<'d>(&self, case: JsonNode<'d>) -> Option<JsonNode<'d>> {
        self.object.iter().try_fold(case, |object, index| object.values().nth(*index))
    }

    fn member<'d>(&self, case: JsonNode<'d>) -> Option<JsonNode<'d>> {
        self.object(case)?.values().nth(self.index)
    }
}

/// Where a case demands something, each list in ascending order.
#[derive(Default)]
pub(super) struct DemandedPlaces {
    /// Of a field that is compared.
    pub(super) compared: Vec<u32>,
    /// Of a field that is not.
    pub(super) unknown: Vec<u32>,
}

/// What becomes of an object in which nothing is compared.
#[derive(Clone, Copy)]
pub(super) enum EmptiedObject {
    /// It is left empty: the rest will be filled in there.
    Stays,
    /// It is removed.
    Goes,
}

/// The changes that remove a member of an object, or members inside of it, that are not compared.
fn without_unknown<'d>(
    object: JsonNode<'d>,
    member: JsonNode<'d>,
    places: &DemandedPlaces,
) -> Vec<TextChange<'d>> {
    let range = member.range();
    let has_unknown = is_any_in(&places.unknown, &range);
    if !is_any_in(&places.compared, &range) || has_unknown && !member.is_object() {
        return TextChange::remove(object, member).into_iter().collect();
    }
    // A datum that is demanded as a whole stays.
    if !has_unknown && places.compared.binary_search(&member.at()).is_ok() {
        return Vec::new();
    }
    member.members().flat_map(|inner| without_unknown(member, inner.value, places)).collect()
}

/// Whether one of the places, in ascending order, lies in the range.
fn is_any_in(places: &[u32], range: &Range<usize>) -> bool {
    let first = places.partition_point(|at| (*at as usize) < range.start);
    places.get(first).is_some_and(|at| range.contains(&(*at as usize)))
}
