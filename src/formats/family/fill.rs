//! What a case of a family could demand and does not.

use serde_json::Value as Json;

use super::declaration::DemandedField;
use super::new_cases::{FamilyWriter, exact_tree, json, put};
use super::node_path::{NodePath, PathStep};
use crate::formats::fill::Fill;
use crate::model::DeclaredField;
use crate::text::edit::TextChange;
use crate::text::json::JsonNode;

/// The changes that demand each field of the state which a case can demand and does not: with the value that the case
/// gives to it, else with an empty one. A field with a value for cases that say nothing is demanded already.
pub(super) fn fill<'d>(writer: FamilyWriter<'_>, case: JsonNode<'d>) -> Fill<'d> {
    let mut additions: Vec<Addition<'d>> = Vec::new();
    for step in writer.steps_of(case) {
        for (index, field) in writer.declaration.state.iter().enumerate() {
            let Some(path) = writer.lacking(step, index) else { continue };
            let Some(gap) = Gap::of(step, &path) else { continue };
            let empty = || json(&field.field_type.empty(), &field.field_type).ok();
            let Some(placeholder) = writer.given_value(case, index).or_else(empty) else { continue };
            add(&mut additions, &gap, placeholder);
        }
    }
    let rest = additions.into_iter().map(|it| TextChange::add_member(it.object, &it.key, it.value));
    Fill { ends: Vec::new(), rest: rest.collect() }
}

impl FamilyWriter<'_> {
    fn steps_of<'d>(&self, case: JsonNode<'d>) -> Vec<JsonNode<'d>> {
        self.format.steps.as_ref().map_or_else(|| vec![case], |path| path.each(case))
    }

    /// Where a step can demand a field, if it does not.
    fn lacking(&self, step: JsonNode<'_>, index: usize) -> Option<Vec<PathStep>> {
        if let Some(DemandedField::At { absent: Some(_), .. }) = self.format.own_demand(index) {
            return None;
        }
        let path = self.demanded_path(index, &self.declaration.state[index].name)?;
        let path = NodePath { steps: path };
        path.find(step).is_none().then_some(path.steps)
    }

    /// The value that a case gives to a field, as it is written there.
    pub(super) fn given_value(&self, case: JsonNode<'_>, index: usize) -> Option<Json> {
        let field: &DeclaredField = &self.declaration.state[index];
        let path = NodePath { steps: self.given_path(index, &field.name)? };
        exact_tree(path.find(case)?.raw(), &field.field_type)
    }
}

/// Where a path leaves what is there.
pub(super) struct Gap<'d, 'p> {
    object: JsonNode<'d>,
    key: &'p str,
    /// The rest of the path.
    inside: &'p [PathStep],
}

impl<'d, 'p> Gap<'d, 'p> {
    /// `None` if the path ends at a datum, or if it leaves what is there at anything but a member of an object.
    pub(super) fn of(from: JsonNode<'d>, path: &'p [PathStep]) -> Option<Gap<'d, 'p>> {
        let (first, inside) = path.split_first()?;
        match (first.find(from), first) {
            (Some(next), _) => Gap::of(next, inside),
            (None, PathStep::Member(key)) if from.is_object() => Some(Gap { object: from, key, inside }),
            (None, _) => None,
        }
    }

    /// The change that puts a value at the end of the path; `None` if the format has no place for it.
    pub(super) fn put(&self, value: Json) -> Option<TextChange<'d>> {
        let mut member = Json::Null;
        put(&mut member, self.inside, value).ok()?;
        Some(TextChange::add_member(self.object, self.key, member))
    }
}

/// A member that is added to an object.
struct Addition<'d> {
    object: JsonNode<'d>,
    key: String,
    value: Json,
}

/// Adds a value; fields below the same new member share it.
fn add<'d>(additions: &mut Vec<Addition<'d>>, gap: &Gap<'d, '_>, value: Json) {
    let known = additions.iter_mut().find(|known| known.object == gap.object && known.key == gap.key);
    if let Some(known) = known {
        // A path into the middle of another field's value has no place.
        put(&mut known.value, gap.inside, value).ok();
        return;
    }
    let mut member = Json::Null;
    if put(&mut member, gap.inside, value).is_ok() {
        additions.push(Addition { object: gap.object, key: gap.key.to_owned(), value: member });
    }
}
