//! From code to a block: who uses what, without the traffic on the stack.

use super::block::{Block, CONSTANTS, Exit, Next, Place, Step, Test};
use super::role::{self, Role};
use super::{Translator, is_in};
use crate::isa::OpSet;
use crate::machines::evm::flow::Destinations;
use crate::machines::evm::frame::{Flow, Halves, STACK_LIMIT, Stack, Word, small};
use crate::machines::evm::operands::{Operands, Price};
use crate::machines::evm::stack::word_of;
use crate::machines::evm::table::{EVM, Op};

/// The most instructions of a block.
const LONGEST: usize = 200;
/// The most jumps that a block follows.
const JUMPS: usize = 4;

/// An item while a block is translated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    /// The item of this number below the top when the block begins, 1 for the top itself.
    Entry(usize),
    Constant(Word),
    /// What the node of this number computes.
    Node(usize),
}

/// A computation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) op: Op,
    /// Its operands, as many as the row of the instruction pops.
    pub(super) from: [Item; 3],
    /// Whether its price depends on them, so that it is executed even if nothing uses the result.
    pub(super) is_priced: bool,
}

impl Node {
    /// The items that it uses.
    pub(super) fn operands(&self) -> &[Item] {
        let pops = EVM.by_code(self.op as u16).map_or(0, |row| row.pops);
        &self.from[..usize::from(pops)]
    }
}

/// A block without places.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    /// The items that the block uses and leaves, the lowest first.
    pub(super) items: Vec<Item>,
    /// How many it uses.
    pub(super) used: usize,
    /// How many more there are at most.
    growth: usize,
    gas: u64,
    units: u64,
    instructions: usize,
}

/// Where a block goes on, with items in place of places.
#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    To(Exit),
    Branch { test: Test, holds: bool, of: [Item; 2], to: [Next; 2] },
}

/// What is translated: the code, and what is known of it.
pub(super) struct Source<'c> {
    pub(super) code: &'c [u8],
    pub(super) destinations: &'c mut Destinations,
    pub(super) stack: &'c mut Stack,
    /// The first slot that is not a constant yet.
    pub(super) constants: &'c mut u16,
    /// The steps of all blocks, to which those of another one are added.
    pub(super) steps: &'c mut Vec<Step>,
    /// The instructions that no block contains.
    pub(super) left_out: Option<&'c OpSet>,
}

/// The block that begins at `pc`; `None` where that has no advantage.
pub(super) fn translate(
    source: &mut Source<'_>,
    pc: usize,
    Translator { graph, allocator }: &mut Translator,
) -> Option<Block> {
    graph.reset();
    let end = graph.follow(source, pc);
    if !graph.is_worth_it(&end) {
        return None;
    }
    let first = source.steps.len();
    let Some(mut exit) = allocator.allocate(graph, end, source) else {
        source.steps.truncate(first);
        return None;
    };
    if graph.items.len() == graph.used {
        exit = exit.or_repeat(pc);
    }
    Some(Block {
        gas: graph.gas,
        units: graph.units,
        instructions: graph.instructions,
        items: graph.used,
        most_below: STACK_LIMIT.checked_sub(graph.used + graph.growth)?,
        results: graph.items.len(),
        steps: first..source.steps.len(),
        exit,
    })
}

impl Source<'_> {
    /// The slot of a constant; `None` if there are too many.
    pub(super) fn constant(&mut self, word: Word) -> Option<Place> {
        let slots = CONSTANTS.start..*self.constants;
        let known = slots.clone().find(|slot| self.stack[usize::from(*slot)].word() == word);
        let slot = known.unwrap_or(slots.end);
        if !CONSTANTS.contains(&slot) {
            return None;
        }
        self.stack[usize::from(slot)] = Halves::new(word);
        *self.constants = slots.end.max(slot + 1);
        Some(Place::slot(slot))
    }
}

impl Graph {
    /// The item that is in a place, counted from the lowest one, when the block begins, if it uses that.
    pub(super) fn entry(&self, at: usize) -> Item {
        Item::Entry(self.used.saturating_sub(at))
    }

    fn reset(&mut self) {
        self.nodes.clear();
        self.items.clear();
        (self.used, self.growth, self.instructions) = (0, 0, 0);
        (self.gas, self.units) = (0, 0);
    }

    /// Whether the block takes less time than its instructions on the plain loop: entering it takes as long as a
    /// few of them, and so does going back to that loop.
    fn is_worth_it(&self, end: &End) -> bool {
        const FEW: usize = 6;
        match end {
            End::To(Exit::Plain(_)) => self.instructions >= 2 * FEW,
            End::To(_) | End::Branch { .. } => self.instructions > 0,
        }
    }

    /// Goes through the instructions from `pc` on; returns where the block ends.
    fn follow(&mut self, source: &mut Source<'_>, mut pc: usize) -> End {
        let mut jumps = 0;
        while self.instructions < LONGEST && jumps < JUMPS {
            let Some(op) = Op::of_code(source.code[pc]) else { return End::To(Exit::Plain(pc)) };
            if is_in(source.left_out, source.code[pc]) {
                return End::To(Exit::Plain(pc));
            }
            let next = match role::of(op) {
                Role::Ends => return End::To(Exit::Plain(pc)),
                Role::Jumps => match self.target(source) {
                    Target::At(target) => target,
                    Target::Unknown => return End::To(Exit::Jump { at: pc, gas: price(op) }),
                    Target::Nowhere => return End::To(Exit::Plain(pc)),
                },
                Role::Branches => match self.target(source) {
                    Target::At(target) => return self.branch([target, pc + 1].map(Next::at)),
                    Target::Unknown | Target::Nowhere => return End::To(Exit::Plain(pc)),
                },
                Role::Pushes(size) => pc + 1 + size,
                _ => pc + 1,
            };
            self.instruction(op, pc, source.code);
            pc = next;
            jumps += usize::from(op == Op::JUMP);
        }
        End::To(Exit::To(Next::at(pc)))
    }

    /// Where a jump goes whose target is on top.
    fn target(&mut self, source: &mut Source<'_>) -> Target {
        match self.nth(1) {
            Item::Entry(_) | Item::Node(_) => Target::Unknown,
            Item::Constant(target) => small(target)
                .filter(|target| source.destinations.contains(source.code, *target))
                .map_or(Target::Nowhere, Target::At),
        }
    }

    /// The end of a block with a JUMPI to a known place.
    fn branch(&mut self, to: [Next; 2]) -> End {
        self.charge(Op::JUMPI);
        self.nth(2);
        self.items.pop();
        let mut item = self.items.pop().unwrap_or(Item::Constant(Word::ZERO));
        let mut holds = false;
        while let Item::Node(node) = item {
            let Node { op, from: [a, b, _], .. } = self.nodes[node];
            let (test, of) = match op {
                Op::ISZERO => {
                    holds = !holds;
                    item = a;
                    continue;
                }
                Op::LT => (Test::Less, [a, b]),
                Op::GT => (Test::Less, [b, a]),
                Op::EQ => (Test::Equal, [a, b]),
                _ => break,
            };
            return End::Branch { test, holds: !holds, of, to };
        }
        End::Branch { test: Test::IsZero, holds, of: [item; 2], to }
    }

    /// Takes an instruction into the block.
    fn instruction(&mut self, op: Op, pc: usize, code: &[u8]) {
        self.charge(op);
        match role::of(op) {
            Role::Computes => self.compute(op),
            Role::Pushes(size) => self.push(Item::Constant(word_of(&code[pc + 1..=pc + size]))),
            Role::Locates => self.push(Item::Constant(Word::from(pc))),
            Role::Copies(nth) => {
                let item = self.nth(nth);
                self.push(item);
            }
            Role::Swaps(below) => {
                self.nth(below + 1);
                let top = self.items.len() - 1;
                self.items.swap(top, top - below);
            }
            Role::Drops | Role::Jumps => {
                self.nth(1);
                self.items.pop();
            }
            Role::Marks | Role::Branches | Role::Ends => {}
        }
    }

    /// Counts an instruction and its price.
    fn charge(&mut self, op: Op) {
        self.gas += price(op);
        self.instructions += 1;
    }

    fn push(&mut self, item: Item) {
        self.items.push(item);
        self.growth = self.growth.max(self.items.len().saturating_sub(self.used));
    }

    /// The item of this number below the top, 1 for the top itself.
    fn nth(&mut self, nth: usize) -> Item {
        let missing = nth.saturating_sub(self.items.len());
        if missing > 0 {
            self.used += missing;
            let lowest = self.used;
            self.items.splice(0..0, (0..missing).map(|above| Item::Entry(lowest - above)));
        }
        self.items[self.items.len() - nth]
    }

    /// The result of an instruction: a constant if all operands are, else a node.
    fn compute(&mut self, op: Op) {
        let mut node = Node { op, from: [Item::Constant(Word::ZERO); 3], is_priced: false };
        let pops = node.operands().len();
        for from in &mut node.from[..pops] {
            *from = self.nth(1);
            self.items.pop();
        }
        let constants = node.from.map(|item| match item {
            Item::Constant(word) => Some(word),
            Item::Entry(_) | Item::Node(_) => None,
        });
        let is_constant = constants.iter().all(Option::is_some);
        let from = constants.map(Option::unwrap_or_default);
        let mut known = Known { from, is_constant, result: Word::ZERO, price: Price::default() };
        // It does not fail.
        let _ = role::compute(op as u8, &mut known);
        self.gas += known.price.gas;
        self.units += known.price.units;
        if is_constant {
            return self.push(Item::Constant(known.result));
        }
        self.push(Item::Node(self.nodes.len()));
        node.is_priced = known.price.gas > 0;
        self.nodes.push(node);
    }
}

/// What an instruction always costs.
fn price(op: Op) -> u64 {
    EVM.by_code(op as u16).map_or(0, |row| row.gas)
}

/// Where a jump goes.
enum Target {
    At(usize),
    /// Depends on the run.
    Unknown,
    /// To something else than a destination.
    Nowhere,
}

/// Operands, 0 where they are not known, and what is computed of them.
struct Known {
    from: [Word; 3],
    /// Whether all are known.
    is_constant: bool,
    result: Word,
    /// The highest price if they are not.
    price: Price,
}

impl Operands for Known {
    fn unary(&mut self, operation: impl FnOnce(Word) -> Word) -> Flow {
        self.result = operation(self.from[0]);
        Ok(())
    }

    fn binary(&mut self, operation: impl FnOnce(Word, Word) -> Word) -> Flow {
        self.result = operation(self.from[0], self.from[1]);
        Ok(())
    }

    fn ternary(&mut self, operation: impl FnOnce(Word, Word, Word) -> Word) -> Flow {
        self.result = operation(self.from[0], self.from[1], self.from[2]);
        Ok(())
    }

    fn priced(&mut self, price: fn(Word) -> Price, operation: impl FnOnce(Word, Word) -> Word) -> Flow {
        self.price = price(if self.is_constant { self.from[1] } else { Word::MAX });
        self.binary(operation)
    }

    fn work(&mut self, units: u64) -> Flow {
        self.price.units += units;
        Ok(())
    }
}
