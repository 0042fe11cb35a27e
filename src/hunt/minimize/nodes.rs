//! The data of the smallest text so far.

use super::Minimizer;
use crate::text::json::{Document, JsonNode};

/// The document of the smallest text so far.
pub(super) fn document<'m>(minimizer: &'m Minimizer<'_>) -> Option<&'m Document> {
    minimizer.file.case(0).map(|case| case.document)
}

/// All data of a document in the order of its text.
pub(super) fn nodes(document: &Document) -> Vec<JsonNode<'_>> {
    let mut nodes = Vec::new();
    let mut open = vec![document.root()];
    while let Some(node) = open.pop() {
        nodes.push(node);
        let children: Vec<_> = node.values().collect();
        open.extend(children.into_iter().rev());
    }
    nodes
}
