//! The state of a run, and what handlers do with it.

use super::opcodes::MiniOp;
use super::program::{Code, Function, MiniInstruction};
use super::trap::Trap;
use super::word::MiniWord;
use crate::machines::account::{CaseAccount, Limit};

/// The result of a handler. A handler that stops the run has changed nothing.
pub(super) type MiniFlow = Result<(), Box<MiniStop>>;

/// Why no further instruction is executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MiniStop {
    Trap(Trap),
    /// The first function returned this.
    Halt(i16),
    /// A limit of the runner.
    Limited(Limit),
}

/// A call that has not returned.
#[derive(Debug, Clone, Copy)]
pub(super) struct MiniFrame {
    /// The index of the function in the program.
    pub(super) function: usize,
    /// The index of its first slot.
    pub(super) base: usize,
    /// The instruction after the call, in the frame below; meaningless in the first frame.
    pub(super) return_ip: usize,
}

/// The limits of a run.
#[derive(Debug, Clone)]
pub(super) struct MiniLimits {
    /// Attempts; `None` for no limit.
    pub(super) steps: Option<u64>,
    /// Values on the operand stack.
    pub(super) operand_stack: u64,
    /// Frames, including the first one.
    pub(super) call_depth: u64,
    /// The runner's limit on the words of the operand stack, and of all slots together.
    pub(super) words: usize,
}

/// A running machine.
pub(super) struct Cpu<'c> {
    pub(super) code: &'c Code,
    /// The instructions of the current function, followed by [`MiniOp::End`].
    pub(super) instructions: &'c [MiniInstruction],
    pub(super) ip: usize,
    /// The index of the current frame's first slot.
    pub(super) base: usize,
    pub(super) stack: Vec<MiniWord>,
    pub(super) slots: Vec<MiniWord>,
    pub(super) frames: Vec<MiniFrame>,
    /// The argument of the last DBG_LINE.
    pub(super) line: Option<u16>,
    pub(super) limits: &'c MiniLimits,
    pub(super) account: &'c mut CaseAccount,
}

impl<'c> Cpu<'c> {
    /// The code of the next instruction.
    #[inline(always)]
    pub(super) fn lead(&self) -> u8 {
        self.instructions[self.ip].op as u8
    }

    /// The next instruction; the program counter moves past it.
    #[inline(always)]
    pub(super) fn fetch(&mut self) -> (MiniOp, i32) {
        let MiniInstruction { op, argument } = self.instructions[self.ip];
        self.ip += 1;
        (op, argument)
    }

    /// The current function.
    pub(super) fn function(&self) -> &'c Function {
        &self.code.functions[self.current()]
    }

    fn current(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.function)
    }

    /// The slots of the current frame.
    #[inline(always)]
    pub(super) fn locals(&mut self) -> &mut [MiniWord] {
        &mut self.slots[self.base..]
    }

    /// Pushes a value; must be the last step of an instruction.
    #[inline(always)]
    pub(super) fn push(&mut self, word: MiniWord) -> MiniFlow {
        if self.stack.len() >= self.limits.words || self.stack.len() as u64 >= self.limits.operand_stack {
            return Err(self.full());
        }
        self.stack.push(word);
        Ok(())
    }

    #[inline(always)]
    pub(super) fn top(&self) -> Result<MiniWord, Box<MiniStop>> {
        self.stack.last().copied().ok_or_else(|| underflow(1))
    }

    /// The two top values, the lower one first.
    #[inline(always)]
    pub(super) fn two(&self) -> Result<(MiniWord, MiniWord), Box<MiniStop>> {
        match self.stack[..] {
            [.., a, b] => Ok((a, b)),
            _ => Err(underflow(2)),
        }
    }

    /// Replaces the two top values with one.
    #[inline(always)]
    pub(super) fn replace_two(&mut self, word: MiniWord) {
        self.stack.pop();
        if let Some(top) = self.stack.last_mut() {
            *top = word;
        }
    }

    /// Replaces the top value.
    #[inline(always)]
    pub(super) fn replace(&mut self, word: MiniWord) {
        if let Some(top) = self.stack.last_mut() {
            *top = word;
        }
    }

    /// The argument of the fetched instruction, as written in the program.
    pub(super) fn argument(&self) -> crate::model::Value {
        self.code.argument(self.current(), self.ip - 1)
    }

    #[cold]
    fn full(&self) -> Box<MiniStop> {
        let limit = self.limits.operand_stack;
        if self.stack.len() as u64 >= limit {
            return trap(Trap::Overflow { limit });
        }
        Limit::Memory.into()
    }
}

impl From<Limit> for Box<MiniStop> {
    #[cold]
    fn from(limit: Limit) -> Box<MiniStop> {
        Box::new(MiniStop::Limited(limit))
    }
}

#[cold]
pub(super) fn trap(trap: Trap) -> Box<MiniStop> {
    Box::new(MiniStop::Trap(trap))
}

#[cold]
pub(super) fn underflow(need: usize) -> Box<MiniStop> {
    trap(Trap::Underflow { need })
}

/// The trap for a value of the wrong kind; `expected` is the name of the right kind in `details`.
#[cold]
pub(super) fn wrong_kind(expected: &'static str) -> Box<MiniStop> {
    trap(Trap::Type { expected })
}
