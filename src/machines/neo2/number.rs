//! What instructions on numbers have in common: 64-bit numbers are handled directly, all others as big numbers.

use std::cmp::Ordering;

use num_bigint::BigInt;

use super::core::ALLOCATION;
use super::count::CountChange;
use super::fault::{Neo2Fault, Neo2Flow, Neo2Stop};
use super::frame::Neo2Frame;
use super::item::{Neo2Item, long_size};
use crate::model::value::fits_256_bits;

/// The charge for an operation on two numbers of 32 bytes, in units.
const OPERATION: u64 = 20;

/// How many bytes of a number are read per unit.
const BYTES_READ_IN_UNIT: u64 = 14;
/// How many bytes of a number are written per unit.
const BYTES_WRITTEN_IN_UNIT: u64 = 42;

/// The minimum charge for a new number, in units.
const RESULT: u64 = 10;

/// Which numbers of an instruction must have 32 bytes or less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BoundedNumbers {
    Nothing,
    Operands,
    OperandsAndResult,
}

/// The number, if it has at most 32 bytes: from -2^255 to 2^255 - 1.
fn bounded(number: BigInt) -> Result<BigInt, Neo2Stop> {
    if fits_256_bits(&number) { Ok(number) } else { Err(Neo2Fault::IntegerSize.into()) }
}

impl Neo2Frame<'_> {
    /// Replaces a with `small(a)`, or with `big(a)` if that is `None`.
    #[inline(always)]
    pub(super) fn unary(
        &mut self,
        bound: BoundedNumbers,
        small: impl FnOnce(i64) -> Option<i64>,
        big: fn(BigInt) -> BigInt,
    ) -> Neo2Flow {
        let a = self.items().last().and_then(Neo2Item::small);
        match a.and_then(small) {
            Some(result) => {
                self.replace::<1>(result);
                Ok(())
            }
            None => self.big_unary(bound, big),
        }
    }

    #[cold]
    #[inline(never)]
    fn big_unary(&mut self, bound: BoundedNumbers, big: fn(BigInt) -> BigInt) -> Neo2Flow {
        let a = self.pop_operand(bound)?;
        self.push_result(bound, big(a))
    }

    /// Replaces b and a with `small(b, a)`, or with `big(b, a)` if that is `None`.
    #[inline(always)]
    pub(super) fn binary(
        &mut self,
        bound: BoundedNumbers,
        small: impl FnOnce(i64, i64) -> Option<i64>,
        big: fn(BigInt, BigInt) -> Result<BigInt, Neo2Fault>,
    ) -> Neo2Flow {
        match self.small_pair().and_then(|(b, a)| small(b, a)) {
            Some(result) => self.replace::<2>(result),
            None => self.big_binary(bound, big)?,
        }
        self.note(CountChange::Strict(-1))
    }

    #[cold]
    #[inline(never)]
    fn big_binary(
        &mut self,
        bound: BoundedNumbers,
        big: fn(BigInt, BigInt) -> Result<BigInt, Neo2Fault>,
    ) -> Neo2Flow {
        self.core.work(OPERATION)?;
        let a = self.pop_operand(bound)?;
        let b = self.pop_operand(bound)?;
        self.push_result(bound, big(b, a)?)
    }

    /// Replaces b and a with the result of comparing b with a.
    #[inline(always)]
    pub(super) fn compare(&mut self, test: impl FnOnce(Ordering) -> bool) -> Neo2Flow {
        if let Some((b, a)) = self.small_pair() {
            self.replace::<2>(test(b.cmp(&a)));
        } else {
            let ordering = self.big_compare()?;
            self.push(test(ordering));
        }
        self.note(CountChange::Strict(-1))
    }

    #[cold]
    #[inline(never)]
    fn big_compare(&mut self) -> Result<Ordering, Neo2Stop> {
        let (a, b) = (self.pop_number()?, self.pop_number()?);
        Ok(b.cmp(&a))
    }

    /// The second item and the top one, if both are small numbers.
    #[inline(always)]
    fn small_pair(&self) -> Option<(i64, i64)> {
        match self.items() {
            [.., b, a] => b.small().zip(a.small()),
            _ => None,
        }
    }

    /// Pops a number of any size.
    pub(super) fn pop_number(&mut self) -> Result<BigInt, Neo2Stop> {
        let item = self.pop()?;
        self.number_of(&item)
    }

    /// Pops an operand of an instruction with this bound.
    pub(super) fn pop_operand(&mut self, bound: BoundedNumbers) -> Result<BigInt, Neo2Stop> {
        let number = self.pop_number()?;
        if bound == BoundedNumbers::Nothing { Ok(number) } else { bounded(number) }
    }

    pub(super) fn number_of(&mut self, item: &Neo2Item) -> Result<BigInt, Neo2Stop> {
        let number = item.number().ok_or(Neo2Stop::Faulted(Neo2Fault::WrongType))?;
        self.core.work(ALLOCATION + bytes_of(&number) as u64 / BYTES_READ_IN_UNIT)?;
        Ok(number)
    }

    /// Pushes the result of an instruction with this bound. Garbage may be removed, as in
    /// [`Neo2Frame::push_new`].
    pub(super) fn push_result(&mut self, bound: BoundedNumbers, number: BigInt) -> Neo2Flow {
        let number = if bound == BoundedNumbers::OperandsAndResult { bounded(number)? } else { number };
        let bytes = bytes_of(&number);
        self.core.work(RESULT + bytes as u64 / BYTES_WRITTEN_IN_UNIT)?;
        self.core.hold(long_size(bytes as u64))?;
        self.push_new(number.into())
    }
}

/// The number of bytes without the sign.
fn bytes_of(number: &BigInt) -> usize {
    number.bits().div_ceil(8) as usize
}
