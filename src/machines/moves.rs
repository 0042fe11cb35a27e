//! Which stack items an instruction only moves, in the form of [`Effect::Moves`](super::effects::Effect::Moves): for
//! each of the topmost items after it, the lowest one first, its distance from the top before it.

use super::machine::Machine;

/// If the top item is a copy of the lowest one that the row of the instruction pops: DUP1 to DUP16.
pub(crate) fn duplicated(machine: &impl Machine) -> Vec<usize> {
    let count = popped(machine);
    (0..count).rev().chain(count.checked_sub(1)).collect()
}

/// If the highest and the lowest item that the row of the instruction pops are exchanged: SWAP1 to SWAP16.
pub(crate) fn swapped(machine: &impl Machine) -> Vec<usize> {
    exchanged(0, popped(machine).saturating_sub(1)).collect()
}

/// The items from the distance `far` to the distance `near`, if these two are exchanged.
pub(crate) fn exchanged(near: usize, far: usize) -> impl Iterator<Item = usize> {
    (near..=far).rev().map(move |distance| match distance {
        it if it == far => near,
        it if it == near => far,
        other => other,
    })
}

fn popped(machine: &impl Machine) -> usize {
    machine.next().and_then(|at| at.op).map_or(0, |op| op.pops.into())
}
