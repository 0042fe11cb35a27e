//! The processes of a machine, and which of them gets a request.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::conversation::Conversation;

/// A process that said hello.
pub(super) struct RunningTestee {
    pub(super) conversation: Conversation,
    /// The number of the last request.
    last_id: AtomicU64,
    unanswered: Mutex<Unanswered>,
    /// Signalled when a request is answered or its case was repeated.
    settled: Condvar,
}

/// The requests that wait for an answer, or whose cases are repeated since the process broke down.
#[derive(Default)]
struct Unanswered {
    requests: usize,
    /// Whether one of them broke down when it was repeated alone, too.
    is_explained: bool,
}

/// A request to a process, until it is answered or its case was repeated.
pub(super) struct RequestInFlight(Arc<RunningTestee>);

impl RequestInFlight {
    pub(super) fn new(running: &Arc<RunningTestee>) -> RequestInFlight {
        running.unanswered().requests += 1;
        RequestInFlight(running.clone())
    }

    /// Records that the case crashes or times out alone as well.
    pub(super) fn breaks_down_alone(self) {
        self.0.unanswered().is_explained = true;
    }

    /// Whether another request that waited at the same time breaks the process down: waits until all were repeated, if
    /// none does.
    pub(super) fn explained_by_another(self) -> bool {
        let running = self.0.clone();
        drop(self);
        let unanswered = running.unanswered();
        let is_open = |it: &mut Unanswered| it.requests > 0 && !it.is_explained;
        let unanswered =
            running.settled.wait_while(unanswered, is_open).unwrap_or_else(PoisonError::into_inner);
        unanswered.is_explained
    }
}

impl Drop for RequestInFlight {
    fn drop(&mut self) {
        self.0.unanswered().requests -= 1;
        self.0.settled.notify_all();
    }
}

impl RunningTestee {
    pub(super) fn new(conversation: Conversation) -> RunningTestee {
        let (last_id, unanswered) = (AtomicU64::new(0), Mutex::default());
        RunningTestee { conversation, last_id, unanswered, settled: Condvar::new() }
    }

    fn unanswered(&self) -> MutexGuard<'_, Unanswered> {
        self.unanswered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of the next request, from 1.
    pub(super) fn next_id(&self) -> u64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// The processes of a machine: as few as can hold the requests of all asking threads.
pub(super) struct Pool {
    /// The maximum number of requests in flight per process.
    in_flight: usize,
    places: Mutex<PoolPlaces>,
    /// Signalled when a place becomes free, or a process is added or removed.
    changed: Condvar,
}

struct PoolPlaces {
    /// Processes, each with the number of its requests in flight.
    running: Vec<(Arc<RunningTestee>, usize)>,
    /// How many threads are asking.
    users: usize,
    /// How many threads were asking at the same time.
    most_users: usize,
    /// How many processes there are, including those that are being started.
    processes: usize,
}

/// A thread that is asking.
pub(super) struct User<'p>(&'p Pool);

impl Drop for User<'_> {
    fn drop(&mut self) {
        self.0.lock().users -= 1;
    }
}

impl Pool {
    /// A pool with one process.
    pub(super) fn new(in_flight: usize, running: RunningTestee) -> Pool {
        let places =
            PoolPlaces { running: vec![(Arc::new(running), 0)], users: 0, most_users: 0, processes: 1 };
        Pool { in_flight, places: Mutex::new(places), changed: Condvar::new() }
    }

    /// Counts a thread that is asking.
    pub(super) fn enter(&self) -> User<'_> {
        let mut places = self.lock();
        places.users += 1;
        places.most_users = places.most_users.max(places.users);
        drop(places);
        User(self)
    }

    /// A process that takes one more request; `None` if the caller must start another one, which is then
    /// announced already.
    pub(super) fn place(&self) -> Option<Arc<RunningTestee>> {
        let mut places = self.lock();
        loop {
            if let Some((running, requests)) =
                places.running.iter_mut().find(|(_, requests)| *requests < self.in_flight)
            {
                *requests += 1;
                return Some(running.clone());
            }
            if places.processes * self.in_flight < places.users {
                places.processes += 1;
                return None;
            }
            places = self.changed.wait(places).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Counts a request of this process as answered.
    pub(super) fn leave(&self, running: &Arc<RunningTestee>) {
        let mut places = self.lock();
        let known = places.running.iter_mut().find(|known| Arc::ptr_eq(&known.0, running));
        if let Some((_, requests)) = known {
            *requests -= 1;
        }
        self.changed.notify_one();
    }

    /// Removes a process that broke down, unless another thread has removed it.
    pub(super) fn remove(&self, running: &Arc<RunningTestee>) {
        let mut places = self.lock();
        let before = places.running.len();
        places.running.retain(|known| !Arc::ptr_eq(&known.0, running));
        places.processes -= before - places.running.len();
        self.changed.notify_all();
    }

    /// Removes all processes, for the end of a run.
    pub(super) fn take_all(&self) -> Vec<Arc<RunningTestee>> {
        let mut places = self.lock();
        places.processes -= places.running.len();
        places.running.drain(..).map(|(running, _)| running).collect()
    }

    /// Counts a process that is being started.
    pub(super) fn announce(&self) {
        self.lock().processes += 1;
    }

    /// Takes back the announcement of a process that broke down.
    pub(super) fn withdraw(&self) {
        self.lock().processes -= 1;
        self.changed.notify_all();
    }

    /// Adds a process that was announced, unless there are enough without it: also for threads that asked before and may
    /// ask again, since it may have taken long to start.
    pub(super) fn add(&self, running: RunningTestee) {
        let mut places = self.lock();
        if (places.processes - 1) * self.in_flight >= places.most_users {
            places.processes -= 1;
            // The process ends after the lock is released.
            drop(places);
            return drop(running);
        }
        places.running.push((Arc::new(running), 0));
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, PoolPlaces> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pool {
    /// All processes end at the same time.
    fn drop(&mut self) {
        self.lock().running.iter().for_each(|(running, _)| running.conversation.close());
    }
}
