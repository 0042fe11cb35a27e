//! A block: straight-line code as steps on places, and where it goes on.

use std::num::NonZeroU16;
use std::ops::Range;

use super::role::compute;
use crate::machines::evm::frame::{STACK_LIMIT, STACK_SLOTS, Stack};
use crate::machines::evm::operands::{Operands, WordPrice};
use crate::machines::evm::stop::EvmFlow;
use crate::machines::evm::word::{Halves, Word, equal, is_zero};

/// The slots above the stack: first those for what a block computes and has no place for, then constants.
pub(super) const TEMPORARIES: Range<u16> = STACK_LIMIT as u16 + 1..1280;
pub(super) const CONSTANTS: Range<u16> = TEMPORARIES.end..STACK_SLOTS as u16;

/// A slot of the stack's storage: counted from the item below the lowest one that the block uses, or from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct BlockPlace {
    offset: u16,
    /// All bits set where the block's base counts: an index is then computed without a branch.
    base: u16,
}

impl BlockPlace {
    /// The item with this number among those that the block uses, counted from the bottom.
    pub(super) fn item(number: usize) -> BlockPlace {
        BlockPlace { offset: number as u16 + 1, base: u16::MAX }
    }

    /// A slot that is not an item.
    pub(super) fn slot(slot: u16) -> BlockPlace {
        BlockPlace { offset: slot, base: 0 }
    }

    #[inline(always)]
    fn index(self, base: usize) -> usize {
        (usize::from(self.offset) + (base & usize::from(self.base))) & (STACK_SLOTS - 1)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockStep {
    pub(super) action: BlockAction,
    pub(super) to: BlockPlace,
    pub(super) from: [BlockPlace; 3],
}

/// What a step does: what the instruction of this code computes, or one of those below. One number for both, so that
/// a step is decoded at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BlockAction(u8);

impl BlockAction {
    /// Adds the second operand, which is less than 2^64, to the item in its place.
    pub(super) const INCREASE: BlockAction = BlockAction(0xe0);
    /// Copies the first operand.
    pub(super) const COPY: BlockAction = BlockAction(0xe1);

    /// Computes like the instruction with this code.
    pub(super) const fn of(code: u8) -> BlockAction {
        BlockAction(code)
    }
}

/// A condition on two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Condition<Operand = BlockPlace> {
    pub(super) test: Test,
    /// The result of the test for which the condition is met.
    pub(super) holds: bool,
    pub(super) of: [Operand; 2],
}

/// A test of one or two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Test {
    /// a is 0.
    IsZero,
    /// a is less than b.
    Less,
    /// a equals b.
    Equal,
}

/// Where a block goes on. Offsets are those of instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockExit {
    /// Always at the same place.
    To(NextBlock),
    /// At the first place if the condition is met, otherwise at the second one.
    Branch(Condition, [NextBlock; 2]),
    /// At the block's own start if the condition is met, with as many items as before; otherwise at `after`.
    Repeat { condition: Condition, start: usize, after: NextBlock },
    /// At the instruction that the top item refers to, by a jump that is not part of the block.
    Jump {
        /// Where the jump is.
        at: usize,
        /// Its price.
        gas: u64,
    },
    /// At this offset, with an instruction that only the plain loop can execute.
    Plain(usize),
}

impl BlockExit {
    /// This exit; if it may lead to `start`, where its block begins, as one that repeats the block.
    pub(super) fn or_repeat(self, start: usize) -> BlockExit {
        match self {
            BlockExit::Branch(condition, [met, after]) if met.pc == start => {
                BlockExit::Repeat { condition, start, after }
            }
            BlockExit::Branch(condition, [after, not_met]) if not_met.pc == start => {
                let condition = Condition { holds: !condition.holds, ..condition };
                BlockExit::Repeat { condition, start, after }
            }
            exit => exit,
        }
    }
}

impl Default for BlockExit {
    fn default() -> BlockExit {
        BlockExit::Plain(0)
    }
}

/// Where a block goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NextBlock {
    /// The offset of the instruction.
    pub(super) pc: usize,
    /// The number of the block there, once known, since looking it up would delay the next block.
    pub(super) block: Option<NonZeroU16>,
}

impl NextBlock {
    pub(super) fn at(pc: usize) -> NextBlock {
        NextBlock { pc, block: None }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct HotBlock {
    /// The highest price of its instructions.
    pub(super) gas: u64,
    /// The maximum charge to the runner's account for them, besides their number.
    pub(super) units: u64,
    /// How many instructions it has.
    pub(super) instructions: usize,
    /// How many items it uses.
    pub(super) items: usize,
    /// The most items that there may be below those that it uses: its instructions add some for a while.
    pub(super) most_below: usize,
    /// How many items there are in place of those that it uses.
    pub(super) results: usize,
    /// A condition on the items before its first step, without which one of its instructions fails.
    pub(super) guard: Option<Condition>,
    /// Its steps, among those of all blocks.
    pub(super) steps: Range<usize>,
    pub(super) exit: BlockExit,
}

/// The stack's storage from the base of a block.
pub(super) struct BlockRegisters<'s> {
    stack: &'s mut Stack,
    base: usize,
    /// How much less than their highest prices the steps cost.
    pub(super) unspent: WordPrice,
}

impl<'s> BlockRegisters<'s> {
    #[inline(always)]
    pub(super) fn new(stack: &'s mut Stack, base: usize) -> BlockRegisters<'s> {
        BlockRegisters { stack, base, unspent: WordPrice::default() }
    }

    #[inline(always)]
    pub(super) fn execute(&mut self, step: &BlockStep) {
        match step.action {
            BlockAction::INCREASE => {
                let by = self.get(step.from[1]).low();
                self.at(step.to).increase(by);
            }
            BlockAction::COPY => *self.at(step.to) = *self.at(step.from[0]),
            BlockAction(code) => {
                // It cannot fail, since its maximum cost was charged when the block began.
                let _ = compute(code, &mut Registered { registers: self, step });
            }
        }
    }

    #[inline(always)]
    pub(super) fn meets(&self, condition: &Condition) -> bool {
        let [a, b] = condition.of;
        let result = match condition.test {
            Test::IsZero => is_zero(self.get(a).word()),
            Test::Less => self.get(a).word() < self.get(b).word(),
            Test::Equal => equal(self.get(a).word(), self.get(b).word()),
        };
        result == condition.holds
    }

    #[inline(always)]
    fn at(&mut self, place: BlockPlace) -> &mut Halves {
        &mut self.stack[place.index(self.base)]
    }

    #[inline(always)]
    fn get(&self, place: BlockPlace) -> Halves {
        self.stack[place.index(self.base)]
    }
}

/// The operands of a step.
struct Registered<'r, 's> {
    registers: &'r mut BlockRegisters<'s>,
    step: &'r BlockStep,
}

impl Registered<'_, '_> {
    #[inline(always)]
    fn operand(&self, number: usize) -> Word {
        self.registers.get(self.step.from[number]).word()
    }

    #[inline(always)]
    fn result(&mut self, word: Word) -> EvmFlow {
        *self.registers.at(self.step.to) = Halves::new(word);
        Ok(())
    }
}

impl Operands for Registered<'_, '_> {
    #[inline(always)]
    fn unary(&mut self, operation: impl FnOnce(Word) -> Word) -> EvmFlow {
        self.result(operation(self.operand(0)))
    }

    #[inline(always)]
    fn binary(&mut self, operation: impl FnOnce(Word, Word) -> Word) -> EvmFlow {
        self.result(operation(self.operand(0), self.operand(1)))
    }

    #[inline(always)]
    fn ternary(&mut self, operation: impl FnOnce(Word, Word, Word) -> Word) -> EvmFlow {
        self.result(operation(self.operand(0), self.operand(1), self.operand(2)))
    }

    #[inline(always)]
    fn priced(
        &mut self,
        price: fn(Word) -> WordPrice,
        operation: impl FnOnce(Word, Word) -> Word,
    ) -> EvmFlow {
        let (most, actual) = (price(Word::MAX), price(self.operand(1)));
        self.registers.unspent.gas += most.gas - actual.gas;
        self.registers.unspent.units += most.units - actual.units;
        self.binary(operation)
    }

    /// The block was charged for all of its instructions.
    #[inline(always)]
    fn work(&mut self, _: u64) -> EvmFlow {
        Ok(())
    }
}
