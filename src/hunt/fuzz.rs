//! Finds cases on which machines differ.
//!
//! The cases of an embedded machine are programs, and each becomes a vector that demands what that machine does
//! (`programs`). Those of a machine that is described by data are states, and each is run on all machines that are
//! compared (`states`). A difference is minimized and reported once for each machine and cause. Cases that do something
//! new are kept and mutated; those of a [`FuzzCorpus`] are there from the start.

mod causes;
mod programs;
mod said;
mod states;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::time::Instant;

use self::programs::ProgramTarget;
use self::states::StateTarget;
use super::corpus::FuzzCorpus;
use super::state_runs::CannotRun;
use crate::machines::MachineInfo;
use crate::model::case::Program;
use crate::model::escape::is_harmful;
use crate::model::verdict::Verdict;
use crate::run::{Families, FamilyMachine, IgnoredField, LoadedFile};
use crate::testees::MakeTestee;
use crate::text::number;

/// The number of cases after which to check that each machine ran any of them, since there may be many cases.
const CHECKED_AFTER: u64 = 32;

/// Whose cases are made.
#[derive(Clone)]
pub enum FuzzMachine {
    /// Programs of an embedded machine, which says what each does.
    Embedded(&'static MachineInfo),
    /// States of a machine that is described by data; which other families there are does not matter.
    Family(FamilyMachine, Families),
}

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
    pub programs: u64,
    /// When to end earlier; `None` for never. Only the vector of the last finding may be larger because of it.
    pub deadline: Option<Instant>,
    /// How many changes are tried to make a case small.
    pub max_tries: usize,
    /// How many cases run at the same time, if they are states; 0 is 1. The findings are the same for any number.
    pub jobs: usize,
    /// Fields that are not compared: of states, without masks.
    pub ignored: Vec<IgnoredField>,
}

/// What distinguishes a difference from others. Each cause is reported once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FuzzCause {
    /// The name of the machine that differs.
    pub vm: String,
    /// The instruction that made the first wrong value, or the signature of the failure if none is known. Of states,
    /// the first field that differs, and what differing cases have in common: `f with ram at pc 0x04`.
    pub what: String,
}

/// A line of a list of known differences. In the name of the machine, what would end it, end the line or make it a
/// comment is escaped as in Rust: `my\u{20}vm`.
impl fmt::Display for FuzzCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, character) in self.vm.char_indices() {
            let is_start_of_escape = self.vm[at..].starts_with(ESCAPE);
            let is_start_of_comment = at == 0 && character == '#';
            if is_start_of_escape || is_start_of_comment || character.is_whitespace() || is_harmful(character)
            {
                write!(f, "{}", character.escape_unicode())?;
            } else {
                write!(f, "{character}")?;
            }
        }
        write!(f, " {}", self.what)
    }
}

/// The start of an escaped character.
const ESCAPE: &str = r"\u{";

/// Reads a line as it is written.
impl FromStr for FuzzCause {
    type Err = NoFuzzCause;

    fn from_str(line: &str) -> Result<FuzzCause, NoFuzzCause> {
        let (mut name, what) = line.split_once(' ').ok_or(NoFuzzCause)?;
        let mut vm = String::with_capacity(name.len());
        while let Some((before, escape)) = name.split_once(ESCAPE) {
            vm.push_str(before);
            let escaped = escape.split_once('}').and_then(|(digits, after)| {
                let number = u32::try_from(number::hex(digits)?).ok()?;
                Some((char::from_u32(number)?, after))
            });
            name = if let Some((character, after)) = escaped {
                vm.push(character);
                after
            } else {
                vm.push_str(ESCAPE);
                escape
            };
        }
        vm.push_str(name);
        Ok(FuzzCause { vm, what: what.to_owned() })
    }
}

/// A line that is no known difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected the name of a machine, a space and a cause")]
pub struct NoFuzzCause;

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

/// A case on which a machine differs from another one.
#[derive(Debug)]
pub struct FuzzFinding {
    /// What it is about.
    pub cause: FuzzCause,
    /// The number of the case, from 0.
    pub program: u64,
    /// A vector with a small program or state, which the other machine passes. It says what each machine did if its
    /// format has a place for that.
    pub vector: String,
    /// How the case fails, without what varies from case to case.
    pub signature: String,
    /// What separates the differing cases of this cause from its others, if a single flag, bit or number does.
    pub condition: Option<String>,
    /// What each machine did with the vector, by its name: an embedded one first.
    pub machines: Vec<(String, String)>,
}

/// Why a machine does not run a case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FuzzRefusal {
    /// The name of the machine.
    pub vm: String,
    /// Why.
    pub why: String,
}

/// How many different refusals are counted by themselves: a machine may give another reason for each case.
const MAX_REFUSALS: usize = 24;

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

/// Stands for all reasons beyond those that are counted by themselves.
const OTHER_REASONS: &str = "other reasons";

/// The end of a search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FuzzSummary {
    /// How many cases were made.
    pub programs: u64,
    /// How many of them the format cannot hold, ran into a limit, or were run by fewer than two machines.
    pub skipped: u64,
    /// Why machines did not run them, or others.
    pub refusals: RefusalCounts,
    /// How many differed on some machine.
    pub differing: u64,
    /// How many differences did not occur again with the vector of the case: a machine does not do the same each time.
    pub unrepeated: u64,
    /// How many causes were found that were not known.
    pub found: u64,
    /// How many of the causes that were found are crashes and time-outs, and how many of those did not occur again.
    pub broke_down: u64,
    /// How many cases of the corpus were kept at the start, because they reached coverage that those before did not.
    pub resumed: u64,
    /// How many cases reached new coverage.
    pub added: u64,
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
type RanOrRefused<R> = Result<R, Vec<FuzzRefusal>>;

/// The cases of a search.
trait FuzzTarget {
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

/// A difference does not occur again with its case, or with the vector of it.
struct NotRepeated;

/// How often machines are asked again about what is reported or written.
const REPEATS: usize = 3;

/// The same about a case on which a machine does not answer in time.
const TIMEOUT_REPEATS: usize = 1;

/// How many differences are made small that seem to be about one instruction and turn out to be known.
const MAX_REPEATED: u32 = 20;

/// The program of the only case of a file.
fn program_of(file: &LoadedFile<'_>) -> Option<Program> {
    Some(file.case(0)?.read().ok()?.case?.program)
}

/// Whether a case fails again as before. Breakdowns differ in what the machine wrote.
fn is_alike(again: &Verdict, before: &Verdict) -> bool {
    match (again, before) {
        (Verdict::Fail(again), Verdict::Fail(before)) => again.differences == before.differences,
        _ => again.kind() == before.kind(),
    }
}

/// How often machines are asked again about a case that fails like this.
fn repeats(verdict: &Verdict) -> usize {
    if matches!(verdict, Verdict::Timeout(_)) { TIMEOUT_REPEATS } else { REPEATS }
}

/// What is found with a case.
#[derive(Default)]
struct CaseFindings {
    is_different: bool,
    /// Whether fewer than two machines ran it.
    is_skipped: bool,
    /// Why machines did not run it.
    refusals: Vec<FuzzRefusal>,
    /// How many differences did not occur again.
    unrepeated: u64,
    /// How many of those and of the findings are crashes and time-outs.
    broke_down: u64,
    findings: Vec<FuzzFinding>,
}

impl CaseFindings {
    /// Adds what is found out about a difference, of a machine that did or did not break down.
    fn add(&mut self, difference: DifferenceOf, finding: Result<Option<FuzzFinding>, NotRepeated>) {
        let is_known = matches!(finding, Ok(None));
        self.broke_down += u64::from(difference == DifferenceOf::Breakdown && !is_known);
        match finding {
            Ok(finding) => self.findings.extend(finding),
            Err(NotRepeated) => self.unrepeated += 1,
        }
    }
}

/// How a machine differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DifferenceOf {
    /// In what it answers.
    Values,
    /// It crashed, or did not answer in time.
    Breakdown,
}

/// Runs cases until their number or the deadline is reached. Causes in `known` are not reported; those found are added
/// to it. Cases of the corpus are not compared: its vectors can be run.
///
/// # Errors
///
/// When no cases can be generated for the machine, or a machine cannot run them.
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
        self.options.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn run<T: FuzzTarget>(mut self, mut target: T) -> Result<FuzzSummary, NotFuzzed> {
        while !self.is_over()
            && let Some(is_kept) = target.resume()
        {
            self.summary.resumed += u64::from(is_kept);
        }
        let mut start = 0;
        while start < self.options.programs && !self.is_over() {
            let end = start.saturating_add(T::BATCH).min(self.options.programs);
            for ran in target.run(start..end)? {
                self.summary.programs += 1;
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
        let CaseFindings { is_different, is_skipped, refusals, unrepeated, broke_down, findings } =
            target.judge(ran, self.known);
        self.summary.skipped += u64::from(is_skipped);
        self.count(refusals);
        self.summary.unrepeated += unrepeated;
        self.summary.broke_down += broke_down;
        self.summary.differing += u64::from(is_different);
        for finding in findings {
            self.summary.found += 1;
            self.known.insert(finding.cause.clone());
            (self.sink)(FuzzEvent::Found(finding));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_difference_is_read_as_it_is_written() {
        for (vm, line) in [
            ("mine", "mine MOD of two"),
            ("my vm", r"my\u{20}vm MOD of two"),
            ("#1", r"\u{23}1 MOD of two"),
            ("a#\nb", r"a#\u{a}b MOD of two"),
            (r"a\u{20}\n", r"a\u{5c}u{20}\n MOD of two"),
        ] {
            let cause = FuzzCause { vm: vm.to_owned(), what: "MOD of two".to_owned() };
            assert_eq!(cause.to_string(), line);
            assert_eq!(line.parse(), Ok(cause));
        }
    }

    #[test]
    fn known_differences_of_older_lists_are_read() {
        for vm in [r"a\b", r"\u{", r"\u{x}", r"\u{110000}", "a=b'"] {
            let cause = FuzzCause { vm: vm.to_owned(), what: "MOD".to_owned() };
            assert_eq!(format!("{vm} MOD").parse(), Ok(cause));
        }
        assert_eq!("mine".parse::<FuzzCause>(), Err(NoFuzzCause));
    }
}
