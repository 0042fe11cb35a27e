//! Local slots.

use super::cpu::{Cpu, MiniFlow, MiniStop, trap};
use super::trap::Trap;

pub(super) fn load(cpu: &mut Cpu<'_>, slot: i32) -> MiniFlow {
    let Some(&word) = cpu.locals().get(slot as usize) else { return Err(bad_local(cpu)) };
    if word.is_uninit() {
        return Err(trap(Trap::UninitRead { slot: cpu.argument() }));
    }
    cpu.push(word)
}

pub(super) fn store(cpu: &mut Cpu<'_>, slot: i32) -> MiniFlow {
    if slot as usize >= cpu.locals().len() {
        return Err(bad_local(cpu));
    }
    let top = cpu.top()?;
    cpu.locals()[slot as usize] = top;
    Ok(())
}

#[cold]
fn bad_local(cpu: &Cpu<'_>) -> Box<MiniStop> {
    trap(Trap::BadLocal { slot: cpu.argument(), local_count: cpu.function().local_count })
}
