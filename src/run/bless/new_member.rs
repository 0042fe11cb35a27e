//! Members that blessing adds to a case.

use crate::text::edit::TextChange;
use crate::text::json::JsonNode;

/// A member that was added at the end of an object of a case, or written instead of a null. Later members are added
/// after it.
pub(super) struct NewMember {
    /// Which child to take from the case on, level by level, to get to the object.
    object: Vec<usize>,
    /// Its index in the object.
    index: usize,
}

impl NewMember {
    pub(super) fn of(change: &TextChange<'_>, case: JsonNode<'_>) -> Option<NewMember> {
        let (into, index) = match change {
            TextChange::Insert { into, before, .. } => (*into, *before),
            TextChange::Replace { node, .. } => node.place()?,
            TextChange::Digits { .. } | TextChange::Remove { .. } | TextChange::Reorder { .. } => {
                return None;
            }
        };
        let around = case.document().around(into.at());
        let inside = around.iter().skip_while(|node| **node != case).collect::<Vec<_>>();
        let child = |pair: &[&JsonNode<'_>]| pair[0].values().position(|child| child == *pair[1]);
        let object = inside.windows(2).map(child).collect::<Option<_>>()?;
        Some(NewMember { object, index })
    }

    /// Whether the byte at `at` is the first of the object or in the member.
    pub(super) fn is_at(&self, case: JsonNode<'_>, at: u32) -> bool {
        let mut object = Some(case);
        for index in &self.object {
            object = object.and_then(|object| object.values().nth(*index));
        }
        let member = object.and_then(|object| object.values().nth(self.index));
        object.is_some_and(|object| object.at() == at)
            || member.is_some_and(|member| member.range().contains(&(at as usize)))
    }
}
