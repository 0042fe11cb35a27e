//! The state of a run, and what handlers do with it.

use super::program::{Code, Function, Instruction};
use super::table::Op;
use super::trap::Trap;
use super::word::Word;
use crate::machines::account::{Account, Limit};

/// What a handler returns. A handler that stops the run has changed nothing.
pub(super) type Flow = Result<(), Box<Stop>>;

/// Why no further instruction is executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    Trap(Trap),
    /// The first function returned this.
    Halt(i16),
    /// A limit of the runner.
    Limited(Limit),
}

/// A call that has not returned.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// Which function, by its place in the program.
    pub(super) function: usize,
    /// Where its slots begin.
    pub(super) base: usize,
    /// The instruction of the frame below after the call; meaningless in the first frame.
    pub(super) return_ip: usize,
}

/// How much there may be of what.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    /// Attempts; `None` for no limit.
    pub(super) steps: Option<u64>,
    /// Values on the operand stack.
    pub(super) operand_stack: u64,
    /// Frames, the first included.
    pub(super) call_depth: u64,
    /// Words that the runner lets the operand stack have, and all slots together.
    pub(super) words: usize,
}

/// A machine while it runs.
pub(super) struct Cpu<'c> {
    pub(super) code: &'c Code,
    /// The current function's, followed by [`Op::End`].
    pub(super) instructions: &'c [Instruction],
    pub(super) ip: usize,
    /// Where the current frame's slots begin.
    pub(super) base: usize,
    pub(super) stack: Vec<Word>,
    pub(super) slots: Vec<Word>,
    pub(super) frames: Vec<Frame>,
    /// The argument of the last DBG_LINE.
    pub(super) line: Option<u16>,
    pub(super) limits: &'c Limits,
    pub(super) account: &'c mut Account,
}

impl<'c> Cpu<'c> {
    /// The code of the next instruction.
    #[inline(always)]
    pub(super) fn lead(&self) -> u8 {
        self.instructions[self.ip].op as u8
    }

    /// The next instruction; the program counter moves past it.
    #[inline(always)]
    pub(super) fn fetch(&mut self) -> (Op, i32) {
        let Instruction { op, argument } = self.instructions[self.ip];
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
    pub(super) fn locals(&mut self) -> &mut [Word] {
        &mut self.slots[self.base..]
    }

    /// Pushes a value, the last thing that an instruction does.
    #[inline(always)]
    pub(super) fn push(&mut self, word: Word) -> Flow {
        if self.stack.len() >= self.limits.words || self.stack.len() as u64 >= self.limits.operand_stack {
            return Err(self.full());
        }
        self.stack.push(word);
        Ok(())
    }

    /// The top value.
    #[inline(always)]
    pub(super) fn top(&self) -> Result<Word, Box<Stop>> {
        self.stack.last().copied().ok_or_else(|| underflow(1))
    }

    /// The two top values, the lower one first.
    #[inline(always)]
    pub(super) fn two(&self) -> Result<(Word, Word), Box<Stop>> {
        match self.stack[..] {
            [.., a, b] => Ok((a, b)),
            _ => Err(underflow(2)),
        }
    }

    /// Puts a value in the place of the two top ones.
    #[inline(always)]
    pub(super) fn replace_two(&mut self, word: Word) {
        self.stack.pop();
        if let Some(top) = self.stack.last_mut() {
            *top = word;
        }
    }

    /// Puts a value in the place of the top one.
    #[inline(always)]
    pub(super) fn replace(&mut self, word: Word) {
        if let Some(top) = self.stack.last_mut() {
            *top = word;
        }
    }

    /// The argument of the fetched instruction, as written in the program.
    pub(super) fn argument(&self) -> crate::model::value::Value {
        self.code.argument(self.current(), self.ip - 1)
    }

    #[cold]
    fn full(&self) -> Box<Stop> {
        let limit = self.limits.operand_stack;
        if self.stack.len() as u64 >= limit {
            return trap(Trap::Overflow { limit });
        }
        Limit::Memory.into()
    }
}

impl From<Limit> for Box<Stop> {
    #[cold]
    fn from(limit: Limit) -> Box<Stop> {
        Box::new(Stop::Limited(limit))
    }
}

#[cold]
pub(super) fn trap(trap: Trap) -> Box<Stop> {
    Box::new(Stop::Trap(trap))
}

#[cold]
pub(super) fn underflow(need: usize) -> Box<Stop> {
    trap(Trap::Underflow { need })
}

/// A value of the wrong kind; holds the expected kind, as `details` call it.
#[cold]
pub(super) fn wrong_kind(expected: &'static str) -> Box<Stop> {
    trap(Trap::Type { expected })
}
