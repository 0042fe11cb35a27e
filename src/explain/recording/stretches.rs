//! The run of a case, as stretches of instructions; the case may change the machine between them.

use super::checkpoints::Checkpoints;
use super::moment::Moment;
use crate::machines::machine::{Machine, Watch, perform};
use crate::machines::status::{LoadError, Status};
use crate::model::{Action, Case, Cell, Value};
use crate::testees::StateObserver;
use crate::testees::embedded::Embedded;

/// Instructions that are executed without interruption.
#[derive(Debug, Default)]
pub(super) struct Stretch {
    /// How many instructions were executed before it.
    pub(super) first: u64,
    count: u64,
    /// How the machine is changed before it.
    changes: Vec<Value>,
    /// The cells that these changes set.
    pub(super) set: Vec<Cell>,
    /// Whether the machine ended with it.
    pub(super) is_over: bool,
}

impl Stretch {
    /// How many instructions were executed after it.
    pub(super) fn end(&self) -> u64 {
        self.first + self.count
    }

    /// Changes the machine as it was changed before the stretch.
    pub(super) fn apply(&self, machine: &mut dyn Machine) {
        for changes in &self.changes {
            // The same changes succeeded before.
            let _ = machine.set(changes);
        }
    }

    /// Like [`Stretch::apply`], before a watch.
    pub(super) fn apply_watched(&self, machine: &mut dyn Machine, watch: &mut dyn Watch) {
        self.apply(machine);
        for changes in &self.changes {
            watch.set(changes, machine.inspect());
        }
    }
}

/// The result of recording a case.
pub(super) struct RecordedStretch {
    pub(super) stretches: Vec<Stretch>,
    pub(super) ends: Vec<Moment>,
    pub(super) stopped: Option<String>,
}

/// The minimum number of instructions between two copies of the machine.
const BLOCK: u64 = 1 << 16;

/// Runs a case on a machine that has loaded its program, and calls `see` after each of its steps.
pub(super) fn record(
    machine: &mut Embedded,
    case: &Case,
    see: StateObserver<'_>,
    checkpoints: &mut Checkpoints,
) -> Result<RecordedStretch, LoadError> {
    let mut recorded =
        RecordedStretch { stretches: vec![Stretch::default()], ends: Vec::new(), stopped: None };
    for (index, step) in case.steps.iter().enumerate() {
        for action in &step.actions {
            let status = recorded.act(machine.machine(), action, checkpoints);
            recorded.last().is_over = status == Status::Ended;
            match status {
                Status::Running | Status::Ended => {}
                Status::Limit(reached) => recorded.stopped = Some(reached.to_string()),
                Status::OutOfMemory => recorded.stopped = Some("out of memory".to_owned()),
                Status::Interrupted => recorded.stopped = Some("interrupted".to_owned()),
                Status::Refused(error) => return Err(error),
            }
            if recorded.stopped.is_some() {
                return Ok(recorded);
            }
        }
        let end = recorded.now();
        recorded.ends.push(end);
        see(index, machine);
    }
    Ok(recorded)
}

impl RecordedStretch {
    pub(super) fn now(&self) -> Moment {
        let stretch = self.stretches.len() - 1;
        Moment { stretch, step: self.stretches[stretch].end() }
    }

    fn act(&mut self, machine: &mut dyn Machine, action: &Action, checkpoints: &mut Checkpoints) -> Status {
        match action {
            Action::Set(changes) => self.set(machine, changes),
            Action::Execute => self.run(machine, u64::MAX, checkpoints),
            Action::Run(count) => self.run(machine, *count, checkpoints),
            Action::StepInto | Action::StepOver | Action::StepOut => {
                self.count(machine, |machine| perform(machine, action, None))
            }
        }
    }

    fn set(&mut self, machine: &mut dyn Machine, changes: &Value) -> Status {
        let is_first = self.ends.is_empty() && self.now() == Moment { stretch: 0, step: 0 };
        if !is_first {
            self.stretches.push(Stretch { first: self.now().step, ..Stretch::default() });
        }
        match machine.set(changes) {
            Ok(()) => {
                let set = machine.inspect().set_cells(changes);
                let stretch = self.last();
                stretch.changes.push(changes.clone());
                stretch.set.extend(set);
                Status::Running
            }
            Err(error) => Status::Refused(error),
        }
    }

    /// Executes up to `count` instructions.
    fn run(&mut self, machine: &mut dyn Machine, mut count: u64, checkpoints: &mut Checkpoints) -> Status {
        loop {
            let is_copied = count > BLOCK && checkpoints.add(self.now(), machine);
            // Large enough that copying takes less time than executing.
            let block = if is_copied { BLOCK.max(machine.copy_size() / 4).min(count) } else { count };
            let status = self.count(machine, |machine| machine.run(block, None));
            count -= block;
            if status != Status::Running || count == 0 {
                return status;
            }
        }
    }

    /// Counts the instructions of a run.
    fn count(&mut self, machine: &mut dyn Machine, run: impl FnOnce(&mut dyn Machine) -> Status) -> Status {
        let before = machine.account().instructions();
        let status = run(machine);
        self.last().count += machine.account().instructions() - before;
        status
    }

    /// The current stretch.
    fn last(&mut self) -> &mut Stretch {
        let last = self.stretches.len() - 1;
        &mut self.stretches[last]
    }
}
