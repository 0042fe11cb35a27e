//! Finds cases on which machines differ.
//!
//! The cases of an embedded machine are programs, and each becomes a vector that demands what that machine does
//! (`programs`). Those of a machine that is described by data are states, and each is run on all machines that are
//! compared (`states`). A difference is minimized and reported once for each machine and cause. Cases that do something
//! new are kept and mutated; those of a [`FuzzCorpus`] are there from the start.

mod causes;
mod finding;
mod finding_vectors;
mod fuzz_cause;
mod programs;
mod repeats;
mod states;
mod target;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use self::finding::CaseFindings;
pub use self::finding::{FuzzFinding, FuzzRefusal};
pub use self::fuzz_cause::{FuzzCause, NoFuzzCause};
use self::programs::ProgramTarget;
use self::states::StateTarget;
use self::target::FuzzTarget;
pub use self::target::{FuzzOptions, FuzzSubject, NotFuzzed};
use super::corpus::FuzzCorpus;
use crate::machines::MachineInfo;
use crate::run::{Families, FamilyMachine};

/// The number of cases after which to check that each machine ran any of them, since there may be many cases.
const CHECKED_AFTER: u64 = 32;

/// How many different refusals are counted by themselves: a machine may give another reason for each case.
const MAX_REFUSALS: usize = 24;

/// Stands for all reasons beyond those that are counted by themselves.
const OTHER_REASONS: &str = "other reasons";

/// Whose cases are made.
#[derive(Clone)]
pub enum FuzzMachine {
    /// Programs of an embedded machine, which says what each does.
    Embedded(&'static MachineInfo),
    /// States of a machine that is described by data, and the families among which its vectors are read.
    Family(FamilyMachine, Families),
}

/// What happens during a search.
#[derive(Debug)]
pub enum FuzzEvent {
    /// These fields of the state are not compared, since some machine does not report them.
    NotCompared(Vec<&'static str>),
    /// A case reached new coverage: as a vector that the machine which is compared with passes.
    NewCoverage(String),
    /// A machine differs.
    Found(FuzzFinding),
}

/// How often machines did not run cases, by the reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefusalCounts(BTreeMap<FuzzRefusal, u64>);

impl RefusalCounts {
    fn add(&mut self, refusal: FuzzRefusal) {
        let is_full = self.0.len() >= MAX_REFUSALS && !self.0.contains_key(&refusal);
        let refusal =
            if is_full { FuzzRefusal { why: OTHER_REASONS.to_owned(), ..refusal } } else { refusal };
        *self.0.entry(refusal).or_insert(0) += 1;
    }

    /// The refusals with their numbers, the most frequent first.
    pub fn by_number(&self) -> Vec<(&FuzzRefusal, u64)> {
        let mut all: Vec<_> = self.0.iter().map(|(refusal, count)| (refusal, *count)).collect();
        all.sort_by_key(|(_, count)| Reverse(*count));
        all
    }
}

/// The end of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FuzzSummary {
    /// How many cases were made.
    pub cases: u64,
    /// How many cases were skipped: the format cannot hold them, they reached a limit, or fewer than two machines ran them.
    pub skipped: u64,
    /// Why machines did not run cases, whether these were skipped or not.
    pub refusals: RefusalCounts,
    /// How many differed on some machine.
    pub differing: u64,
    /// How many differences did not occur again with the vector of the case: a machine does not do the same each time.
    pub unrepeated: u64,
    /// How many differences were not made small, after many like them that had no new cause.
    pub untried: u64,
    /// How many causes were found that were not known.
    pub found: u64,
    /// How many of the causes that were found are crashes and time-outs, and how many of those did not occur again.
    pub broke_down: u64,
    /// How many cases of the corpus were kept at the start, because they reached coverage that those before did not.
    pub resumed: u64,
    /// How many cases reached new coverage.
    pub added: u64,
}

/// Runs cases until their number or the deadline is reached. Causes in `known` are not reported; those found are added
/// to it. Cases of the corpus are not compared: its vectors can be run. Fails if no cases can be generated for the
/// machine, or a machine cannot run them.
pub fn fuzz(
    machine: &FuzzMachine,
    subjects: &[FuzzSubject],
    corpus: FuzzCorpus,
    options: &FuzzOptions,
    known: &mut BTreeSet<FuzzCause>,
    sink: &mut dyn FnMut(FuzzEvent),
) -> Result<FuzzSummary, NotFuzzed> {
    let mut search = FuzzSearch { options, known, sink, summary: FuzzSummary::default() };
    match machine {
        FuzzMachine::Embedded(machine) => {
            let loads = programs::loads(machine, subjects, options)?;
            search.note_left_out(programs::not_reported(machine, subjects));
            search.run(ProgramTarget::new(machine, &loads, corpus, options))
        }
        FuzzMachine::Family(family, families) => {
            let machines = states::machines(*family, families, subjects, &corpus, options)?;
            let target = StateTarget::new(*family, &machines, &corpus, options)?;
            search.note_left_out(target.not_compared());
            search.run(target)
        }
    }
}

/// The loop of a search, for all machines.
struct FuzzSearch<'s> {
    options: &'s FuzzOptions,
    known: &'s mut BTreeSet<FuzzCause>,
    sink: &'s mut dyn FnMut(FuzzEvent),
    summary: FuzzSummary,
}

impl FuzzSearch<'_> {
    fn note_left_out(&mut self, fields: Vec<&'static str>) {
        if !fields.is_empty() {
            (self.sink)(FuzzEvent::NotCompared(fields));
        }
    }

    fn is_over(&self) -> bool {
        self.options.interrupt.is_requested()
            || self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn run<T: FuzzTarget>(mut self, mut target: T) -> Result<FuzzSummary, NotFuzzed> {
        while !self.is_over()
            && let Some(is_kept) = target.resume()
        {
            self.summary.resumed += u64::from(is_kept);
        }
        let mut start = 0;
        while start < self.options.cases && !self.is_over() {
            let end = start.saturating_add(T::BATCH).min(self.options.cases);
            for ran in target.run(start..end)? {
                if self.options.interrupt.is_requested() {
                    return Ok(self.summary);
                }
                self.summary.cases += 1;
                match ran {
                    Ok(ran) => self.judge(&mut target, ran),
                    Err(refusals) => {
                        self.summary.skipped += 1;
                        self.count(refusals);
                    }
                }
            }
            if (CHECKED_AFTER..CHECKED_AFTER + T::BATCH).contains(&end) {
                target.check()?;
            }
            start = end;
        }
        target.check()?;
        Ok(self.summary)
    }

    fn count(&mut self, refusals: Vec<FuzzRefusal>) {
        for refusal in refusals {
            self.summary.refusals.add(refusal);
        }
    }

    fn judge<T: FuzzTarget>(&mut self, target: &mut T, mut ran: T::Ran) {
        if let Some(vector) = target.new_coverage(&mut ran) {
            self.summary.added += 1;
            (self.sink)(FuzzEvent::NewCoverage(vector));
        }
        let CaseFindings { is_different, is_skipped, refusals, unrepeated, untried, broke_down, findings } =
            target.judge(ran, self.known);
        self.summary.skipped += u64::from(is_skipped);
        self.count(refusals);
        self.summary.unrepeated += unrepeated;
        self.summary.untried += untried;
        self.summary.broke_down += broke_down;
        self.summary.differing += u64::from(is_different);
        for finding in findings {
            self.summary.found += 1;
            self.known.insert(finding.cause.clone());
            (self.sink)(FuzzEvent::Found(finding));
        }
    }
}
