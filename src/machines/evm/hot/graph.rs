//! From code to computations: the data flow of a block, without moves on the stack.

use std::array;

use super::block::{BlockExit, BlockPlace, BlockStep, CONSTANTS, Condition, NextBlock, Test};
use super::role::{self, Role, RolePart};
use crate::isa::OpSet;
use crate::machines::evm::destinations::Destinations;
use crate::machines::evm::frame::Stack;
use crate::machines::evm::opcodes::Op;
use crate::machines::evm::operands::{Operands, WordPrice};
use crate::machines::evm::stack::word_of;
use crate::machines::evm::stop::EvmFlow;
use crate::machines::evm::word::{Halves, Word, small};

/// The maximum number of instructions in a block.
const MAX_LENGTH: usize = 200;
/// The maximum number of jumps that a block follows.
const JUMPS: usize = 4;

/// An item during the translation of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StackItem {
    /// The item at this position when the block begins, counted from 1 for the top item.
    Entry(u16),
    /// The constant with this number.
    Constant(u16),
    /// The result of the node with this number.
    Node(u16),
}

/// A computation.
#[derive(Debug, Clone, Copy)]
pub(super) struct GraphNode {
    /// The code of its instruction.
    pub(super) code: u8,
    /// How many operands it has.
    pops: u8,
    from: [StackItem; 3],
    /// Whether its price depends on them. It is then executed even if nothing uses the result.
    pub(super) is_priced: bool,
}

impl GraphNode {
    /// The items that it uses.
    pub(super) fn operands(&self) -> &[StackItem] {
        &self.from[..usize::from(self.pops)]
    }
}

/// A block before places are allocated.
#[derive(Debug, Default)]
pub(super) struct BlockGraph {
    pub(super) nodes: Vec<GraphNode>,
    pub(super) constants: Vec<Word>,
    /// The lowest first: those of the stack at the start that were noted and not used so far, and the items that the
    /// block uses and leaves.
    items: Vec<StackItem>,
    /// How many items of the stack at the start were noted: more than the block uses, so that it seldom has
    /// to note another one below all.
    noted: usize,
    /// How many of these it does not use.
    unused: usize,
    /// The maximum number of items in addition to those that it uses.
    pub(super) growth: usize,
    /// A condition on the items at the start, without which the block fails.
    pub(super) guard: Option<Condition<StackItem>>,
    pub(super) gas: u64,
    pub(super) units: u64,
    pub(super) instructions: usize,
}

/// Where a block continues, with items in place of places.
#[derive(Debug, Clone, Copy)]
pub(super) enum BlockEnd {
    To(BlockExit),
    Branch(Condition<StackItem>, [NextBlock; 2]),
}

/// The input of the translation: the code, and what is known about it.
pub(super) struct ItemSource<'c> {
    pub(super) code: &'c [u8],
    pub(super) destinations: &'c mut Destinations,
    pub(super) stack: &'c mut Stack,
    /// The first slot that is not a constant yet.
    pub(super) constants: &'c mut u16,
    /// The steps of all blocks, to which those of the new block are added.
    pub(super) steps: &'c mut Vec<BlockStep>,
    /// The instructions that no block contains.
    pub(super) left_out: Option<&'c OpSet>,
}

impl ItemSource<'_> {
    /// Whether no block contains an instruction with this code.
    fn is_left_out(&self, code: u8) -> bool {
        self.left_out.is_some_and(|ops| ops.may_have(code))
    }

    /// The slot of a constant; `None` if there are too many.
    pub(super) fn constant(&mut self, word: Word) -> Option<BlockPlace> {
        let slots = CONSTANTS.start..*self.constants;
        let halves = Halves::new(word);
        let known = slots.clone().find(|slot| self.stack[usize::from(*slot)] == halves);
        let slot = known.unwrap_or(slots.end);
        if !CONSTANTS.contains(&slot) {
            return None;
        }
        self.stack[usize::from(slot)] = halves;
        *self.constants = slots.end.max(slot + 1);
        Some(BlockPlace::slot(slot))
    }
}

impl BlockGraph {
    /// How many items of the stack the block uses.
    pub(super) fn used(&self) -> usize {
        self.noted - self.unused
    }

    /// What the block leaves in place of the items that it uses, the lowest first.
    pub(super) fn items(&self) -> &[StackItem] {
        &self.items[self.unused..]
    }

    /// The position of a stack item among those that the block uses, counted from the lowest one.
    pub(super) fn place_of_entry(&self, below: u16) -> usize {
        self.used() - usize::from(below)
    }

    pub(super) fn constant(&self, item: StackItem) -> Option<Word> {
        match item {
            StackItem::Constant(number) => Some(self.constants[usize::from(number)]),
            StackItem::Entry(_) | StackItem::Node(_) => None,
        }
    }

    pub(super) fn reset(&mut self) {
        self.nodes.clear();
        self.constants.clear();
        self.items.clear();
        (self.noted, self.unused, self.growth, self.instructions) = (0, 0, 0, 0);
        (self.guard, self.gas, self.units) = (None, 0, 0);
        self.note_more();
    }

    /// Whether the block takes less time than its instructions on the plain loop: entering it takes as long as a
    /// few of them, and so does going back to that loop.
    pub(super) fn is_worth_it(&self, end: &BlockEnd) -> bool {
        const FEW: usize = 6;
        match end {
            BlockEnd::To(BlockExit::Plain(_)) => self.instructions >= 2 * FEW,
            BlockEnd::To(_) | BlockEnd::Branch(..) => self.instructions > 0,
        }
    }

    /// Follows the instructions from `pc` on; returns how the block ends.
    pub(super) fn follow(&mut self, source: &mut ItemSource<'_>, mut pc: usize) -> BlockEnd {
        let mut jumps = 0;
        while self.instructions < MAX_LENGTH && jumps < JUMPS {
            let code = source.code[pc];
            if source.is_left_out(code) {
                return BlockEnd::To(BlockExit::Plain(pc));
            }
            let part = role::part(code);
            let next = match part.role {
                Role::Ends => return BlockEnd::To(BlockExit::Plain(pc)),
                Role::Jumps => match self.target(source) {
                    Target::At(target) => target,
                    Target::Unknown => return BlockEnd::To(BlockExit::Jump { at: pc, gas: part.gas }),
                    Target::Nowhere => return BlockEnd::To(BlockExit::Plain(pc)),
                },
                Role::Branches => match self.target(source) {
                    Target::At(target) => {
                        let condition = self.condition();
                        let is_assertion = is_undefined(source.code, pc + 1);
                        if !(is_assertion && self.expects(condition)) {
                            self.instruction(part, pc, source.code);
                            return BlockEnd::Branch(condition, [target, pc + 1].map(NextBlock::at));
                        }
                        target
                    }
                    Target::Unknown | Target::Nowhere => return BlockEnd::To(BlockExit::Plain(pc)),
                },
                Role::Pushes(size) => pc + 1 + size,
                _ => pc + 1,
            };
            self.instruction(part, pc, source.code);
            pc = next;
            jumps += usize::from(part.role == Role::Jumps);
        }
        BlockEnd::To(BlockExit::To(NextBlock::at(pc)))
    }

    /// The target of a jump, which is on top of the stack.
    fn target(&mut self, source: &mut ItemSource<'_>) -> Target {
        let top = self.nth(1);
        let Some(target) = self.constant(top) else { return Target::Unknown };
        small(target)
            .filter(|target| source.destinations.contains(source.code, *target))
            .map_or(Target::Nowhere, Target::At)
    }

    /// The condition on which a JUMPI jumps.
    fn condition(&mut self) -> Condition<StackItem> {
        let mut item = self.nth(2);
        let mut holds = false;
        while let StackItem::Node(node) = item {
            let GraphNode { code, from: [a, b, _], .. } = self.nodes[usize::from(node)];
            let (test, of) = match Op::of_code(code) {
                Some(Op::ISZERO) => {
                    holds = !holds;
                    item = a;
                    continue;
                }
                Some(Op::LT) => (Test::Less, [a, b]),
                Some(Op::GT) => (Test::Less, [b, a]),
                Some(Op::EQ) => (Test::Equal, [a, b]),
                _ => break,
            };
            return Condition { test, holds: !holds, of };
        }
        Condition { test: Test::IsZero, holds, of: [item; 2] }
    }

    /// Makes the condition the block's guard; returns whether that is possible. Its operands must be known before the
    /// first step, and a block has only one guard.
    fn expects(&mut self, condition: Condition<StackItem>) -> bool {
        let is_known = !condition.of.iter().any(|item| matches!(item, StackItem::Node(_)));
        is_known && *self.guard.get_or_insert(condition) == condition
    }

    /// Adds the instruction at `pc` to the block.
    fn instruction(&mut self, part: &RolePart, pc: usize, code: &[u8]) {
        self.charge(part);
        match part.role {
            Role::Computes => self.compute(code[pc], part),
            Role::Pushes(size) => self.push_constant(word_of(&code[pc + 1..=pc + size])),
            Role::Locates => self.push_constant(Word::from(pc)),
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
            Role::Branches => {
                self.nth(2);
                self.items.truncate(self.items.len() - 2);
            }
            Role::Marks | Role::Ends => {}
        }
    }

    /// Counts an instruction and its price.
    fn charge(&mut self, part: &RolePart) {
        self.gas += part.gas;
        self.instructions += 1;
    }

    fn push(&mut self, item: StackItem) {
        self.items.push(item);
        self.growth = self.growth.max(self.items().len().saturating_sub(self.used()));
    }

    fn push_constant(&mut self, word: Word) {
        self.push(StackItem::Constant(self.constants.len() as u16));
        self.constants.push(word);
    }

    /// The item at this position from the top, counted from 1.
    fn nth(&mut self, nth: usize) -> StackItem {
        if nth > self.items.len() {
            self.note_more();
        }
        let at = self.items.len() - nth;
        self.unused = self.unused.min(at);
        self.items[at]
    }

    /// Notes more items of the stack at the start, below all others: at least as many as an instruction can use.
    fn note_more(&mut self) {
        const MORE: usize = 32;
        let lowest = self.noted + MORE;
        let more: [_; MORE] = array::from_fn(|above| StackItem::Entry((lowest - above) as u16));
        self.items.splice(0..0, more);
        self.noted += MORE;
        self.unused += MORE;
    }

    /// The result of an instruction: a constant if all operands are constants, otherwise a node.
    fn compute(&mut self, code: u8, part: &RolePart) {
        let pops = usize::from(part.pops);
        self.nth(pops);
        let mut from = [StackItem::Constant(0); 3];
        for item in &mut from[..pops] {
            *item = self.items.pop().unwrap_or(*item);
        }
        let mut node = GraphNode { code, pops: part.pops, from, is_priced: false };
        let mut known = KnownValues::default();
        if node.operands().iter().all(|item| matches!(item, StackItem::Constant(_))) {
            known.from = Some(from.map(|item| self.constant(item).unwrap_or_default()));
        }
        // It cannot fail.
        let _ = role::compute(code, &mut known);
        self.gas += known.price.gas;
        self.units += known.price.units;
        if known.from.is_some() {
            return self.push_constant(known.result);
        }
        self.push(StackItem::Node(self.nodes.len() as u16));
        node.is_priced = known.price.gas > 0;
        self.nodes.push(node);
    }
}

/// Whether the code there is undefined. Compilers put such a code behind an assertion.
fn is_undefined(code: &[u8], at: usize) -> bool {
    code.get(at).is_some_and(|code| Op::of_code(*code).is_none())
}

enum Target {
    At(usize),
    /// It is only known at run time.
    Unknown,
    /// It is not a destination.
    Nowhere,
}

/// The operands of an instruction if all are known, and the result.
#[derive(Default)]
struct KnownValues {
    from: Option<[Word; 3]>,
    /// 0 if an operand is not known.
    result: Word,
    /// The highest price in that case.
    price: WordPrice,
}

impl Operands for KnownValues {
    fn unary(&mut self, operation: impl FnOnce(Word) -> Word) -> EvmFlow {
        self.result = self.from.map_or(Word::ZERO, |[a, _, _]| operation(a));
        Ok(())
    }

    fn binary(&mut self, operation: impl FnOnce(Word, Word) -> Word) -> EvmFlow {
        self.result = self.from.map_or(Word::ZERO, |[a, b, _]| operation(a, b));
        Ok(())
    }

    fn ternary(&mut self, operation: impl FnOnce(Word, Word, Word) -> Word) -> EvmFlow {
        self.result = self.from.map_or(Word::ZERO, |[a, b, c]| operation(a, b, c));
        Ok(())
    }

    fn priced(
        &mut self,
        price: fn(Word) -> WordPrice,
        operation: impl FnOnce(Word, Word) -> Word,
    ) -> EvmFlow {
        self.price = price(self.from.map_or(Word::MAX, |[_, b, _]| b));
        self.binary(operation)
    }

    fn work(&mut self, units: u64) -> EvmFlow {
        self.price.units += units;
        Ok(())
    }
}
