//! Running on several threads.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};

use super::execute::{Plan, Worker};
use super::load::{LoadedFile, open};
use super::order::{Done, Order};
use super::sources::Source;
use super::{AfterFailure, CaseOutcome, Collector, Interrupt, Options};
use crate::model::event::Event;
use crate::model::verdict::Verdict;

/// Runs all cases on `options.run.jobs` threads; this one puts what comes of them in order.
pub(super) fn run<'s>(sources: &'s [Source], options: &'s Options, tally: &mut Collector<'_>) {
    let (results, finished) = mpsc::channel();
    let work = Work::new(sources, &options.run.interrupt);
    let stop = Stop::new(options.run.after_failure);
    std::thread::scope(|scope| {
        for _ in 0..options.run.jobs {
            let results = results.clone();
            scope.spawn(|| worker(&work, &stop, options, results));
        }
        drop(results);
        let mut order = Order::new(sources.len());
        for message in finished {
            order.add(message);
            while let Some(done) = order.next() {
                match done {
                    Done::LoadedFile(loaded) => tally.file(&loaded),
                    Done::Case(judged) => tally.case(*judged),
                    Done::File => (tally.sink)(Event::FileDone),
                }
            }
        }
    });
}

/// What a worker tells the thread that puts things in order.
pub(super) enum Message<'s> {
    /// The file of this number was opened.
    LoadedFile(usize, Arc<LoadedFile<'s>>),
    /// Of the file of this number, the case of this number is done.
    CaseOutcome(usize, usize, Box<CaseOutcome>),
}

// The sender is the worker's own: the channel ends when the last worker does.
#[allow(clippy::needless_pass_by_value)]
fn worker<'s>(work: &Work<'s>, stop: &Stop, options: &'s Options, results: mpsc::Sender<Message<'s>>) {
    let mut bench = Worker::new(&options.run);
    while let Some(task) = work.next() {
        let message = match task {
            Task::Open(file) => {
                let loaded = Arc::new(open(&work.sources[file], options));
                work.add(file, &loaded);
                Message::LoadedFile(file, loaded)
            }
            Task::Judge { file, case, loaded } => {
                let judged = bench.run(&loaded, case, stop.plan(file), None);
                stop.see(file, &judged.report.verdict);
                Message::CaseOutcome(file, case, Box::new(judged))
            }
        };
        if results.send(message).is_err() {
            return;
        }
    }
}

/// With `--fail-fast`, the first file in which a case failed: those behind it need not run. What
/// is skipped is decided where results are in order; this only saves the work.
struct Stop {
    after_failure: AfterFailure,
    first: AtomicUsize,
}

impl Stop {
    fn new(after_failure: AfterFailure) -> Stop {
        Stop { after_failure, first: AtomicUsize::new(usize::MAX) }
    }

    fn plan(&self, file: usize) -> Plan {
        if self.first.load(Ordering::Relaxed) < file { Plan::Skip } else { Plan::Run }
    }

    fn see(&self, file: usize, verdict: &Verdict) {
        if verdict.is_failed_or_broken() && self.after_failure == AfterFailure::SkipTheRest {
            self.first.fetch_min(file, Ordering::Relaxed);
        }
    }
}

enum Task<'s> {
    Open(usize),
    Judge { file: usize, case: usize, loaded: Arc<LoadedFile<'s>> },
}

/// The work list.
struct Work<'s> {
    sources: &'s [Source],
    interrupt: &'s Interrupt,
    queue: Mutex<Queue<'s>>,
    added: Condvar,
}

#[derive(Default)]
struct Queue<'s> {
    /// Files of which cases are left, first files first: number, next case, file.
    cases: VecDeque<(usize, usize, Arc<LoadedFile<'s>>)>,
    next_file: usize,
    opening: usize,
}

impl<'s> Work<'s> {
    fn new(sources: &'s [Source], interrupt: &'s Interrupt) -> Work<'s> {
        Work { sources, interrupt, queue: Mutex::default(), added: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Queue<'s>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next thing to do; none when all is done or being done by others.
    fn next(&self) -> Option<Task<'s>> {
        let mut queue = self.lock();
        loop {
            // Whoever has taken a file still adds it, which wakes those that wait for it.
            if self.interrupt.is_requested() {
                return None;
            }
            if let Some((file, case, loaded)) = queue.cases.front_mut() {
                let task = Task::Judge { file: *file, case: *case, loaded: loaded.clone() };
                *case += 1;
                if *case == loaded.cases() {
                    queue.cases.pop_front();
                }
                return Some(task);
            }
            if queue.next_file < self.sources.len() {
                queue.next_file += 1;
                queue.opening += 1;
                return Some(Task::Open(queue.next_file - 1));
            }
            if queue.opening == 0 {
                return None;
            }
            queue = self.added.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Adds the cases of a file that was opened.
    fn add(&self, file: usize, loaded: &Arc<LoadedFile<'s>>) {
        let mut queue = self.lock();
        queue.opening -= 1;
        if loaded.cases() > 0 {
            queue.cases.push_back((file, 0, loaded.clone()));
        }
        self.added.notify_all();
    }
}
