//! The running frame, as handlers see it.

use std::ops::Range;

use super::context::EvmContext;
use super::destinations::Destinations;
use super::operands::{Operands, WordPrice};
use super::stop::{EvmFlow, EvmStop, Halt};
use super::word::{Halves, Word, is_zero, small};
use crate::machines::interpreter::Interpreted;

/// The maximum height of a stack.
pub(super) const STACK_LIMIT: usize = 1024;

/// The number of zeros after the code: a STOP if execution runs off its end, and the missing bytes of a PUSH
/// operand that is cut off.
pub(super) const PADDING: usize = 33;

/// The stack's storage: the lowest item is at index 1, so that the index of the top item is the height, even
/// for an empty stack. Slots above the limit are for the blocks of the hot tier, and make the number of slots
/// a power of two.
pub(super) type Stack = [Halves; STACK_SLOTS];
pub(super) const STACK_SLOTS: usize = 2 * STACK_LIMIT;

/// The hot state, taken out of the machine while the loop runs so that it can be in registers, and a
/// reference to the rest of the machine.
pub(super) struct EvmFrame<'m> {
    /// Offset after the code byte of the current instruction.
    pub(super) pc: usize,
    /// Remaining gas.
    pub(super) gas: u64,
    /// Items on the stack.
    pub(super) height: usize,
    /// The top item. It is not in `stack` while the loop runs, since most instructions need it.
    pub(super) top: Halves,
    pub(super) stack: &'m mut Stack,
    /// The code, followed by zeros; see [`PADDING`].
    pub(super) code: &'m [u8],
    pub(super) destinations: &'m mut Destinations,
    pub(super) context: &'m mut EvmContext,
}

/// The part of a frame that handlers can change.
#[derive(Debug, Clone, Copy)]
pub(super) struct EvmHot {
    pub(super) pc: usize,
    pub(super) gas: u64,
    pub(super) height: usize,
    pub(super) top: Halves,
}

impl Interpreted for EvmFrame<'_> {
    type Stop = EvmStop;
    type Hot = EvmHot;
    type Lent<'l>
        = EvmFrame<'l>
    where
        Self: 'l;

    #[inline(always)]
    fn lead(&self) -> u8 {
        self.code[self.pc]
    }

    #[inline(always)]
    fn fetch(&mut self) -> u8 {
        let code = self.code[self.pc];
        self.pc += 1;
        code
    }

    /// The first check of every instruction: enough items, room for the result, and gas for the base price,
    /// which is deducted.
    #[inline(always)]
    fn enter<const POPS: usize, const PUSHES: usize>(&mut self, gas: u64) -> bool {
        // With too few items, this is huge, so that a single comparison checks both. It also shows the
        // compiler that the handler's accesses to items are in bounds.
        let rest = self.height.wrapping_sub(POPS);
        if rest > STACK_LIMIT - PUSHES || self.gas < gas {
            return false;
        }
        self.gas -= gas;
        true
    }

    #[inline(always)]
    fn refuse<const POPS: usize>(&mut self, gas: u64) -> EvmStop {
        self.stop(refused(self.height, POPS, self.gas, gas))
    }

    #[inline(always)]
    fn lend(&mut self) -> EvmFrame<'_> {
        EvmFrame {
            pc: self.pc,
            gas: self.gas,
            height: self.height,
            top: self.top,
            stack: self.stack,
            code: self.code,
            destinations: self.destinations,
            context: self.context,
        }
    }

    #[inline(always)]
    fn hot(&self) -> EvmHot {
        EvmHot { pc: self.pc, gas: self.gas, height: self.height, top: self.top }
    }

    /// Only the handler's result ends the run.
    #[inline(always)]
    fn settle(&mut self, hot: EvmHot, flow: EvmFlow) -> EvmFlow {
        self.take(hot);
        flow
    }

    /// Moves the program counter back to the instruction that ended the run. No handler moves it and then fails.
    #[inline(always)]
    fn stop(&mut self, stop: EvmStop) -> EvmStop {
        self.pc -= 1;
        stop
    }

    #[inline(always)]
    fn advance(&mut self, length: usize) {
        self.pc = self.pc.wrapping_add(length);
    }

    #[inline(always)]
    fn undefined(&mut self) -> EvmStop {
        self.stop(EvmStop::Halted(Halt::UndefinedOpcode))
    }
}

impl EvmFrame<'_> {
    /// Copies the changes of another frame of the same run.
    #[inline(always)]
    pub(super) fn take(&mut self, hot: EvmHot) {
        EvmHot { pc: self.pc, gas: self.gas, height: self.height, top: self.top } = hot;
    }

    /// Deducts `gas`, or halts.
    #[inline(always)]
    pub(super) fn charge(&mut self, gas: u64) -> EvmFlow {
        match self.gas.checked_sub(gas) {
            Some(left) => {
                self.gas = left;
                Ok(())
            }
            None => Err(self.context.lacks(gas)),
        }
    }

    /// The top item, which exists according to the row's `pops`.
    #[inline(always)]
    pub(super) fn top(&self) -> Word {
        self.top.word()
    }

    /// Replaces the top item.
    #[inline(always)]
    pub(super) fn set_top(&mut self, word: Word) {
        self.top = Halves::new(word);
    }

    /// The item `below` the top, which is not the top itself. It exists according to the row's `pops`.
    #[inline(always)]
    pub(super) fn below(&mut self, below: usize) -> &mut Halves {
        &mut self.stack[self.height - below]
    }

    /// Pops an item, which exists according to the row's `pops`.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Word {
        let word = self.top();
        self.height -= 1;
        self.top = self.stack[self.height];
        word
    }

    /// Pushes an item. There is room according to the row's `pushes`.
    #[inline(always)]
    pub(super) fn push(&mut self, word: Word) {
        self.stack[self.height] = self.top;
        self.set_top(word);
        self.height += 1;
    }

    /// Deducts `gas` and the price of memory up to `end`, and only then grows memory.
    #[inline(always)]
    pub(super) fn pay(&mut self, gas: u64, end: usize) -> EvmFlow {
        if end <= self.context.memory.size() {
            return self.charge(gas);
        }
        self.gas = grow(self.context, self.gas, gas, end)?;
        Ok(())
    }

    /// The range `[offset, offset + size)` of memory, after paying for it.
    #[inline(always)]
    pub(super) fn memory_at(&mut self, offset: usize, size: usize) -> Result<Range<usize>, EvmStop> {
        let end = offset.checked_add(size).ok_or(EvmStop::Halted(Halt::OutOfGas))?;
        self.pay(0, end)?;
        Ok(offset..end)
    }
}

impl Operands for EvmFrame<'_> {
    #[inline(always)]
    fn unary(&mut self, operation: impl FnOnce(Word) -> Word) -> EvmFlow {
        self.set_top(operation(self.top()));
        Ok(())
    }

    #[inline(always)]
    fn binary(&mut self, operation: impl FnOnce(Word, Word) -> Word) -> EvmFlow {
        let a = self.pop();
        self.unary(|b| operation(a, b))
    }

    #[inline(always)]
    fn ternary(&mut self, operation: impl FnOnce(Word, Word, Word) -> Word) -> EvmFlow {
        let (a, b) = (self.pop(), self.pop());
        self.unary(|c| operation(a, b, c))
    }

    #[inline(always)]
    fn priced(
        &mut self,
        price: fn(Word) -> WordPrice,
        operation: impl FnOnce(Word, Word) -> Word,
    ) -> EvmFlow {
        let a = self.pop();
        let price = price(self.top());
        self.charge(price.gas)?;
        self.work(price.units)?;
        self.unary(|b| operation(a, b))
    }

    #[inline(always)]
    fn work(&mut self, units: u64) -> EvmFlow {
        Ok(self.context.account.charge(units)?)
    }
}

/// The range `[offset, offset + size)` of memory, which must still be paid for with [`EvmFrame::pay`]. The
/// offset of an empty range is ignored. No amount of gas pays for a large range.
#[inline(always)]
pub(super) fn range(offset: Word, size: Word) -> Result<Range<usize>, EvmStop> {
    if is_zero(size) {
        return Ok(0..0);
    }
    let end =
        small(offset).zip(small(size)).and_then(|(offset, size)| Some(offset..offset.checked_add(size)?));
    end.ok_or(EvmStop::Halted(Halt::OutOfGas))
}

/// Determines the reason separately from the checks, so that the fast path keeps nothing for it.
#[cold]
#[inline(never)]
fn refused(height: usize, pops: usize, gas: u64, cost: u64) -> EvmStop {
    EvmStop::Halted(if height < pops {
        Halt::StackUnderflow
    } else if gas < cost {
        Halt::OutOfGas
    } else {
        Halt::StackOverflow
    })
}

/// Grows memory to contain byte `end - 1`; returns what remains of `gas` after paying for that and `price`.
#[cold]
#[inline(never)]
fn grow(context: &mut EvmContext, gas: u64, price: u64, end: usize) -> Result<u64, EvmStop> {
    let price_of = |words: u128| 3 * words + words * words / 512;
    let words = end.div_ceil(32);
    let before = context.memory.size() / 32;
    let growth = u64::try_from(price_of(words as u128) - price_of(before as u128)).unwrap_or(u64::MAX);
    let whole = growth.saturating_add(price);
    let left = gas.checked_sub(whole).ok_or_else(|| context.lacks(whole))?;
    context.grow_memory(words * 32)?;
    Ok(left)
}
