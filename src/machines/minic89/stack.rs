//! Instructions that push and pop values.

use super::cpu::{Cpu, MiniFlow, trap};
use super::trap::Trap;
use super::word::MiniWord;

pub(super) fn push_i16(cpu: &mut Cpu<'_>, number: i32) -> MiniFlow {
    cpu.push(MiniWord::int(number as i16))
}

pub(super) fn push_fun(cpu: &mut Cpu<'_>, fid: i32) -> MiniFlow {
    match cpu.code.by_fid(fid) {
        Some(function) => cpu.push(MiniWord::fun(cpu.code.functions[function].fid)),
        None => Err(trap(Trap::BadFunid { fid: cpu.argument() })),
    }
}

pub(super) fn push_nullfun(cpu: &mut Cpu<'_>, _: i32) -> MiniFlow {
    cpu.push(MiniWord::fun(0))
}

pub(super) fn pop(cpu: &mut Cpu<'_>, _: i32) -> MiniFlow {
    cpu.top()?;
    cpu.stack.pop();
    Ok(())
}

pub(super) fn dup(cpu: &mut Cpu<'_>, _: i32) -> MiniFlow {
    let top = cpu.top()?;
    cpu.push(top)
}
