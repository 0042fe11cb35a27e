//! Arithmetic, comparisons and logic. Numbers do not wrap around: one that does not fit 32 bytes faults.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};

use super::fault::{Neo3Fault, Neo3Flow, Neo3Stop};
use super::frame::{ALLOCATION, Neo3Frame};
use super::item::Neo3Item;
use super::number::BIG;
use super::value::{compare, integer};

pub(super) fn sign(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let sign = |a: BigInt| match a.sign() {
        Sign::Minus => BigInt::from(-1),
        Sign::NoSign => BigInt::ZERO,
        Sign::Plus => BigInt::from(1),
    };
    frame.unary(|a| Some(a.signum()), sign)
}

pub(super) fn abs(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.unary(i64::checked_abs, |a| BigInt::from(a.into_parts().1))
}

pub(super) fn negate(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.unary(i64::checked_neg, |a| -a)
}

#[inline(always)]
pub(super) fn inc(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.unary(|a| a.checked_add(1), |a| a + 1)
}

#[inline(always)]
pub(super) fn dec(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.unary(|a| a.checked_sub(1), |a| a - 1)
}

#[inline(always)]
pub(super) fn add(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.binary(i64::checked_add, |a, b| Ok(a + b))
}

#[inline(always)]
pub(super) fn sub(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.binary(i64::checked_sub, |a, b| Ok(a - b))
}

#[inline(always)]
pub(super) fn mul(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.binary(i64::checked_mul, |a, b| Ok(a * b))
}

pub(super) fn div(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.binary(i64::checked_div, |a, b| divisor(b).map(|b| a / b))
}

/// MOD
pub(super) fn rem(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.binary(i64::checked_rem, |a, b| divisor(b).map(|b| a % b))
}

fn divisor(number: BigInt) -> Result<BigInt, Neo3Fault> {
    if number == BigInt::ZERO { Err(Neo3Fault::DivisionByZero) } else { Ok(number) }
}

/// The charge for a square root, in units.
const ROOT: usize = 100;
/// The charge for a modular power or inverse, in units.
const MODULAR_POWER: usize = 500;
/// The charge for each bit of the exponent of a modular power, in units.
const UNITS_OF_BIT: usize = 22;

pub(super) fn pow(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let exponent = pop_shift(frame)?;
    let a = frame.pop_number()?;
    let limbs = (a.bits() * u64::from(exponent)).div_ceil(64) as usize;
    frame.work(limbs.saturating_mul(limbs).saturating_add(BIG))?;
    frame.push(Neo3Item::integer(a.pow(exponent))?);
    Ok(())
}

pub(super) fn sqrt(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.work(ROOT)?;
    let a = frame.pop_number()?;
    if a.sign() == Sign::Minus {
        return Err(Neo3Fault::OutOfRange("The number under the root").into());
    }
    frame.push(Neo3Item::integer(a.sqrt())?);
    Ok(())
}

pub(super) fn modmul(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let (m, b, a) = (frame.pop_number()?, frame.pop_number()?, frame.pop_number()?);
    frame.work(2 * BIG)?;
    frame.push(Neo3Item::integer(a * b % divisor(m)?)?);
    Ok(())
}

pub(super) fn modpow(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let (m, exponent, a) = (frame.pop_number()?, frame.pop_number()?, frame.pop_number()?);
    frame.work(MODULAR_POWER + UNITS_OF_BIT * exponent.bits() as usize)?;
    let result = if exponent == BigInt::from(-1) { inverse(&a, &m)? } else { power(&a, &exponent, m)? };
    frame.push(Neo3Item::integer(result)?);
    Ok(())
}

/// The inverse of a positive number.
fn inverse(a: &BigInt, m: &BigInt) -> Result<BigInt, Neo3Fault> {
    const NO_INVERSE: Neo3Fault = Neo3Fault::Wrong("There is no modular inverse.");
    if a.sign() != Sign::Plus || *m < BigInt::from(2) {
        return Err(NO_INVERSE);
    }
    a.modinv(m).ok_or(NO_INVERSE)
}

/// A modular power as the remainder of a truncated division, so it has the sign of the power.
fn power(a: &BigInt, exponent: &BigInt, m: BigInt) -> Result<BigInt, Neo3Fault> {
    let exponent = exponent.to_biguint().ok_or(Neo3Fault::OutOfRange("The exponent"))?;
    let m = divisor(m)?;
    let is_negative = a.sign() == Sign::Minus && exponent.bit(0);
    let magnitude: BigUint = a.magnitude().modpow(&exponent, m.magnitude());
    Ok(BigInt::from_biguint(if is_negative { Sign::Minus } else { Sign::Plus }, magnitude))
}

pub(super) fn shl(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let shift = pop_shift(frame)?;
    frame.work(BIG)?;
    let a = frame.pop_number()?;
    frame.push(Neo3Item::integer(a << shift)?);
    Ok(())
}

pub(super) fn shr(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let shift = pop_shift(frame)?;
    frame.work(BIG)?;
    let a = frame.pop_number()?;
    frame.push(Neo3Item::integer(a >> shift)?);
    Ok(())
}

fn pop_shift(frame: &mut Neo3Frame<'_>) -> Result<u32, Neo3Stop> {
    let (shift, most) = (frame.pop_int32()?, frame.core.limits.shift);
    let within = u32::try_from(shift).ok().filter(|it| u64::from(*it) <= most);
    within.ok_or(Neo3Fault::Shift { shift, most }.into())
}

#[inline(always)]
pub(super) fn not(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let value = frame.pop_boolean()?;
    frame.push(Neo3Item::Boolean(!value));
    Ok(())
}

pub(super) fn booland(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let (b, a) = (frame.pop_boolean()?, frame.pop_boolean()?);
    frame.push(Neo3Item::Boolean(a && b));
    Ok(())
}

pub(super) fn boolor(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    let (b, a) = (frame.pop_boolean()?, frame.pop_boolean()?);
    frame.push(Neo3Item::Boolean(a || b));
    Ok(())
}

pub(super) fn nz(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.work(ALLOCATION)?;
    let number = integer(&frame.pop()?)?;
    frame.push(Neo3Item::Boolean(number != Neo3Item::Integer(0)));
    Ok(())
}

/// Like [`Neo3Frame::compare`], but nothing is less or greater than Null.
#[inline(always)]
fn push_ordered(frame: &mut Neo3Frame<'_>, holds: fn(Ordering) -> bool) -> Neo3Flow {
    if let [.., Neo3Item::Integer(_), Neo3Item::Integer(_)] = &frame.core.stack[..] {
        return frame.compare(holds);
    }
    push_ordered_items(frame, holds)
}

/// Pops both operands, then converts the lower one and then the top one.
#[cold]
fn push_ordered_items(frame: &mut Neo3Frame<'_>, holds: fn(Ordering) -> bool) -> Neo3Flow {
    frame.work(BIG)?;
    let (b, a) = (frame.pop()?, frame.pop()?);
    let is_null = matches!(a, Neo3Item::Null) || matches!(b, Neo3Item::Null);
    let result = !is_null && holds(compare(&a, &b)?);
    frame.push(Neo3Item::Boolean(result));
    Ok(())
}

#[inline(always)]
pub(super) fn numequal(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.compare(Ordering::is_eq)
}

#[inline(always)]
pub(super) fn numnotequal(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.compare(Ordering::is_ne)
}

#[inline(always)]
pub(super) fn lt(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    push_ordered(frame, Ordering::is_lt)
}

#[inline(always)]
pub(super) fn le(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    push_ordered(frame, Ordering::is_le)
}

#[inline(always)]
pub(super) fn gt(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    push_ordered(frame, Ordering::is_gt)
}

#[inline(always)]
pub(super) fn ge(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    push_ordered(frame, Ordering::is_ge)
}

pub(super) fn min(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.binary(|a, b| Some(a.min(b)), |a, b| Ok(a.min(b)))
}

pub(super) fn max(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.binary(|a, b| Some(a.max(b)), |a, b| Ok(a.max(b)))
}

pub(super) fn within(frame: &mut Neo3Frame<'_>) -> Neo3Flow {
    frame.work(BIG)?;
    let (end, start, x) = (frame.pop_number()?, frame.pop_number()?, frame.pop_number()?);
    frame.push(Neo3Item::Boolean(start <= x && x < end));
    Ok(())
}
