//! The hot tier: frequently executed code, as blocks of steps.
//!
//! A *block* is straight-line code: from a jump destination that was jumped to a few times, across jumps to known
//! places, up to a jump that depends on the run or an instruction that does more than compute. Its translation
//! removes the traffic on the stack: PUSH, DUP, SWAP and POP are no steps, and results are computed where they end
//! up. Gas, stack and account are checked once, when the block begins.
//!
//! A block that passes these checks cannot fail. One that does not pass is left to the plain loop, which executes
//! it from its start: which instruction fails, why, and with how much gas is decided there only. The plain loop
//! also executes what a block cannot contain.
//!
//! | file | content |
//! |---|---|
//! | `role.rs` | the role of each instruction in a block, from the rows of the table |
//! | `translate.rs` | from code to a block |
//! | `graph.rs` | from code to computations |
//! | `allocate.rs` | from computations to steps |
//! | `block.rs` | blocks and steps, and how a step is executed |

mod allocate;
mod block;
mod graph;
mod role;
#[cfg(test)]
mod tests;
mod translate;

use std::hint::black_box;
use std::num::NonZeroU16;

use self::block::{BlockExit, BlockRegisters, BlockStep, CONSTANTS, HotBlock};
use self::graph::ItemSource;
use self::translate::Translator;
use super::frame::{EvmFrame, STACK_SLOTS};
use super::interpret::once;
use super::opcodes::Op;
use super::stop::EvmStop;
use super::word::small;
use crate::isa::OpSet;

/// The blocks of a program.
#[derive(Debug, Clone, Default)]
pub(super) struct HotTier {
    /// Blocks by number. The first one is not used, so that no number is 0.
    blocks: Vec<HotBlock>,
    steps: Vec<BlockStep>,
    /// For each offset in the code; may be longer.
    entries: Vec<HotEntry>,
    /// Where an entry was changed. A program has few of these, and clearing all entries would take longer than
    /// executing a short one.
    visited: Vec<usize>,
    /// The slots of constants that are in use.
    constants: u16,
    /// The instructions that no block contains, since the run ends before them.
    left_out: Option<OpSet>,
    translator: Translator,
}

/// What is known about an offset: the number of visits, or the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HotEntry {
    Visited(u8),
    /// There is no block.
    Never,
    Block(NonZeroU16),
}

impl HotEntry {
    #[inline(always)]
    fn block(self) -> Option<NonZeroU16> {
        match self {
            HotEntry::Block(block) => Some(block),
            HotEntry::Visited(_) | HotEntry::Never => None,
        }
    }
}

impl Default for HotEntry {
    fn default() -> HotEntry {
        HotEntry::Visited(0)
    }
}

/// How many jumps make a destination hot. Making a block takes as long as executing its instructions ten times on
/// the plain loop, twenty times for the shortest ones: a program that ends then has lost less than 3 % of its time.
pub(super) const JUMPS: u16 = 600;

/// Like [`JUMPS`], for `--engine both`, which executes short programs in blocks, too, to compare them.
pub(super) const FEW_JUMPS: u16 = 8;

/// How often blocks must continue at a place to make it hot.
const VISITS: u8 = 4;

impl HotTier {
    /// The maximum numbers of blocks and steps of a program.
    const MAX_BLOCKS: usize = 1 << 12;
    const MAX_STEPS: usize = 1 << 16;

    /// Removes the blocks of the last program.
    pub(super) fn reset(&mut self) {
        self.blocks.truncate(1);
        self.steps.clear();
        for pc in self.visited.drain(..) {
            self.entries[pc] = HotEntry::default();
        }
        self.constants = CONSTANTS.start;
    }

    /// From now on, makes only blocks without these instructions.
    pub(super) fn leave_out(&mut self, ops: Option<&OpSet>) {
        if self.left_out.as_ref() != ops {
            self.reset();
            self.left_out = ops.cloned();
        }
    }

    /// Whether no block contains an instruction with this code.
    fn is_left_out(&self, code: u8) -> bool {
        self.left_out.as_ref().is_some_and(|ops| ops.may_have(code))
    }

    /// Executes blocks from the program counter on, and what is between them. Returns the reason if that ends it;
    /// `None` if the plain loop must continue. After each block, calls `boundary` with the frame, what has to be
    /// put into it, and the program counter.
    pub(super) fn run(
        &mut self,
        frame: &mut EvmFrame<'_>,
        mut boundary: impl FnMut(&mut EvmFrame<'_>, &HotState, usize),
    ) -> Option<EvmStop> {
        frame.stack[frame.height] = frame.top;
        let mut state = HotState {
            gas: frame.gas,
            height: frame.height,
            instructions: frame.context.count.at(frame.pc),
            fence: frame.context.count.fence,
        };
        let mut pc = frame.pc;
        let mut known = None;
        let (pc, stop) = loop {
            let Some(number) = known.or_else(|| self.block_at(pc, frame)) else { break (pc, None) };
            let block = &self.blocks[usize::from(number.get())];
            let Some(base) = state.enter(block, frame) else { break (pc, None) };
            let steps = &self.steps[block.steps.clone()];
            state.execute(block, steps, base, frame);
            if let BlockExit::Repeat { condition, start, .. } = block.exit {
                while BlockRegisters::new(frame.stack, base).meets(&condition) {
                    boundary(frame, &state, start);
                    if !state.pay(block, frame) {
                        break;
                    }
                    state.execute(block, steps, base, frame);
                }
            }
            match block.exit {
                BlockExit::To(next) => {
                    (pc, known) = (next.pc, next.block);
                }
                BlockExit::Repeat { condition, start, after } => {
                    let starts_over = BlockRegisters::new(frame.stack, base).meets(&condition);
                    (pc, known) = if starts_over { (start, Some(number)) } else { (after.pc, after.block) };
                }
                BlockExit::Branch(condition, [met, not_met]) => {
                    if BlockRegisters::new(frame.stack, base).meets(&condition) {
                        // Keeps the compiler from merging both into one path, on which the next block would have to
                        // wait for the condition.
                        black_box(());
                        (pc, known) = (met.pc, met.block);
                    } else {
                        (pc, known) = (not_met.pc, not_met.block);
                    }
                }
                BlockExit::Jump { at, gas } => match self.destination(frame, state.height) {
                    Some((target, block)) if state.gas >= gas => {
                        state.gas -= gas;
                        state.height -= 1;
                        state.instructions += 1;
                        (pc, known) = (target, Some(block));
                    }
                    Some(_) | None => break (at, None),
                },
                BlockExit::Plain(at) if self.is_left_out(frame.code[at]) => break (at, None),
                BlockExit::Plain(at) => {
                    state.leave(frame, at);
                    let stop = once(frame).filter(|stop| *stop != EvmStop::Hot);
                    frame.stack[frame.height] = frame.top;
                    state.return_to(frame);
                    (pc, known) = (frame.pc, None);
                    if stop.is_some() {
                        break (pc, stop);
                    }
                }
            }
            if known.is_none() {
                self.link(number, pc);
            }
            boundary(frame, &state, pc);
        };
        state.leave(frame, pc);
        stop
    }

    /// The target of the JUMP before which a block ended, if a block begins there.
    #[inline(always)]
    fn destination(&self, frame: &EvmFrame<'_>, height: usize) -> Option<(usize, NonZeroU16)> {
        let target = small(frame.stack[height & (STACK_SLOTS - 1)].word())?;
        let entry = self.entries.get(target)?;
        let block = entry.block()?;
        (frame.code[target] == Op::JUMPDEST as u8).then_some((target, block))
    }

    #[inline(always)]
    fn block_at(&mut self, pc: usize, frame: &mut EvmFrame<'_>) -> Option<NonZeroU16> {
        let known = self.entries.get(pc).and_then(|entry| entry.block());
        known.or_else(|| self.visit(pc, frame))
    }

    /// Links a block that continues at `pc` to the block there.
    #[cold]
    #[inline(never)]
    fn link(&mut self, number: NonZeroU16, pc: usize) {
        let Some(block) = self.entries.get(pc).and_then(|entry| entry.block()) else { return };
        let exit = &mut self.blocks[usize::from(number.get())].exit;
        let nexts = match exit {
            BlockExit::To(next) => std::slice::from_mut(next),
            BlockExit::Branch(_, nexts) => nexts,
            BlockExit::Repeat { after, .. } => std::slice::from_mut(after),
            BlockExit::Jump { .. } | BlockExit::Plain(_) => return,
        };
        nexts.iter_mut().filter(|next| next.pc == pc).for_each(|next| next.block = Some(block));
    }

    /// Counts a visit of `pc`. Returns the block there if it is hot.
    #[cold]
    #[inline(never)]
    fn visit(&mut self, pc: usize, frame: &mut EvmFrame<'_>) -> Option<NonZeroU16> {
        if self.entries.len() < frame.code.len() {
            self.entries.resize(frame.code.len(), HotEntry::default());
        }
        let visits = match &mut self.entries[pc] {
            HotEntry::Visited(visits) => visits,
            HotEntry::Never | HotEntry::Block(_) => return None,
        };
        if *visits == 0 {
            self.visited.push(pc);
        }
        *visits += 1;
        if *visits < VISITS && !frame.destinations.is_hot(pc) {
            return None;
        }
        let block = self.translate(pc, frame);
        self.entries[pc] = block.map_or(HotEntry::Never, HotEntry::Block);
        if block.is_none() {
            frame.destinations.cool(pc);
        }
        block
    }

    /// Makes the block at `pc`.
    fn translate(&mut self, pc: usize, frame: &mut EvmFrame<'_>) -> Option<NonZeroU16> {
        if self.blocks.is_empty() {
            self.blocks.push(HotBlock::default());
        }
        if self.blocks.len() >= HotTier::MAX_BLOCKS || self.steps.len() >= HotTier::MAX_STEPS {
            return None;
        }
        let mut source = ItemSource {
            code: frame.code,
            destinations: frame.destinations,
            stack: frame.stack,
            constants: &mut self.constants,
            steps: &mut self.steps,
            left_out: self.left_out.as_ref(),
        };
        let block = self.translator.translate(&mut source, pc)?;
        let number = NonZeroU16::new(self.blocks.len() as u16);
        self.blocks.push(block);
        number
    }
}

/// The state, besides the stack, that a block checks and changes.
pub(super) struct HotState {
    gas: u64,
    height: usize,
    /// How many instructions were executed.
    instructions: usize,
    fence: usize,
}

impl HotState {
    /// Counts the instructions of a block. Returns its base; `None` if one of them may end the run.
    #[inline(always)]
    fn enter(&mut self, block: &HotBlock, frame: &mut EvmFrame<'_>) -> Option<usize> {
        let base = self.height.wrapping_sub(block.items);
        let holds = |guard| BlockRegisters::new(frame.stack, base).meets(guard);
        // Without the items that the block takes, the base is a huge number: one comparison decides that and the room.
        let has_room = base <= block.most_below;
        let is_possible = has_room && block.guard.as_ref().is_none_or(holds) && self.pay(block, frame);
        is_possible.then(|| {
            self.height = base + block.results;
            base
        })
    }

    /// Counts the instructions of a block, for which the stack has the items and the room. False if one of them may
    /// end the run.
    #[inline(always)]
    fn pay(&mut self, block: &HotBlock, frame: &mut EvmFrame<'_>) -> bool {
        let is_possible = self.gas >= block.gas
            && self.instructions + block.instructions < self.fence
            && frame.context.account.charge_in_advance(block.units);
        if is_possible {
            self.gas -= block.gas;
            self.instructions += block.instructions;
        }
        is_possible
    }

    /// Executes the steps of a block that has been paid for.
    #[inline(always)]
    fn execute(&mut self, block: &HotBlock, steps: &[BlockStep], base: usize, frame: &mut EvmFrame<'_>) {
        let mut registers = BlockRegisters::new(frame.stack, base);
        for step in steps {
            registers.execute(step);
        }
        // Without units, no price depends on operands.
        if block.units > 0 {
            self.gas += registers.unspent.gas;
            frame.context.account.return_units(registers.unspent.units);
        }
    }

    /// Copies the state to the frame, which continues at `pc`.
    pub(super) fn leave(&self, frame: &mut EvmFrame<'_>, pc: usize) {
        (frame.pc, frame.gas, frame.height) = (pc, self.gas, self.height);
        frame.top = frame.stack[self.height & (STACK_SLOTS - 1)];
        frame.context.count.lack = self.instructions.wrapping_sub(pc);
    }

    /// Copies the state back from the frame.
    fn return_to(&mut self, frame: &EvmFrame<'_>) {
        (self.gas, self.height) = (frame.gas, frame.height);
        self.instructions = frame.context.count.at(frame.pc);
    }
}
