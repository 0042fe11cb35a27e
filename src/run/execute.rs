//! Reads a case, runs it on a testee and compares the state after each step.

use std::time::Duration;

use super::cache::verify::refuted;
use super::cache::{CacheLookup, CacheUpdate};
use super::catch_panic::catch_panic;
use super::compare::{UnknownField, differences};
use super::file_options::FileOptions;
use super::judged_case::JudgedCase;
use super::load::{LoadedCase, LoadedFile};
use super::not_compared::{may_not_compare, not_compared};
use super::options::RunOptions;
use super::read_case::{ReadCase, ReadOr, error, judged_by};
use super::running::{RunningCase, RunningCases};
use super::second_try::judge_tries;
use super::state_table::{FailedStep, state_table};
use crate::formats::FileReading;
use crate::machines::elsewhere::NOT_HERE;
use crate::machines::machine::Watch;
use crate::machines::status::{LimitReached, LoadError};
use crate::machines::{self, MachineInfo};
use crate::model::limits::Limits;
use crate::model::{
    Case, CaseDifference, CaseReport, Diagnostic, Failure, INTERRUPTED, Path, PathKey, StateTable, Verdict,
    VerdictKind,
};
use crate::testees::embedded::Embedded;
use crate::testees::{RunEnd, RunObserver, StateObserver, Stopped, Testee, TesteeState};
use crate::text::json::{Document, JsonNode};

/// Reads one case of a loaded file, and reports its verdict when `run` runs it on an embedded machine, which has loaded
/// nothing. The verdict is compared with what `run` shows after each step.
///
/// # Panics
///
/// When the file has no such case.
pub fn run_by(
    file: &LoadedFile<'_>,
    index: usize,
    options: &RunOptions,
    run: impl FnOnce(Embedded, &Case, StateObserver<'_>) -> Result<(), Stopped>,
) -> CaseReport {
    let loaded = file.case(index).expect("a case that was counted");
    let _running = options.running.add(&loaded.id);
    let judged = judged_by(&loaded, |case| {
        let info = by_name(case.machine, loaded.options)?;
        let machine = options.testee.embedded(info, &loaded.options.limits, &options.interrupt);
        panic_as_error(info.name, || perform(&loaded, case, |see| run(machine, case, see).map(|()| None)))
    });
    let mut report = judged.report;
    apply_known_failures(&loaded, &mut report);
    report
}

/// The machine that a case of a loaded file is for; `None` if the case cannot be read.
pub fn machine_of(file: &LoadedFile<'_>, index: usize) -> Option<&'static MachineInfo> {
    file.options().families.machine(file.case(index)?.read().ok()?.case?.machine)
}

/// Whether only other processes execute the machine of a file.
pub fn is_elsewhere(file: &LoadedFile<'_>) -> bool {
    file.format().is_some_and(|format| file.options().families.is_elsewhere(format.machine))
}

/// Runs cases on one thread. The testee of each machine is made when it is first needed, and reused.
pub struct Worker<'o> {
    run: &'o RunOptions,
    /// The limits of all its testees.
    limits: Limits,
    testees: IdleTestees<Box<dyn Testee>>,
    watched: IdleTestees<Embedded>,
    /// The machine of the last watched case, if it ran.
    last_watched: Option<&'static str>,
}

/// Testees that do nothing at the moment, each with the name of its machine.
struct IdleTestees<T>(Vec<(&'static str, T)>);

impl<T> IdleTestees<T> {
    /// A testee of this machine, or a new one.
    fn take(&mut self, machine: &str, make: impl FnOnce() -> T) -> T {
        let position = self.0.iter().position(|testee| testee.0 == machine);
        position.map_or_else(make, |position| self.0.swap_remove(position).1)
    }
}

impl<'o> Worker<'o> {
    /// A worker without testees.
    pub fn new(run: &'o RunOptions) -> Worker<'o> {
        let (testees, watched) = (IdleTestees(Vec::new()), IdleTestees(Vec::new()));
        Worker { run, limits: Limits::default(), testees, watched, last_watched: None }
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

    /// Runs a case of a loaded file on an embedded machine, observed by `watch`, wherever the cases of the run are
    /// executed.
    ///
    /// # Panics
    ///
    /// When the file has no such case.
    pub fn watch_case(&mut self, file: &LoadedFile<'_>, index: usize, watch: &mut dyn Watch) -> JudgedCase {
        let loaded = file.case(index).expect("a case that was counted");
        let mut judged = self.watch(&loaded, watch);
        apply_known_failures(&loaded, &mut judged.report);
        judged
    }

    /// The machine of the last watched case, in its final state; `None` if the case did not run or the machine
    /// panicked.
    pub fn watched_machine(&mut self) -> Option<&mut Embedded> {
        let last = self.last_watched?;
        self.watched.0.iter_mut().find(|(name, _)| *name == last).map(|(_, machine)| machine)
    }

    /// The options of the run.
    pub fn options(&self) -> &'o RunOptions {
        self.run
    }

    /// Runs a case, unless the cache says that it passes.
    pub(super) fn run(&mut self, case: &LoadedCase<'_>) -> JudgedCase {
        let lookup = self.look_up(case);
        let executed = match lookup {
            Some(CacheLookup::Hit) => None,
            Some(CacheLookup::Miss | CacheLookup::Verify) | None => {
                let kept = case.take_judged();
                Some(kept.unwrap_or_else(|| JudgedCase::timed(|| self.execute(case))))
            }
        };
        self.judge(case, lookup, executed)
    }

    /// Runs cases of one file as [`Worker::run`] does each, until an interrupt. Several of them are in flight at the
    /// same time where the testee can have that.
    pub(super) fn run_each(&mut self, cases: &[LoadedCase<'_>]) -> Vec<JudgedCase> {
        if self.run.testee.in_flight() == 1 || cases.len() == 1 {
            let run = |case| {
                let judged = self.run(case);
                (!self.run.interrupt.is_requested()).then_some(judged)
            };
            return cases.iter().map_while(run).collect();
        }
        let lookups: Vec<_> = cases.iter().map(|case| self.look_up(case)).collect();
        let is_open = |(case, lookup): &(&LoadedCase<'_>, &Option<CacheLookup>)| {
            !matches!(lookup, Some(CacheLookup::Hit)) && !case.has_judged()
        };
        let open: Vec<_> = cases.iter().zip(&lookups).filter(is_open).map(|(case, _)| case).collect();
        let mut executed = self.execute_each(&open).into_iter();
        let judge = |(case, lookup): (&LoadedCase<'_>, Option<CacheLookup>)| {
            let executed = match lookup {
                Some(CacheLookup::Hit) => None,
                Some(CacheLookup::Miss | CacheLookup::Verify) | None => {
                    Some(case.take_judged().or_else(|| executed.next())?)
                }
            };
            Some(self.judge(case, lookup, executed))
        };
        cases.iter().zip(lookups).map_while(judge).collect()
    }

    /// The case as it was executed, or as the cache says that it passes: with what was not compared in it, compared with
    /// its cached result, and with what the list of known failures says.
    fn judge(
        &self,
        case: &LoadedCase<'_>,
        lookup: Option<CacheLookup>,
        executed: Option<JudgedCase>,
    ) -> JudgedCase {
        let mut judged = match executed {
            None => self.cached(case),
            Some(executed) => {
                let mut judged = self.with_not_compared(case, executed);
                judge_tries(&mut judged, self.run.flaky);
                check(lookup, &mut judged, case.node);
                if judged.report.verdict.kind() == VerdictKind::Unsupported {
                    // It did not run.
                    judged.report.time = None;
                }
                judged
            }
        };
        apply_known_failures(case, &mut judged.report);
        judged
    }

    /// A case that passes according to the cache. What was not compared in it has to be reported again.
    fn cached(&self, loaded: &LoadedCase<'_>) -> JudgedCase {
        let machine = loaded.format.machine;
        let report = CaseReport { machine: Some(machine.into()), cached: true, ..loaded.report() };
        let mut judged = JudgedCase::new(report);
        if may_not_compare(machine, loaded.options, &self.run.testee)
            && let Ok(FileReading { case: Some(case), .. }) = loaded.read()
        {
            judged.not_compared = not_compared(&case, loaded.options, &self.run.testee);
        }
        judged
    }

    /// A judged case with what was not compared in it, in place of the case: those that wait to be reported take little
    /// memory.
    pub(super) fn with_not_compared(&self, loaded: &LoadedCase<'_>, mut judged: JudgedCase) -> JudgedCase {
        let is_compared = matches!(judged.report.verdict.kind(), VerdictKind::Pass | VerdictKind::Fail);
        if let Some(case) = judged.case.take().filter(|_| is_compared) {
            judged.not_compared = not_compared(&case, loaded.options, &self.run.testee);
        }
        judged
    }

    /// Looks up a case in the cache; `None` when caching is off.
    fn look_up(&self, case: &LoadedCase<'_>) -> Option<CacheLookup> {
        Some(self.run.cache.as_ref()?.look_up(case.key?, case.node, &case.id))
    }

    /// Reads and runs a case.
    pub(super) fn execute(&mut self, loaded: &LoadedCase<'_>) -> JudgedCase {
        let _running = self.run.running.add(&loaded.id);
        let mut time = None;
        let mut judged = judged_by(loaded, |case| {
            let steps = loaded.options.ignored_of(case.machine).observed(&case.steps);
            self.with_testee(case.machine, loaded.options, |testee| {
                let verdict = perform(loaded, case, |see| testee.run(&case.program, &steps, see));
                time = testee.times().and_then(|times| times.first().copied());
                counted(verdict, || testee.instructions())
            })
        });
        judged.report.time = time;
        judged
    }

    /// Reads and runs cases of one file together, until an interrupt.
    fn execute_each(&mut self, cases: &[&LoadedCase<'_>]) -> Vec<JudgedCase> {
        let Some(first) = cases.first() else { return Vec::new() };
        let reading = self.run.running.add(&first.id);
        let read: Vec<_> = cases.iter().map(|case| ReadCase::new(case)).collect();
        // They may have to wait for a process that runs cases of another thread.
        drop(reading);
        let compared = read.iter().flatten().map(|read| ComparedCase::new(read.loaded, &read.case));
        let mut compared: Vec<_> = compared.collect();
        let mut observer = ComparedCases { cases: &mut compared, running: None, all: &self.run.running };
        let ends = self.run_programs(&read, &mut observer);
        drop(observer);
        let Some(ends) = ends else { return self.execute_one_by_one(cases) };
        let verdict = |((end, time), compared): ((RunEnd, Option<Duration>), ComparedCase<'_>)| {
            (end != Err(Stopped::Interrupted)).then(|| (compared.verdict(end), time))
        };
        let mut ended = ends.into_iter().zip(compared).map(verdict).collect::<Vec<_>>().into_iter();
        let judge = |read: ReadOr<'_>| {
            let (mut judged, time) = match read {
                Ok(read) => {
                    let (verdict, time) = ended.next()??;
                    (read.judged(Ok(verdict)), time)
                }
                Err(judged) => (*judged, None),
            };
            judged.report.time = time.or(Some(Duration::ZERO));
            Some(judged)
        };
        read.into_iter().map_while(judge).collect()
    }

    /// Reads and runs cases one after another, until an interrupt.
    fn execute_one_by_one(&mut self, cases: &[&LoadedCase<'_>]) -> Vec<JudgedCase> {
        let execute = |case: &&LoadedCase<'_>| {
            let judged = JudgedCase::timed(|| self.execute(case));
            (!self.run.interrupt.is_requested()).then_some(judged)
        };
        cases.iter().map_while(execute).collect()
    }

    /// Runs what could be read of cases of one file on one testee, and returns how each ended and how long it took if
    /// the testee measures that; `None` if the testee panics.
    fn run_programs(
        &mut self,
        read: &[ReadOr<'_>],
        observer: &mut dyn RunObserver,
    ) -> Option<Vec<(RunEnd, Option<Duration>)>> {
        // A format is for one machine.
        let Some(first) = read.iter().flatten().next() else { return Some(Vec::new()) };
        let ignored = first.loaded.options.ignored_of(first.case.machine);
        let steps: Vec<_> = read.iter().flatten().map(|read| ignored.observed(&read.case.steps)).collect();
        let programs = read.iter().flatten().map(|read| &read.case.program);
        let runs: Vec<_> = programs.zip(steps.iter().map(|steps| &**steps)).collect();
        let run = |testee: &mut dyn Testee| {
            let ends = testee.run_each(&runs, observer);
            let time = |number: usize| testee.times().and_then(|times| times.get(number).copied());
            ends.into_iter().enumerate().map(|(number, end)| (end, time(number))).collect()
        };
        self.with_testee(first.case.machine, first.loaded.options, run).ok()
    }

    /// Reads a case, and runs it on an embedded machine, observed by `watch`.
    pub(super) fn watch(&mut self, loaded: &LoadedCase<'_>, watch: &mut dyn Watch) -> JudgedCase {
        let _running = self.run.running.add(&loaded.id);
        self.last_watched = None;
        judged_by(loaded, |case| {
            if loaded.options.families.is_elsewhere(case.machine) {
                return Ok(Verdict::Unsupported(NOT_HERE.to_owned()));
            }
            self.with_embedded(case.machine, loaded.options, |machine| {
                let verdict = perform(loaded, case, |see| {
                    machine.watch(&case.program, &case.steps, Some(watch), see).map(|()| None)
                });
                counted(verdict, || machine.instructions())
            })
        })
    }

    /// Runs a case on an embedded machine, observed by `watch`, and compares nothing. Returns false if the case did
    /// not run to its end: it was refused, or it reached a limit of the runner.
    pub(super) fn observe(&mut self, loaded: &LoadedCase<'_>, case: &Case, watch: &mut dyn Watch) -> bool {
        let _running = self.run.running.add(&loaded.id);
        let ended = self.with_embedded(case.machine, loaded.options, |machine| {
            machine.watch(&case.program, &case.steps, Some(watch), &mut |_, _| {})
        });
        matches!(ended, Ok(Ok(())))
    }

    /// Calls `work` with a testee of this machine under these limits. Fails when there is no such machine, or when it
    /// panics.
    pub(crate) fn with_testee<T>(
        &mut self,
        machine: &str,
        options: &FileOptions,
        work: impl FnOnce(&mut dyn Testee) -> T,
    ) -> Result<T, String> {
        let info = self.prepare(machine, options)?;
        let make = || self.run.testee.make(info, &options.limits, &self.run.interrupt);
        let mut testee = self.testees.take(info.name, make);
        // After a panic the state of the testee is unknown, so it is not reused.
        let result = panic_as_error(info.name, || work(&mut *testee))?;
        self.testees.0.push((info.name, testee));
        Ok(result)
    }

    /// As [`Worker::with_testee`], with an embedded machine that can be watched.
    fn with_embedded<T>(
        &mut self,
        machine: &str,
        options: &FileOptions,
        work: impl FnOnce(&mut Embedded) -> T,
    ) -> Result<T, String> {
        let info = self.prepare(machine, options)?;
        let make = || self.run.testee.embedded(info, &options.limits, &self.run.interrupt);
        let mut embedded = self.watched.take(info.name, make);
        let result = panic_as_error(info.name, || work(&mut embedded))?;
        self.watched.0.push((info.name, embedded));
        self.last_watched = Some(info.name);
        Ok(result)
    }

    /// Drops the testees that have other limits, which are fixed; returns the machine of this name.
    fn prepare(&mut self, machine: &str, options: &FileOptions) -> Result<&'static MachineInfo, String> {
        let limits = &options.limits;
        if self.limits != *limits {
            self.testees.0.clear();
            self.watched.0.clear();
            self.limits.clone_from(limits);
        }
        by_name(machine, options)
    }
}

fn by_name(machine: &str, options: &FileOptions) -> Result<&'static MachineInfo, String> {
    options.families.machine(machine).ok_or_else(|| format!("there is no machine {machine}"))
}

fn panic_as_error<T>(machine: &str, work: impl FnOnce() -> T) -> Result<T, String> {
    catch_panic(work).map_err(|panic| format!("the machine {machine} panicked: {panic}"))
}

/// Compares a case with its cached result.
fn check(lookup: Option<CacheLookup>, judged: &mut JudgedCase, node: u32) {
    judged.cache_update = match (lookup, judged.is_cacheable) {
        (Some(CacheLookup::Miss), true) => Some(CacheUpdate::Passes(node)),
        (Some(CacheLookup::Hit | CacheLookup::Verify), false) => {
            judged.report.verdict = refuted(&judged.report.verdict, &judged.notes);
            Some(CacheUpdate::Refuted)
        }
        (None, _)
        | (Some(CacheLookup::Miss), false)
        | (Some(CacheLookup::Hit | CacheLookup::Verify), true) => None,
    };
}

/// Changes the verdict as the list of known failures of the file says.
fn apply_known_failures(case: &LoadedCase<'_>, report: &mut CaseReport) {
    if let Some(known_failures) = &case.options.known_failures {
        known_failures.apply(report);
    }
}

/// Runs a case and compares the state after each step. A run that is interrupted discards the verdict.
fn perform(loaded: &LoadedCase<'_>, case: &Case, run: impl FnOnce(StateObserver<'_>) -> RunEnd) -> Verdict {
    let mut compared = ComparedCase::new(loaded, case);
    let end = run(&mut |index, state| compared.see(index, state));
    compared.verdict(end)
}

/// A case whose states are compared with what it demands. The values that differ are kept up to the limit on memory.
struct ComparedCase<'c> {
    loaded: &'c LoadedCase<'c>,
    case: &'c Case,
    found: Vec<CaseDifference>,
    /// The weight of the values that differ, and the most that is kept.
    kept: usize,
    most: usize,
    ended: String,
    unknown: Option<UnknownField>,
    table: Option<Box<StateTable>>,
}

impl<'c> ComparedCase<'c> {
    fn new(loaded: &'c LoadedCase<'c>, case: &'c Case) -> ComparedCase<'c> {
        let most = usize::try_from(loaded.options.limits.memory).unwrap_or(usize::MAX);
        let (found, ended) = (Vec::new(), String::new());
        ComparedCase { loaded, case, found, kept: 0, most, ended, unknown: None, table: None }
    }

    /// Compares the state after the step at an index.
    fn see(&mut self, index: usize, state: &dyn TesteeState) {
        let ComparedCase { loaded, case, most, .. } = *self;
        if self.kept > most {
            return;
        }
        let number = (case.steps.len() > 1).then_some(index + 1);
        let step = &case.steps[index];
        let ignored = loaded.options.ignored_of(case.machine);
        match differences(step, number, (loaded.document, loaded.format), state, ignored) {
            Ok(differences) => {
                if self.table.is_none() && !differences.is_empty() {
                    let failed = FailedStep { case, index, differences: &differences };
                    self.table = table_of(loaded, &failed, state);
                }
                let actual = differences.iter().filter_map(|difference| difference.actual.as_ref());
                let weights = actual.map(|actual| actual.weight(most));
                self.kept = weights.fold(self.kept, usize::saturating_add);
                self.found.extend(differences);
            }
            Err(field) => self.unknown = self.unknown.take().or(Some(field)),
        }
        if index + 1 == case.steps.len() && !self.found.is_empty() {
            let label = case.label.iter().map(|label| format!("; {label}"));
            self.ended = label.fold(state.describe(), |ended, label| ended + &label);
        }
    }

    /// The verdict on a run that ended so.
    fn verdict(self, end: RunEnd) -> Verdict {
        let ComparedCase { loaded, case, mut found, kept, most, ended, unknown, table } = self;
        let document = loaded.document;
        if let Some(UnknownField { field, origin }) = unknown {
            let what = format!("{} has no field {field}", case.machine);
            return Verdict::Error(vec![document.locate(Diagnostic::at(origin.0, what))]);
        }
        put_hashes_last(case.machine, &mut found);
        if kept > most && end.is_ok() {
            let reached = LimitReached { flag: "max-memory", limit: loaded.options.limits.memory };
            return error(format!("{reached}, by the values that differ after the steps of the vector"));
        }
        match end {
            Err(stopped) => stopped_verdict(stopped, case, document),
            Ok(None) if found.is_empty() => Verdict::Pass,
            Ok(Some(first)) if found.is_empty() => Verdict::Flaky(first),
            Ok(first) => {
                let first = first.map(Box::new);
                // A machine that does not say how it ended leaves only the label.
                let ended = ended.trim_start_matches("; ").to_owned();
                Verdict::Fail(Failure { differences: found, ended, instructions: None, state: table, first })
            }
        }
    }
}

/// Cases that run together. One of them is named if it is slow, and not those that wait behind it.
struct ComparedCases<'a, 'c> {
    cases: &'a mut [ComparedCase<'c>],
    /// The one that runs; `None` before the first one.
    running: Option<RunningCase<'c>>,
    all: &'c RunningCases,
}

impl RunObserver for ComparedCases<'_, '_> {
    fn starts(&mut self, number: usize) {
        let id = &self.cases[number].loaded.id;
        match &mut self.running {
            Some(running) => running.replace(id),
            None => self.running = Some(self.all.add(id)),
        }
    }

    fn see(&mut self, number: usize, step: usize, state: &dyn TesteeState) {
        self.cases[number].see(step, state);
    }
}

/// The table of a step that failed on a machine of a family.
fn table_of(
    loaded: &LoadedCase<'_>,
    failed: &FailedStep<'_>,
    state: &dyn TesteeState,
) -> Option<Box<StateTable>> {
    loaded.format.declaration?;
    let info = loaded.options.families.machine(failed.case.machine)?;
    state_table(info, failed, state).map(Box::new)
}

/// Adds to a failure how many instructions were executed.
fn counted(mut verdict: Verdict, instructions: impl FnOnce() -> Option<u64>) -> Verdict {
    if let Verdict::Fail(failure) = &mut verdict {
        failure.instructions = instructions();
    }
    verdict
}

/// A root that differs says less than the leaves below it that differ.
fn put_hashes_last(machine: &str, found: &mut [CaseDifference]) {
    let Some(hashed) = machines::by_name(machine).and_then(|machine| machine.hashed) else { return };
    let state = Path::field(hashed.state);
    if found.iter().any(|it| it.at.starts_with(&state)) {
        found.sort_by_key(|it| it.at == Path::field(hashed.root));
    }
}

fn stopped_verdict(stopped: Stopped, case: &Case, document: &Document) -> Verdict {
    match stopped {
        Stopped::Error(reason) => {
            Verdict::Error(reason.each().map(|error| about(error, case, document)).collect())
        }
        Stopped::Interrupted => error(INTERRUPTED.to_owned()),
        Stopped::Unsupported(reason) => Verdict::Unsupported(reason),
        Stopped::Crash(breakdown) => Verdict::Crash(breakdown),
        Stopped::Timeout(breakdown) => Verdict::Timeout(breakdown),
    }
}

/// A diagnostic about a datum of the program, at its place if that is known.
fn about(reason: &LoadError, case: &Case, document: &Document) -> Diagnostic {
    match place_of_error(reason, case, document) {
        Some(at) => document.locate(Diagnostic::at(at, reason.what.clone())),
        None => Diagnostic::new(reason.what.clone()),
    }
}

/// The position of the invalid datum, or of the invalid part of it if the error has a column.
pub(crate) fn place_of_error(reason: &LoadError, case: &Case, document: &Document) -> Option<u32> {
    let at = place_of(reason.at.as_ref()?, case, document)?;
    let inside = reason.column.and_then(|column| Some(document.node_at(at)?.at_column(column)));
    Some(inside.unwrap_or(at))
}

/// The node of a datum of the program: that of the datum itself or of the nearest ancestor whose place the
/// format recorded.
fn place_of(at: &Path, case: &Case, document: &Document) -> Option<u32> {
    if let Some((_, origin)) = case.places.iter().find(|place| place.0 == *at) {
        return Some(origin.0);
    }
    let outer = place_of(at.parent()?, case, document)?;
    let inner = document.node_at(outer).and_then(|node| match at.last() {
        PathKey::Name(name) => node.member(name),
        PathKey::Index(index) => node.items().nth(*index),
    });
    Some(inner.map_or(outer, JsonNode::at))
}
