//! The run of a case on a machine in another process, which is asked for each part when it is needed.

use super::run::PlayedRun;
use super::state::PlayedState;
use crate::explain::bisect::{DifferencePlace, OnVm, RunPoint, step_of};
use crate::isa::Isa;
use crate::model::{Action, Case, Name, Step, Value};
use crate::testees::Stopped;
use crate::testees::process::ProcessVm;
use crate::wire::eip3155::Eip3155Step;
use crate::wire::protocol::{Offer, OptionalRequest, TracedInstruction, WireAction};

/// How many instructions are requested at once.
const INSTRUCTIONS: u64 = 1_000;

/// How many states are requested at once: first few, then more with each request, as far as they are small.
const FEW_STATES: u64 = 16;
const MANY_STATES: u64 = 1_024;

/// About how many bytes the states of one answer may take in memory.
const MAX_BYTES: usize = 8 << 20;

/// How many answers of each kind are kept.
const KEPT: usize = 2;

/// How many requests for a part of the run may fail before it is asked for nothing more: each may be a machine that is
/// started again, and a run has many parts.
const MAX_FAILURES: u8 = 3;

/// How many instructions of a run are counted.
const MAX_STEPS: u64 = 1 << 40;

/// The maximum number of instructions that are searched for the end of a `step-over` or `step-out`.
const MAX_COMPARED: u64 = 4_096;

/// The run of a case on a machine in another process.
pub struct VmRun {
    on_vm: OnVm,
    isa: &'static Isa,
    shows: VmShows,
    /// How many instructions were executed after each action.
    ends: Vec<u64>,
    /// Why nothing is known after the last of `ends`; `None` if the run is known to its end.
    cut: Option<String>,
    fields: Vec<String>,
    instructions: AnswerCache<TracedInstruction>,
    states: AnswerCache<Value>,
    failures: PlaybackFailures,
}

/// The requests that the machine did not answer.
#[derive(Default)]
struct PlaybackFailures {
    count: u8,
    last: Option<Stopped>,
}

impl PlaybackFailures {
    /// The result of a request; that of the last one that failed if too many did.
    fn unless_too_many<T>(&mut self, ask: impl FnOnce() -> Result<T, Stopped>) -> Result<T, Stopped> {
        if let Some(last) = self.last.as_ref().filter(|_| self.count >= MAX_FAILURES) {
            return Err(last.clone());
        }
        ask().inspect_err(|stopped| {
            self.count += u8::from(!matches!(stopped, Stopped::Interrupted));
            self.last = Some(stopped.clone());
        })
    }
}

/// How the machine reports the steps of a run.
#[derive(Clone, Copy)]
struct VmShows {
    instructions: bool,
    /// Its state after any number of them.
    states: bool,
}

/// Whether a process reports no steps of a run on any of its machines, so that none can be explored.
pub fn hides_steps(vm: &ProcessVm) -> bool {
    !vm.hello().machines.iter().any(Offer::reports_steps)
}

impl VmRun {
    /// Whether the machine reports the steps of a run in any way; the error names what it lacks and what would help.
    pub fn check(on_vm: &OnVm) -> Result<(), &'static str> {
        if on_vm.reports_steps() { Ok(()) } else { Err(NOT_TRACED) }
    }

    /// The run of a case. How many instructions it has is found out at once. Fails if the machine reports neither
    /// instructions nor states, or gives no answer.
    pub fn new(on_vm: OnVm, isa: &'static Isa) -> Result<VmRun, Stopped> {
        let shows = VmShows { instructions: on_vm.answers(OptionalRequest::Trace), states: on_vm.stops() };
        VmRun::check(&on_vm).map_err(|why| Stopped::Unsupported(why.to_owned()))?;
        let declared: Vec<_> = on_vm.declared().collect();
        let reported = on_vm.reported().into_iter().filter(|name| declared.contains(name));
        let fields = reported.map(str::to_owned).collect();
        let (instructions, states) = (AnswerCache::new(INSTRUCTIONS), AnswerCache::new(FEW_STATES));
        let mut run = VmRun {
            on_vm,
            isa,
            shows,
            ends: Vec::new(),
            cut: None,
            fields,
            instructions,
            states,
            failures: PlaybackFailures::default(),
        };
        run.count()?;
        Ok(run)
    }

    /// The number of the state in which a difference shows that arises there.
    pub fn step_of(&self, at: DifferencePlace) -> u64 {
        let after = |actions: usize| actions.checked_sub(1).and_then(|last| self.ends.get(last)).copied();
        match at {
            DifferencePlace::AtStart => 0,
            DifferencePlace::InStep(step) => step,
            DifferencePlace::InStepOf { step, action } => after(action - 1).unwrap_or(0) + step,
            DifferencePlace::InAction(action) | DifferencePlace::AtEnd(action) => {
                after(action).unwrap_or(self.steps())
            }
        }
    }

    /// A case with the same steps, each of which executes as many instructions as on the machine.
    pub fn case(&self, of: &Case) -> Case {
        let (mut done, mut before) = (0, 0);
        let steps = of.steps.iter().map(|step| {
            done += step.actions.len();
            let end = done.checked_sub(1).and_then(|last| self.ends.get(last)).copied().unwrap_or(before);
            let count = end - before;
            before = end;
            Step { actions: vec![Action::Run(count)], end: None, assertions: Vec::new() }
        });
        Case { steps: steps.collect(), ..of.clone() }
    }

    /// Counts the instructions of each action, as far as the machine answers.
    fn count(&mut self) -> Result<(), Stopped> {
        let mut before = 0;
        for action in 0..self.on_vm.actions() {
            if self.on_vm.executes(action) && self.cut.is_none() {
                before = self.count_up_to(action, before)?;
            }
            self.ends.push(before);
        }
        Ok(())
    }

    /// How many instructions were executed after this action.
    fn count_up_to(&mut self, action: usize, before: u64) -> Result<u64, Stopped> {
        let counted = if self.on_vm.answers(OptionalRequest::Digests) {
            self.on_vm.instructions(action + 1)
        } else {
            Err(Stopped::Unsupported("it does not answer digests".to_owned()))
        };
        match counted {
            Ok(count) => Ok(count.min(MAX_STEPS).max(before)),
            Err(Stopped::Interrupted) => Err(Stopped::Interrupted),
            // Perhaps the run never ends: then as much of it is shown as the machine answers.
            Err(_) => self.sought_end(action, before),
        }
    }

    /// The same by asking for single steps.
    fn sought_end(&mut self, action: usize, before: u64) -> Result<u64, Stopped> {
        let most = match self.on_vm.action(action) {
            // The first instruction may change nothing; later, a machine that has ended does not change.
            Some(WireAction::StepInto) if before == 0 && !self.shows.instructions => return Ok(1),
            Some(WireAction::StepInto) => 1,
            Some(WireAction::Run(count)) => *count,
            Some(WireAction::StepOver | WireAction::StepOut) if !self.shows.instructions => {
                let end = self.on_vm.states(&[RunPoint { actions: action + 1, steps: 0 }], &self.fields);
                match end {
                    Ok(end) => return self.state_after(action, before, &end[0]),
                    Err(Stopped::Interrupted) => return Err(Stopped::Interrupted),
                    // The action does not end.
                    Err(_) => MAX_STEPS,
                }
            }
            _ => MAX_STEPS,
        };
        let most = before.saturating_add(most).min(MAX_STEPS);
        let (mut known, mut length) = (before, 1);
        let mut beyond = loop {
            if known >= most {
                return Ok(known);
            }
            let next = most.min(known + length);
            match self.has(action, before, next - before) {
                Ok(true) => (known, length) = (next, next - before),
                Ok(false) => break next,
                Err(Stopped::Interrupted) => return Err(Stopped::Interrupted),
                Err(stopped) if known == before => return Err(stopped),
                Err(stopped) => {
                    self.cut = Some(reason(stopped));
                    return Ok(known);
                }
            }
        };
        while beyond - known > 1 {
            let middle = known + (beyond - known) / 2;
            if self.has(action, before, middle - before)? { known = middle } else { beyond = middle }
        }
        Ok(known)
    }

    /// The same by the first of the states after single steps that is the one at the end of the action.
    fn state_after(&mut self, action: usize, before: u64, end: &Value) -> Result<u64, Stopped> {
        for first in (0..MAX_COMPARED).step_by(FEW_STATES as usize) {
            let stops = (first..first + FEW_STATES).map(|steps| RunPoint { actions: action, steps });
            match self.on_vm.states(&stops.collect::<Vec<_>>(), &self.fields) {
                Ok(states) => {
                    if let Some(found) = states.iter().position(|state| state == end) {
                        return Ok(before + first + found as u64);
                    }
                }
                Err(stopped) if first == 0 || stopped == Stopped::Interrupted => return Err(stopped),
                Err(stopped) => {
                    self.cut = Some(reason(stopped));
                    return Ok(before + first - 1);
                }
            }
        }
        self.cut = Some(format!("an action does not end in its first {} instructions", MAX_COMPARED - 1));
        Ok(before + MAX_COMPARED - 1)
    }

    /// Whether an action that begins after `before` instructions executes at least this number of them.
    fn has(&mut self, action: usize, before: u64, number: u64) -> Result<bool, Stopped> {
        if self.shows.instructions {
            return Ok(!self.on_vm.instructions_of(action + 1, before + number - 1, 1)?.is_empty());
        }
        // A machine that has ended does not change.
        let stops =
            [RunPoint { actions: action, steps: number - 1 }, RunPoint { actions: action, steps: number }];
        let states = self.on_vm.states(&stops, &self.fields)?;
        Ok(states[0] != states[1])
    }

    /// Where a state is in the actions: the last one with this number.
    fn point(&self, step: u64) -> RunPoint {
        let actions = self.ends.partition_point(|end| *end <= step);
        let before = actions.checked_sub(1).map_or(0, |last| self.ends[last]);
        RunPoint { actions, steps: step - before }
    }

    fn fields_at(&mut self, step: u64) -> Result<Vec<(Name, Value)>, Stopped> {
        let is_between = self.point(step).steps > 0;
        if self.fields.is_empty() || is_between && !self.shows.states {
            return Ok(Vec::new());
        }
        if !self.states.has(step) {
            let last = self.steps();
            let wanted = self.states.range(step);
            let wanted: Vec<_> = (wanted.start..wanted.end.min(last + 1)).collect();
            let (first, stops): (u64, Vec<_>) = if self.shows.states {
                (wanted[0], wanted.iter().map(|step| self.point(*step)).collect())
            } else {
                (step, vec![self.point(step)])
            };
            let ask = || self.on_vm.states(&stops, &self.fields);
            let states = self.failures.unless_too_many(ask)?;
            let weight = states.iter().map(|state| state.weight(MAX_BYTES)).max().unwrap_or(0).max(1);
            let most = ((MAX_BYTES / weight) as u64).clamp(FEW_STATES, MANY_STATES);
            self.states.keep(first, states);
            self.states.size = most.min(4 * self.states.size);
        }
        match self.states.get(step) {
            Some(Value::Record(members)) => Ok(members.clone()),
            _ => Ok(Vec::new()),
        }
    }

    fn traced(&mut self, step: u64) -> Result<Option<Eip3155Step>, Stopped> {
        if !self.shows.instructions || step >= self.steps() {
            return Ok(None);
        }
        if !self.instructions.has(step) {
            let range = self.instructions.range(step);
            let ask = || self.on_vm.instructions_of(self.ends.len(), range.start, INSTRUCTIONS);
            let mut page = self.failures.unless_too_many(ask)?;
            page.truncate(INSTRUCTIONS as usize);
            self.instructions.keep(range.start, page);
        }
        Ok(self.instructions.get(step).map(|instruction| step_of(instruction.clone(), self.isa)))
    }
}

/// Why the steps of a machine are not known, and what would help.
const NOT_TRACED: &str = "its adapter tells nothing about single steps: it needs the request trace in requests of its \
                          hello, or run or step-into in actions; the page on the protocol describes both";

/// Why there is no answer, in a line.
fn reason(stopped: Stopped) -> String {
    match stopped {
        Stopped::Error(error) => error.to_string(),
        Stopped::Unsupported(reason) => reason,
        Stopped::Interrupted => "interrupted".to_owned(),
        Stopped::Crash(breakdown) | Stopped::Timeout(breakdown) => breakdown.what,
    }
}

impl PlayedRun for VmRun {
    fn steps(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    fn instruction(&mut self, step: u64) -> Option<Eip3155Step> {
        self.traced(step).ok().flatten()
    }

    fn state(&mut self, step: u64) -> PlayedState {
        let (next, fields) = (self.traced(step), self.fields_at(step));
        let trouble = next.as_ref().err().or(fields.as_ref().err()).cloned().map(reason);
        let (next, fields) = (next.unwrap_or_default(), fields.unwrap_or_default());
        PlayedState { next, fields, trouble, ..PlayedState::default() }
    }

    fn ended(&self) -> String {
        self.cut
            .as_ref()
            .map_or_else(|| "the run ends".to_owned(), |why| format!("not known from here on: {why}"))
    }
}

/// The last answers, each with consecutive data of a run.
struct AnswerCache<T> {
    /// How many data an answer has.
    size: u64,
    /// The number of the first datum of each answer, and the data; the newest answer is the last one.
    kept: Vec<(u64, Vec<T>)>,
}

impl<T> AnswerCache<T> {
    fn new(size: u64) -> AnswerCache<T> {
        AnswerCache { size, kept: Vec::new() }
    }

    /// The numbers of the data that are requested together with this one.
    fn range(&self, number: u64) -> std::ops::Range<u64> {
        let first = number - number % self.size;
        first..first + self.size
    }

    fn get(&self, number: u64) -> Option<&T> {
        self.kept.iter().find_map(|(first, data)| {
            let index = number.checked_sub(*first)?;
            data.get(usize::try_from(index).ok()?)
        })
    }

    fn has(&self, number: u64) -> bool {
        self.get(number).is_some()
    }

    fn keep(&mut self, first: u64, data: Vec<T>) {
        if self.kept.len() == KEPT {
            self.kept.remove(0);
        }
        self.kept.push((first, data));
    }
}
