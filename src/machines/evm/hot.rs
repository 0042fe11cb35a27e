//! The hot tier: code that is executed again and again, as blocks of steps.
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
//! | `role.rs` | what a block makes of each instruction, from the rows of the table |
//! | `translate.rs` | from code to computations |
//! | `allocate.rs` | from computations to steps |
//! | `block.rs` | blocks and steps, and how a step is executed |

mod allocate;
mod block;
mod role;
mod translate;

use self::allocate::Allocator;
use self::block::{Block, CONSTANTS, Exit, Registers, Step};
use self::translate::{Graph, Source};
use super::frame::{Frame, STACK_LIMIT, STACK_SLOTS, small};
use super::table::Op;

/// The blocks of a program.
#[derive(Debug, Default)]
pub(super) struct Hot {
    blocks: Vec<Block>,
    /// The steps of all blocks.
    steps: Vec<Step>,
    /// For each offset in the code; empty before the first block.
    entries: Vec<Entry>,
    /// The slots of constants that are in use.
    constants: u16,
    translator: Translator,
}

/// What the translation of a block works with, kept for its allocations.
#[derive(Debug, Default)]
struct Translator {
    graph: Graph,
    allocator: Allocator,
}

/// What is known about an offset: the number of visits, or from [`Entry::FIRST`] on its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Default)]
struct Entry(u16);

impl Entry {
    /// As many visits make a place hot.
    const HOT: Entry = Entry(4);
    /// There is no block.
    const NEVER: Entry = Entry(5);
    const FIRST: u16 = 6;

    #[inline(always)]
    fn block(self) -> Option<usize> {
        self.0.checked_sub(Entry::FIRST).map(usize::from)
    }
}

/// How the machine goes on after the last block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// On the plain loop.
    Plain,
    /// With one instruction on the plain loop, and then with the next block.
    Once,
}

/// How far to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blocks {
    /// As far as there are blocks.
    All,
    /// One block at most.
    One,
}

impl Hot {
    /// The most blocks and steps of a program.
    const MOST_BLOCKS: usize = 1 << 12;
    const MOST_STEPS: usize = 1 << 16;

    /// Forgets the last program.
    pub(super) fn reset(&mut self) {
        self.blocks.clear();
        self.steps.clear();
        self.entries.clear();
        self.constants = CONSTANTS.start;
    }

    /// Executes blocks from the program counter on.
    pub(super) fn run(&mut self, frame: &mut Frame<'_>, blocks: Blocks) -> Left {
        frame.stack[frame.height] = frame.top;
        let mut instructions = frame.context.count.at(frame.pc);
        let fence = frame.context.count.fence;
        let left = loop {
            let Some(number) = self.block_at(frame) else { break Left::Plain };
            let block = &self.blocks[number];
            let base = frame.height.wrapping_sub(block.items);
            let height = base.wrapping_add(block.results);
            let is_possible = base <= STACK_LIMIT
                && frame.height + block.growth <= STACK_LIMIT
                && frame.gas >= block.gas
                && instructions + block.instructions < fence
                && frame.context.account.charge_in_advance(block.units);
            if !is_possible {
                break Left::Plain;
            }
            frame.gas -= block.gas;
            instructions += block.instructions;
            frame.height = height;
            let mut registers = Registers { stack: frame.stack, base };
            for step in &self.steps[block.steps.clone()] {
                registers.execute(step);
            }
            match &block.exit {
                Exit::To(pc) => frame.pc = *pc,
                Exit::Branch(condition, [met, not_met]) => {
                    frame.pc = if registers.meets(condition) { *met } else { *not_met };
                }
                Exit::Jump { at, gas } => {
                    frame.pc = *at;
                    match self.destination(frame) {
                        Some(target) if frame.gas >= *gas => {
                            frame.gas -= gas;
                            frame.height -= 1;
                            frame.pc = target;
                            instructions += 1;
                        }
                        Some(_) | None => break Left::Plain,
                    }
                }
                Exit::Plain(pc) => {
                    frame.pc = *pc;
                    break Left::Once;
                }
            }
            if blocks == Blocks::One {
                break Left::Plain;
            }
        };
        frame.top = frame.stack[frame.height];
        frame.context.count.lack = instructions.wrapping_sub(frame.pc);
        left
    }

    /// The destination of the JUMP at the program counter, if a block begins there.
    #[inline(always)]
    fn destination(&self, frame: &Frame<'_>) -> Option<usize> {
        let target = small(frame.stack[frame.height & (STACK_SLOTS - 1)].word())?;
        self.entries.get(target)?.block()?;
        (frame.code[target] == Op::JUMPDEST as u8).then_some(target)
    }

    /// The block at the program counter.
    #[inline(always)]
    fn block_at(&mut self, frame: &mut Frame<'_>) -> Option<usize> {
        match self.entries.get(frame.pc).and_then(|entry| entry.block()) {
            Some(block) => Some(block),
            None => self.visit(frame),
        }
    }

    /// Counts a visit of the program counter. The block there if it is hot.
    #[cold]
    #[inline(never)]
    fn visit(&mut self, frame: &mut Frame<'_>) -> Option<usize> {
        self.entries.resize(frame.code.len(), Entry::default());
        let is_known_hot = frame.destinations.is_hot(frame.pc);
        let entry = &mut self.entries[frame.pc];
        if *entry == Entry::NEVER {
            return None;
        }
        entry.0 += 1;
        if *entry < Entry::HOT && !is_known_hot {
            return None;
        }
        let block = self.translate(frame);
        self.entries[frame.pc] = match block {
            Some(block) => Entry(Entry::FIRST + block as u16),
            None => Entry::NEVER,
        };
        if block.is_none() {
            frame.destinations.cool(frame.pc);
        }
        block
    }

    /// Makes the block at the program counter.
    fn translate(&mut self, frame: &mut Frame<'_>) -> Option<usize> {
        if self.blocks.len() >= Hot::MOST_BLOCKS || self.steps.len() >= Hot::MOST_STEPS {
            return None;
        }
        let mut source = Source {
            code: frame.code,
            destinations: frame.destinations,
            stack: frame.stack,
            constants: &mut self.constants,
        };
        let Translator { graph, allocator } = &mut self.translator;
        let block = translate::translate(&mut source, frame.pc, graph, allocator, &mut self.steps)?;
        self.blocks.push(block);
        Some(self.blocks.len() - 1)
    }
}
