//! The running frame: what a handler sees.

use std::ops::Range;

use ruint::aliases::U256;

use super::machine::Context;

/// A 256-bit word.
pub(super) type Word = U256;

/// The most items a stack holds.
pub(super) const STACK_LIMIT: usize = 1024;

/// The stack's storage. Its length is a power of two, so that a masked index needs no check.
pub(super) type Stack = [Word; STACK_LIMIT];

/// What a handler answers: go on, or why not.
pub(super) type Flow = Result<(), Stop>;

/// Why the loop ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// STOP, SUICIDE or running off the end.
    Stopped,
    /// RETURN.
    Returned,
    /// An exceptional halt.
    Halted(Halt),
    /// A limit of the runner.
    Limited(Limit),
}

/// The exceptional halts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    OutOfGas,
    StackUnderflow,
    StackOverflow,
    BadJump,
    UndefinedOpcode,
}

/// The limits of the runner that an EVM program can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    Steps,
    Memory,
    Output,
    Items,
}

/// The hot state, taken out of the machine while the loop runs so that it can live in
/// registers, and the rest of the machine behind one reference.
pub(super) struct Frame<'m> {
    /// Offset behind the code byte of the current instruction.
    pub(super) pc: usize,
    /// Gas left.
    pub(super) gas: u64,
    /// Items on the stack.
    pub(super) height: usize,
    pub(super) stack: &'m mut Stack,
    pub(super) code: &'m [u8],
    pub(super) destinations: &'m [bool],
    pub(super) context: &'m mut Context,
}

impl Frame<'_> {
    /// What every instruction checks first: enough items, room for the result, gas for the base
    /// price, which is taken.
    #[inline(always)]
    pub(super) fn enter<const POPS: usize, const PUSHES: usize>(&mut self, gas: u64) -> Flow {
        if POPS > 0 && self.height < POPS {
            return Err(Stop::Halted(Halt::StackUnderflow));
        }
        if PUSHES > POPS && self.height > STACK_LIMIT + POPS - PUSHES {
            return Err(Stop::Halted(Halt::StackOverflow));
        }
        self.charge(gas)
    }

    /// A code byte without a row.
    #[cold]
    pub(super) fn undefined(&mut self) -> Flow {
        Err(Stop::Halted(Halt::UndefinedOpcode))
    }

    /// Takes `gas` off, or halts.
    #[inline(always)]
    pub(super) fn charge(&mut self, gas: u64) -> Flow {
        match self.gas.checked_sub(gas) {
            Some(left) => {
                self.gas = left;
                Ok(())
            }
            None => Err(Stop::Halted(Halt::OutOfGas)),
        }
    }

    /// Takes `each` gas for each of `count`, and counts them as work of the runner's budget.
    pub(super) fn charge_each(&mut self, each: u64, count: u64) -> Flow {
        self.charge(each.saturating_mul(count))?;
        self.context.work(count)
    }

    /// The item `below` the top. The row's `pops` says that it is there.
    #[inline(always)]
    pub(super) fn peek(&mut self, below: usize) -> &mut Word {
        &mut self.stack[self.height.wrapping_sub(1 + below) % STACK_LIMIT]
    }

    /// Takes the top item. The row's `pops` says that it is there.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Word {
        self.height = self.height.wrapping_sub(1);
        self.stack[self.height % STACK_LIMIT]
    }

    /// Puts an item on top. The row's `pushes` says that there is room.
    #[inline(always)]
    pub(super) fn push(&mut self, word: Word) {
        self.stack[self.height % STACK_LIMIT] = word;
        self.height += 1;
    }

    /// Pops a, replaces b by `operation(a, b)`.
    #[inline(always)]
    pub(super) fn binary(&mut self, operation: impl FnOnce(Word, Word) -> Word) -> Flow {
        let a = self.pop();
        let b = self.peek(0);
        *b = operation(a, *b);
        Ok(())
    }

    /// Grows memory to contain `[offset, offset + size)`, charges for it, and gives the range.
    /// A range of size 0 is nowhere: its offset means nothing.
    #[inline(always)]
    pub(super) fn memory_range(&mut self, offset: Word, size: Word) -> Result<Range<usize>, Stop> {
        if size.is_zero() {
            return Ok(0..0);
        }
        match (small(offset), small(size)) {
            (Some(offset), Some(size)) => self.memory_at(offset, size),
            _ => Err(Stop::Halted(Halt::OutOfGas)),
        }
    }

    /// As [`Frame::memory_range`], for a size that is known.
    #[inline(always)]
    pub(super) fn memory_at(&mut self, offset: usize, size: usize) -> Result<Range<usize>, Stop> {
        let end = offset.checked_add(size).ok_or(Stop::Halted(Halt::OutOfGas))?;
        if end > self.context.memory.size() {
            self.grow(end)?;
        }
        Ok(offset..end)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, end: usize) -> Flow {
        let price = |words: u128| 3 * words + words * words / 512;
        let words = end.div_ceil(32);
        let before = self.context.memory.size() / 32;
        let cost = price(words as u128) - price(before as u128);
        self.charge(u64::try_from(cost).unwrap_or(u64::MAX))?;
        self.context.grow_memory(words * 32)
    }
}

/// The number as a size or an offset; none when it is too large for anything to have it.
#[inline(always)]
pub(super) fn small(word: Word) -> Option<usize> {
    match *word.as_limbs() {
        [low, 0, 0, 0] => usize::try_from(low).ok(),
        _ => None,
    }
}
