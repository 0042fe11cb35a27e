//! The process group of a process. Everything that a process starts is in its group, unless it leaves the
//! group by itself.

use std::collections::HashSet;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::model::lock;

/// How often to check whether a process has ended.
const INTERVAL: Duration = Duration::from_millis(2);

/// The running processes, each in a group of its own.
#[derive(Debug, Clone, Default)]
pub struct ProcessGroups(Arc<Mutex<RunningGroups>>);

#[derive(Debug, Default)]
struct RunningGroups {
    ids: HashSet<u32>,
    /// Whether they were killed, so that no other process may start.
    are_killed: bool,
}

impl ProcessGroups {
    /// Kills all processes, and lets none start in place of one. For use when vmconf is about to exit: it does not
    /// update any other state.
    pub fn kill(&self) {
        let mut groups = self.lock();
        groups.are_killed = true;
        groups.ids.iter().for_each(|id| imp::kill(*id));
    }

    /// Starts a process in a group of its own.
    pub(super) fn start(&self, command: &mut Command) -> std::io::Result<GroupMember> {
        imp::in_own_group(command);
        let mut groups = self.lock();
        if groups.are_killed {
            return Err(std::io::Error::other("vmconf is about to exit"));
        }
        let child = command.spawn()?;
        groups.ids.insert(child.id());
        Ok(GroupMember { child, groups: self.clone(), end: None })
    }

    fn lock(&self) -> MutexGuard<'_, RunningGroups> {
        lock(&self.0)
    }
}

/// A process in a group of its own. Dropping this ends the group.
pub(super) struct GroupMember {
    pub(super) child: Child,
    groups: ProcessGroups,
    /// What [`GroupMember::end`] returned; `None` before the call.
    #[allow(clippy::option_option, reason = "the inner one is what it returns")]
    end: Option<Option<ExitStatus>>,
}

impl GroupMember {
    pub(super) fn has_ended(&mut self) -> bool {
        imp::has_ended(&mut self.child)
    }

    /// Waits until the process ends, for at most `patience`, then kills the rest of the group. Returns how
    /// the process ended; `None` if it did not end by itself.
    pub(super) fn end(&mut self, patience: Duration) -> Option<ExitStatus> {
        // Once the process has been waited for, the number of its group may be reused.
        if let Some(end) = self.end {
            return end;
        }
        let start = Instant::now();
        while !self.has_ended() && start.elapsed() < patience {
            sleep(INTERVAL);
        }
        let by_itself = self.has_ended();
        // The number of the group is not reused before the process has been waited for.
        imp::kill(self.child.id());
        self.groups.lock().ids.remove(&self.child.id());
        let _ = self.child.kill();
        *self.end.insert(self.child.wait().ok().filter(|_| by_itself))
    }
}

#[cfg(unix)]
mod imp {
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    pub(super) fn in_own_group(command: &mut Command) {
        command.process_group(0);
    }

    pub(super) fn kill(group: u32) {
        // It fails only if nothing is left to kill.
        let _ = Pid::from_raw(group as i32).map(|group| kill_process_group(group, Signal::KILL));
    }

    /// Does not wait for the process, since that would free its number.
    pub(super) fn has_ended(child: &mut Child) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(Pid::from_child(child)), options);
        !matches!(status, Ok(None))
    }
}

#[cfg(not(unix))]
mod imp {
    use std::process::{Child, Command};

    pub(super) fn in_own_group(_: &mut Command) {}

    pub(super) fn kill(_: u32) {}

    pub(super) fn has_ended(child: &mut Child) -> bool {
        !matches!(child.try_wait(), Ok(None))
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    /// A thread that misses a process starts another one, also while the program ends.
    #[test]
    fn no_process_starts_after_all_were_killed() {
        let groups = ProcessGroups::default();
        let mut first = groups.start(Command::new("sleep").arg("1000")).unwrap();
        groups.kill();
        assert!(groups.start(Command::new("sleep").arg("1000")).is_err());
        assert!(!first.end(Duration::from_secs(100)).unwrap().success());
    }
}
