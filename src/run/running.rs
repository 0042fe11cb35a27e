//! The cases that run at the moment.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::model::{CaseId, lock};

/// The cases that the threads of a run execute at the moment, for another thread to report slow ones. Clones
/// share the cases.
#[derive(Debug, Clone, Default)]
pub struct RunningCases(Arc<Mutex<Vec<(CaseId, Instant)>>>);

impl RunningCases {
    /// The ids of the cases that have been running for at least this long.
    pub fn for_at_least(&self, time: Duration) -> Vec<CaseId> {
        let cases = self.cases();
        let slow = cases.iter().filter(|(_, start)| start.elapsed() >= time);
        slow.map(|(id, _)| id.clone()).collect()
    }

    /// Adds a case until the result is dropped.
    pub(super) fn add<'r>(&'r self, id: &'r CaseId) -> RunningCase<'r> {
        self.cases().push((id.clone(), Instant::now()));
        RunningCase { cases: self, id }
    }

    fn cases(&self) -> MutexGuard<'_, Vec<(CaseId, Instant)>> {
        lock(&self.0)
    }
}

pub(super) struct RunningCase<'r> {
    cases: &'r RunningCases,
    id: &'r CaseId,
}

impl<'r> RunningCase<'r> {
    /// Says that another case runs now instead.
    pub(super) fn replace(&mut self, id: &'r CaseId) {
        let mut cases = self.cases.cases();
        if let Some(running) = cases.iter_mut().find(|(running, _)| running == self.id) {
            *running = (id.clone(), Instant::now());
        }
        drop(cases);
        self.id = id;
    }
}

impl Drop for RunningCase<'_> {
    fn drop(&mut self) {
        let mut cases = self.cases.cases();
        // Each id runs once at a time.
        if let Some(at) = cases.iter().position(|(id, _)| id == self.id) {
            cases.swap_remove(at);
        }
    }
}
