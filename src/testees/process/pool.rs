//! The processes of a machine, and which of them gets a request.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::conversation::Conversation;
use crate::model::lock;

/// A process that said hello.
pub(super) struct RunningTestee {
    pub(super) conversation: Conversation,
    /// The number of the last request.
    last_id: AtomicU64,
    unanswered: Mutex<UnansweredGroups>,
    /// Signalled when no group is left, or one is explained.
    settled: Condvar,
}

/// The groups of requests that wait for answers, or whose cases are repeated since the process broke down.
#[derive(Default)]
struct UnansweredGroups {
    groups: usize,
    /// Whether a request of one of them broke down when it was repeated alone, too.
    is_explained: bool,
}

/// Requests that were sent to a process together, until all are answered or their cases were repeated.
pub(super) struct RequestsInFlight(Arc<RunningTestee>);

impl RequestsInFlight {
    pub(super) fn new(running: &Arc<RunningTestee>) -> RequestsInFlight {
        running.unanswered().groups += 1;
        RequestsInFlight(running.clone())
    }

    /// Records that the case of one crashes or times out alone as well.
    pub(super) fn breaks_down_alone(&self) {
        self.0.unanswered().is_explained = true;
        self.0.settled.notify_all();
    }

    /// Waits until the requests in flight are settled. Returns whether one of them broke the process down when it was
    /// repeated alone, which explains the breakdown of the others.
    pub(super) fn are_explained(self) -> bool {
        let running = self.0.clone();
        drop(self);
        let unanswered = running.unanswered();
        let is_open = |it: &mut UnansweredGroups| it.groups > 0 && !it.is_explained;
        let unanswered =
            running.settled.wait_while(unanswered, is_open).unwrap_or_else(PoisonError::into_inner);
        unanswered.is_explained
    }
}

impl Drop for RequestsInFlight {
    fn drop(&mut self) {
        let mut unanswered = self.0.unanswered();
        unanswered.groups -= 1;
        // Others wait for the last one.
        if unanswered.groups == 0 {
            self.0.settled.notify_all();
        }
    }
}

impl RunningTestee {
    pub(super) fn new(conversation: Conversation) -> RunningTestee {
        let (last_id, unanswered) = (AtomicU64::new(0), Mutex::default());
        RunningTestee { conversation, last_id, unanswered, settled: Condvar::new() }
    }

    fn unanswered(&self) -> MutexGuard<'_, UnansweredGroups> {
        lock(&self.unanswered)
    }

    /// The numbers of this many next requests, from 1.
    pub(super) fn next_ids(&self, count: usize) -> Range<u64> {
        let first = self.last_id.fetch_add(count as u64, Ordering::Relaxed) + 1;
        first..first + count as u64
    }
}

/// The processes of a machine: as few as can hold the requests that are asked at the same time.
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
    /// How many requests are being asked.
    asked: usize,
    /// How many were asked at the same time.
    most_asked: usize,
    /// How many processes there are, including those that are being started.
    processes: usize,
    /// How many there may be.
    max_processes: usize,
    /// How many threads wait for room for a new one. Until they have it, the others get no more requests, so that one
    /// of them becomes idle.
    without_room: usize,
}

/// Requests that a thread is asking.
pub(super) struct AskedRequests<'p> {
    pool: &'p Pool,
    requests: usize,
}

/// The places of a process that requests take until this is dropped.
pub(super) struct TakenPlaces<'p> {
    pool: &'p Pool,
    running: &'p Arc<RunningTestee>,
    requests: usize,
}

impl<'p> TakenPlaces<'p> {
    /// Those that [`Pool::take_places_or_announce`] has given.
    pub(super) fn new(pool: &'p Pool, running: &'p Arc<RunningTestee>, requests: usize) -> TakenPlaces<'p> {
        TakenPlaces { pool, running, requests }
    }
}

impl Drop for TakenPlaces<'_> {
    fn drop(&mut self) {
        // The answers that a panic left unread belong to no request any more.
        if std::thread::panicking() {
            self.pool.remove(self.running);
        }
        self.pool.leave(self.running, self.requests);
    }
}

/// A process that was announced. It is withdrawn if it does not start.
pub(super) struct AnnouncedProcess<'p>(Option<&'p Pool>);

impl<'p> AnnouncedProcess<'p> {
    /// One that [`Pool::take_places_or_announce`] or [`Pool::announce`] has announced.
    pub(super) fn new(pool: &'p Pool) -> AnnouncedProcess<'p> {
        AnnouncedProcess(Some(pool))
    }

    /// Adds it to its pool.
    pub(super) fn started(mut self, running: RunningTestee) {
        if let Some(pool) = self.0.take() {
            pool.add(running);
        }
    }
}

impl Drop for AnnouncedProcess<'_> {
    fn drop(&mut self) {
        if let Some(pool) = self.0 {
            pool.withdraw();
        }
    }
}

impl Drop for AskedRequests<'_> {
    fn drop(&mut self) {
        self.pool.lock().asked -= self.requests;
    }
}

impl Pool {
    /// A pool with one process.
    pub(super) fn new(in_flight: usize, running: RunningTestee) -> Pool {
        let places = PoolPlaces {
            running: vec![(Arc::new(running), 0)],
            asked: 0,
            most_asked: 0,
            processes: 1,
            max_processes: usize::MAX,
            without_room: 0,
        };
        Pool { in_flight, places: Mutex::new(places), changed: Condvar::new() }
    }

    /// Starts at most this number of processes from now on; at least one.
    pub(super) fn limit(&self, max_processes: usize) {
        self.lock().max_processes = max_processes.max(1);
    }

    /// Counts requests that a thread is asking.
    pub(super) fn enter(&self, requests: usize) -> AskedRequests<'_> {
        let mut places = self.lock();
        places.asked += requests;
        places.most_asked = places.most_asked.max(places.asked);
        drop(places);
        AskedRequests { pool: self, requests }
    }

    /// A process that takes at least one more request, and how many of these it takes; `None` if the caller must start
    /// another one, which is then announced already.
    pub(super) fn take_places_or_announce(&self, requests: usize) -> Option<(Arc<RunningTestee>, usize)> {
        let mut places = self.lock();
        loop {
            if places.without_room == 0
                && let Some((running, taken)) =
                    places.running.iter_mut().find(|(_, taken)| *taken < self.in_flight)
            {
                let more = requests.min(self.in_flight - *taken);
                *taken += more;
                return Some((running.clone(), more));
            }
            if places.processes < places.max_processes && places.processes * self.in_flight < places.asked {
                places.processes += 1;
                return None;
            }
            places = self.changed.wait(places).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Frees places of this process.
    fn leave(&self, running: &Arc<RunningTestee>, requests: usize) {
        let mut places = self.lock();
        let known = places.running.iter_mut().find(|known| Arc::ptr_eq(&known.0, running));
        if let Some((_, taken)) = known {
            *taken -= requests;
        }
        self.changed.notify_all();
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

    /// Announces a process that the caller starts. Waits for an idle one if there are as many as there may be: the
    /// caller has to end it first.
    pub(super) fn announce(&self) -> Option<Arc<RunningTestee>> {
        let mut places = self.lock();
        places.without_room += 1;
        let idle = loop {
            if places.processes < places.max_processes {
                places.processes += 1;
                break None;
            }
            if let Some(idle) = places.running.iter().position(|(_, taken)| *taken == 0) {
                break Some(places.running.swap_remove(idle).0);
            }
            places = self.changed.wait(places).unwrap_or_else(PoisonError::into_inner);
        };
        places.without_room -= 1;
        self.changed.notify_all();
        idle
    }

    /// Takes back the announcement of a process that broke down.
    fn withdraw(&self) {
        self.lock().processes -= 1;
        self.changed.notify_all();
    }

    /// Adds a process that was announced. Drops it if the others have room for as many requests as were ever asked at
    /// the same time: starting it may have taken long.
    fn add(&self, running: RunningTestee) {
        let mut places = self.lock();
        if (places.processes - 1) * self.in_flight >= places.most_asked {
            places.processes -= 1;
            // The process ends after the lock is released.
            drop(places);
            return drop(running);
        }
        places.running.push((Arc::new(running), 0));
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, PoolPlaces> {
        lock(&self.places)
    }
}

impl Drop for Pool {
    /// All processes end at the same time.
    fn drop(&mut self) {
        self.lock().running.iter().for_each(|(running, _)| running.conversation.close());
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::Duration;

    use super::*;
    use crate::testees::process::command::TesteeCommand;
    use crate::testees::process::group::ProcessGroups;

    fn process() -> RunningTestee {
        let limit = Duration::from_mins(1);
        let command = TesteeCommand {
            name: "cat".to_owned(),
            words: vec!["cat".to_owned()],
            env: Vec::new(),
            folder: None,
            timeout: limit,
            start: limit,
            memory: None,
        };
        RunningTestee::new(Conversation::start(&command, &ProcessGroups::default()).expect("a process"))
    }

    /// Otherwise the next request would wait forever.
    #[test]
    fn a_panic_leaves_no_place_taken() {
        let pool = Pool::new(1, process());
        pool.limit(1);
        let _asked = pool.enter(1);
        let (running, places) = pool.take_places_or_announce(1).expect("a place");
        let panics = || {
            let _taken = TakenPlaces::new(&pool, &running, places);
            panic!("while an answer is read");
        };
        assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
        // That process has ended, so that a new one is announced; if it does not start, the next one is.
        for _ in 0..2 {
            assert!(pool.take_places_or_announce(1).is_none());
            drop(AnnouncedProcess::new(&pool));
        }
        assert!(pool.take_places_or_announce(1).is_none());
        AnnouncedProcess::new(&pool).started(process());
        assert!(pool.take_places_or_announce(1).is_some_and(|(_, places)| places == 1));
    }
}
