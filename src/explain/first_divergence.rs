//! The first instruction in which a machine in another process diverges from the embedded one.

use super::bisect::{self, DifferencePlace, NextInstruction, OnVm, RunDifference, StateDifference};
use crate::machines::{self, MachineInfo};
use crate::model::explanation::OP;
use crate::model::{Blame, BlameAnswer, Case, DivergedDatum, FirstDivergence, Value, brief};
use crate::run::{FileOptions, IgnoredField, RunOptions};
use crate::wire::eip3155::Eip3155Step;

/// The length, in instructions, of the longest run of which the first divergence from a machine in another process is
/// searched. The search takes some microseconds an instruction.
const MAX_BISECTED: u64 = 1_000_000;

/// The same for a machine that reports no instructions: its states are compared.
const MAX_COMPARED_STATES: u64 = 10_000;

/// How many characters of a value that differs between two states are kept: reports show the part that differs.
const MAX_VALUE: usize = 1_000;

/// Where a machine in another process diverges from the embedded one.
pub(super) struct DivergenceSearch {
    pub(super) found: Option<FirstDivergence>,
    /// Whether the run was too long for a search.
    pub(super) is_unsearched: bool,
}

impl DivergenceSearch {
    /// Searches in a case that fails. `length` is the number of its instructions.
    pub(super) fn of(
        failing: Option<&Case>,
        length: u64,
        options: &RunOptions,
        of_file: &FileOptions,
    ) -> DivergenceSearch {
        let machines = failing.and_then(|case| machines_of(case, options, of_file));
        let Some((info, machines)) = machines.filter(|(_, [one, _])| one.stops() || one.shows_instructions())
        else {
            return DivergenceSearch { found: None, is_unsearched: false };
        };
        let vm = &machines[0];
        let most = if vm.shows_instructions() { MAX_BISECTED } else { MAX_COMPARED_STATES };
        // Of a machine that only executes single instructions, no command searches more of them.
        let is_unsearched = length > most && (vm.shows_instructions() || vm.max_instructions() > most);
        let found = if is_unsearched { None } else { divergence(info, machines) };
        DivergenceSearch { found, is_unsearched }
    }
}

/// Whether a case on the machine in another process is loaded wrongly, as [`FirstDivergence::is_loaded_wrongly`].
pub(super) fn is_loaded_wrongly(case: &Case, options: &RunOptions, of_file: &FileOptions) -> bool {
    let Some((_, [mut one, mut other])) = machines_of(case, options, of_file) else { return false };
    let differs =
        if one.stops() { bisect::differences_at_start([&mut one, &mut other]) } else { Ok(Vec::new()) };
    differs.is_ok_and(|differs| differs.iter().any(|it| it.at.parent().is_some()))
}

/// What produced a value of a machine in another process that is not the one of the embedded machine, given what
/// produced the latter and the step after which the machines differ. What was made before that step was right, so that
/// the instruction of the step that should only have moved it made the wrong value.
pub(super) fn as_diverged(answer: BlameAnswer, first: &FirstDivergence) -> BlameAnswer {
    match answer {
        BlameAnswer::By(mut blame) if blame.by.number() < first.step => {
            let Some(mover) = blame.moved_by.iter().position(|mover| mover.number() == first.step) else {
                // The wrong value came another way than the one of the embedded machine.
                return BlameAnswer::NoCell(None);
            };
            let moved_by = blame.moved_by.drain(..mover).collect();
            let by = blame.moved_by.swap_remove(0);
            let inputs = vec![Vec::new(); by.inputs.len()];
            let further = None;
            BlameAnswer::By(Box::new(Blame {
                by,
                moved_by,
                inputs,
                further,
                unfollowed: None,
                reached_by: None,
                left_by: None,
                ended_by: None,
            }))
        }
        answer => answer,
    }
}

/// A case on the machine in another process, and on the embedded one.
fn machines_of(
    case: &Case,
    options: &RunOptions,
    of_file: &FileOptions,
) -> Option<(&'static MachineInfo, [OnVm; 2])> {
    let (vm, info) = (options.testee.vm()?, machines::by_name(case.machine)?);
    let one = OnVm::new(vm.clone(), info, case, options.interrupt.clone()).ok()?;
    let machines = [one, OnVm::embedded(info, case).ok()?];
    Some((info, machines.map(|machine| machine.limited(&of_file.limits).without(&of_file.ignored))))
}

/// Where the machine in another process diverges from the embedded one: by its states, and by its instructions if it
/// reports them.
fn divergence(info: &MachineInfo, machines: [OnVm; 2]) -> Option<FirstDivergence> {
    let difference = difference(info, machines)?;
    if let Some([actual, embedded]) = difference.decoded() {
        let DifferencePlace::InStep(step) = difference.at else { return None };
        let op = diverged(OP.to_owned(), [actual.op.clone(), embedded.op.clone()]);
        return Some(first(step, Some(embedded.clone()), vec![op]));
    }
    let RunDifference { at, last, members, next, states, ends, .. } = difference;
    match (at, next) {
        (DifferencePlace::InStep(step), Some(next)) => {
            Some(first(step, last, of_instructions(&members, &next)))
        }
        (DifferencePlace::InStep(step), None) => {
            Some(FirstDivergence { ends, ..first(step, last, of_states(&states)) })
        }
        (DifferencePlace::AtStart, Some(next)) => Some(first(0, last, of_instructions(&members, &next))),
        (DifferencePlace::AtStart, None) => Some(first(0, last, of_states(&states))),
        // It is not known in which instruction the states begin to differ.
        _ => None,
    }
}

/// The first difference between two runs. A field that differs as a whole before anything is done, such as a count that
/// a machine has wrong in every state, would hide all others: it is left out if others differ later. A part of a
/// compound, such as a storage, that differs then was loaded wrongly, and causes what differs later.
fn difference(info: &MachineInfo, [mut one, mut other]: [OnVm; 2]) -> Option<RunDifference> {
    // A machine that crashes here already has a verdict.
    let found = *bisect::compare_runs(&mut one, &mut other, info.isa).ok()?.difference?;
    let is_whole_field = |it: &StateDifference| it.at.parent().is_none();
    if found.at != DifferencePlace::AtStart
        || found.states.is_empty()
        || !found.states.iter().all(is_whole_field)
    {
        return Some(found);
    }
    let wrong: Vec<_> =
        found.states.iter().map(|it| IgnoredField { at: it.at.clone(), mask: None }).collect();
    let [mut one, mut other] = [one, other].map(|machine| machine.also_without(&wrong));
    let later = bisect::compare_runs(&mut one, &mut other, info.isa).ok().and_then(|it| it.difference);
    Some(later.map_or(found, |later| *later))
}

fn of_instructions(members: &[&str], next: &[NextInstruction; 2]) -> Vec<DivergedDatum> {
    let text = |name: &str, next: &NextInstruction| match (next.get(name), next) {
        (Some(value), _) => with_numbers(value).to_string(),
        (None, NextInstruction::Step(step)) => format!("{} follows", step.op),
        (None, NextInstruction::End(_)) => "the run ends".to_owned(),
    };
    let datum = |name: &&str| diverged((*name).to_owned(), next.each_ref().map(|next| text(name, next)));
    members.iter().map(datum).collect()
}

/// The value with decimal digits, which traces have at the top of a stack, as numbers: they are shown like others.
fn with_numbers(value: &Value) -> Value {
    match value {
        Value::List(items) => Value::List(items.iter().map(with_numbers).collect()),
        Value::Text(digits) => digits.parse().map_or_else(|_| value.clone(), Value::Int),
        other => other.clone(),
    }
}

fn of_states(states: &[StateDifference]) -> Vec<DivergedDatum> {
    let text = |value: &Option<Value>| {
        value.as_ref().map_or_else(|| "nothing".to_owned(), |value| brief(value, MAX_VALUE))
    };
    let datum =
        |differs: &StateDifference| diverged(differs.at.to_string(), differs.values.each_ref().map(text));
    states.iter().map(datum).collect()
}

fn diverged(datum: String, [actual, embedded]: [String; 2]) -> DivergedDatum {
    DivergedDatum { datum, actual, embedded }
}

fn first(step: u64, last: Option<Eip3155Step>, differs: Vec<DivergedDatum>) -> FirstDivergence {
    let (pc, op) = last.and_then(|last| Some((program_counter(&last)?, last.op))).unzip();
    FirstDivergence { step, pc, op, differs, ends: false }
}

fn program_counter(step: &Eip3155Step) -> Option<u64> {
    step.state.iter().find(|member| member.0 == "pc")?.1.number()
}
