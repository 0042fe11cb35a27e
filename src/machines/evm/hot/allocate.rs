//! From the computations of a block to steps: where each result is kept.
//!
//! A result goes straight to the item that it ends up in, if what is there is not needed any more, else to a
//! temporary slot. What is then not in its place is copied at the end.

use super::block::{Action, Condition, Exit, Place, Step, TEMPORARIES};
use super::decision::Decision;
use super::translate::{End, Graph, Item, Node, Source};
use crate::machines::evm::frame::small;
use crate::machines::evm::table::Op;

/// The maximum number of copies at the end of a block, which are sorted in quadratic time.
const MOST_COPIES: usize = 32;

/// What is known about the block. Kept between blocks for its allocations.
#[derive(Debug, Default)]
pub(super) struct Allocator {
    /// Where the result of each node is; `None` if it is not used.
    results: Vec<Option<Place>>,
    is_used: Vec<bool>,
    /// For each item that the block finds on the stack, the lowest first: the last node that uses it.
    last_use: Vec<Option<usize>>,
    /// For each of these items: whether it is used after all nodes.
    is_kept: Vec<bool>,
    /// Copies to make in parallel: to, from.
    copies: Vec<(Place, Place)>,
    temporaries: u16,
}

impl Allocator {
    /// Adds the steps of a block; returns its guard and its exit, or `None` if it needs too many slots
    /// or copies.
    pub(super) fn allocate(
        &mut self,
        graph: &Graph,
        end: End,
        source: &mut Source<'_>,
    ) -> Option<(Option<Condition>, Exit)> {
        self.temporaries = TEMPORARIES.start;
        self.find_uses(graph, &end);
        self.results.clear();
        for (number, node) in graph.nodes.iter().enumerate() {
            let result = if Decision::IsUsed.is(self.is_used[number]) {
                Some(self.home(graph, number)?)
            } else {
                None
            };
            self.results.push(result);
            if let Some(to) = result {
                let mut from = [Place::default(); 3];
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

    fn find_uses(&mut self, graph: &Graph, end: &End) {
        let Allocator { is_used, last_use, is_kept, .. } = self;
        is_used.clear();
        is_used.resize(graph.nodes.len(), false);
        last_use.clear();
        last_use.resize(graph.used(), None);
        is_kept.clear();
        is_kept.resize(graph.used(), false);
        let condition = match end {
            End::To(_) => [].as_slice(),
            End::Branch(condition, _) => &condition.of,
        };
        let in_condition = condition.iter().map(|item| (usize::MAX, item));
        for (at, item) in graph.items().iter().enumerate().chain(in_condition) {
            match *item {
                Item::Entry(below) => {
                    let place = graph.place_of_entry(below);
                    is_kept[place] |= place != at;
                }
                Item::Node(node) => is_used[usize::from(node)] = true,
                Item::Constant(_) => {}
            }
        }
        for (number, node) in graph.nodes.iter().enumerate().rev() {
            is_used[number] |= node.is_priced;
            if !is_used[number] {
                continue;
            }
            for item in node.operands() {
                match *item {
                    Item::Entry(below) => {
                        last_use[graph.place_of_entry(below)].get_or_insert(number);
                    }
                    Item::Node(node) => is_used[usize::from(node)] = true,
                    Item::Constant(_) => {}
                }
            }
        }
    }

    /// The place for the result of a node: its first final place whose content is not used later.
    fn home(&mut self, graph: &Graph, node: usize) -> Option<Place> {
        let is_free = |at: usize| {
            Decision::IsAbove.is(at >= graph.used())
                || !Decision::IsKept.is(self.is_kept[at])
                    && !Decision::IsNeededLater.is(self.last_use[at].is_some_and(|last| last > node))
        };
        let mut places = graph.items().iter().enumerate();
        let home = places.find(|(at, item)| **item == Item::Node(node as u16) && is_free(*at));
        match Decision::IsHome.found(home) {
            Some((at, _)) => Some(Place::item(at)),
            None => self.temporary(),
        }
    }

    fn temporary(&mut self) -> Option<Place> {
        let slot = self.temporaries;
        self.temporaries += 1;
        Decision::HasTemporary.is(TEMPORARIES.contains(&slot)).then(|| Place::slot(slot))
    }

    /// Where an item is after the nodes.
    fn place(&self, graph: &Graph, item: Item, source: &mut Source<'_>) -> Option<Place> {
        match item {
            Item::Entry(below) => Some(Place::item(graph.place_of_entry(below))),
            Item::Node(node) => self.results[usize::from(node)],
            Item::Constant(number) => source.constant(graph.constants[usize::from(number)]),
        }
    }

    /// Finds the items that are not in their final places.
    fn find_copies(&mut self, graph: &Graph, source: &mut Source<'_>) -> Option<()> {
        self.copies.clear();
        for (at, item) in graph.items().iter().enumerate() {
            let is_in_place = matches!(*item, Item::Entry(below) if graph.place_of_entry(below) == at);
            if Decision::IsInPlace.is(is_in_place) {
                continue;
            }
            let (to, from) = (Place::item(at), self.place(graph, *item, source)?);
            if Decision::IsMoved.is(to != from) {
                self.copies.push((to, from));
            }
        }
        Decision::AreCopiesFew.is(self.copies.len() <= MOST_COPIES).then_some(())
    }

    /// The exit with places for items. An operand that a copy overwrites is saved.
    fn exit(&mut self, graph: &Graph, end: End, source: &mut Source<'_>) -> Option<Exit> {
        let (condition, to) = match end {
            End::To(exit) => return Some(exit),
            End::Branch(condition, to) => (condition, to),
        };
        let mut condition = self.condition(graph, condition, source)?;
        for place in &mut condition.of {
            if Decision::IsOverwritten.is(self.copies.iter().any(|(to, _)| to == place)) {
                let saved = self.temporary()?;
                source.steps.push(copy(saved, *place));
                *place = saved;
            }
        }
        Some(Exit::Branch(condition, to))
    }

    /// A condition with places for items.
    fn condition(
        &self,
        graph: &Graph,
        Condition { test, holds, of: [a, b] }: Condition<Item>,
        source: &mut Source<'_>,
    ) -> Option<Condition> {
        let of = [self.place(graph, a, source)?, self.place(graph, b, source)?];
        Some(Condition { test, holds, of })
    }

    /// Adds the copies in an order in which none overwrites what another one still reads.
    fn copy(&mut self, steps: &mut Vec<Step>) -> Option<()> {
        while !self.copies.is_empty() {
            let is_read = |place: Place| self.copies.iter().any(|(_, from)| *from == place);
            let free = self.copies.iter().position(|(to, _)| !is_read(*to));
            if let Some(next) = Decision::IsCopyFree.found(free) {
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

fn copy(to: Place, from: Place) -> Step {
    Step { action: Action::COPY, to, from: [from; 3] }
}

/// The step of a node.
fn step(graph: &Graph, node: &Node, to: Place, from: [Place; 3]) -> Step {
    const ADD: Action = Action::of(Op::ADD as u8);
    let is_small = |item: Item| graph.constant(item).and_then(small).is_some();
    let action = Action::of(node.code);
    match *node.operands() {
        [_, b] if action == ADD && from[0] == to && is_small(b) => {
            Decision::IncreasesLeft.taken();
            Step { action: Action::INCREASE, to, from }
        }
        [a, _] if action == ADD && from[1] == to && is_small(a) => {
            Decision::IncreasesRight.taken();
            Step { action: Action::INCREASE, to, from: [from[1], from[0], from[2]] }
        }
        _ => {
            Decision::Computes.taken();
            Step { action, to, from }
        }
    }
}
