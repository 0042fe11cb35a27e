//! Step 3: reads a case, runs it on a testee and compares the state after each step.

use std::num::NonZeroUsize;

use super::cache::verify::refuted;
use super::cache::{CacheUpdate, Lookup};
use super::catch_panic::catch_panic;
use super::compare::{UnknownField, differences};
use super::load::{LoadedCase, LoadedFile};
use super::options::RunOptions;
use crate::machines::machine::{LoadError, Status, Watch, reborrow};
use crate::machines::{self, MachineInfo};
use crate::model::case::Case;
use crate::model::diagnostic::{Diagnostic, Severity};
use crate::model::event::CaseReport;
use crate::model::limits::Limits;
use crate::model::path::{Key, Path};
use crate::model::verdict::{Failure, Verdict};
use crate::testees::Testee;
use crate::text::json::{Document, Node};

/// The result of [`watch`].
pub struct WatchedCase {
    /// Its verdict.
    pub report: CaseReport,
    /// Notes on what was ignored in it.
    pub notes: Vec<Diagnostic>,
    /// The case; `None` if it is malformed.
    pub case: Option<Case>,
    /// The testee in its final state; `None` if the case did not run or the testee panicked.
    pub testee: Option<Box<dyn Testee>>,
}

/// Runs one case of a loaded file, observed by `watch`.
///
/// # Panics
///
/// When the file has no such case.
pub fn watch(file: &LoadedFile<'_>, index: usize, run: &RunOptions, watch: &mut dyn Watch) -> WatchedCase {
    let mut worker = Worker::new(run);
    let loaded = file.case(index).expect("a case that was counted");
    let Execution { mut report, notes, case, .. } = worker.execute(&loaded, Some(watch));
    apply_expected_failures(&loaded, &mut report);
    WatchedCase { report, notes, case, testee: worker.into_last() }
}

/// The machine that a case of a loaded file is for; `None` if the case cannot be read.
pub fn machine_of(file: &LoadedFile<'_>, index: usize) -> Option<&'static MachineInfo> {
    machines::by_name(file.case(index)?.read().ok()?.case?.machine)
}

/// The result of a case: its report, and what else it contributes to the run.
pub(super) struct CaseOutcome {
    pub(super) report: CaseReport,
    /// Notes on what was ignored in it.
    pub(super) notes: Vec<Diagnostic>,
    /// How it changes the cache.
    pub(super) cache_update: Option<CacheUpdate>,
}

impl CaseOutcome {
    /// The outcome of a case that is skipped because this number of earlier ones failed.
    pub(super) fn skipped(case: &LoadedCase<'_>, failures: NonZeroUsize) -> CaseOutcome {
        CaseOutcome::new(report(case, Verdict::Pass)).skip(failures)
    }

    /// The outcome of a case that ran before it was known that it is skipped.
    pub(super) fn skip(self, failures: NonZeroUsize) -> CaseOutcome {
        let verdict = Verdict::Skip(format!("--max-fail {failures} was reached"));
        CaseOutcome::new(CaseReport { machine: None, verdict, cached: false, ..self.report })
    }

    /// The outcome of a case that passes according to the cache.
    fn cached(case: &LoadedCase<'_>) -> CaseOutcome {
        let report = report(case, Verdict::Pass);
        CaseOutcome::new(CaseReport { machine: Some(case.format.machine.into()), cached: true, ..report })
    }

    /// An outcome with only a report.
    pub(super) fn new(report: CaseReport) -> CaseOutcome {
        CaseOutcome { report, notes: Vec::new(), cache_update: None }
    }
}

fn report(case: &LoadedCase<'_>, verdict: Verdict) -> CaseReport {
    let at = Node::at_index(case.document, case.node).at();
    CaseReport {
        id: case.id.clone(),
        format: Some(case.format.name.into()),
        machine: None,
        line: Some(case.document.position(at).line),
        verdict,
        cached: false,
    }
}

/// The result of executing a case.
pub(super) struct Execution {
    pub(super) report: CaseReport,
    notes: Vec<Diagnostic>,
    /// The case; `None` if it is malformed.
    case: Option<Case>,
    /// Whether the case passes without notes, and its file and options alone determine that.
    is_cacheable: bool,
}

/// Runs cases on one thread. The testee of each machine is made when it is first needed, and reused.
pub struct Worker<'o> {
    run: &'o RunOptions,
    /// The limits of all its testees.
    limits: Limits,
    testees: Vec<(&'static str, Box<dyn Testee>)>,
}

impl<'o> Worker<'o> {
    /// A worker without testees.
    pub fn new(run: &'o RunOptions) -> Worker<'o> {
        Worker { run, limits: Limits::default(), testees: Vec::new() }
    }

    /// Runs a case of a loaded file and reports its verdict. A panic of a machine or a format is an error of
    /// the case.
    ///
    /// # Panics
    ///
    /// When the file has no such case.
    pub fn run_case(&mut self, file: &LoadedFile<'_>, index: usize) -> CaseReport {
        self.run(&file.case(index).expect("a case that was counted")).report
    }

    /// Runs a case, unless the cache says that it passes.
    pub(super) fn run(&mut self, case: &LoadedCase<'_>) -> CaseOutcome {
        let lookup = self.look_up(case);
        let mut outcome = match lookup {
            Some(Lookup::Hit) => CaseOutcome::cached(case),
            Some(Lookup::Miss | Lookup::Verify) | None => {
                checked(lookup, self.execute(case, None), case.node)
            }
        };
        apply_expected_failures(case, &mut outcome.report);
        outcome
    }

    /// Looks up a case in the cache; `None` when caching is off.
    fn look_up(&self, case: &LoadedCase<'_>) -> Option<Lookup> {
        Some(self.run.cache.as_ref()?.look_up(case.key?, case.node, &case.id))
    }

    /// Reads and runs a case.
    pub(super) fn execute(&mut self, loaded: &LoadedCase<'_>, watch: Option<&mut dyn Watch>) -> Execution {
        let mut report = report(loaded, Verdict::Pass);
        let reading = match loaded.read() {
            Ok(reading) => reading,
            Err(panicked) => {
                report.verdict = error(panicked);
                return Execution { report, notes: Vec::new(), case: None, is_cacheable: false };
            }
        };
        let diagnostics = |severity| {
            let diagnostics = reading.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity);
            diagnostics.map(|diagnostic| loaded.document.locate(diagnostic.clone())).collect()
        };
        let notes: Vec<_> = diagnostics(Severity::Note);
        let Some(case) = &reading.case else {
            let skip = reading.skip.map(Verdict::Skip);
            report.verdict = skip.unwrap_or_else(|| Verdict::Error(diagnostics(Severity::Error)));
            return Execution { report, notes, case: None, is_cacheable: false };
        };
        report.machine = Some(case.machine.into());
        let perform = |testee: &mut dyn Testee| perform(case, testee, loaded.document, watch);
        report.verdict =
            self.with_testee(case.machine, &loaded.options.limits, perform).unwrap_or_else(error);
        let is_cacheable = loaded.key.is_some()
            && report.verdict == Verdict::Pass
            && notes.is_empty()
            && !loaded.files.are_requested();
        Execution { report, notes, case: reading.case, is_cacheable }
    }

    /// Calls `work` with a testee of this machine under these limits.
    ///
    /// # Errors
    ///
    /// When there is no such machine, or when it panics.
    pub(crate) fn with_testee<T>(
        &mut self,
        machine: &'static str,
        limits: &Limits,
        work: impl FnOnce(&mut dyn Testee) -> T,
    ) -> Result<T, String> {
        let testee = self.take_testee(machine, limits);
        let mut testee = testee.ok_or_else(|| format!("there is no machine {machine}"))?;
        // After a panic the state of the testee is unknown, so it is not reused.
        let result = catch_panic(|| work(&mut *testee))
            .map_err(|panic| format!("the machine {machine} panicked: {panic}"))?;
        self.testees.push((machine, testee));
        Ok(result)
    }

    /// An idle testee of the machine, or a new one; `None` if there is no such machine.
    fn take_testee(&mut self, machine: &str, limits: &Limits) -> Option<Box<dyn Testee>> {
        // The limits of a testee are fixed, so it cannot be reused under others.
        if self.limits != *limits {
            self.testees.clear();
            self.limits.clone_from(limits);
        }
        if let Some(position) = self.testees.iter().position(|testee| testee.0 == machine) {
            return Some(self.testees.swap_remove(position).1);
        }
        Some(self.run.testee.make(machines::by_name(machine)?, limits, &self.run.interrupt))
    }

    /// The testee of the last case, in its final state; `None` if no case ran.
    fn into_last(mut self) -> Option<Box<dyn Testee>> {
        Some(self.testees.pop()?.1)
    }
}

/// Checks an execution against the cached result of the case.
fn checked(lookup: Option<Lookup>, execution: Execution, datum: u32) -> CaseOutcome {
    let Execution { mut report, notes, is_cacheable, .. } = execution;
    let cache_update = match (lookup, is_cacheable) {
        (Some(Lookup::Miss), true) => Some(CacheUpdate::Passes(datum)),
        (Some(Lookup::Hit | Lookup::Verify), false) => {
            report.verdict = refuted(&report.verdict, &notes);
            Some(CacheUpdate::Refuted)
        }
        (None, _) | (Some(Lookup::Miss), false) | (Some(Lookup::Hit | Lookup::Verify), true) => None,
    };
    CaseOutcome { report, notes, cache_update }
}

/// Changes the verdict as the list of expected failures of the file says.
fn apply_expected_failures(case: &LoadedCase<'_>, report: &mut CaseReport) {
    if let Some(expected_failures) = &case.options.expected_failures {
        let verdict = std::mem::replace(&mut report.verdict, Verdict::Pass);
        report.verdict = expected_failures.apply(&report.id, report.machine.as_deref(), verdict);
    }
}

/// Loads the program, performs each step and compares the state after it. A run that is interrupted discards
/// the verdict.
fn perform(
    case: &Case,
    testee: &mut dyn Testee,
    document: &Document,
    mut watch: Option<&mut dyn Watch>,
) -> Verdict {
    if let Err(reason) = testee.load(&case.program) {
        return refused("the program cannot be loaded", &reason, case, document);
    }
    let mut found = Vec::new();
    for (index, step) in case.steps.iter().enumerate() {
        for action in &step.actions {
            let status = testee.perform(action, reborrow(&mut watch));
            if let Some(watch) = reborrow(&mut watch) {
                watch.pause(testee.state());
            }
            match status {
                Status::Running | Status::Ended => {}
                Status::Limit(reached) => {
                    if let Some(watch) = watch {
                        watch.after_step(index + 1, testee.state());
                    }
                    return error(format!("{reached}; {}", testee.describe()));
                }
                Status::Interrupted => return error("the run was interrupted".to_owned()),
                Status::Refused(reason) => return refused("the run cannot go on", &reason, case, document),
            }
        }
        if let Some(watch) = reborrow(&mut watch) {
            watch.after_step(index + 1, testee.state());
        }
        let number = (case.steps.len() > 1).then_some(index + 1);
        match differences(step, number, document, testee) {
            Ok(differences) => found.extend(differences),
            Err(UnknownField { field, origin }) => {
                let what = format!("{} has no field {field}", case.machine);
                return Verdict::Error(vec![document.locate(Diagnostic::at(origin.0, what))]);
            }
        }
    }
    if found.is_empty() {
        Verdict::Pass
    } else {
        Verdict::Fail(Failure { differences: found, ended: testee.describe(), listed: None })
    }
}

fn error(what: String) -> Verdict {
    Verdict::Error(vec![Diagnostic::new(what)])
}

fn refused(what: &str, reason: &LoadError, case: &Case, document: &Document) -> Verdict {
    Verdict::Error(vec![about(reason, format!("{what}: {reason}"), case, document)])
}

/// A diagnostic about a datum of the program, at its place if that is known.
fn about(reason: &LoadError, what: String, case: &Case, document: &Document) -> Diagnostic {
    match reason.at.as_ref().and_then(|at| place_of(at, case, document)) {
        Some(at) => document.locate(Diagnostic::at(at, what)),
        None => Diagnostic::new(what),
    }
}

/// The node of a datum of the program: that of the datum itself or of the nearest ancestor whose place the
/// format recorded.
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
