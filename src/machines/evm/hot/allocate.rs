//! From the computations of a block to steps: where each result is kept.
//!
//! A result goes straight to the item that it ends up in, if what is there is not needed any more, else to a
//! temporary slot. What is then not in its place is copied at the end.

use super::block::{BlockAction, BlockExit, BlockPlace, BlockStep, Condition, TEMPORARIES};
use super::graph::{BlockEnd, BlockGraph, GraphNode, ItemSource, StackItem};
use crate::machines::evm::opcodes::Op;
use crate::machines::evm::word::small;

/// The maximum number of copies at the end of a block, which are sorted in quadratic time.
const MAX_COPIES: usize = 32;

/// What is known about the block. Kept between blocks for its allocations.
#[derive(Debug, Default)]
pub(super) struct Allocator {
    /// Where the result of each node is; `None` if it is not used.
    results: Vec<Option<BlockPlace>>,
    is_used: Vec<bool>,
    /// For each item that the block finds on the stack, the lowest first: the last node that uses it.
    last_use: Vec<Option<usize>>,
    /// For each of these items: whether it is used after all nodes.
    is_kept: Vec<bool>,
    /// Copies to make in parallel: to, from.
    copies: Vec<(BlockPlace, BlockPlace)>,
    temporaries: u16,
}

impl Allocator {
    /// Adds the steps of a block; returns its guard and its exit, or `None` if it needs too many slots
    /// or copies.
    pub(super) fn allocate(
        &mut self,
        graph: &BlockGraph,
        end: BlockEnd,
        source: &mut ItemSource<'_>,
    ) -> Option<(Option<Condition>, BlockExit)> {
        self.temporaries = TEMPORARIES.start;
        self.find_uses(graph, &end);
        self.results.clear();
        for (number, node) in graph.nodes.iter().enumerate() {
            let result = if self.is_used[number] { Some(self.home(graph, number)?) } else { None };
            self.results.push(result);
            if let Some(to) = result {
                let mut from = [BlockPlace::default(); 3];
                for (place, item) in from.iter_mut().zip(node.operands()) {
                    *place = self.place(graph, *item, source)?;
                }
                source.steps.push(step(graph, node, to, from));
            }
        }
        self.find_copies(graph, source)?;
        let exit = self.exit(graph, end, source)?;
        self.copy(source.steps)?;
        let guard = match graph.guard {
            Some(guard) => Some(self.condition(graph, guard, source)?),
            None => None,
        };
        Some((guard, exit))
    }

    fn find_uses(&mut self, graph: &BlockGraph, end: &BlockEnd) {
        let Allocator { is_used, last_use, is_kept, .. } = self;
        is_used.clear();
        is_used.resize(graph.nodes.len(), false);
        last_use.clear();
        last_use.resize(graph.used(), None);
        is_kept.clear();
        is_kept.resize(graph.used(), false);
        let condition = match end {
            BlockEnd::To(_) => [].as_slice(),
            BlockEnd::Branch(condition, _) => &condition.of,
        };
        let in_condition = condition.iter().map(|item| (usize::MAX, item));
        for (at, item) in graph.items().iter().enumerate().chain(in_condition) {
            match *item {
                StackItem::Entry(below) => {
                    let place = graph.place_of_entry(below);
                    is_kept[place] |= place != at;
                }
                StackItem::Node(node) => is_used[usize::from(node)] = true,
                StackItem::Constant(_) => {}
            }
        }
        for (number, node) in graph.nodes.iter().enumerate().rev() {
            is_used[number] |= node.is_priced;
            if !is_used[number] {
                continue;
            }
            for item in node.operands() {
                match *item {
                    StackItem::Entry(below) => {
                        last_use[graph.place_of_entry(below)].get_or_insert(number);
                    }
                    StackItem::Node(node) => is_used[usize::from(node)] = true,
                    StackItem::Constant(_) => {}
                }
            }
        }
    }

    /// The place for the result of a node: its first final place whose content is not used later.
    fn home(&mut self, graph: &BlockGraph, node: usize) -> Option<BlockPlace> {
        let is_free = |at: usize| {
            at >= graph.used() || !self.is_kept[at] && self.last_use[at].is_none_or(|last| last <= node)
        };
        let mut places = graph.items().iter().enumerate();
        let home = places.find(|(at, item)| **item == StackItem::Node(node as u16) && is_free(*at));
        match home {
            Some((at, _)) => Some(BlockPlace::item(at)),
            None => self.temporary(),
        }
    }

    fn temporary(&mut self) -> Option<BlockPlace> {
        let slot = self.temporaries;
        self.temporaries += 1;
        TEMPORARIES.contains(&slot).then(|| BlockPlace::slot(slot))
    }

    /// Where an item is after the nodes.
    fn place(&self, graph: &BlockGraph, item: StackItem, source: &mut ItemSource<'_>) -> Option<BlockPlace> {
        match item {
            StackItem::Entry(below) => Some(BlockPlace::item(graph.place_of_entry(below))),
            StackItem::Node(node) => self.results[usize::from(node)],
            StackItem::Constant(number) => source.constant(graph.constants[usize::from(number)]),
        }
    }

    /// Finds the items that are not in their final places.
    fn find_copies(&mut self, graph: &BlockGraph, source: &mut ItemSource<'_>) -> Option<()> {
        self.copies.clear();
        for (at, item) in graph.items().iter().enumerate() {
            let is_in_place = matches!(*item, StackItem::Entry(below) if graph.place_of_entry(below) == at);
            if is_in_place {
                continue;
            }
            let (to, from) = (BlockPlace::item(at), self.place(graph, *item, source)?);
            if to != from {
                self.copies.push((to, from));
            }
        }
        (self.copies.len() <= MAX_COPIES).then_some(())
    }

    /// The exit with places for items. An operand that a copy overwrites is saved.
    fn exit(&mut self, graph: &BlockGraph, end: BlockEnd, source: &mut ItemSource<'_>) -> Option<BlockExit> {
        let (condition, to) = match end {
            BlockEnd::To(exit) => return Some(exit),
            BlockEnd::Branch(condition, to) => (condition, to),
        };
        let mut condition = self.condition(graph, condition, source)?;
        for place in &mut condition.of {
            if self.copies.iter().any(|(to, _)| to == place) {
                let saved = self.temporary()?;
                source.steps.push(copy(saved, *place));
                *place = saved;
            }
        }
        Some(BlockExit::Branch(condition, to))
    }

    /// A condition with places for items.
    fn condition(
        &self,
        graph: &BlockGraph,
        Condition { test, holds, of: [a, b] }: Condition<StackItem>,
        source: &mut ItemSource<'_>,
    ) -> Option<Condition> {
        let of = [self.place(graph, a, source)?, self.place(graph, b, source)?];
        Some(Condition { test, holds, of })
    }

    /// Adds the copies in an order in which none overwrites what another one still reads.
    fn copy(&mut self, steps: &mut Vec<BlockStep>) -> Option<()> {
        while !self.copies.is_empty() {
            let is_read = |place: BlockPlace| self.copies.iter().any(|(_, from)| *from == place);
            let free = self.copies.iter().position(|(to, _)| !is_read(*to));
            if let Some(next) = free {
                let (to, from) = self.copies.swap_remove(next);
                steps.push(copy(to, from));
                continue;
            }
            // The copies form a cycle: save what the first one overwrites.
            let (overwritten, _) = self.copies[0];
            let saved = self.temporary()?;
            steps.push(copy(saved, overwritten));
            for (_, from) in &mut self.copies {
                if *from == overwritten {
                    *from = saved;
                }
            }
        }
        Some(())
    }
}

fn copy(to: BlockPlace, from: BlockPlace) -> BlockStep {
    BlockStep { action: BlockAction::COPY, to, from: [from; 3] }
}

fn step(graph: &BlockGraph, node: &GraphNode, to: BlockPlace, from: [BlockPlace; 3]) -> BlockStep {
    const ADD: BlockAction = BlockAction::of(Op::ADD as u8);
    let is_small = |item: StackItem| graph.constant(item).and_then(small).is_some();
    let action = BlockAction::of(node.code);
    match *node.operands() {
        [_, b] if action == ADD && from[0] == to && is_small(b) => {
            BlockStep { action: BlockAction::INCREASE, to, from }
        }
        [a, _] if action == ADD && from[1] == to && is_small(a) => {
            BlockStep { action: BlockAction::INCREASE, to, from: [from[1], from[0], from[2]] }
        }
        _ => BlockStep { action, to, from },
    }
}
