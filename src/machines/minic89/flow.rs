//! Control flow, and invalid instructions.

use super::cpu::{Cpu, MiniFlow, MiniStop, trap, wrong_kind};
use super::trap::Trap;
use crate::model::Value;

pub(super) fn nop(_: &mut Cpu<'_>, _: i32) -> MiniFlow {
    Ok(())
}

/// The line is not part of snapshots, but of source maps.
pub(super) fn dbg_line(cpu: &mut Cpu<'_>, line: i32) -> MiniFlow {
    cpu.line = u16::try_from(line).ok();
    Ok(())
}

pub(super) fn jmp(cpu: &mut Cpu<'_>, target: i32) -> MiniFlow {
    // The last instruction is `Op::End`, which is not a valid target.
    if target as usize >= cpu.instructions.len() - 1 {
        return Err(bad_jump(cpu));
    }
    cpu.ip = target as usize;
    Ok(())
}

pub(super) fn jz(cpu: &mut Cpu<'_>, target: i32) -> MiniFlow {
    jump_if(cpu, target, |condition| condition == 0)
}

pub(super) fn jnz(cpu: &mut Cpu<'_>, target: i32) -> MiniFlow {
    jump_if(cpu, target, |condition| condition != 0)
}

/// The target is checked only when the jump is taken.
#[inline(always)]
fn jump_if(cpu: &mut Cpu<'_>, target: i32, is_taken: fn(i16) -> bool) -> MiniFlow {
    let condition = cpu.top()?.as_int().ok_or_else(|| wrong_kind("i16"))?;
    if is_taken(condition) {
        jmp(cpu, target)?;
    }
    cpu.stack.pop();
    Ok(())
}

#[cold]
fn bad_jump(cpu: &Cpu<'_>) -> Box<MiniStop> {
    trap(Trap::BadJump { target: cpu.argument(), code_len: cpu.instructions.len() - 1 })
}

/// The end, after the last instruction.
#[cold]
pub(super) fn end(cpu: &mut Cpu<'_>) -> MiniFlow {
    let code_len = cpu.instructions.len() - 1;
    Err(trap(Trap::BadJump { target: Value::int(code_len), code_len }))
}

#[cold]
pub(super) fn undecodable(cpu: &mut Cpu<'_>) -> MiniFlow {
    let (op, reason) = cpu.function().why_undecodable(cpu.ip - 1);
    Err(trap(Trap::Internal { op, reason }))
}
