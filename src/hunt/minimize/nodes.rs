//! The data of the smallest text so far.

use std::collections::BTreeSet;

use crate::model::Case;
use crate::run::LoadedFile;
use crate::text::edit::{TextChange, apply};
use crate::text::json::{Document, JsonNode};

/// The longest list that is demanded and looked into: the items of a list may have members that need not be demanded.
const MAX_DEMANDED: usize = 32;

/// The document of a file with one case.
pub(super) fn document<'f>(file: &'f LoadedFile<'_>) -> Option<&'f Document> {
    file.case(0).map(|case| case.document)
}

/// All data of a document in the order of its text.
pub(super) fn nodes(document: &Document) -> Vec<JsonNode<'_>> {
    nodes_if(document, |_| true)
}

/// The indices of the data of a file in the order of its text, without values that are demanded, and without long lists
/// of embedded machines that are: each of their items would be demanded again, and a full stack has thousands.
pub(super) fn inputs(file: &LoadedFile<'_>) -> Vec<u32> {
    let Some(document) = document(file) else { return Vec::new() };
    let is_family = file.case(0).is_some_and(|case| case.family().is_some());
    // A case of a family need not list the cells of a memory that stay 0, or as they were.
    let is_short = |node: JsonNode<'_>| is_family || node.items().nth(MAX_DEMANDED).is_none();
    let nodes = match demanded(file) {
        None => nodes(document),
        Some(demanded) => nodes_if(document, |node| {
            !demanded.contains(&node.at()) || node.is_object() || node.is_array() && is_short(node)
        }),
    };
    nodes.into_iter().map(JsonNode::index).collect()
}

/// Where the only case of a file states what is demanded; `None` if it cannot be read.
fn demanded(file: &LoadedFile<'_>) -> Option<BTreeSet<u32>> {
    let case = reading(file)?;
    Some(case.demands().map(|assertion| assertion.origin.0).collect())
}

/// The data that are listed, without the content of those that are not.
fn nodes_if<'d>(document: &'d Document, is_listed: impl Fn(JsonNode<'d>) -> bool) -> Vec<JsonNode<'d>> {
    let mut nodes = Vec::new();
    let mut open = vec![document.root()];
    while let Some(node) = open.pop() {
        if is_listed(node) {
            nodes.push(node);
            let children: Vec<_> = node.values().collect();
            open.extend(children.into_iter().rev());
        }
    }
    nodes
}

/// The only case of a file; `None` if it is broken.
pub(super) fn reading(file: &LoadedFile<'_>) -> Option<Case> {
    file.case(0)?.read().ok()?.case
}

/// The text without members that are empty lists; `None` if there are none.
pub(super) fn without_empty_lists(file: &LoadedFile<'_>) -> Option<String> {
    let document = document(file)?;
    let is_empty_list = |node: JsonNode<'_>| node.is_array() && node.values().next().is_none();
    let objects = nodes(document).into_iter().filter(|node| node.is_object());
    let removed: Vec<_> = objects
        .flat_map(|from| {
            let members = from.members().enumerate();
            let empty = members.filter(|(_, member)| is_empty_list(member.value));
            empty.map(move |(index, _)| TextChange::Remove { from, index }).collect::<Vec<_>>()
        })
        .collect();
    (!removed.is_empty()).then(|| apply(document, &removed))
}
