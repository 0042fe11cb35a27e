//! Names slow cases on standard error while they run.

use std::collections::HashSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use vmconf::run::running::RunningCases;

/// The time between two looks at the running cases.
const INTERVAL: Duration = Duration::from_millis(100);

/// A thread that names slow cases until this is dropped.
pub(super) struct SlowCaseMonitor {
    /// Dropped to end the thread.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl SlowCaseMonitor {
    /// Starts the thread. It calls `print` once for each case that takes at least as long as `slow`.
    pub(super) fn start(
        running: RunningCases,
        slow: Duration,
        print: impl Fn(&str) + Send + 'static,
    ) -> SlowCaseMonitor {
        let (stop, stopped) = channel();
        let thread = std::thread::spawn(move || monitor(&running, slow, &stopped, &print));
        SlowCaseMonitor { stop: Some(stop), thread: Some(thread) }
    }
}

fn monitor(running: &RunningCases, slow: Duration, stopped: &Receiver<()>, print: &dyn Fn(&str)) {
    let mut named = HashSet::new();
    while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
        for id in running.for_at_least(slow) {
            if named.insert(id.to_string()) {
                print(&format!("slow: {id} has been running for {} s", slow.as_secs_f64()));
            }
        }
    }
}

impl Drop for SlowCaseMonitor {
    fn drop(&mut self) {
        self.stop = None;
        // A panic of the thread was printed, and does not concern the run.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
