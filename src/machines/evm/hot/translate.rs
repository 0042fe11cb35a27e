//! From code to a block: its computations, then places for their results.

use super::allocate::Allocator;
use super::block::HotBlock;
use super::graph::{BlockGraph, ItemSource};
use crate::machines::evm::frame::STACK_LIMIT;

/// The working data of a translation, kept for its allocations.
#[derive(Debug, Default)]
pub(super) struct Translator {
    graph: BlockGraph,
    allocator: Allocator,
}

/// A copy begins without allocations, since the data is only used during the translation of a block.
impl Clone for Translator {
    fn clone(&self) -> Translator {
        Translator::default()
    }
}

impl Translator {
    /// The block that begins at `pc`; `None` if a block has no advantage.
    pub(super) fn translate(&mut self, source: &mut ItemSource<'_>, pc: usize) -> Option<HotBlock> {
        let Translator { graph, allocator } = self;
        graph.reset();
        let end = graph.follow(source, pc);
        if !graph.is_worth_it(&end) {
            return None;
        }
        let first = source.steps.len();
        let Some((guard, mut exit)) = allocator.allocate(graph, end, source) else {
            source.steps.truncate(first);
            return None;
        };
        // The guard is only checked where a block is entered, not for each repetition.
        if graph.items().len() == graph.used() && guard.is_none() {
            exit = exit.or_repeat(pc);
        }
        let most_below = STACK_LIMIT.checked_sub(graph.used() + graph.growth);
        Some(HotBlock {
            gas: graph.gas,
            units: graph.units,
            instructions: graph.instructions,
            items: graph.used(),
            most_below: most_below?,
            results: graph.items().len(),
            guard,
            steps: first..source.steps.len(),
            exit,
        })
    }
}
