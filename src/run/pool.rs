//! Runs cases on several threads.

use std::collections::{BinaryHeap, VecDeque};
use std::iter::Peekable;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};

use super::collect::Collector;
use super::execute::{CaseOutcome, Worker};
use super::load::LoadedFile;
use super::options::Options;
use super::order::{Finished, Next, Order};
use super::select::open_to_run;
use super::source::Source;
use super::sources::{self, Sources};
use crate::model::interrupt::Interrupt;
use crate::model::verdict::Verdict;

/// How many files, for each thread, may be begun before the first of them is reported: they and their results wait in
/// memory.
const AHEAD: usize = 16;

/// As many are allowed while their texts have no more than this number of bytes for each thread: a case that takes
/// long leaves no other thread without work.
const FAR_AHEAD: usize = 256;
const BYTES_AHEAD: usize = 2 << 20;

/// The thread that opens a file also runs its cases if there are no more than this: handing them to other threads, and
/// their results one by one to the calling thread, would take as long as running most of them.
const FEW: usize = 8;

/// How many results, for each thread, wait to be put in order.
const WAITING: usize = 64;

/// Runs all cases on this number of threads; the calling thread puts the outcomes in order.
pub(super) fn run<'s>(
    sources: &'s Sources,
    options: &'s Options,
    threads: usize,
    collector: &mut Collector<'_>,
) {
    let (sender, receiver) = mpsc::sync_channel(WAITING * threads);
    let work = Work::new(sources, threads, &options.run.interrupt);
    let stop = Stop::new(options.run.max_failures);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let sender = sender.clone();
            scope.spawn(|| work_on(&work, &stop, options, sender));
        }
        drop(sender);
        let mut order = Order::default();
        for finished in receiver {
            order.add(finished);
            while let Some(next) = order.next() {
                match next {
                    Next::File(file) => collector.file(&file),
                    Next::Case(file, index, outcome) => collector.case(&file, index, outcome),
                    Next::FileDone => {
                        collector.file_done();
                        work.report_file();
                    }
                }
            }
        }
    });
}

// Each thread owns its sender: the channel closes when the last thread ends.
#[allow(clippy::needless_pass_by_value)]
fn work_on<'s>(work: &Work<'s>, stop: &Stop, options: &'s Options, sender: mpsc::SyncSender<Finished<'s>>) {
    let mut worker = Worker::new(&options.run);
    let mut run = |number, file: &LoadedFile<'s>, index| {
        let case = file.case(index)?;
        let outcome = match stop.skips(number) {
            Some(failures) => CaseOutcome::skipped(&case, failures),
            None => worker.run(&case),
        };
        if options.run.interrupt.is_requested() {
            return None;
        }
        stop.see(number, &outcome.report.verdict);
        Some(outcome)
    };
    let mut last = None;
    while let Some(task) = work.next(last) {
        let finished = match task {
            Task::Open(number, source) => {
                last = Some(number);
                let file = Arc::new(open_to_run(number, source, options));
                work.add(number, &file);
                let here = if file.cases() <= FEW { 0..file.cases() } else { 0..0 };
                let outcomes: Option<Vec<_>> = here.map(|index| run(number, &file, index)).collect();
                outcomes.map(|outcomes| Finished::File(number, file, outcomes))
            }
            Task::Run { number, index, file } => {
                last = Some(number);
                run(number, &file, index).map(|outcome| Finished::Case(number, index, Box::new(outcome)))
            }
        };
        if finished.is_none_or(|finished| sender.send(finished).is_err()) {
            work.wake_all();
            return;
        }
    }
}

/// The file after which the run stops because of [`RunOptions::max_failures`](super::options::RunOptions):
/// later files need not run. The outcomes in order decide what is skipped; this only avoids work.
struct Stop {
    max_failures: Option<NonZeroUsize>,
    /// The files of the first failures, in the order of files; the last one on top.
    failures: Mutex<BinaryHeap<usize>>,
    last: AtomicUsize,
}

impl Stop {
    fn new(max_failures: Option<NonZeroUsize>) -> Stop {
        Stop { max_failures, failures: Mutex::default(), last: AtomicUsize::new(usize::MAX) }
    }

    /// Whether the file is skipped, and after how many failures.
    fn skips(&self, file: usize) -> Option<NonZeroUsize> {
        self.max_failures.filter(|_| self.last.load(Ordering::Relaxed) < file)
    }

    fn see(&self, file: usize, verdict: &Verdict) {
        let Some(most) = self.max_failures.filter(|_| verdict.is_failed_or_broken()) else { return };
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.push(file);
        if failures.len() > most.get() {
            failures.pop();
        }
        if let Some(last) = failures.peek().filter(|_| failures.len() == most.get()) {
            self.last.store(*last, Ordering::Relaxed);
        }
    }
}

enum Task<'s> {
    Open(usize, Source),
    Run { number: usize, index: usize, file: Arc<LoadedFile<'s>> },
}

/// The work list.
struct Work<'s> {
    threads: usize,
    interrupt: &'s Interrupt,
    queue: Mutex<Queue<'s>>,
    /// A file was added or reported, or the run is interrupted.
    changed: Condvar,
}

struct Queue<'s> {
    /// The files that are not begun.
    files: Peekable<sources::Iter<'s>>,
    /// Files with more than a few cases, some of them left to run, in order: index of the file, index of the next case,
    /// file.
    cases: VecDeque<(usize, usize, Arc<LoadedFile<'s>>)>,
    begun: Begun,
    opening: usize,
}

/// The files that are begun and not reported yet.
#[derive(Default)]
struct Begun {
    /// How many files are reported.
    reported: usize,
    /// The bytes of each file, 0 until it is loaded.
    sizes: VecDeque<usize>,
    /// Their sum.
    bytes: usize,
}

impl Begun {
    /// Whether this number of threads may begin another one.
    fn has_room(&self, threads: usize) -> bool {
        let files = self.sizes.len();
        files < AHEAD * threads || files < FAR_AHEAD * threads && self.bytes < BYTES_AHEAD * threads
    }

    /// Begins another one, and returns its number.
    fn add(&mut self) -> usize {
        self.sizes.push_back(0);
        self.reported + self.sizes.len() - 1
    }

    fn load(&mut self, number: usize, bytes: usize) {
        self.sizes[number - self.reported] = bytes;
        self.bytes += bytes;
    }

    /// The first one is reported.
    fn report(&mut self) {
        self.bytes -= self.sizes.pop_front().unwrap_or(0);
        self.reported += 1;
    }
}

impl<'s> Queue<'s> {
    /// The next case of the file at this index of the list.
    fn case(&mut self, at: usize) -> Option<Task<'s>> {
        let (number, index, file) = self.cases.get_mut(at)?;
        let task = Task::Run { number: *number, index: *index, file: file.clone() };
        *index += 1;
        if *index == file.cases() {
            self.cases.remove(at);
        }
        Some(task)
    }
}

impl<'s> Work<'s> {
    fn new(sources: &'s Sources, threads: usize, interrupt: &'s Interrupt) -> Work<'s> {
        let queue = Queue {
            files: sources.iter().peekable(),
            cases: VecDeque::new(),
            begun: Begun::default(),
            opening: 0,
        };
        Work { threads, interrupt, queue: Mutex::new(queue), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Queue<'s>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next task; `None` when all work is done or assigned to other threads.
    ///
    /// A thread goes on with the file of its `last` task, since the cases of a file often share a program that the
    /// machine has loaded. It takes the cases of another thread's file where it can begin no file of its own.
    fn next(&self, last: Option<usize>) -> Option<Task<'s>> {
        let mut queue = self.lock();
        loop {
            if self.interrupt.is_requested() {
                // Nothing that the other threads wait for may happen any more.
                self.changed.notify_all();
                return None;
            }
            if let Some(at) = queue.cases.iter().position(|(number, ..)| Some(*number) == last) {
                return queue.case(at);
            }
            if queue.begun.has_room(self.threads)
                && let Some(source) = queue.files.next()
            {
                queue.opening += 1;
                return Some(Task::Open(queue.begun.add(), source));
            }
            if !queue.cases.is_empty() {
                return queue.case(0);
            }
            if queue.opening == 0 && queue.files.peek().is_none() {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Lets each thread that waits look again for what to do, or whether the run is interrupted.
    fn wake_all(&self) {
        let _queue = self.lock();
        self.changed.notify_all();
    }

    /// Adds the cases of a loaded file, if they are more than a few.
    fn add(&self, number: usize, file: &Arc<LoadedFile<'s>>) {
        let mut queue = self.lock();
        queue.opening -= 1;
        queue.begun.load(number, file.bytes());
        if file.cases() > FEW {
            queue.cases.push_back((number, 0, file.clone()));
        } else if queue.opening > 0 || queue.files.peek().is_some() {
            return;
        }
        self.changed.notify_all();
    }

    /// Counts a file whose results were all reported, so that another one may be begun.
    fn report_file(&self) {
        let mut queue = self.lock();
        queue.begun.report();
        // A thread that waits for this does so until half of the files ahead are reported: waking it for each
        // costs more than running small files.
        if queue.begun.reported.is_multiple_of(AHEAD * self.threads / 2) {
            self.changed.notify_all();
        }
    }
}
