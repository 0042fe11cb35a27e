//! Arithmetic: exact, and a trap if the result is not a 16-bit integer.

use super::cpu::{Cpu, MiniFlow, trap, wrong_kind};
use super::trap::Trap;
use super::word::MiniWord;

pub(super) fn add(cpu: &mut Cpu<'_>, _: i32) -> MiniFlow {
    binary(cpu, |a, b| a + b)
}

pub(super) fn sub(cpu: &mut Cpu<'_>, _: i32) -> MiniFlow {
    binary(cpu, |a, b| a - b)
}

pub(super) fn mul(cpu: &mut Cpu<'_>, _: i32) -> MiniFlow {
    binary(cpu, |a, b| a * b)
}

pub(super) fn div(cpu: &mut Cpu<'_>, _: i32) -> MiniFlow {
    divide(cpu, i16::checked_div)
}

/// If the quotient does not fit, the remainder traps, too.
pub(super) fn mod_(cpu: &mut Cpu<'_>, _: i32) -> MiniFlow {
    divide(cpu, i16::checked_rem)
}

pub(super) fn neg(cpu: &mut Cpu<'_>, _: i32) -> MiniFlow {
    let a = cpu.top()?.as_int().ok_or_else(|| wrong_kind("i16"))?;
    let result = a.checked_neg().ok_or_else(|| trap(Trap::IntOverflow { a, b: None }))?;
    cpu.replace(MiniWord::int(result));
    Ok(())
}

#[inline(always)]
fn operands(cpu: &Cpu<'_>) -> Result<(i16, i16), Box<super::cpu::MiniStop>> {
    let (a, b) = cpu.two()?;
    MiniWord::ints(a, b).ok_or_else(|| wrong_kind("i16"))
}

/// An operation on two 16-bit integers; a trap if the result is not one.
#[inline(always)]
fn binary(cpu: &mut Cpu<'_>, exact: fn(i32, i32) -> i32) -> MiniFlow {
    let (a, b) = operands(cpu)?;
    let result = i16::try_from(exact(a.into(), b.into()));
    let result = result.map_err(|_| trap(Trap::IntOverflow { a, b: Some(b) }))?;
    cpu.replace_two(MiniWord::int(result));
    Ok(())
}

/// `checked` returns `None` for a divisor of zero, which is a different trap, and if the result does not fit.
#[inline(always)]
fn divide(cpu: &mut Cpu<'_>, checked: fn(i16, i16) -> Option<i16>) -> MiniFlow {
    let (a, b) = operands(cpu)?;
    if b == 0 {
        return Err(trap(Trap::DivZero { a }));
    }
    let result = checked(a, b).ok_or_else(|| trap(Trap::IntOverflow { a, b: Some(b) }))?;
    cpu.replace_two(MiniWord::int(result));
    Ok(())
}
