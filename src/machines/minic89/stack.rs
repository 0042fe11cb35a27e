//! Instructions that push and pop values.

use super::cpu::{Cpu, Flow, trap};
use super::trap::Trap;
use super::word::Word;

pub(super) fn push_i16(cpu: &mut Cpu<'_>, number: i32) -> Flow {
    cpu.push(Word::int(number as i16))
}

pub(super) fn push_fun(cpu: &mut Cpu<'_>, fid: i32) -> Flow {
    match cpu.code.by_fid(fid) {
        Some(function) => cpu.push(Word::fun(cpu.code.functions[function].fid)),
        None => Err(trap(Trap::BadFunid { fid: cpu.argument() })),
    }
}

pub(super) fn push_nullfun(cpu: &mut Cpu<'_>, _: i32) -> Flow {
    cpu.push(Word::fun(0))
}

pub(super) fn pop(cpu: &mut Cpu<'_>, _: i32) -> Flow {
    cpu.top()?;
    cpu.stack.pop();
    Ok(())
}

pub(super) fn dup(cpu: &mut Cpu<'_>, _: i32) -> Flow {
    let top = cpu.top()?;
    cpu.push(top)
}
