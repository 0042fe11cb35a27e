//! Runs cases on several threads.

mod unreported_files;

use std::collections::{BinaryHeap, VecDeque};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, TryRecvError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope, Thread};
use std::time::Duration;

use self::unreported_files::{FileSize, MAX_SMALL_FILES_AHEAD, UnreportedFiles};
use super::collect::RunCollector;
use super::judged_case::JudgedCase;
use super::load::LoadedFile;
use super::options::{LoadOptions, RunOptions};
use super::order::{FinishedCases, NextCase, ResultOrder};
use super::select::{FileOpener, SelectPurpose};
use super::source::VectorSource;
use super::sources::{self, Sources};
use crate::model::{Interrupt, Verdict, VerdictKind, lock};

/// A larger file is opened while the cases of others that no thread has taken yet have at most this many bytes for each
/// job: what a file is parsed to takes several times the memory of its text. Embedded machines may run cases faster than
/// files are parsed.
const MAX_UNTAKEN_BYTES: usize = 2 << 20;

/// The same if other processes run the cases, which takes longer than parsing them.
const MAX_UNTAKEN_BYTES_OF_PROCESSES: usize = 256 << 10;

/// No file is begun while this many cases per thread that did not pass wait to be reported: each may take several
/// kilobytes.
const MAX_WAITING_FAILURES: usize = 128;

/// The thread that opens a file also runs its cases if there are at most this many: handing them to other threads,
/// and their results one by one to the calling thread, would take longer than running most of them.
const MAX_CASES_OF_SMALL_FILE: usize = 8;

/// The most cases of a larger file in a task, if fewer may be in flight. Tasks get smaller towards the end of a file, so
/// that all threads finish at about the same time.
const MAX_CASES_PER_TASK: usize = 8;

/// The most threads for each job, however many cases may be in flight.
const MAX_THREADS: usize = 16;

/// How many results per thread the channel to the calling thread holds.
const MAX_RESULTS_IN_CHANNEL: usize = 256;

/// A thread wakes the calling thread after this many results, which counts the completed files in groups of this size:
/// doing so for each one costs as much as running a small case.
const BATCH: usize = 64;

/// The longest time that a result waits for the calling thread.
const LATENCY: Duration = Duration::from_millis(5);

/// How many files a thread keeps until the calling thread has released them: if the calling thread freed memory that
/// this one allocated, both would wait for each other in the allocator.
const MAX_KEPT_FILES: usize = MAX_SMALL_FILES_AHEAD;

/// How many files are listed at a time, so that threads seldom wait for each other.
const FILES_PER_LISTING: usize = 16;

/// How many threads run cases.
#[derive(Clone, Copy)]
pub(super) struct PoolThreads {
    /// For files of a few cases.
    pub(super) most: usize,
    /// For larger files, of which one thread has several cases in flight at the same time.
    large: usize,
    jobs: usize,
    /// How many cases of a larger file a thread takes at most.
    together: usize,
    /// How many bytes of cases that no thread has taken yet may be there when a larger file is opened.
    max_untaken: usize,
}

impl PoolThreads {
    /// How many threads a run needs.
    pub(super) fn of(run: &RunOptions) -> PoolThreads {
        let in_flight = run.testee.in_flight();
        let max_untaken = match run.testee.vm() {
            Some(_) => MAX_UNTAKEN_BYTES_OF_PROCESSES,
            None => MAX_UNTAKEN_BYTES,
        };
        PoolThreads {
            most: run.jobs * in_flight.min(MAX_THREADS),
            // While one of two threads compares, the testee has the requests of the other.
            large: run.jobs * in_flight.min(2),
            jobs: run.jobs,
            together: MAX_CASES_PER_TASK.max(in_flight / 2),
            max_untaken: run.jobs * max_untaken,
        }
    }
}

/// Runs all cases on at most this number of threads; the calling thread puts the judged cases in order.
pub(super) fn run<'s>(
    sources: &'s Sources,
    options: &'s LoadOptions,
    threads: PoolThreads,
    collector: &mut RunCollector<'_>,
) {
    let work = PoolWork::new(sources, threads, &options.run.interrupt);
    let mut order = ResultOrder::default();
    let stop = PoolStop::new(options.run.max_failures);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(MAX_RESULTS_IN_CHANNEL * threads.most);
        start(scope, &work, &stop, options, sender);
        let mut complete = 0;
        loop {
            let received = receiver.try_recv();
            if complete >= BATCH || received.is_err() {
                work.report_files(std::mem::take(&mut complete));
            }
            match received {
                Ok(finished) => {
                    order.add(finished);
                    complete += collect(&mut order, collector, &work);
                }
                Err(TryRecvError::Empty) => thread::park_timeout(LATENCY),
                Err(TryRecvError::Disconnected) => break,
            }
        }
    });
    // Only after an interrupt: what was finished behind cases that were not.
    for next in order.rest() {
        collector.take(next);
    }
}

/// Passes the results that are next in order to the collector; returns how many files are complete.
fn collect(order: &mut ResultOrder<'_>, collector: &mut RunCollector<'_>, work: &PoolWork<'_>) -> usize {
    let mut files = 0;
    while let Some(next) = order.next() {
        match &next {
            NextCase::File(_) => {}
            NextCase::Case(.., judged) => work.report_case(judged),
            NextCase::FileDone => files += 1,
        }
        collector.take(next);
    }
    files
}

/// Starts a thread, which starts the next one as soon as there is work for it: few cases need only one thread.
fn start<'scope, 's>(
    scope: &'scope Scope<'scope, '_>,
    work: &'scope PoolWork<'s>,
    stop: &'scope PoolStop,
    options: &'s LoadOptions,
    sender: mpsc::SyncSender<FinishedCases<'s>>,
) where
    's: 'scope,
{
    scope.spawn(move || {
        let start_next = || start(scope, work, stop, options, sender.clone());
        work_on(work, stop, options, &sender, start_next);
        // The channel closes when the last thread ends.
        drop(sender);
        work.collecting.unpark();
    });
}

fn work_on<'s>(
    work: &PoolWork<'s>,
    stop: &PoolStop,
    options: &'s LoadOptions,
    sender: &mpsc::SyncSender<FinishedCases<'s>>,
    start_next: impl Fn(),
) {
    let mut worker =
        PoolWorker { work, stop, opener: FileOpener::new(options), last: None, kept: VecDeque::new() };
    let mut sent = 0;
    while let Some(task) = work.next(worker.last) {
        if work.counts_another_thread() {
            start_next();
        }
        let finished = match task {
            Task::Open(number, source) => worker.open(number, source),
            Task::Run { number, cases, file } => worker.run_some(number, cases, &file),
        };
        // After an interrupt, there is no next task.
        if sender.send(finished).is_err() {
            work.wake_all();
            break;
        }
        sent += 1;
        if sent % BATCH == 0 {
            work.collecting.unpark();
        }
    }
}

/// What a thread works with.
struct PoolWorker<'w, 's> {
    work: &'w PoolWork<'s>,
    stop: &'w PoolStop,
    opener: FileOpener<'s>,
    /// The number of the last file that it worked on.
    last: Option<usize>,
    kept: VecDeque<Arc<LoadedFile<'s>>>,
}

impl<'s> PoolWorker<'_, 's> {
    /// Opens a file, and runs its cases if they are few.
    fn open(&mut self, number: usize, source: VectorSource) -> FinishedCases<'s> {
        self.last = Some(number);
        let file = self.opener.open_in_turn(number, source, SelectPurpose::Run);
        // Results that wait to be put in order take little memory without the document.
        let (file, judged) = if file.cases() <= MAX_CASES_OF_SMALL_FILE {
            self.work.add(number, FileSize::of(&file), None);
            let judged = self.run(number, 0..file.cases(), &file);
            (Arc::new(file.for_reports()), judged)
        } else {
            let reported = Arc::new(file.for_reports());
            self.work.add(number, FileSize::of(&file), Some(Arc::new(file)));
            (reported, Vec::new())
        };
        keep(&mut self.kept, &file);
        FinishedCases::File(number, file, judged)
    }

    /// Runs some cases of an open file.
    fn run_some(&mut self, number: usize, cases: Range<usize>, file: &LoadedFile<'s>) -> FinishedCases<'s> {
        self.last = Some(number);
        let first = cases.start;
        let judged = self.run(number, cases, file);
        release(&mut self.kept);
        FinishedCases::Cases(number, first, judged)
    }

    fn run(&mut self, number: usize, cases: Range<usize>, file: &LoadedFile<'s>) -> Vec<JudgedCase> {
        let cases: Vec<_> = cases.filter_map(|index| file.case(index)).collect();
        let judged = match self.stop.skips(number) {
            Some(failures) => {
                cases.iter().map(|case| JudgedCase::new(case.report()).skip(failures)).collect()
            }
            None => self.opener.worker.run_each(&cases),
        };
        for judged in &judged {
            self.stop.see(number, &judged.report.verdict);
            self.work.waiting_failures.add(judged);
        }
        judged
    }
}

/// Keeps a file while another thread uses it; see [`MAX_KEPT_FILES`].
fn keep<'s>(kept: &mut VecDeque<Arc<LoadedFile<'s>>>, file: &Arc<LoadedFile<'s>>) {
    release(kept);
    if kept.len() == MAX_KEPT_FILES {
        kept.pop_front();
    }
    kept.push_back(file.clone());
}

/// Frees the files at the front that no other thread uses: files are reported in order.
fn release(kept: &mut VecDeque<Arc<LoadedFile<'_>>>) {
    while kept.front().is_some_and(|file| Arc::strong_count(file) == 1) {
        kept.pop_front();
    }
}

/// The file after which the run stops because of [`RunOptions::max_failures`](super::options::RunOptions):
/// later files need not run. The judged cases in order decide what is skipped; this only avoids work.
struct PoolStop {
    max_failures: Option<NonZeroUsize>,
    /// The files of the first failures, in the order of files; the last one on top.
    failures: Mutex<BinaryHeap<usize>>,
    last: AtomicUsize,
}

impl PoolStop {
    fn new(max_failures: Option<NonZeroUsize>) -> PoolStop {
        PoolStop { max_failures, failures: Mutex::default(), last: AtomicUsize::new(usize::MAX) }
    }

    /// Whether the file is skipped, and after how many failures.
    fn skips(&self, file: usize) -> Option<NonZeroUsize> {
        self.max_failures.filter(|_| self.last.load(Ordering::Relaxed) < file)
    }

    fn see(&self, file: usize, verdict: &Verdict) {
        let Some(most) = self.max_failures.filter(|_| verdict.kind().fails_run()) else { return };
        let mut failures = lock(&self.failures);
        failures.push(file);
        if failures.len() > most.get() {
            failures.pop();
        }
        if let Some(last) = failures.peek().filter(|_| failures.len() == most.get()) {
            self.last.store(*last, Ordering::Relaxed);
        }
    }
}

/// How many cases that did not pass are judged and not reported yet.
#[derive(Default)]
struct WaitingFailures(AtomicUsize);

impl WaitingFailures {
    fn add(&self, judged: &JudgedCase) {
        if WaitingFailures::counts(judged) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Whether this number of threads has room again now that the case is reported.
    fn make_room(&self, judged: &JudgedCase, threads: usize) -> bool {
        let half = MAX_WAITING_FAILURES * threads / 2;
        WaitingFailures::counts(judged) && self.0.fetch_sub(1, Ordering::Relaxed) == half
    }

    fn counts(judged: &JudgedCase) -> bool {
        !matches!(judged.report.verdict.kind(), VerdictKind::Pass | VerdictKind::Skip)
    }

    /// Whether this number of threads may begin another file.
    fn have_room(&self, threads: usize) -> bool {
        self.0.load(Ordering::Relaxed) < MAX_WAITING_FAILURES * threads
    }
}

enum Task<'s> {
    Open(usize, VectorSource),
    Run { number: usize, cases: Range<usize>, file: Arc<LoadedFile<'s>> },
}

/// The work list.
struct PoolWork<'s> {
    threads: PoolThreads,
    /// Whether there was a file of a few cases.
    has_small: AtomicBool,
    /// How many threads are started.
    started: AtomicUsize,
    /// The thread that puts the results in order.
    collecting: Thread,
    interrupt: &'s Interrupt,
    waiting_failures: WaitingFailures,
    queue: Mutex<PoolQueue<'s>>,
    /// The files that are not in the queue yet, with a lock of their own: listing some of them takes as long as running
    /// a few, and other threads need not wait for it while there are files in the queue.
    unlisted: Mutex<sources::SourceIter<'s>>,
    /// A file was added or reported, or the run is interrupted.
    changed: Condvar,
}

struct PoolQueue<'s> {
    /// The next files.
    files: VecDeque<VectorSource>,
    /// Whether these are the last ones.
    is_listed: bool,
    /// Files with more than a few cases, some of them left to run, in order: index of the file, index of the next case,
    /// file.
    cases: VecDeque<(usize, usize, Arc<LoadedFile<'s>>)>,
    begun: UnreportedFiles,
    opening: usize,
    /// The bytes of the last larger file that was opened: those that are being opened may be as large.
    last_bytes: usize,
}

impl<'s> PoolQueue<'s> {
    /// Whether all files are begun.
    fn has_no_files(&self) -> bool {
        self.files.is_empty() && self.is_listed
    }

    /// Whether a file may be opened that has more than a few cases. There is one more of them than jobs, so that the next
    /// one is there when the cases of another one end.
    fn may_open_large(&self, threads: PoolThreads) -> bool {
        let untaken = |(_, next, file): &(usize, usize, Arc<LoadedFile<'s>>)| {
            file.bytes() / file.cases() * (file.cases() - next)
        };
        let bytes = self.cases.iter().map(untaken).sum::<usize>() + self.opening * self.last_bytes;
        self.opening < threads.jobs
            && self.cases.len() + self.opening <= threads.jobs
            && bytes < threads.max_untaken
    }

    /// The next cases of the file at this index of the list.
    fn cases(&mut self, at: usize, threads: PoolThreads) -> Option<Task<'s>> {
        let (number, index, file) = self.cases.get_mut(at)?;
        let count = ((file.cases() - *index) / (4 * threads.large)).clamp(1, threads.together);
        let cases = *index..*index + count;
        let task = Task::Run { number: *number, cases, file: file.clone() };
        *index += count;
        if *index == file.cases() {
            self.cases.remove(at);
        }
        Some(task)
    }
}

impl<'s> PoolWork<'s> {
    fn new(sources: &'s Sources, threads: PoolThreads, interrupt: &'s Interrupt) -> PoolWork<'s> {
        let queue = PoolQueue {
            files: VecDeque::new(),
            is_listed: false,
            cases: VecDeque::new(),
            begun: UnreportedFiles::default(),
            opening: 0,
            last_bytes: 0,
        };
        let collecting = thread::current();
        let unlisted = Mutex::new(sources.iter());
        let (started, changed) = (AtomicUsize::new(1), Condvar::new());
        let has_small = AtomicBool::new(false);
        PoolWork {
            threads,
            has_small,
            started,
            collecting,
            interrupt,
            waiting_failures: WaitingFailures::default(),
            queue: Mutex::new(queue),
            unlisted,
            changed,
        }
    }

    fn lock(&self) -> MutexGuard<'_, PoolQueue<'s>> {
        lock(&self.queue)
    }

    /// How many threads may be started.
    fn threads(&self) -> usize {
        if self.has_small.load(Ordering::Relaxed) { self.threads.most } else { self.threads.large }
    }

    /// Whether there is work for another thread, which then counts as started.
    fn counts_another_thread(&self) -> bool {
        let may_start = || self.started.load(Ordering::Relaxed) < self.threads();
        if !may_start() {
            return false;
        }
        let queue = self.lock();
        let is_needed = may_start() && !(queue.files.is_empty() && queue.cases.is_empty());
        if is_needed {
            self.started.fetch_add(1, Ordering::Relaxed);
        }
        is_needed
    }

    /// The next task; `None` when all work is done or assigned to other threads.
    ///
    /// A thread goes on with the file of its `last` task, since the cases of a file often share a program that the
    /// machine has loaded. It takes the cases of another thread's file where it can begin no file of its own.
    fn next(&self, last: Option<usize>) -> Option<Task<'s>> {
        let mut queue = self.lock();
        loop {
            if self.interrupt.is_requested() {
                // The other threads may wait for something that no longer happens.
                self.changed.notify_all();
                return None;
            }
            if let Some(at) = queue.cases.iter().position(|(number, ..)| Some(*number) == last) {
                return queue.cases(at, self.threads);
            }
            let is_small = self.has_small.load(Ordering::Relaxed);
            let may_open = is_small || queue.may_open_large(self.threads);
            let has_room =
                queue.begun.has_room(self.threads()) && self.waiting_failures.have_room(self.threads());
            if may_open && has_room {
                if let Some(source) = queue.files.pop_front() {
                    queue.opening += 1;
                    let task = Task::Open(queue.begun.add(), source);
                    let are_few = queue.files.len() < FILES_PER_LISTING && !queue.is_listed;
                    drop(queue);
                    if are_few && let Ok(unlisted) = self.unlisted.try_lock() {
                        self.list(unlisted);
                    }
                    return Some(task);
                }
                if !queue.is_listed {
                    drop(queue);
                    self.list(lock(&self.unlisted));
                    queue = self.lock();
                    continue;
                }
            }
            if !queue.cases.is_empty() {
                return queue.cases(0, self.threads);
            }
            if queue.opening == 0 && queue.has_no_files() {
                return None;
            }
            // This thread may wait for files to be reported.
            self.collecting.unpark();
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lists some more files, unless another thread did so while this one waited for the lock.
    fn list(&self, mut unlisted: MutexGuard<'_, sources::SourceIter<'s>>) {
        if self.lock().files.len() >= FILES_PER_LISTING {
            return;
        }
        let files: Vec<_> = unlisted.by_ref().take(FILES_PER_LISTING).collect();
        let mut queue = self.lock();
        queue.is_listed = files.len() < FILES_PER_LISTING;
        queue.files.extend(files);
    }

    /// Wakes all waiting threads, to look for work again or to see that the run is interrupted.
    fn wake_all(&self) {
        let _queue = self.lock();
        self.changed.notify_all();
    }

    /// Records that a file of this size is loaded. If it is given, all threads may run its cases.
    fn add(&self, number: usize, size: FileSize, file: Option<Arc<LoadedFile<'s>>>) {
        let mut queue = self.lock();
        queue.opening -= 1;
        queue.begun.load(number, size);
        let is_awaited = match file {
            Some(file) => {
                queue.last_bytes = file.bytes();
                queue.cases.push_back((number, 0, file));
                true
            }
            // More threads may begin more files.
            None => {
                !self.has_small.swap(true, Ordering::Relaxed) || queue.opening == 0 && queue.has_no_files()
            }
        };
        if is_awaited {
            self.changed.notify_all();
        }
    }

    /// Counts a case that is reported.
    fn report_case(&self, judged: &JudgedCase) {
        if self.waiting_failures.make_room(judged, self.threads()) {
            self.wake_all();
        }
    }

    /// Counts files whose results were all reported, so that others may be begun.
    fn report_files(&self, count: usize) {
        if count == 0 {
            return;
        }
        let mut queue = self.lock();
        (0..count).for_each(|_| queue.begun.report());
        if queue.begun.is_half_empty(self.threads()) {
            self.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CaseId, CaseReport};

    /// Files are begun until too many failures wait, and again once half of them are reported. Cases that pass or are
    /// skipped take little memory.
    #[test]
    fn failures_that_wait_leave_no_room() {
        let id = CaseId::of_file("a.json".into());
        let judged = |verdict| JudgedCase::new(CaseReport::new(id.clone(), verdict));
        let failing = JudgedCase::new(CaseReport::broken(&id, &[]));
        let waiting = WaitingFailures::default();
        for _ in 0..10 * MAX_WAITING_FAILURES {
            waiting.add(&judged(Verdict::Pass));
            waiting.add(&judged(Verdict::Skip("later".to_owned())));
        }
        let most = 2 * MAX_WAITING_FAILURES;
        for _ in 0..most {
            assert!(waiting.have_room(2));
            waiting.add(&failing);
        }
        assert!(!waiting.have_room(2) && waiting.have_room(3));
        assert!(!waiting.make_room(&judged(Verdict::Pass), 2));
        let made: Vec<_> = (0..most).filter(|_| waiting.make_room(&failing, 2)).collect();
        assert_eq!(made, [most / 2]);
        assert!(waiting.have_room(2));
    }
}
