//! Paths of a declaration that lead nowhere in the files that it is checked with.

use super::declaration::{FormatDeclaration, WrittenPath};
use super::node_path::{NodePath, PathStep};
use crate::model::Diagnostic;
use crate::text::json::JsonNode;
use crate::text::suggest::nearest;

/// The paths of a format that led nowhere so far.
#[derive(Debug)]
pub(super) struct PathUse {
    unmet: Vec<UnmetPath>,
    /// Whether the format fits a file.
    pub(super) fits: bool,
    has_cases: bool,
}

#[derive(Debug)]
struct UnmetPath {
    written: WrittenPath,
    /// The path with a similar name that is there.
    near: Option<NodePath>,
}

impl PathUse {
    pub(super) fn of(format: &FormatDeclaration) -> PathUse {
        let unmet = format.paths.iter().map(|written| UnmetPath { written: written.clone(), near: None });
        PathUse { unmet: unmet.collect(), fits: false, has_cases: false }
    }

    /// Looks at the items of a file that may be cases.
    pub(super) fn look_at(&mut self, cases: &[JsonNode<'_>]) {
        self.has_cases |= !cases.is_empty();
        self.unmet.retain_mut(|unmet| {
            if cases.iter().any(|case| unmet.written.path.find(*case).is_some()) {
                return false;
            }
            let near = || cases.iter().find_map(|case| near(&unmet.written.path, *case));
            unmet.near = unmet.near.take().or_else(near);
            true
        });
    }

    /// What led nowhere, each with its place in the declaration; nothing if there was no case.
    pub(super) fn faults(&self) -> impl Iterator<Item = Diagnostic> {
        self.unmet.iter().filter(|_| self.has_cases).map(|UnmetPath { written, near }| {
            let mut fault = Diagnostic::new(format!("no case of these files has {}", written.path));
            fault.expected = near.as_ref().map(NodePath::to_string);
            fault.place.clone_from(&written.place);
            fault
        })
    }
}

/// The path with the nearest name in the place of the first one that is not there.
fn near(path: &NodePath, case: JsonNode<'_>) -> Option<NodePath> {
    let mut node = case;
    for (index, step) in path.steps.iter().enumerate() {
        if let Some(inner) = step.find(node) {
            node = inner;
            continue;
        }
        let PathStep::Member(name) = step else { return None };
        let names: Vec<_> = node.members().map(|member| member.key).collect();
        let near = nearest(name, names.iter().map(|name| &**name))?;
        let mut steps = path.steps.clone();
        steps[index] = PathStep::Member(near.to_owned());
        return Some(NodePath { steps });
    }
    None
}
