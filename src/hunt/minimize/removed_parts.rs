//! Removes elements of arrays and members of objects, large parts first.

use super::minimizer::Minimizer;
use super::programs;
use crate::text::edit::{TextChange, apply};
use crate::text::json::JsonNode;

/// Removes what can be removed, from the outermost container inwards.
pub(super) fn remove(minimizer: &mut Minimizer<'_>) {
    let mut at = 0;
    while at < minimizer.inputs.len() && !minimizer.is_stopped() {
        remove_in(minimizer, at);
        at += 1;
    }
}

/// Removes elements of the datum at this place, if it is a container.
fn remove_in(minimizer: &mut Minimizer<'_>, at: usize) {
    let mut chunk = count(minimizer, at);
    while chunk > 0 {
        let mut end = count(minimizer, at);
        while end > 0 && minimizer.cut.is_none() {
            let start = end.saturating_sub(chunk);
            if let Some(text) = without(minimizer, at, start..end) {
                minimizer.attempt(text);
            }
            end = start.min(count(minimizer, at));
        }
        chunk /= 2;
    }
}

/// The array or object at this place, but for programs: entries of theirs are parts of instructions.
fn container<'m>(minimizer: &'m Minimizer<'_>, at: usize) -> Option<JsonNode<'m>> {
    let isa = minimizer.machine.map(|machine| machine.isa);
    let is_program = |node: JsonNode<'_>| isa.is_some_and(|isa| programs::is_program(isa, node));
    minimizer.input(at).filter(|node| node.is_object() || node.is_array() && !is_program(*node))
}

/// How many elements the container at this place has; 0 if there is none.
fn count(minimizer: &Minimizer<'_>, at: usize) -> usize {
    container(minimizer, at).map_or(0, |container| container.values().count())
}

fn without(minimizer: &Minimizer<'_>, at: usize, removed: std::ops::Range<usize>) -> Option<String> {
    let from = container(minimizer, at)?;
    let changes: Vec<_> = removed.map(|index| TextChange::Remove { from, index }).collect();
    Some(apply(from.document(), &changes))
}
