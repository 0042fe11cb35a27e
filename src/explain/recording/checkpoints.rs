//! Copies of the machine at some states of a run.

use super::moment::Moment;
use crate::machines::machine::Machine;

/// The maximum number of copies that are kept.
const MAX_COPIES: usize = 128;

/// The maximum number of bytes that they take, as counted by the machines.
const MAX_BYTES: u64 = 1 << 27;

/// An upper limit for what a copy takes in addition, in bytes: two memories of words, or a stack.
const FIXED: u64 = 1 << 19;

/// Copies of the machine at roughly evenly spaced steps.
#[derive(Default)]
pub(super) struct Checkpoints {
    kept: Vec<Checkpoint>,
    /// The last copy that was made for small steps back.
    near: Option<(Moment, Box<dyn Machine>)>,
    /// The minimum number of steps between two copies.
    apart: u64,
}

struct Checkpoint {
    at: Moment,
    machine: Box<dyn Machine>,
    bytes: u64,
}

impl Checkpoints {
    /// Keeps a copy of the machine, unless the last copy is close. Returns false if the machine cannot be copied or is
    /// too large for that.
    pub(super) fn add(&mut self, at: Moment, machine: &mut dyn Machine) -> bool {
        let bytes = machine.copy_size() + FIXED;
        if bytes > MAX_BYTES {
            return false;
        }
        if self.kept.last().is_some_and(|last| at.step < last.at.step + self.apart) {
            return true;
        }
        let Some(machine) = machine.duplicate() else { return false };
        self.kept.push(Checkpoint { at, machine, bytes });
        while self.kept.len() > MAX_COPIES || self.bytes() > MAX_BYTES && self.kept.len() > 1 {
            self.thin_out();
        }
        true
    }

    fn bytes(&self) -> u64 {
        self.kept.iter().map(|checkpoint| checkpoint.bytes).sum()
    }

    /// Drops every second copy; the first one stays.
    fn thin_out(&mut self) {
        let mut index = 0;
        self.kept.retain(|_| {
            index += 1;
            index % 2 == 1
        });
        let steps = self.kept.last().map_or(0, |last| last.at.step);
        self.apart = steps.div_ceil(self.kept.len() as u64);
    }

    /// Keeps a copy of the machine for small steps back, in place of the last one, unless it is too large.
    pub(super) fn keep_near(&mut self, at: Moment, machine: &mut dyn Machine) {
        self.near = None;
        if machine.copy_size() <= MAX_BYTES {
            self.near = machine.duplicate().map(|machine| (at, machine));
        }
    }

    /// Whether a copy is between two states.
    pub(super) fn has_between(&self, from: Moment, to: Moment) -> bool {
        self.moments().any(|at| from < at && at <= to)
    }

    /// A copy of the last copy that is not after a state.
    pub(super) fn before(&self, to: Moment) -> Option<(Moment, Box<dyn Machine>)> {
        let kept = self.kept.iter().map(|checkpoint| (checkpoint.at, &checkpoint.machine));
        let near = self.near.iter().map(|(at, machine)| (*at, machine));
        let (at, machine) = kept.chain(near).filter(|(at, _)| *at <= to).max_by_key(|(at, _)| *at)?;
        Some((at, machine.duplicate()?))
    }

    /// The states of all copies.
    fn moments(&self) -> impl Iterator<Item = Moment> {
        let near = self.near.iter().map(|(at, _)| *at);
        self.kept.iter().map(|checkpoint| checkpoint.at).chain(near)
    }
}
