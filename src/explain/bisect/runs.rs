//! Finds the first difference between two machines by their instructions and by their states.

use super::divergence::{Compared, Divergence, NextInstruction, decoded};
use super::machines::{InstructionList, OnVm, compare_instructions, step_of};
use super::states::{ComparedFields, ComparedStates, FirstStateDifference, StateDifference};
use crate::isa::Isa;
use crate::model::Value;
use crate::testees::Stopped;
use crate::wire::eip3155::Eip3155Step;

/// What the comparison of two runs found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bisected {
    /// The number of instructions, if they were compared and do not differ.
    pub steps: Option<u64>,
    /// The first difference; `None` if there is none.
    pub difference: Option<Box<RunDifference>>,
    /// The fields that are not compared, and for each machine whether it does not report it.
    pub lacking: Vec<(String, [bool; 2])>,
    /// How a machine broke down, or broke the protocol, when it was asked for its instructions after a difference of
    /// the states was found.
    pub broke: Option<Stopped>,
}

/// The first difference between two runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunDifference {
    /// Where it arises.
    pub at: DifferencePlace,
    /// The instruction that causes it, with the state before it; `None` if no machine reports it.
    pub last: Option<Eip3155Step>,
    /// The fields of the state before it; `None` if the first states differ.
    pub before: Option<Value>,
    /// What differs in what the machines report before their next instruction, by name.
    pub members: Vec<&'static str>,
    /// What each machine reports before its next instruction, or before this one if only the instruction itself
    /// differs; `None` if a machine reports no instructions.
    pub next: Option<[NextInstruction; 2]>,
    /// What differs in the states.
    pub states: Vec<StateDifference>,
    /// Whether both runs are known to end with the instruction.
    pub ends: bool,
}

impl RunDifference {
    /// The step in each run if they execute different instructions in the same state.
    pub fn decoded(&self) -> Option<[&Eip3155Step; 2]> {
        decoded(&self.members, self.next.as_ref()?)
    }
}

/// Where a difference arises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DifferencePlace {
    /// The first states differ.
    AtStart,
    /// In the instruction with this number, from 1.
    InStep(u64),
    /// In an instruction of an action, both numbered from 1: how many instructions precede the action is not known.
    InStepOf {
        /// The number of the instruction.
        step: u64,
        /// The number of the action.
        action: usize,
    },
    /// In an action, numbered from 1, that executes no instruction.
    InAction(usize),
    /// Somewhere before the end of an action, numbered from 1: a machine does not stop before.
    AtEnd(usize),
}

/// Compares two runs of a case: their instructions if both machines report them, and their states. Fails if a machine
/// gives no answer before a difference is found.
pub fn compare_runs(one: &mut OnVm, other: &mut OnVm, isa: &Isa) -> Result<Bisected, Stopped> {
    let ComparedFields { fields, lacking } = ComparedFields::of([one, other]);
    let upcoming = one.upcoming();
    let parting = ComparedStates::new([one, other], &fields).without(upcoming).parting()?;
    let step = step_after([one, other], parting.as_ref())?;
    let mut broke = None;
    let compared = match instructions_compared([one, other], isa, &fields, step) {
        // The instruction that follows the difference may reach a limit of the runner.
        Err(stopped) if parting.is_some() => {
            broke = stopped.is_breakdown().then_some(stopped);
            None
        }
        compared => compared?,
    };
    let (steps, divergence) = match compared {
        Some(Ok(steps)) => (Some(steps), None),
        Some(Err(divergence)) => (None, Some(*divergence)),
        None => (None, None),
    };
    let difference = match (parting, divergence) {
        // The members that only name the next instruction were left out so far: the runs may differ in these alone.
        (None, None) if upcoming.is_some() => of_all_members([one, other], isa, &fields, &mut broke)?,
        (None, None) => None,
        (None, Some(divergence)) => Some(of_instructions(divergence)),
        (Some(parting), None) => Some(of_states([one, other], isa, parting, step, &mut broke)),
        (Some(parting), Some(divergence)) => {
            Some(first_of([one, other], isa, (parting, step), divergence, &mut broke)?)
        }
    };
    Ok(Bisected { steps, difference: difference.map(Box::new), lacking, broke })
}

/// What differs in the states of two runs before anything is done. Fails if a machine gives no answer.
pub(in crate::explain) fn differences_at_start(
    [one, other]: [&mut OnVm; 2],
) -> Result<Vec<StateDifference>, Stopped> {
    let fields = ComparedFields::of([one, other]).fields;
    let upcoming = one.upcoming();
    ComparedStates::new([one, other], &fields).without(upcoming).at_start()
}

/// Compares the instructions of two runs, if both machines report them: up to the one that makes the states differ,
/// which has the number `step`, and what follows it.
fn instructions_compared(
    runs: [&mut OnVm; 2],
    isa: &Isa,
    fields: &[String],
    step: Option<u64>,
) -> Result<Option<Compared>, Stopped> {
    let [one, other] = runs;
    if !compares_instructions([one, other], fields) {
        return Ok(None);
    }
    let most = step.map_or(u64::MAX, |step| step + 1);
    compare_instructions([one, other], isa, most).map(Some)
}

/// The first of a difference of the states, in the instruction `step` if that is known, and one of the instructions.
fn first_of(
    [one, other]: [&mut OnVm; 2],
    isa: &Isa,
    (parting, step): (FirstStateDifference, Option<u64>),
    divergence: Divergence,
    broke: &mut Option<Stopped>,
) -> Result<RunDifference, Stopped> {
    let are_states_first = states_differ_first([one, other], &parting, divergence.step)?
        // Different instructions in the step that follows the difference of the states.
        || step.is_some_and(|step| step < divergence.step);
    if are_states_first {
        return Ok(of_states([one, other], isa, parting, step, broke));
    }
    if step != Some(divergence.step) {
        return Ok(of_instructions(divergence));
    }
    let Divergence { last, differs, next, .. } = divergence;
    let found = of_states([one, other], isa, parting, step, broke);
    Ok(RunDifference { last, members: differs, next: Some(next), ..found })
}

/// Whether states that no instruction makes different, but the start or what a vector sets, differ before the
/// instructions do.
fn states_differ_first(
    runs: [&mut OnVm; 2],
    parting: &FirstStateDifference,
    diverging_step: u64,
) -> Result<bool, Stopped> {
    if parting.is_at_start() {
        return Ok(true);
    }
    if parting.step.is_some() || runs[0].executes(parting.actions) {
        return Ok(false);
    }
    Ok(preceding(runs, parting.actions)?.is_some_and(|before| before < diverging_step))
}

/// Whether the instructions of two runs are compared: if both machines report them, and they do not show a field that
/// the user ignores. With `--ignore`, the states suffice if both machines can stop after an instruction.
fn compares_instructions(runs: [&OnVm; 2], fields: &[String]) -> bool {
    let states_suffice = !fields.is_empty() && runs.iter().all(|run| run.stops());
    runs.iter().all(|run| run.shows_comparable_instructions() && !(run.ignores_fields() && states_suffice))
}

/// The first difference of states, in whichever members.
fn of_all_members(
    [one, other]: [&mut OnVm; 2],
    isa: &Isa,
    fields: &[String],
    broke: &mut Option<Stopped>,
) -> Result<Option<RunDifference>, Stopped> {
    let Some(parting) = ComparedStates::new([one, other], fields).parting()? else { return Ok(None) };
    let step = step_after([one, other], Some(&parting))?;
    Ok(Some(of_states([one, other], isa, parting, step, broke)))
}

/// The number of the instruction after which the states differ, if it is known.
fn step_after(runs: [&mut OnVm; 2], parting: Option<&FirstStateDifference>) -> Result<Option<u64>, Stopped> {
    let Some((parting, in_action)) = parting.and_then(|parting| Some((parting, parting.step?))) else {
        return Ok(None);
    };
    // Only the first of several actions begins at a known instruction, unless a machine counts them.
    let before = if parting.actions > 0 { preceding(runs, parting.actions)? } else { Some(0) };
    Ok(before.map(|before| before + in_action))
}

/// How many instructions the first actions execute; `None` if no machine counts them.
fn preceding(runs: [&mut OnVm; 2], actions: usize) -> Result<Option<u64>, Stopped> {
    if (0..actions).all(|action| !runs[0].executes(action)) {
        return Ok(Some(0));
    }
    runs.into_iter().find(|run| run.shows_instructions()).map(|run| run.instructions(actions)).transpose()
}

pub(super) fn of_instructions(Divergence { step, last, differs, next }: Divergence) -> RunDifference {
    let at = if step == 0 { DifferencePlace::AtStart } else { DifferencePlace::InStep(step) };
    RunDifference {
        at,
        last,
        before: None,
        members: differs,
        next: Some(next),
        states: Vec::new(),
        ends: false,
    }
}

/// A difference of the states in the instruction with this number, if the number is known. `broke` is how a machine broke
/// down, if one does.
fn of_states(
    runs: [&mut OnVm; 2],
    isa: &Isa,
    FirstStateDifference { actions, step: in_action, before, differs, ends }: FirstStateDifference,
    step: Option<u64>,
    broke: &mut Option<Stopped>,
) -> RunDifference {
    let action = actions + 1;
    let at = match (step, in_action) {
        (Some(step), _) => DifferencePlace::InStep(step),
        (None, Some(step)) => DifferencePlace::InStepOf { step, action },
        (None, None) if before.is_none() => DifferencePlace::AtStart,
        (None, None) if runs[0].executes(actions) => DifferencePlace::AtEnd(action),
        (None, None) => DifferencePlace::InAction(action),
    };
    // Both executed the same instructions up to here: the first machine that answers is enough.
    let mut showing = runs.into_iter().filter(|run| run.shows_instructions());
    let traced = step.and_then(|step| {
        showing.find_map(|run| match run.trace(step - 1, 1) {
            Ok(mut instructions) => instructions.pop(),
            Err(stopped) => {
                *broke = broke.take().or(stopped.is_breakdown().then_some(stopped));
                None
            }
        })
    });
    let last = traced.map(|instruction| step_of(instruction, isa));
    RunDifference { at, last, before, members: Vec::new(), next: None, states: differs, ends }
}
