//! What a case executes on an embedded machine.
//!
//! Only parts of a long run are observed, so that loops of millions of instructions take seconds: the beginning, the
//! beginning of each later stretch, the end, and the first execution of each instruction that none of them has.

use std::collections::BTreeSet;

use super::observer::{CoveragePoints, Observer, SeenOutcomes};
use crate::isa::{Isa, OpSet};
use crate::machines;
use crate::machines::inspect::Inspect;
use crate::machines::machine::{At, Watch};
use crate::run::{JudgedCase, LoadedFile, Worker};

/// Which parts of a long run are observed, in instructions.
struct ObservedParts {
    /// How many at the beginning of a run.
    first: u64,
    /// How many at the beginning of each later stretch.
    then: u64,
    /// The length of a stretch.
    stretch: u64,
}

/// Most of what a suite does is in these.
const THOROUGH: ObservedParts = ObservedParts { first: 100_000, then: 1_000, stretch: 100_000 };

/// How much is recorded of each case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RecordedDetail {
    /// Which instructions it executes.
    #[default]
    Codes,
    /// Also what it does with them.
    Points,
}

impl RecordedDetail {
    fn has_points(self) -> bool {
        self == RecordedDetail::Points
    }
}

/// Which instructions a case executes, how many, and how.
#[derive(Default)]
pub struct ObservedRun<'s> {
    detail: RecordedDetail,
    /// In a second run, how many instructions to skip, because the first run observed them already.
    before_end: u64,
    /// How many instructions it executes; for a long run, up to 100,000 too low.
    pub steps: u64,
    is_end_unseen: bool,
    /// The codes of the instructions that it executes.
    pub codes: BTreeSet<u16>,
    last: Option<u16>,
    /// The codes of the instructions that fail.
    pub failing: BTreeSet<u16>,
    observer: Observer<'s>,
}

impl<'s> ObservedRun<'s> {
    /// What nothing was observed of yet.
    pub fn new(detail: RecordedDetail) -> ObservedRun<'s> {
        ObservedRun { detail, ..ObservedRun::default() }
    }

    /// The same, which records only what no case before did with an instruction.
    pub fn beyond(seen: &'s SeenOutcomes) -> ObservedRun<'s> {
        ObservedRun { observer: Observer::beyond(seen), ..ObservedRun::new(RecordedDetail::Points) }
    }

    /// Runs a case of a loaded file on an embedded machine; if the first run does not observe the end, a second time
    /// for it, and a third time for the instructions that only the rest executes.
    ///
    /// # Panics
    ///
    /// When the file has no such case.
    pub fn of(
        worker: &mut Worker<'_>,
        file: &LoadedFile<'_>,
        index: usize,
        detail: RecordedDetail,
    ) -> (JudgedCase, ObservedRun<'s>) {
        let mut observed = ObservedRun::new(detail);
        let mut watched = worker.watch_case(file, index, &mut observed);
        if observed.is_end_unseen {
            observed = observed.again();
            watched = worker.watch_case(file, index, &mut observed);
            if let Some(machine) = watched.case.as_ref().and_then(|case| machines::by_name(case.machine)) {
                let mut unseen = UnseenInstructions { isa: machine.isa, observed: &mut observed };
                worker.watch_case(file, index, &mut unseen);
            }
        }
        (watched, observed)
    }

    /// What it does with each instruction, if that was requested.
    pub fn points(&self) -> CoveragePoints {
        self.observer.points()
    }

    /// Whether it does something with an instruction that no case before did.
    pub fn is_new_to(&self, seen: &SeenOutcomes) -> bool {
        seen.lack_some_of(&self.observer)
    }

    /// Adds what it does with each instruction.
    pub fn add_to(self, seen: &mut SeenOutcomes) {
        seen.add(self.observer);
    }

    /// Observes the end of the run, too.
    fn again(mut self) -> ObservedRun<'s> {
        self.observer.interrupt();
        ObservedRun { before_end: self.steps, steps: 0, is_end_unseen: false, last: None, ..self }
    }

    /// Notes the last instruction if it has failed.
    fn note_failure(&mut self, state: &dyn Inspect) {
        if let Some(last) = self.last.take()
            && state.failure().is_some()
        {
            self.failing.insert(last);
        }
    }
}

/// Sees the first execution of each instruction that is in no observed part of a long run.
struct UnseenInstructions<'r, 's> {
    isa: &'static Isa,
    observed: &'r mut ObservedRun<'s>,
}

impl UnseenInstructions<'_, '_> {
    fn ops(&self) -> OpSet {
        let unseen = self.isa.ops.iter().filter(|op| !self.observed.codes.contains(&op.code));
        OpSet::new(self.isa, unseen.collect())
    }
}

impl Watch for UnseenInstructions<'_, '_> {
    fn before(&mut self, at: &At<'_>) {
        self.observed.codes.extend(at.op.map(|op| op.code));
        if self.observed.detail.has_points() {
            self.observed.observer.interrupt();
            self.observed.observer.before(at);
        }
    }

    fn only(&self) -> Option<OpSet> {
        Some(self.ops())
    }

    fn narrowed(&self) -> Option<OpSet> {
        Some(self.ops())
    }
}

impl Watch for ObservedRun<'_> {
    fn before(&mut self, at: &At<'_>) {
        self.steps += 1;
        self.note_failure(at.state);
        self.last = at.op.map(|op| op.code);
        self.codes.extend(self.last);
        if self.detail.has_points() {
            self.observer.before(at);
        }
    }

    fn passes_over(&self) -> u64 {
        if self.before_end > 0 {
            return self.before_end.saturating_sub(self.steps);
        }
        let ObservedParts { first, then, stretch } = THOROUGH;
        match self.steps % stretch {
            at if self.steps >= first && at >= then => stretch - at,
            _ => 0,
        }
    }

    fn passed_over(&mut self, count: u64) {
        self.steps += count;
        self.last = None;
        self.observer.interrupt();
    }

    fn sees(&self) -> u64 {
        let ObservedParts { first, then, stretch } = THOROUGH;
        match self.steps {
            _ if self.before_end > 0 => u64::MAX,
            steps if steps < first => first - steps,
            steps => then.saturating_sub(steps % stretch),
        }
    }

    fn pause(&mut self, state: &dyn Inspect) {
        self.is_end_unseen = self.passes_over() > 0;
        self.note_failure(state);
        if self.detail.has_points() {
            self.observer.after(state, None);
        }
    }
}
