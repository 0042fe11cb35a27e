//! The options of a search, and the trait by which its loop makes, runs and judges cases.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Instant;

use super::finding::{CaseFindings, FuzzRefusal};
use super::fuzz_cause::FuzzCause;
use crate::hunt::state_runs::CannotRun;
use crate::model::Interrupt;
use crate::run::IgnoredField;
use crate::testees::MakeTestee;

/// A machine that is compared: with the embedded one, or with the others.
pub struct FuzzSubject {
    /// Its name in findings.
    pub name: String,
    /// What runs the cases.
    pub testee: MakeTestee,
}

/// How long to look for differences, and in what.
#[derive(Debug, Clone, Default)]
pub struct FuzzOptions {
    /// Decides the cases.
    pub seed: u64,
    /// How many cases to run.
    pub cases: u64,
    /// When to end earlier; `None` for never. Only the vector of the last finding may be larger because of it.
    pub deadline: Option<Instant>,
    /// Ends the search after the case that is judged, or after the states that run together.
    pub interrupt: Interrupt,
    /// How many changes are tried to make a case small.
    pub max_tries: usize,
    /// How many cases run at the same time, if they are states; 0 is 1. The findings are the same for any number.
    pub jobs: usize,
    /// Fields that are not compared: of states, without masks.
    pub ignored: Vec<IgnoredField>,
}

/// Why there can be no search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotFuzzed {
    /// There are no programs.
    #[error("programs of {0} cannot be generated: it is executed by a library")]
    NotGenerated(&'static str),
    /// There is nothing to compare with.
    #[error("states of {0} are compared on at least two machines: name another one with --vm")]
    OneMachine(&'static str),
    /// A machine runs none of the programs.
    #[error("--vm {vm} runs none of the programs: {why}")]
    RunsNone {
        /// The name of the machine.
        vm: String,
        /// Why it does not run the first one.
        why: String,
    },
    /// A machine cannot run the states.
    #[error(transparent)]
    CannotRun(#[from] CannotRun),
}

/// A case that ran, or why machines do not run it.
pub(super) type RanOrRefused<R> = Result<R, Vec<FuzzRefusal>>;

/// The cases of a search.
pub(super) trait FuzzTarget {
    /// A case that ran.
    type Ran;

    /// How many cases are made and run before the first of them is judged.
    const BATCH: u64;

    /// Runs the next case of the corpus, and returns whether it is kept; `None` if there are no more.
    fn resume(&mut self) -> Option<bool>;

    /// Makes and runs the cases with these numbers. A case is skipped for the refusals in its place.
    fn run(&mut self, numbers: Range<u64>) -> Result<Vec<RanOrRefused<Self::Ran>>, NotFuzzed>;

    /// Keeps the case if it does something new, and then returns its vector.
    fn new_coverage(&mut self, ran: &mut Self::Ran) -> Option<String>;

    /// Whether each machine ran some of the cases so far.
    fn check(&self) -> Result<(), NotFuzzed>;

    /// The machines that differ; for a known cause, there is no finding.
    fn judge(&mut self, ran: Self::Ran, known: &BTreeSet<FuzzCause>) -> CaseFindings;
}

/// How many differences are made small that seem to be about one instruction and turn out to be known, or do not repeat.
pub(super) const MAX_REPEATED: u32 = 20;
