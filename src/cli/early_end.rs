//! Ctrl-C in commands that then write what they have found.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use vmconf::model::{Exit, Interrupt};
use vmconf::testees::process::ProcessGroups;

use super::output;
use super::repeated_signal::LastSignal;

/// What Ctrl-C ends.
#[derive(Default)]
pub(super) struct EarlyEnd {
    pub(super) interrupt: Interrupt,
    /// The processes of machines.
    pub(super) groups: ProcessGroups,
    /// Whether there is something to write.
    has_begun: Arc<AtomicBool>,
}

impl EarlyEnd {
    /// Takes care of Ctrl-C from now on: once there is something to write, the first one ends the search. The second one,
    /// and one before, ends this process and those of machines.
    pub(super) fn on_interrupt() -> anyhow::Result<EarlyEnd> {
        let end = EarlyEnd::default();
        let (interrupt, groups, has_begun) =
            (end.interrupt.clone(), end.groups.clone(), end.has_begun.clone());
        let mut last = LastSignal::default();
        ctrlc::set_handler(move || {
            if last.is_repeated() {
                return;
            }
            if !has_begun.load(Ordering::Relaxed) || interrupt.request() {
                groups.kill();
                std::process::exit(Exit::Interrupted as i32);
            }
            output::note("note: ending the search; Ctrl-C again ends at once, without a result");
        })?;
        Ok(end)
    }

    /// From now on, there is something to write.
    pub(super) fn begin(&self) {
        self.has_begun.store(true, Ordering::Relaxed);
    }

    /// The exit code of a command that otherwise ends with `exit`.
    pub(super) fn exit(&self, exit: Exit) -> Exit {
        if self.interrupt.is_requested() { Exit::Interrupted } else { exit }
    }
}
