//! Arithmetic, comparisons and logic.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

use super::count::Change;
use super::fault::{Fault, Flow, Stop};
use super::frame::Frame;
use super::number::Bounded;

#[inline(always)]
pub(super) fn inc(f: &mut Frame<'_>) -> Flow {
    f.unary(Bounded::OperandsAndResult, |a| a.checked_add(1), |a| a + 1)
}

#[inline(always)]
pub(super) fn dec(f: &mut Frame<'_>) -> Flow {
    f.unary(Bounded::OperandsAndResult, |a| a.checked_sub(1), |a| a - 1)
}

#[inline(always)]
pub(super) fn sign(f: &mut Frame<'_>) -> Flow {
    f.unary(Bounded::Nothing, |a| Some(a.signum()), |a| BigInt::from_biguint(a.sign(), 1u8.into()))
}

#[inline(always)]
pub(super) fn negate(f: &mut Frame<'_>) -> Flow {
    f.unary(Bounded::Nothing, i64::checked_neg, |a| -a)
}

#[inline(always)]
pub(super) fn abs(f: &mut Frame<'_>) -> Flow {
    f.unary(Bounded::Nothing, i64::checked_abs, |a| a.into_parts().1.into())
}

#[inline(always)]
pub(super) fn not(f: &mut Frame<'_>) -> Flow {
    let truth = f.pop_boolean()?;
    f.push(!truth);
    f.note(Change::Loose(0))
}

#[inline(always)]
pub(super) fn nz(f: &mut Frame<'_>) -> Flow {
    let item = f.pop()?;
    let zero = match item.small() {
        Some(number) => number == 0,
        None => f.number_of(&item)?.sign() == Sign::NoSign,
    };
    f.push(!zero);
    Ok(())
}

#[inline(always)]
pub(super) fn add(f: &mut Frame<'_>) -> Flow {
    f.binary(Bounded::OperandsAndResult, i64::checked_add, |b, a| Ok(b + a))
}

#[inline(always)]
pub(super) fn sub(f: &mut Frame<'_>) -> Flow {
    f.binary(Bounded::OperandsAndResult, i64::checked_sub, |b, a| Ok(b - a))
}

#[inline(always)]
pub(super) fn mul(f: &mut Frame<'_>) -> Flow {
    f.binary(Bounded::OperandsAndResult, i64::checked_mul, |b, a| Ok(b * a))
}

#[inline(always)]
pub(super) fn div(f: &mut Frame<'_>) -> Flow {
    f.binary(Bounded::Operands, i64::checked_div, |b, a| b.checked_div(&a).ok_or(Fault::DivisionByZero))
}

#[inline(always)]
pub(super) fn rem(f: &mut Frame<'_>) -> Flow {
    f.binary(Bounded::Operands, i64::checked_rem, |b, a| match a.sign() {
        Sign::NoSign => Err(Fault::DivisionByZero),
        Sign::Plus | Sign::Minus => Ok(b % a),
    })
}

#[inline(never)]
pub(super) fn shl(f: &mut Frame<'_>) -> Flow {
    let by = shift_count(f)?;
    shift(f, by)
}

#[inline(never)]
pub(super) fn shr(f: &mut Frame<'_>) -> Flow {
    let by = shift_count(f)?;
    shift(f, -by)
}

fn shift_count(f: &mut Frame<'_>) -> Result<i32, Stop> {
    let count = f.pop_int32()?;
    if (-256..=256).contains(&count) { Ok(count) } else { Err(Fault::OutOfRange.into()) }
}

/// Shifts by so many bits to the left, or else to the right.
fn shift(f: &mut Frame<'_>, by: i32) -> Flow {
    let number = f.pop_operand(Bounded::Operands)?;
    let shifted = if by < 0 { number >> -by } else { number << by };
    f.push_result(Bounded::OperandsAndResult, shifted)?;
    f.note(Change::Strict(-1))
}

#[inline(always)]
pub(super) fn booland(f: &mut Frame<'_>) -> Flow {
    let (a, b) = (f.pop_boolean()?, f.pop_boolean()?);
    f.push(a && b);
    f.note(Change::Loose(-1))
}

#[inline(always)]
pub(super) fn boolor(f: &mut Frame<'_>) -> Flow {
    let (a, b) = (f.pop_boolean()?, f.pop_boolean()?);
    f.push(a || b);
    f.note(Change::Loose(-1))
}

#[inline(always)]
pub(super) fn numequal(f: &mut Frame<'_>) -> Flow {
    f.compare(Ordering::is_eq)
}

#[inline(always)]
pub(super) fn numnotequal(f: &mut Frame<'_>) -> Flow {
    f.compare(Ordering::is_ne)
}

#[inline(always)]
pub(super) fn lt(f: &mut Frame<'_>) -> Flow {
    f.compare(Ordering::is_lt)
}

#[inline(always)]
pub(super) fn gt(f: &mut Frame<'_>) -> Flow {
    f.compare(Ordering::is_gt)
}

#[inline(always)]
pub(super) fn lte(f: &mut Frame<'_>) -> Flow {
    f.compare(Ordering::is_le)
}

#[inline(always)]
pub(super) fn gte(f: &mut Frame<'_>) -> Flow {
    f.compare(Ordering::is_ge)
}

#[inline(always)]
pub(super) fn min(f: &mut Frame<'_>) -> Flow {
    f.binary(Bounded::Nothing, |b, a| Some(b.min(a)), |b, a| Ok(b.min(a)))
}

#[inline(always)]
pub(super) fn max(f: &mut Frame<'_>) -> Flow {
    f.binary(Bounded::Nothing, |b, a| Some(b.max(a)), |b, a| Ok(b.max(a)))
}

#[inline(never)]
pub(super) fn within(f: &mut Frame<'_>) -> Flow {
    let (a, b, c) = (f.pop_number()?, f.pop_number()?, f.pop_number()?);
    f.push(b <= c && c < a);
    f.note(Change::Strict(-2))
}
