//! Comparisons: 1 for true, 0 for false.

use super::cpu::{Cpu, MiniFlow, wrong_kind};
use super::word::MiniWord;

pub(super) fn eq(cpu: &mut Cpu<'_>, _: i32) -> MiniFlow {
    same(cpu, |is_same| is_same)
}

pub(super) fn ne(cpu: &mut Cpu<'_>, _: i32) -> MiniFlow {
    same(cpu, |is_same| !is_same)
}

pub(super) fn lt(cpu: &mut Cpu<'_>, _: i32) -> MiniFlow {
    order(cpu, |a, b| a < b)
}

pub(super) fn le(cpu: &mut Cpu<'_>, _: i32) -> MiniFlow {
    order(cpu, |a, b| a <= b)
}

pub(super) fn gt(cpu: &mut Cpu<'_>, _: i32) -> MiniFlow {
    order(cpu, |a, b| a > b)
}

pub(super) fn ge(cpu: &mut Cpu<'_>, _: i32) -> MiniFlow {
    order(cpu, |a, b| a >= b)
}

pub(super) fn lnot(cpu: &mut Cpu<'_>, _: i32) -> MiniFlow {
    let a = cpu.top()?.as_int().ok_or_else(|| wrong_kind("i16"))?;
    cpu.replace(truth(a == 0));
    Ok(())
}

fn truth(is_true: bool) -> MiniWord {
    MiniWord::int(is_true.into())
}

/// Compares two values of the same kind, whatever the kind.
#[inline(always)]
fn same(cpu: &mut Cpu<'_>, holds: fn(bool) -> bool) -> MiniFlow {
    let (a, b) = cpu.two()?;
    if !a.is_of_kind(b) {
        return Err(wrong_kind("same"));
    }
    cpu.replace_two(truth(holds(a == b)));
    Ok(())
}

#[inline(always)]
fn order(cpu: &mut Cpu<'_>, holds: fn(i16, i16) -> bool) -> MiniFlow {
    let (a, b) = cpu.two()?;
    let (a, b) = MiniWord::ints(a, b).ok_or_else(|| wrong_kind("i16"))?;
    cpu.replace_two(truth(holds(a, b)));
    Ok(())
}
