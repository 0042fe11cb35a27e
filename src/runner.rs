//! From files to events: reads them, runs their cases on as many threads as are wanted, and puts
//! what comes of them back in order.
//!
//! The work list is files; reading one puts its cases in front of the files that are left, so
//! that the threads share the cases of one large file as well as many small files. With one
//! thread there is no queue: files and cases are done where they stand.

mod exception;
mod files;
mod interrupt;
mod judge;
mod open;
mod order;
mod pool;

use std::time::Instant;

use self::judge::Planned;
use crate::case::Case;
use crate::event::{CaseReport, Event, Summary};
use crate::filter::Filter;
use crate::formats::{self, Format};
use crate::limits::Limits;
use crate::machine::Watch;
use crate::sources::Source;
use crate::testee::Testee;
use crate::verdict::{Trouble, Verdict};

pub use exception::Exception;
pub use files::VectorFiles;
pub use interrupt::Interrupt;
pub use judge::{Bench, machine_of};
pub(crate) use judge::{guarded, place_of};
pub(crate) use open::{Faulty, Identified, identify, meant, read_text};
pub use open::{Opened, OpenedCase, explain_format, open, open_text};

/// How to run.
#[derive(Clone, Default)]
pub struct Options {
    /// The format of every file; none to recognise it.
    pub format: Option<&'static Format>,
    /// How to read vectors.
    pub read: formats::Options,
    /// Limits on files, cases and machines.
    pub limits: Limits,
    /// Which cases are meant.
    pub filter: Filter,
    /// What happens after the first case that fails or is broken.
    pub after_failure: AfterFailure,
    /// How many threads; at least one is used.
    pub jobs: usize,
    /// Files that are read and run otherwise; the first that means a file counts.
    pub exceptions: Vec<Exception>,
    /// Ends the run early. Cases that are done, in the order of events, are told.
    pub interrupt: Interrupt,
}

/// What happens after the first case that fails or is broken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AfterFailure {
    /// The others run all the same.
    #[default]
    GoOn,
    /// The others, in the order of events, are skipped.
    SkipTheRest,
}

/// Runs all cases that are meant and tells `sink` what happens.
///
/// Events are the same whatever the number of threads, but for [`Summary::seconds`].
pub fn run(sources: &[Source], options: &Options, sink: &mut dyn FnMut(Event)) -> Summary {
    let start = Instant::now();
    sink(Event::Started { files: sources.len() });
    let mut tally = Tally { summary: Summary::default(), options, sink };
    if options.jobs <= 1 {
        one_by_one(sources, options, &mut tally);
    } else {
        pool::run(sources, options, &mut tally);
    }
    let Tally { mut summary, sink, .. } = tally;
    summary.interrupted = options.interrupt.is_asked();
    summary.seconds = start.elapsed().as_secs_f64();
    sink(Event::Ended(summary));
    summary
}

/// A case that was run alone.
pub struct Watched {
    /// What came of it.
    pub report: CaseReport,
    /// What was ignored in it.
    pub notes: Vec<Trouble>,
    /// What was read; none where it is malformed.
    pub case: Option<Case>,
    /// The machine as the run left it; none where it did not run or panicked.
    pub testee: Option<Box<dyn Testee>>,
}

/// Runs one case of an opened file with `watch` looking on.
///
/// # Panics
///
/// When the file has no such case.
pub fn watch(opened: &Opened<'_>, case: usize, options: &Options, watch: &mut dyn Watch) -> Watched {
    let mut bench = Bench::new(options);
    let Judged { report, notes, case } = bench.judge(opened, case, Planned::Run, Some(watch));
    Watched { report, notes, case, testee: bench.into_last() }
}

fn one_by_one(sources: &[Source], options: &Options, tally: &mut Tally<'_>) {
    let mut bench = Bench::new(options);
    for source in sources {
        if options.interrupt.is_asked() {
            return;
        }
        let opened = open(source, options);
        tally.file(&opened);
        for case in 0..opened.cases() {
            if options.interrupt.is_asked() {
                return;
            }
            tally.case(bench.judge(&opened, case, tally.plan(), None));
        }
        (tally.sink)(Event::FileDone);
    }
}

/// The end of the line for what comes of cases: in order, counted, skipped where that is asked.
struct Tally<'s> {
    summary: Summary,
    options: &'s Options,
    sink: &'s mut dyn FnMut(Event),
}

impl Tally<'_> {
    /// What is to be done with the next case.
    fn plan(&self) -> Planned {
        let stopped = self.summary.failed + self.summary.errors > 0;
        match self.options.after_failure {
            AfterFailure::SkipTheRest if stopped => Planned::Skip,
            _ => Planned::Run,
        }
    }

    /// What a file has to tell besides its cases.
    fn file(&mut self, opened: &Opened<'_>) {
        for (trouble, file) in opened.notes() {
            (self.sink)(Event::Note { file, trouble });
        }
        if let Some(report) = opened.broken() {
            self.case(Judged { report, notes: Vec::new(), case: None });
        }
    }

    fn case(&mut self, judged: Judged) {
        let Judged { mut report, mut notes, .. } = judged;
        if self.plan() == Planned::Skip {
            // Another thread may have run it before it was known that it need not.
            report.verdict = Verdict::Skip(SKIPPED.to_owned());
            report.machine = None;
            notes.clear();
        }
        for trouble in notes {
            (self.sink)(Event::Note { file: report.id.file.clone(), trouble });
        }
        self.summary.count(&report.verdict);
        (self.sink)(Event::Finished(report));
    }
}

const SKIPPED: &str = "--fail-fast: a case before it failed";

/// A case and what came of it, with what was ignored in it.
struct Judged {
    report: CaseReport,
    notes: Vec<Trouble>,
    /// The case itself, where somebody watched.
    case: Option<Case>,
}
