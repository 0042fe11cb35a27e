//! Removes elements of arrays and members of objects, large parts first.

use super::nodes::inputs;
use super::{Minimizer, programs};
use crate::text::edit::{TextChange, apply};
use crate::text::json::JsonNode;

/// Removes what can be removed, from the outermost container inwards.
pub(super) fn remove(minimizer: &mut Minimizer<'_>) {
    let mut at = 0;
    while remove_in(minimizer, at) {
        at += 1;
    }
}

/// Removes elements of one container, given by its place in the order of the text. False if there is none.
fn remove_in(minimizer: &mut Minimizer<'_>, at: usize) -> bool {
    let Some(mut chunk) = count(minimizer, at) else { return false };
    while chunk > 0 {
        let mut end = count(minimizer, at).unwrap_or(0);
        while end > 0 && !minimizer.is_cut {
            let start = end.saturating_sub(chunk);
            if let Some(text) = without(minimizer, at, start..end) {
                minimizer.attempt(text);
            }
            end = start.min(count(minimizer, at).unwrap_or(0));
        }
        chunk /= 2;
    }
    !minimizer.is_cut
}

/// The array or object at this place in the order of the text, but for long lists that are demanded, and for programs:
/// entries of theirs are parts of instructions.
fn container<'m>(minimizer: &'m Minimizer<'_>, at: usize) -> Option<JsonNode<'m>> {
    let isa = minimizer.machine.map(|machine| machine.isa);
    let is_program = |node: JsonNode<'_>| isa.is_some_and(|isa| programs::is_program(isa, node));
    let nodes = inputs(minimizer).into_iter();
    nodes.filter(|node| node.is_object() || node.is_array() && !is_program(*node)).nth(at)
}

fn count(minimizer: &Minimizer<'_>, at: usize) -> Option<usize> {
    Some(container(minimizer, at)?.values().count())
}

fn without(minimizer: &Minimizer<'_>, at: usize, removed: std::ops::Range<usize>) -> Option<String> {
    let from = container(minimizer, at)?;
    let changes: Vec<_> = removed.map(|index| TextChange::Remove { from, index }).collect();
    Some(apply(from.document(), &changes))
}
