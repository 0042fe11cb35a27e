//! Plants faults in the embedded machines, one at a time, and determines which of them a suite detects.
//!
//! | file | content |
//! |---|---|
//! | `fault.rs` | the faults, derived from the rows of the machines |
//! | `faulty.rs` | a machine with a fault in an instruction |
//! | `wrong.rs` | what faults make of values and cells |
//! | `search.rs` | programs on which a machine with a fault differs |
//! | `equivalent.rs` | faults that make no difference |
//! | `known.rs` | results of earlier runs |

pub mod equivalent;
pub mod fault;
pub mod faulty;
pub mod known;
pub mod search;
pub mod wrong;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use self::equivalent::{Equivalents, Unnoticeable};
use self::fault::PlantedFault;
use self::search::FaultSearchResult;
use super::suite::VectorSuite;
use crate::model::limits::Limits;
use crate::model::{Interrupt, counted, lock};
use crate::run::catch_panic;
use crate::testees::embedded::Embedded;
use crate::wire::mutants::{FaultOutcome, JudgedFault, Mutants};

/// The default limit on the instructions that are executed per fault.
pub const WORK: u64 = 20_000_000;

/// How faults are judged.
pub struct MutantsOptions {
    /// The number of threads.
    pub jobs: usize,
    /// The maximum number of instructions that are executed per fault.
    pub work: u64,
    /// How many programs are tried for each fault that the suite does not detect.
    pub programs: u32,
    /// Ends the run early.
    pub interrupt: Interrupt,
}

/// Judges faults by a suite. The results have the order of the faults; some are missing if the run was interrupted.
pub fn judge(faults: &[PlantedFault], suite: &VectorSuite, how: &MutantsOptions) -> Vec<JudgedFault> {
    let equivalents = Equivalents::new();
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let work = || {
        while !how.interrupt.is_requested() {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(fault) = faults.get(index) else { return };
            let judged = judge_one(*fault, equivalents.known(&fault.to_string()), suite, how);
            if how.interrupt.is_requested() {
                return;
            }
            lock(&results).push((index, judged));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..how.jobs {
            scope.spawn(work);
        }
        work();
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, judged)| judged).collect()
}

/// Judges a fault, and searches for a program that reveals it if the suite does not detect it.
fn judge_one(
    fault: PlantedFault,
    known: Option<Unnoticeable>,
    suite: &VectorSuite,
    how: &MutantsOptions,
) -> JudgedFault {
    let Trial { mut outcome, case, note } = trial(fault, suite, how);
    let mut searched = FaultSearchResult::default();
    match known {
        _ if outcome == FaultOutcome::Killed => {}
        // It changes something, so that the list is wrong.
        Some(Unnoticeable::NotPlanted(_)) if outcome == FaultOutcome::Survived => {}
        Some(known) => outcome = known.outcome(),
        None => {
            if let PlantedFault::OfRow(fault) = fault {
                searched = search::search(fault, how.programs);
            }
        }
    }
    JudgedFault {
        fault: fault.to_string(),
        machine: fault.machine().name.to_owned(),
        op: fault.subject(),
        kind: fault.kind(),
        outcome,
        case,
        reason: known.map(|known| known.reason().to_owned()).or(note),
        tried: searched.tried,
        program: searched.is_found,
    }
}

struct Trial {
    outcome: FaultOutcome,
    /// The case that detects it.
    case: Option<String>,
    /// How the machine broke down, or how many cases were not run, since they take too many instructions.
    note: Option<String>,
}

/// Why a fault may be undetected although a case can detect it.
fn not_run(cases: u64) -> String {
    format!("{} not run, since --max-work allows too few instructions", counted(cases, "case"))
}

/// Runs the cases that execute the instruction on a machine with the fault, until one does not pass.
fn trial(fault: PlantedFault, suite: &VectorSuite, how: &MutantsOptions) -> Trial {
    let switched_on = Arc::new(AtomicBool::new(false));
    let mut testee: Option<(u64, Embedded)> = None;
    let mut left = how.work;
    let executing = || suite.cases.iter().filter(|case| fault.is_executed_by(case));
    let mut concerned = executing().filter(|case| fault.concerns(case));
    let mut note = None;
    while let Some(case) = concerned.next() {
        if how.interrupt.is_requested() {
            break;
        }
        if left < case.steps {
            note = Some(not_run(1 + concerned.count() as u64));
            break;
        }
        left -= case.steps;
        // With the fault, a loop may not end.
        let steps = (8 * case.units + 10_000).next_power_of_two();
        let limits = || Limits { steps, ..case.limits.clone() };
        let mut reused = testee.take().filter(|(known, _)| *known == steps);
        let (_, machine) = reused.get_or_insert_with(|| {
            (steps, Embedded::of(faulty::machine(fault, &limits(), &switched_on), &how.interrupt))
        });
        let is_noticed = match catch_panic(|| case.passes_on(machine)) {
            Ok(Ok(passes)) => !passes,
            // The limit may be too low for a contract of Ethereum that would need more work than it is paid for.
            Ok(Err(_)) => {
                let mut plain = Embedded::of((fault.machine().new)(&limits()), &how.interrupt);
                case.passes_on(&mut plain).is_ok()
            }
            Err(panic) => {
                note = Some(format!("the machine panicked: {panic}"));
                true
            }
        };
        if is_noticed {
            return Trial { outcome: FaultOutcome::Killed, case: Some(case.id.clone()), note };
        }
        testee = reused;
    }
    let outcome = match (executing().next().is_some(), switched_on.load(Ordering::Relaxed)) {
        (_, true) => FaultOutcome::Survived,
        (true, false) => FaultOutcome::NeverOn,
        (false, false) => FaultOutcome::NotExecuted,
    };
    Trial { outcome, case: None, note }
}

/// At most this number of faults, evenly spaced.
pub fn evenly<F: Copy>(faults: &[F], most: usize) -> Vec<F> {
    let is_chosen = |index: usize| (index + 1) * most / faults.len() > index * most / faults.len();
    (0..faults.len()).filter(|index| is_chosen(*index)).map(|index| faults[index]).collect()
}

/// What is wrong with the list of faults that no case can notice, given all faults of these machines and those that
/// were judged; as sentences.
pub fn wrong_entries(mutants: &Mutants, all: &[PlantedFault]) -> Vec<String> {
    let names: Vec<_> = all.iter().map(PlantedFault::to_string).collect();
    let machines: BTreeSet<_> = all.iter().map(|fault| fault.machine().name).collect();
    Equivalents::new().wrong(&names, &mutants.faults, &machines)
}
