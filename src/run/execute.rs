//! One case: read it, run it, compare.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use super::cache::{Lookup, Update};
use super::compare::{UnknownField, diff};
use super::load::{LoadedCase, LoadedFile};
use super::{CaseOutcome, Options, SKIPPED};
use crate::formats::{Context, Reading, Strictness};
use crate::machines::machine::{LoadError, Status, Watch, reborrow};
use crate::machines::{self, MachineInfo};
use crate::model::assertion::Assertion;
use crate::model::case::Case;
use crate::model::diagnostic::{Diagnostic, Severity};
use crate::model::event::CaseReport;
use crate::model::mismatch::Mismatch;
use crate::model::path::{Key, Path};
use crate::model::verdict::{Difference, Failure, Verdict};
use crate::testees::Testee;
use crate::text::json::{Document, Node};

/// What a thread runs cases with: one testee a machine, made when it is first needed and used
/// again.
pub struct Worker<'o> {
    all: &'o Options,
    /// Those for the file at hand.
    options: &'o Options,
    testees: Vec<(&'static str, Box<dyn Testee>)>,
}

impl<'o> Worker<'o> {
    /// No testee yet.
    pub fn new(options: &'o Options) -> Worker<'o> {
        Worker { all: options, options, testees: Vec::new() }
    }

    /// Makes the bench one for a file with these options, which are of those that it was made with.
    pub(crate) fn turn_to(&mut self, options: &'o Options) {
        if !std::ptr::eq(self.options, options) {
            // A testee is made under the limits of one file and must not be used under others.
            self.testees.clear();
            self.options = options;
        }
    }

    /// What comes of a case of an opened file.
    ///
    /// # Panics
    ///
    /// When the file has no such case.
    pub fn run_case(&mut self, loaded: &LoadedFile<'_>, index: usize) -> CaseReport {
        self.run(loaded, index, Plan::Run, None).report
    }

    /// What comes of a case of an opened file. A panic of a machine or a format becomes an error
    /// of the case.
    ///
    /// # Panics
    ///
    /// When the file has no such case.
    pub(super) fn run(
        &mut self,
        loaded: &LoadedFile<'_>,
        index: usize,
        plan: Plan,
        watch: Option<&mut dyn Watch>,
    ) -> CaseOutcome {
        self.turn_to(self.all.under(loaded.file_override));
        let case = loaded.case(index).expect("a case that was counted");
        self.run_loaded(&case, index, plan, watch)
    }

    /// What comes of a case that belongs to no run.
    pub(super) fn run_alone(&mut self, case: &LoadedCase<'_>, watch: &mut dyn Watch) -> CaseOutcome {
        self.run_loaded(case, 0, Plan::Run, Some(watch))
    }

    fn run_loaded(
        &mut self,
        case: &LoadedCase<'_>,
        index: usize,
        plan: Plan,
        watch: Option<&mut dyn Watch>,
    ) -> CaseOutcome {
        let (id, format) = (case.id.clone(), Some(case.format.name));
        let mut judged = CaseOutcome {
            report: CaseReport { id, format, machine: None, verdict: Verdict::Pass, cached: false },
            notes: Vec::new(),
            case: None,
            cache_update: None,
        };
        let answer = self.answer(case).filter(|_| watch.is_none());
        match (plan, answer) {
            (Plan::Skip, _) => judged.report.verdict = Verdict::Skip(SKIPPED.to_owned()),
            (Plan::Run, Some(Lookup::Passes)) => {
                judged.report.machine = Some(case.format.machine);
                judged.report.cached = true;
            }
            (Plan::Run, _) => {
                let outcome = self.read_and_run(case, index, watch, &mut judged);
                judged.compare(answer, outcome, case.node);
            }
        }
        if let Some(known) = &self.options.known {
            let CaseReport { id, machine, verdict, .. } = &mut judged.report;
            *verdict = known.run(id, *machine, std::mem::replace(verdict, Verdict::Pass));
        }
        judged
    }

    /// What is known of a case; none where that is not asked.
    fn answer(&self, case: &LoadedCase<'_>) -> Option<Lookup> {
        Some(self.all.cache.as_ref()?.of(case.key?, case.node, &case.id))
    }

    /// Reads and runs a case.
    fn read_and_run(
        &mut self,
        case: &LoadedCase<'_>,
        index: usize,
        watch: Option<&mut dyn Watch>,
        judged: &mut CaseOutcome,
    ) -> Outcome {
        let reading = match read(case, self.options) {
            Ok(reading) => reading,
            Err(panicked) => {
                judged.report.verdict = error(panicked);
                return Outcome::More;
            }
        };
        let is_watched = watch.is_some();
        judged.report.verdict = self.run_reading(&reading, index, case.document, watch, judged);
        let passes = case.key.is_some()
            && judged.report.verdict == Verdict::Pass
            && judged.notes.is_empty()
            && !case.files.are_asked_for()
            // Told of the first case of a file alone, and in another run that may be this one.
            && reading.case.as_ref().is_some_and(|it| self.odd(it, case.document).is_empty());
        judged.case = reading.case.filter(|_| is_watched);
        if passes { Outcome::PassesAlone } else { Outcome::More }
    }

    fn run_reading(
        &mut self,
        reading: &Reading,
        index: usize,
        document: &Document,
        watch: Option<&mut dyn Watch>,
        judged: &mut CaseOutcome,
    ) -> Verdict {
        let diagnostics = |severity| {
            let diagnostics = reading.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity);
            diagnostics.map(|diagnostic| document.locate(diagnostic.clone())).collect()
        };
        judged.notes = diagnostics(Severity::Note);
        match &reading.case {
            Some(case) => {
                judged.report.machine = Some(case.machine);
                if index == 0 {
                    judged.notes.extend(self.odd(case, document));
                }
                self.execute(case, document, watch)
            }
            None => Verdict::Error(diagnostics(Severity::Error)),
        }
    }

    /// What is odd about the program of a case, where that is asked.
    fn odd(&self, case: &Case, document: &Document) -> Vec<Diagnostic> {
        match self.options.read.strictness {
            Strictness::Strict => odd(case, document),
            Strictness::Tolerant | Strictness::Thorough => Vec::new(),
        }
    }

    fn execute(&mut self, case: &Case, document: &Document, watch: Option<&mut dyn Watch>) -> Verdict {
        let perform = |testee: &mut dyn Testee| perform_case(case, testee, document, watch);
        self.with_testee(case.machine, perform).unwrap_or_else(error)
    }

    /// Lends the testee of a machine to `work`.
    ///
    /// # Errors
    ///
    /// When there is no such machine, or it panics.
    pub(crate) fn with_testee<T>(
        &mut self,
        machine: &'static str,
        work: impl FnOnce(&mut dyn Testee) -> T,
    ) -> Result<T, String> {
        let mut testee = self.testee(machine).ok_or_else(|| format!("there is no machine {machine}"))?;
        // After a panic, the testee may be in any state and is not used again.
        let result = catch_panic(|| work(&mut *testee))
            .map_err(|panic| format!("the machine {machine} panicked: {panic}"))?;
        self.testees.push((machine, testee));
        Ok(result)
    }

    /// The testee that ran the last case, as that left it; none where no machine ran.
    pub(super) fn into_last(mut self) -> Option<Box<dyn Testee>> {
        Some(self.testees.pop()?.1)
    }

    fn testee(&mut self, machine: &str) -> Option<Box<dyn Testee>> {
        if let Some(known) = self.testees.iter().position(|testee| testee.0 == machine) {
            return Some(self.testees.swap_remove(known).1);
        }
        let info = machines::by_name(machine)?;
        Some(self.options.testee.make(info, &self.options.limits))
    }
}

/// The machine that a case of an opened file is for; none where the case cannot be read.
pub fn machine_of(loaded: &LoadedFile<'_>, case: usize, options: &Options) -> Option<&'static MachineInfo> {
    let reading = read(&loaded.case(case)?, options.under(loaded.file_override)).ok()?;
    machines::by_name(reading.case?.machine)
}

/// Reads a case. The error is that the format panicked.
pub(super) fn read(case: &LoadedCase<'_>, options: &Options) -> Result<Reading, String> {
    let LoadedCase { document, format, node, files, shared, .. } = case;
    let context = Context { options: options.read, files, shared: Some(shared) };
    catch_panic(|| format.read_case(Node::at_index(document, *node), context))
        .map_err(|panic| format!("the reader of {} panicked: {panic}", format.name))
}

/// What is to be done with a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plan {
    Run,
    Skip,
}

/// What came of a case that ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// It passes, there is nothing else to tell, and nothing but its file and the options made it so.
    PassesAlone,
    /// Something else, or more.
    More,
}

impl CaseOutcome {
    /// Holds what came of a case against what was known of it.
    fn compare(&mut self, known: Option<Lookup>, outcome: Outcome, datum: u32) {
        self.cache_update = match (known, outcome) {
            (Some(Lookup::Unknown), Outcome::PassesAlone) => Some(Update::Passes(datum)),
            (Some(Lookup::Passes | Lookup::Tested), Outcome::More) => {
                self.report.verdict = refuted(&self.report.verdict, &self.notes);
                Some(Update::Refuted)
            }
            (None, _)
            | (Some(Lookup::Unknown), Outcome::More)
            | (Some(Lookup::Passes | Lookup::Tested), Outcome::PassesAlone) => None,
        };
    }
}

/// That a case is said to pass of which this came.
fn refuted(verdict: &Verdict, notes: &[Diagnostic]) -> Verdict {
    let wrong = Diagnostic::new("the cache says that this case passes, and that is not so");
    let now = match verdict {
        Verdict::Fail(failure) => failed(failure),
        Verdict::Error(diagnostics) => diagnostics.clone(),
        Verdict::Pass if notes.is_empty() => vec![Diagnostic::new("it passes, and opens other files")],
        Verdict::Pass | Verdict::ExpectedFail(..) | Verdict::UnexpectedPass(_) | Verdict::Skip(_) => {
            notes.to_vec()
        }
    };
    Verdict::Error([vec![wrong], now].concat())
}

/// The first thing that differs, and how many there are besides.
fn failed(failure: &Failure) -> Vec<Diagnostic> {
    let told = failure.differences.first().map(|difference| {
        let Difference { step, at, expected, actual, place, .. } = difference;
        let step = step.map_or(String::new(), |step| format!("step {step}, "));
        let actual = actual.as_ref().map_or("absent".to_owned(), ToString::to_string);
        Diagnostic::new(format!("it fails: {step}{at} is {actual}"))
            .expected(expected.to_string())
            .with_place(Some(place.clone()))
    });
    let more = failure.differences.len().saturating_sub(1);
    let more = (more > 0).then(|| Diagnostic::new(format!("and {more} more differences")));
    told.into_iter().chain(more).collect()
}

fn error(what: String) -> Verdict {
    Verdict::Error(vec![Diagnostic::new(what)])
}

/// Loads and performs the case, and compares after each step.
fn perform_case(
    case: &Case,
    testee: &mut dyn Testee,
    document: &Document,
    mut watch: Option<&mut dyn Watch>,
) -> Verdict {
    if let Err(reason) = testee.load(&case.program) {
        return Verdict::Error(vec![refused("the program cannot be loaded", &reason, case, document)]);
    }
    let mut differences = Vec::new();
    for (index, step) in case.steps.iter().enumerate() {
        for action in &step.actions {
            let status = testee.perform(action, reborrow(&mut watch));
            if let Some(watch) = reborrow(&mut watch) {
                watch.pause(&*testee);
            }
            match status {
                Status::Running | Status::Ended => {}
                Status::Limit(reached) => {
                    if let Some(watch) = watch {
                        watch.after_step(index + 1, testee);
                    }
                    return error(format!("{reached}; {}", testee.describe()));
                }
                Status::Refused(reason) => {
                    return Verdict::Error(vec![refused("the run cannot go on", &reason, case, document)]);
                }
            }
        }
        if let Some(watch) = reborrow(&mut watch) {
            watch.after_step(index + 1, testee);
        }
        let number = (case.steps.len() > 1).then_some(index + 1);
        match compare(step.end.as_slice(), &step.assertions, testee) {
            Ok(mismatches) => {
                let locate = |mismatch| locate(mismatch, number, document, testee);
                differences.extend(mismatches.into_iter().map(locate));
            }
            Err(unknown) => return Verdict::Error(vec![unknown_field(&unknown, case.machine, document)]),
        }
    }
    if differences.is_empty() {
        Verdict::Pass
    } else {
        Verdict::Fail(Failure { differences, ended: testee.describe(), listed: None })
    }
}

fn refused(what: &str, reason: &LoadError, case: &Case, document: &Document) -> Diagnostic {
    about(reason, format!("{what}: {reason}"), case, document)
}

/// Diagnostic with a datum of the program, at its place where that is known.
fn about(reason: &LoadError, what: String, case: &Case, document: &Document) -> Diagnostic {
    match reason.at.as_ref().and_then(|at| place_of(at, case, document)) {
        Some(at) => document.locate(Diagnostic::at(at, what)),
        None => Diagnostic::new(what),
    }
}

/// What is odd about the program of a case.
fn odd(case: &Case, document: &Document) -> Vec<Diagnostic> {
    let Some(info) = machines::by_name(case.machine) else { return Vec::new() };
    let odd = (info.lint)(&case.program);
    odd.iter().map(|reason| about(reason, reason.to_string(), case, document)).collect()
}

/// Where a datum of the program stands: the format says so of it, or of something it is in.
pub(crate) fn place_of(at: &Path, case: &Case, document: &Document) -> Option<u32> {
    if let Some((_, origin)) = case.places.iter().find(|place| place.0 == *at) {
        return Some(origin.0);
    }
    let outer = place_of(at.parent()?, case, document)?;
    let inner = document.node_at(outer).and_then(|node| match at.last() {
        Key::Name(name) => node.member(name),
        Key::Index(index) => node.items().nth(*index),
    });
    Some(inner.map_or(outer, Node::at))
}

/// The end first; when it differs, the rest describes a state that the machine is not in. In the
/// order of the vector.
fn compare(
    end: &[Assertion],
    assertions: &[Assertion],
    testee: &dyn Testee,
) -> Result<Vec<Mismatch>, UnknownField> {
    let mut mismatches = diff(end, testee)?;
    if mismatches.is_empty() {
        mismatches = diff(assertions, testee)?;
    }
    mismatches.sort_by_key(|mismatch| mismatch.origin);
    Ok(mismatches)
}

fn locate(mismatch: Mismatch, step: Option<usize>, document: &Document, testee: &dyn Testee) -> Difference {
    let Mismatch { at, expected, actual, origin } = mismatch;
    let note = testee.explain(&at);
    Difference { step, at, expected, actual, place: document.place(origin.0), note }
}

fn unknown_field(unknown: &UnknownField, machine: &str, document: &Document) -> Diagnostic {
    let what = format!("{machine} has no field {}", unknown.field);
    document.locate(Diagnostic::at(unknown.origin.0, what))
}

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`; a panic in it is caught and silent, and its message is the error.
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                loud(info);
            }
        }));
    });
    GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(false);
    result.map_err(|payload| message(&*payload))
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
