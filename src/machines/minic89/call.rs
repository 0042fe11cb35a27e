//! Calls and returns.

use super::cpu::{Cpu, MiniFlow, MiniFrame, MiniStop, trap, underflow, wrong_kind};
use super::trap::Trap;
use super::word::MiniWord;
use crate::machines::account::Limit;

pub(super) fn direct(cpu: &mut Cpu<'_>, fid: i32) -> MiniFlow {
    match cpu.code.by_fid(fid) {
        Some(function) => call(cpu, function, Callee::Named),
        None => Err(trap(Trap::BadFunid { fid: cpu.argument() })),
    }
}

pub(super) fn indirect(cpu: &mut Cpu<'_>, argc: i32) -> MiniFlow {
    let fid = cpu.top()?.as_fun().ok_or_else(|| wrong_kind("fun"))?;
    if fid == 0 {
        return Err(trap(Trap::CallNullfun));
    }
    let bad_funid = || trap(Trap::BadFunid { fid: crate::model::Value::int(fid) });
    let function = cpu.code.by_fid(fid.into()).ok_or_else(bad_funid)?;
    let param_count = cpu.code.functions[function].param_count;
    if usize::try_from(argc) != Ok(param_count) {
        return Err(trap(Trap::BadSignature { fid, param_count, argc: cpu.argument() }));
    }
    call(cpu, function, Callee::OnTop)
}

/// How many slots are created per unit.
const SLOTS_OF_UNIT: usize = 64;

/// Where the called function is given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Callee {
    /// In the instruction.
    Named,
    /// By the top value, above the arguments.
    OnTop,
}

#[inline(always)]
fn call(cpu: &mut Cpu<'_>, function: usize, callee: Callee) -> MiniFlow {
    let called = &cpu.code.functions[function];
    let above = usize::from(callee == Callee::OnTop);
    let need = called.param_count + above;
    let first = cpu.stack.len().checked_sub(need).ok_or_else(|| underflow(need))?;
    let arguments = first..first + called.param_count;
    if !cpu.stack[arguments.clone()].iter().all(|argument| argument.is_int()) {
        return Err(wrong_kind("i16"));
    }
    if cpu.frames.len() as u64 >= cpu.limits.call_depth {
        return Err(trap(Trap::Callstack { limit: cpu.limits.call_depth }));
    }
    let base = cpu.slots.len();
    // Each frame also takes some memory.
    if base + called.local_count + 8 * cpu.frames.len() >= cpu.limits.words {
        return Err(Limit::Memory.into());
    }
    cpu.account.charge((called.local_count / SLOTS_OF_UNIT) as u64)?;
    cpu.slots.extend_from_slice(&cpu.stack[arguments]);
    cpu.slots.resize(base + called.local_count, MiniWord::UNINIT);
    cpu.stack.truncate(first);
    cpu.frames.push(MiniFrame { function, base, return_ip: cpu.ip });
    cpu.base = base;
    cpu.instructions = &called.instructions;
    cpu.ip = 0;
    Ok(())
}

pub(super) fn ret(cpu: &mut Cpu<'_>, _: i32) -> MiniFlow {
    let result = cpu.top()?.as_int().ok_or_else(|| wrong_kind("i16"))?;
    let [.., below, current] = cpu.frames[..] else { return Err(Box::new(MiniStop::Halt(result))) };
    cpu.slots.truncate(cpu.base);
    cpu.frames.pop();
    cpu.base = below.base;
    cpu.instructions = &cpu.code.functions[below.function].instructions;
    cpu.ip = current.return_ip;
    // The result stays on top of the shared operand stack.
    Ok(())
}
