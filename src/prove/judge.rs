//! Plants faults in the comparison of states with expectations, one at a time, and determines which of them vectors
//! that must fail notice: a case that fails, and passes with the fault.
//!
//! Passing vectors cannot notice such a fault: it only means that less of them is compared.

mod fault;

use std::collections::BTreeSet;

pub use self::fault::{FAULTS, JudgeFault, JudgedDifference};
use super::recorded::{RecordedFields, RecordedSteps, each};
use crate::model::{Assertion, Mismatch, Path};
use crate::run::compare::{UnknownField, compare_rest, diff};
use crate::run::sources::Sources;
use crate::run::{IgnoredFields, LoadOptions};
use crate::wire::mutants::{FaultOutcome, JudgedFault, Mutants};

/// What stands in place of the machine in the names of these faults: `judge/no-lengths`.
pub const JUDGE: &str = "judge";

/// The cases of a suite that fail, and those that are left out because they do not.
pub struct Negatives {
    cases: Vec<(String, RecordedSteps)>,
    left_out: u64,
    /// The number of broken files.
    pub broken: u64,
}

impl Negatives {
    /// Reads and runs the selected cases of these files.
    pub fn read(sources: &Sources, options: &LoadOptions) -> Negatives {
        let mut negatives = Negatives { cases: Vec::new(), left_out: 0, broken: 0 };
        negatives.broken = each(sources, options, |file, index, recorded| {
            let failing = recorded.filter(|recorded| !passes(recorded, None));
            match failing.zip(file.case(index)) {
                Some((recorded, loaded)) => negatives.cases.push((loaded.id.to_string(), recorded)),
                None => negatives.left_out += 1,
            }
        });
        negatives
    }

    /// Which of these faults the cases notice.
    pub fn judge(&self, faults: &[&JudgeFault]) -> Mutants {
        let faults = faults.iter().map(|fault| self.judge_one(fault)).collect();
        Mutants { cases: self.cases.len() as u64, left_out: self.left_out, faults }
    }

    fn judge_one(&self, fault: &JudgeFault) -> JudgedFault {
        let noticing = self.cases.iter().find(|(_, recorded)| passes(recorded, Some(fault)));
        let forgives = |(_, recorded): &(String, RecordedSteps)| forgives_some(recorded, fault);
        let outcome = match noticing {
            Some(_) => FaultOutcome::Killed,
            None if self.cases.iter().any(forgives) => FaultOutcome::Survived,
            None => FaultOutcome::NeverOn,
        };
        JudgedFault {
            fault: format!("{JUDGE}/{}", fault.name),
            machine: JUDGE.to_owned(),
            op: String::new(),
            kind: fault.name.to_owned(),
            outcome,
            case: noticing.map(|(id, _)| id.clone()),
            reason: None,
            tried: 0,
            program: false,
        }
    }
}

/// Whether a case passes, with this fault of the comparison or without one.
fn passes(recorded: &RecordedSteps, fault: Option<&JudgeFault>) -> bool {
    recorded.case.steps.len() == recorded.states.len()
        && places(recorded).all(|(assertions, place)| holds(assertions, &place, fault))
}

/// Whether the fault accepts a datum that differs.
fn forgives_some(recorded: &RecordedSteps, fault: &JudgeFault) -> bool {
    places(recorded).any(|(assertions, place)| {
        let mismatches = place.mismatches(assertions).unwrap_or_default();
        mismatches.iter().any(|mismatch| (fault.forgives)(&place.seen(assertions, mismatch)))
    })
}

/// The assertions of each step: how it ends, and the others.
fn places(recorded: &RecordedSteps) -> impl Iterator<Item = (&[Assertion], JudgedPlace<'_>)> {
    let RecordedSteps { case, states, .. } = recorded;
    let ignored = recorded.ignored();
    let last = case.steps.len().saturating_sub(1);
    case.steps.iter().zip(states).enumerate().flat_map(move |(number, (step, state))| {
        let (is_in_first_step, is_in_last_step) = (number == 0, number == last);
        let place = |is_end| JudgedPlace { state, ignored, is_end, is_in_first_step, is_in_last_step };
        [(step.end.as_slice(), place(true)), (&step.assertions[..], place(false))]
    })
}

/// Assertions and the state that they are compared with.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct JudgedPlace<'s> {
    state: &'s RecordedFields,
    ignored: IgnoredFields<'s>,
    is_end: bool,
    is_in_first_step: bool,
    is_in_last_step: bool,
}

impl<'s> JudgedPlace<'s> {
    fn mismatches(&self, assertions: &[Assertion]) -> Result<Vec<Mismatch>, UnknownField> {
        compare_rest(self.ignored, assertions, |rest| diff(rest, self.state))
    }

    fn seen<'m>(&'m self, assertions: &[Assertion], mismatch: &'m Mismatch) -> JudgedDifference<'m>
    where
        's: 'm,
    {
        let number =
            assertions.iter().position(|it| it.origin == mismatch.origin && mismatch.at.starts_with(&it.at));
        JudgedDifference {
            mismatch,
            state: self.state,
            is_end: self.is_end,
            is_in_first_step: self.is_in_first_step,
            is_in_last_step: self.is_in_last_step,
            is_of_first_assertion: number == Some(0),
            is_of_last_assertion: number == assertions.len().checked_sub(1),
        }
    }
}

/// Whether the assertions hold as far as a comparison with the fault sees.
fn holds(assertions: &[Assertion], place: &JudgedPlace<'_>, fault: Option<&JudgeFault>) -> bool {
    let mut compared = assertions.to_vec();
    loop {
        let Ok(mismatches) = place.mismatches(&compared) else { return false };
        let forgives = |fault: &JudgeFault| {
            mismatches.iter().all(|mismatch| (fault.forgives)(&place.seen(assertions, mismatch)))
        };
        if mismatches.is_empty() || !fault.is_some_and(forgives) {
            return mismatches.is_empty();
        }
        // A wrong type or length hides what is wrong inside, which the comparison with the fault goes on to see.
        let hiding: BTreeSet<String> =
            mismatches.iter().filter(|it| it.expected.is_form()).map(|it| it.at.to_string()).collect();
        let is_hiding = |it: &Assertion| it.expected.is_form() && hiding.contains(&Path::to_string(&it.at));
        let before = compared.len();
        compared.retain(|it| !is_hiding(it));
        if compared.len() == before {
            return true;
        }
    }
}
