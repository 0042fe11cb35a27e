//! The data of the smallest text so far.

use std::collections::BTreeSet;

use super::reading;
use crate::run::LoadedFile;
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
/// that are: each of their items would be demanded again, and a full stack has thousands.
pub(super) fn inputs(file: &LoadedFile<'_>) -> Vec<u32> {
    let Some(document) = document(file) else { return Vec::new() };
    let is_short = |node: JsonNode<'_>| node.items().nth(MAX_DEMANDED).is_none();
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
    let case = reading(file)?.case;
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
