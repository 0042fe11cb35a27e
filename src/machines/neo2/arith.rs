//! Arithmetic, comparisons and logic.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

use super::count::CountChange;
use super::fault::{Neo2Fault, Neo2Flow, Neo2Stop};
use super::frame::Neo2Frame;
use super::number::BoundedNumbers;

#[inline(always)]
pub(super) fn inc(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.unary(BoundedNumbers::OperandsAndResult, |a| a.checked_add(1), |a| a + 1)
}

#[inline(always)]
pub(super) fn dec(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.unary(BoundedNumbers::OperandsAndResult, |a| a.checked_sub(1), |a| a - 1)
}

#[inline(always)]
pub(super) fn sign(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.unary(BoundedNumbers::Nothing, |a| Some(a.signum()), |a| BigInt::from_biguint(a.sign(), 1u8.into()))
}

#[inline(always)]
pub(super) fn negate(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.unary(BoundedNumbers::Nothing, i64::checked_neg, |a| -a)
}

#[inline(always)]
pub(super) fn abs(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.unary(BoundedNumbers::Nothing, i64::checked_abs, |a| a.into_parts().1.into())
}

#[inline(always)]
pub(super) fn not(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let truth = frame.pop_boolean()?;
    frame.push(!truth);
    frame.note(CountChange::Loose(0))
}

#[inline(always)]
pub(super) fn nz(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let item = frame.pop()?;
    let zero = match item.small() {
        Some(number) => number == 0,
        None => frame.number_of(&item)?.sign() == Sign::NoSign,
    };
    frame.push(!zero);
    Ok(())
}

#[inline(always)]
pub(super) fn add(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.binary(BoundedNumbers::OperandsAndResult, i64::checked_add, |b, a| Ok(b + a))
}

#[inline(always)]
pub(super) fn sub(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.binary(BoundedNumbers::OperandsAndResult, i64::checked_sub, |b, a| Ok(b - a))
}

#[inline(always)]
pub(super) fn mul(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.binary(BoundedNumbers::OperandsAndResult, i64::checked_mul, |b, a| Ok(b * a))
}

#[inline(always)]
pub(super) fn div(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.binary(BoundedNumbers::Operands, i64::checked_div, |b, a| {
        b.checked_div(&a).ok_or(Neo2Fault::DivisionByZero)
    })
}

#[inline(always)]
pub(super) fn rem(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.binary(BoundedNumbers::Operands, i64::checked_rem, |b, a| match a.sign() {
        Sign::NoSign => Err(Neo2Fault::DivisionByZero),
        Sign::Plus | Sign::Minus => Ok(b % a),
    })
}

#[inline(never)]
pub(super) fn shl(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let by = shift_count(frame)?;
    shift(frame, by)
}

#[inline(never)]
pub(super) fn shr(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let by = shift_count(frame)?;
    shift(frame, -by)
}

fn shift_count(frame: &mut Neo2Frame<'_>) -> Result<i32, Neo2Stop> {
    let count = frame.pop_int32()?;
    if (-256..=256).contains(&count) { Ok(count) } else { Err(Neo2Fault::OutOfRange.into()) }
}

/// Shifts to the left by this number of bits, or to the right if it is negative.
fn shift(frame: &mut Neo2Frame<'_>, by: i32) -> Neo2Flow {
    let number = frame.pop_operand(BoundedNumbers::Operands)?;
    let shifted = if by < 0 { number >> -by } else { number << by };
    frame.push_result(BoundedNumbers::OperandsAndResult, shifted)?;
    frame.note(CountChange::Strict(-1))
}

#[inline(always)]
pub(super) fn booland(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let (a, b) = (frame.pop_boolean()?, frame.pop_boolean()?);
    frame.push(a && b);
    frame.note(CountChange::Loose(-1))
}

#[inline(always)]
pub(super) fn boolor(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let (a, b) = (frame.pop_boolean()?, frame.pop_boolean()?);
    frame.push(a || b);
    frame.note(CountChange::Loose(-1))
}

#[inline(always)]
pub(super) fn numequal(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.compare(Ordering::is_eq)
}

#[inline(always)]
pub(super) fn numnotequal(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.compare(Ordering::is_ne)
}

#[inline(always)]
pub(super) fn lt(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.compare(Ordering::is_lt)
}

#[inline(always)]
pub(super) fn gt(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.compare(Ordering::is_gt)
}

#[inline(always)]
pub(super) fn lte(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.compare(Ordering::is_le)
}

#[inline(always)]
pub(super) fn gte(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.compare(Ordering::is_ge)
}

#[inline(always)]
pub(super) fn min(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.binary(BoundedNumbers::Nothing, |b, a| Some(b.min(a)), |b, a| Ok(b.min(a)))
}

#[inline(always)]
pub(super) fn max(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    frame.binary(BoundedNumbers::Nothing, |b, a| Some(b.max(a)), |b, a| Ok(b.max(a)))
}

#[inline(never)]
pub(super) fn within(frame: &mut Neo2Frame<'_>) -> Neo2Flow {
    let (a, b, c) = (frame.pop_number()?, frame.pop_number()?, frame.pop_number()?);
    frame.push(b <= c && c < a);
    frame.note(CountChange::Strict(-2))
}
