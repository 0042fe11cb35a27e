//! What instructions on numbers have in common: 64-bit numbers are handled in place, all others as big numbers.

use std::cmp::Ordering;

use num_bigint::BigInt;

use super::fault::{Neo3Fault, Neo3Flow, Neo3Stop};
use super::frame::Neo3Frame;
use super::item::Neo3Item;
use super::value::number;
use crate::machines::interpreter::Interpreted;

/// The charge for an instruction on numbers of more than 64 bits, in units.
pub(super) const BIG: usize = 42;

impl Neo3Frame<'_> {
    /// Replaces `a b` with a number: uses `small` if both operands and the result fit 64 bits, otherwise `big`.
    #[inline(always)]
    pub(super) fn binary(
        &mut self,
        small: fn(i64, i64) -> Option<i64>,
        big: fn(BigInt, BigInt) -> Result<BigInt, Neo3Fault>,
    ) -> Neo3Flow {
        if let [.., Neo3Item::Integer(a), Neo3Item::Integer(b)] = &mut self.core.stack[..]
            && let Some(result) = small(*a, *b)
        {
            *a = result;
            self.core.forget_small();
            return Ok(());
        }
        self.lend().big_binary(big)
    }

    #[cold]
    #[inline(never)]
    fn big_binary(&mut self, big: fn(BigInt, BigInt) -> Result<BigInt, Neo3Fault>) -> Neo3Flow {
        self.work(BIG)?;
        let (b, a) = (self.pop_number()?, self.pop_number()?);
        self.push(Neo3Item::integer(big(a, b)?)?);
        Ok(())
    }

    /// Replaces `a` with a number, like [`Neo3Frame::binary`].
    #[inline(always)]
    pub(super) fn unary(&mut self, small: fn(i64) -> Option<i64>, big: fn(BigInt) -> BigInt) -> Neo3Flow {
        if let [.., Neo3Item::Integer(a)] = &mut self.core.stack[..]
            && let Some(result) = small(*a)
        {
            *a = result;
            return Ok(());
        }
        self.lend().big_unary(big)
    }

    #[cold]
    #[inline(never)]
    fn big_unary(&mut self, big: fn(BigInt) -> BigInt) -> Neo3Flow {
        self.work(2 * BIG / 3)?;
        let a = self.pop_number()?;
        self.push(Neo3Item::integer(big(a))?);
        Ok(())
    }

    /// Replaces `a b` with the result of comparing them.
    #[inline(always)]
    pub(super) fn compare(&mut self, holds: fn(Ordering) -> bool) -> Neo3Flow {
        let order = self.pop_compared()?;
        self.push(Neo3Item::Boolean(holds(order)));
        Ok(())
    }

    /// Pops two numbers, the top one first, and compares the lower one with it.
    #[inline(always)]
    pub(super) fn pop_compared(&mut self) -> Result<Ordering, Neo3Stop> {
        if let [.., Neo3Item::Integer(a), Neo3Item::Integer(b)] = &self.core.stack[..] {
            let order = a.cmp(b);
            self.pop_small();
            self.pop_small();
            return Ok(order);
        }
        self.lend().pop_big_compared()
    }

    #[cold]
    #[inline(never)]
    fn pop_big_compared(&mut self) -> Result<Ordering, Neo3Stop> {
        self.work(BIG)?;
        let (b, a) = (self.pop_number()?, self.pop_number()?);
        Ok(a.cmp(&b))
    }

    /// Pops a number of any size.
    pub(super) fn pop_number(&mut self) -> Result<BigInt, Neo3Fault> {
        number(&self.pop()?)
    }
}
