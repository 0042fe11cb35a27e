//! The states of a machine that is described by data: each runs on all machines that are compared, and what most of
//! them do is demanded of the others.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::vec;

use super::causes::{AlikeStates, CauseFinder, CommonState, ENOUGH};
use super::finding::NoFinding::{NotRepeated, NotTried};
use super::finding::{CaseFindings, DifferenceOf, FuzzFinding, FuzzRefusal, NoFinding};
use super::finding_vectors::{program_of, source, verdict_text, with_machines};
use super::fuzz_cause::FuzzCause;
use super::repeats::{REPEATS, is_alike, repeats};
use super::target::{FuzzOptions, FuzzSubject, FuzzTarget, MAX_REPEATED, NotFuzzed, RanOrRefused};
use crate::explain::spectrum::common_state::NumbersBefore;
use crate::formats::family::{FamilyWriter, NewFamilyCase};
use crate::hunt::corpus::FuzzCorpus;
use crate::hunt::minimize::{self, KeptFailure, MinimizeOptions};
use crate::hunt::state_runs::{BrokenEnd, EndGroups, StateEnd, StateRuns, state_machines};
use crate::hunt::states::{GeneratedState, StateGenerator};
use crate::model::{Case, DeclaredField, Program, Value, Verdict, signature};
use crate::prove::numbers::Numbers;
use crate::run::{Families, FamilyMachine, LoadOptions, NamedTestee, Worker, open_text};

/// How many states that share a part of one that differs are run at a time, to find out what it is about.
const NEIGHBOURS: usize = 256;

/// The same around a state on which a machine crashes, since each crash takes two new processes.
const CRASHING_NEIGHBOURS: usize = 32;

/// How many times [`NEIGHBOURS`] states are run at most, if few of them differ.
const ROUNDS: usize = 4;

/// The maximum number of different behaviours of states that are remembered.
const MAX_SEEN: usize = 1 << 17;

/// How many changes are tried to make a state small on which a machine does not answer in time.
const MAX_TIMEOUTS: usize = 10;

/// The machines that are compared. Fails when there are fewer than two.
pub(super) fn machines(
    family: FamilyMachine,
    families: &Families,
    subjects: &[FuzzSubject],
    corpus: &FuzzCorpus,
    options: &FuzzOptions,
) -> Result<Vec<NamedTestee>, NotFuzzed> {
    if subjects.len() < 2 {
        return Err(NotFuzzed::OneMachine(family.family.machine));
    }
    let machines = subjects.iter().map(|subject| (subject.name.clone(), subject.testee.clone()));
    Ok(state_machines((family, corpus.format), families, &options.ignored, machines))
}

/// Makes states and runs them.
pub(super) struct StateTarget<'o> {
    writer: FamilyWriter<'static>,
    runs: StateRuns<'o>,
    options: &'o FuzzOptions,
    generator: StateGenerator,
    causes: CauseFinder,
    /// What some state did.
    seen: BTreeSet<String>,
    /// How often each member that is an address changed, to find the one that goes from instruction to instruction.
    moves: Vec<u64>,
    corpus: vec::IntoIter<GeneratedState>,
    /// How many differences were made small without a cause that is new, by the machine, the field and the instruction.
    repeated: HashMap<(usize, String, Option<String>), u32>,
    /// The small states of the findings so far: the machine, the field and what is given.
    reported: HashSet<(usize, String, String)>,
    /// Whether each machine was asked what it runs.
    is_checked: bool,
}

/// A state that ran on all machines.
pub(super) struct RanState {
    number: u64,
    state: GeneratedState,
    program: Program,
    ends: Vec<StateEnd>,
    groups: EndGroups,
}

impl<'o> StateTarget<'o> {
    pub(super) fn new(
        family: FamilyMachine,
        machines: &'o [NamedTestee],
        corpus: &FuzzCorpus,
        options: &'o FuzzOptions,
    ) -> Result<StateTarget<'o>, NotFuzzed> {
        let writer = family.family.writer(corpus.format);
        let runs = StateRuns::new(family, writer, machines, options.jobs)?;
        let mut generator = StateGenerator::new(runs.given(writer), writer.constants());
        let corpus: Vec<_> = corpus.states.iter().map(|state| generator.read(&state.0)).collect();
        generator.give_like(&corpus);
        Ok(StateTarget {
            writer,
            runs,
            options,
            moves: vec![0; generator.fields().len()],
            generator,
            causes: CauseFinder::new(family.machine),
            seen: BTreeSet::new(),
            corpus: corpus.into_iter(),
            repeated: HashMap::new(),
            reported: HashSet::new(),
            is_checked: false,
        })
    }

    pub(super) fn not_compared(&self) -> Vec<&'static str> {
        self.runs.left_out(self.writer)
    }

    fn all(&self) -> Vec<usize> {
        (0..self.runs.machines.len()).collect()
    }

    fn name(&self, machine: usize) -> &'o str {
        &self.runs.machines[machine].name
    }

    /// The machines that do not run a state, and why.
    fn refusals(&self, ends: &[StateEnd]) -> Vec<FuzzRefusal> {
        let refusal = |(machine, end): (usize, &StateEnd)| match end {
            StateEnd::Refused(why) => {
                Some(FuzzRefusal { vm: self.name(machine).to_owned(), why: why.clone() })
            }
            StateEnd::State(_) | StateEnd::Broke(_) => None,
        };
        ends.iter().enumerate().filter_map(refusal).collect()
    }

    /// What a state did that none before did: which fields change, and which instruction changes which of them.
    fn covers(&mut self, ran: &RanState) -> bool {
        let Some(StateEnd::State(end)) = ran.groups.reference().map(|index| &ran.ends[index]) else {
            return false;
        };
        let given = self.generator.given(&ran.state);
        let mut changed = Vec::new();
        for (field, after) in self.runs.fields.iter().zip(end) {
            let before = given.iter().find(|member| member.0 == field.name).map(|member| &member.1);
            if let Some(change) = change(field, before, after) {
                changed.push(change);
                let index = self.generator.fields().iter().position(|it| it.name == field.name);
                if let Some(index) = index {
                    self.moves[index] += 1;
                }
            }
        }
        let changed = changed.join(",");
        let op = self.op(&ran.program);
        if self.seen.len() >= MAX_SEEN {
            return false;
        }
        let is_new = self.seen.insert(changed.clone());
        op.is_some_and(|op| self.seen.insert(format!("{op}: {changed}"))) || is_new
    }

    /// The member that goes from instruction to instruction, if one does.
    fn pointer(&self) -> Option<&'static str> {
        let at = self.moves.iter().enumerate().max_by_key(|(index, moves)| (**moves, usize::MAX - index));
        at.filter(|(_, moves)| **moves > 0).map(|(index, _)| &*self.generator.fields()[index].name)
    }

    /// The first cell of the instruction of a state, in words.
    fn op(&self, program: &Program) -> Option<String> {
        self.causes.cell_at(program, self.pointer()?)
    }

    /// The text of a vector of a state that demands this end without some fields, or the state itself if no machine
    /// has an end.
    fn vector(
        &self,
        name: String,
        state: &GeneratedState,
        end: Option<&StateEnd>,
        is_left_out: &dyn Fn(&str) -> bool,
    ) -> Option<String> {
        let given = self.generator.given(state);
        let mut demanded = match end {
            Some(StateEnd::State(values)) => self.runs.demanded(&given, values),
            _ => given.clone(),
        };
        demanded.retain(|(name, _)| !is_left_out(name));
        self.writer.text(&[NewFamilyCase { name, given, demanded, filled_by: Vec::new() }]).ok()
    }

    /// What differs between the end of a machine and another one, in a word: the first field that is still compared,
    /// or how it broke down.
    fn difference(
        &self,
        (machine, known): (usize, &BTreeSet<FuzzCause>),
        reference: Option<&StateEnd>,
        end: &StateEnd,
    ) -> Option<String> {
        match (reference, end) {
            (_, StateEnd::Broke(broke)) => Some(broke.clone().verdict().name().to_owned()),
            (Some(StateEnd::State(demanded)), StateEnd::State(actual)) => {
                let ends = self.runs.fields.iter().zip(demanded.iter().zip(actual));
                let mut differing = ends.filter(|(_, (one, other))| one != other).map(|(field, _)| field);
                let differs = differing.find(|field| !self.is_given_up(known, machine, &field.name))?;
                Some(differs.name.to_string())
            }
            _ => None,
        }
    }

    /// Whether a machine differs in a field in most states. That is reported once, and the field is compared no
    /// further: it would hide the fields after it.
    fn is_given_up(&self, known: &BTreeSet<FuzzCause>, machine: usize, field: &str) -> bool {
        known.contains(&FuzzCause { vm: self.name(machine).to_owned(), what: field.to_owned() })
    }

    /// The states around one that differs, by whether the machine differs in the same way.
    fn neighbours(
        &self,
        ran: &RanState,
        pair: [usize; 2],
        what: &str,
        known: &BTreeSet<FuzzCause>,
    ) -> AlikeStates {
        let mut found = AlikeStates::default();
        let (count, rounds) = match ran.ends[pair[1]] {
            StateEnd::Broke(BrokenEnd::Timeout(_)) => (0, 0),
            StateEnd::Broke(BrokenEnd::Crash(_)) => (CRASHING_NEIGHBOURS, 1),
            StateEnd::State(_) | StateEnd::Refused(_) => (NEIGHBOURS, ROUNDS),
        };
        let mut numbers = Numbers::of_case(!self.options.seed, ran.number);
        for _ in 0..rounds {
            let states = (0..count).map(|_| self.generator.neighbour(&ran.state, &mut numbers));
            let programs: Vec<_> = states.map(|state| self.generator.program(&state)).collect();
            for (program, ends) in programs.iter().zip(self.runs.run(&programs, &pair)) {
                let [reference, end] = &ends[..] else { continue };
                if matches!(reference, StateEnd::Broke(_) | StateEnd::Refused(_)) {
                    continue;
                }
                let numbers = self.causes.numbers(program);
                match self.difference((pair[1], known), Some(reference), end) {
                    // What is known already would hide what the others have in common.
                    Some(other) if other == what => {
                        let is_known = self.causes.is_known(known, (self.name(pair[1]), what), &numbers);
                        found.failing.extend((!is_known).then_some(numbers));
                    }
                    None if matches!(end, StateEnd::State(_)) => found.passing.push(numbers),
                    _ => {}
                }
            }
            if found.failing.len() >= 4 * ENOUGH {
                break;
            }
        }
        found
    }

    fn finding(
        &mut self,
        ran: &RanState,
        pair: (Option<usize>, usize),
        what: &str,
        state: &NumbersBefore,
        known: &BTreeSet<FuzzCause>,
    ) -> Result<Option<FuzzFinding>, NoFinding> {
        let (reference, machine) = pair;
        let repeated = (machine, what.to_owned(), self.op(&ran.program));
        let is_enough = self.repeated.get(&repeated).is_some_and(|count| *count >= MAX_REPEATED);
        // A crash takes new processes each time.
        if is_enough && matches!(ran.ends[machine], StateEnd::Broke(_)) {
            return Err(NotTried);
        }
        self.differs_again(ran, pair, what, known)?;
        if is_enough {
            return Err(NotTried);
        }
        let neighbours = match reference {
            Some(reference) => self.neighbours(ran, [reference, machine], what, known),
            None => AlikeStates::default(),
        };
        let common = self.causes.common(state, &neighbours);
        let name = format!("{}-{}", self.options.seed, ran.number);
        let end = reference.map(|index| &ran.ends[index]);
        let is_left_out = |field: &str| self.is_given_up(known, machine, field);
        let text = self.vector(name, &ran.state, end, &is_left_out).ok_or(NotRepeated)?;
        let (text, verdict) = self.small(text, pair, &common).ok_or(NotRepeated)?;
        let file = open_text(&source(), text.clone(), &self.runs.machines[machine].options);
        let small = program_of(&file).ok_or(NotRepeated)?;
        // Of states that time out, too few are run to know what they have in common.
        let pointer = self.pointer().filter(|_| !matches!(verdict, Verdict::Timeout(_)));
        let common = self.causes.or_instruction(common, &neighbours, (&small, pointer));
        let cause = self.causes.cause(self.name(machine), what, &common);
        // If two states become the same small one, that is one finding, whatever their neighbours have in common.
        let is_reported = !self.reported.insert((machine, what.to_owned(), format!("{:?}", small.0)));
        if known.contains(&cause) || is_reported {
            *self.repeated.entry(repeated).or_insert(0) += 1;
            return Ok(None);
        }
        let (machines, vector) = self.machines(text, pair, &verdict)?;
        let signature = signature(Some(self.runs.machine()), &verdict).unwrap_or_default();
        let condition = common.rule.map(|rule| rule.condition.what);
        Ok(Some(FuzzFinding { cause, number: ran.number, vector, signature, condition, machines }))
    }

    /// Runs a state again on two machines, before it takes many runs to find out what it is about.
    fn differs_again(
        &self,
        ran: &RanState,
        (reference, machine): (Option<usize>, usize),
        what: &str,
        known: &BTreeSet<FuzzCause>,
    ) -> Result<(), NoFinding> {
        if matches!(ran.ends[machine], StateEnd::Broke(BrokenEnd::Timeout(_))) {
            return Ok(());
        }
        let pair: Vec<_> = reference.into_iter().chain([machine]).collect();
        let ends = self.runs.run(std::slice::from_ref(&ran.program), &pair).remove(0);
        let demanded = reference.map(|index| &ran.ends[index]);
        let is_same = demanded.is_none_or(|demanded| ends[0] == *demanded);
        let differs = ends.last().and_then(|end| self.difference((machine, known), demanded, end));
        if is_same && differs.as_deref() == Some(what) { Ok(()) } else { Err(NotRepeated) }
    }

    /// Whether a machine ends like this each time it is asked again.
    fn ends_again(&self, program: &Program, machine: usize, end: &StateEnd) -> bool {
        let programs = vec![program.clone(); REPEATS];
        self.runs.run(&programs, &[machine]).iter().flatten().all(|again| again == end)
    }

    /// A small vector that fails for the same cause, and how; `None` if it does not fail again.
    fn small(
        &self,
        text: String,
        (reference, machine): (Option<usize>, usize),
        common: &CommonState,
    ) -> Option<(String, Verdict)> {
        let source = source();
        let options = |index: usize| -> LoadOptions {
            let options = &self.runs.machines[index].options;
            minimize::options_of(options, &source, options.run.testee.clone())
        };
        let (own, reference) = (options(machine), reference.map(options));
        let file = open_text(&source, text.clone(), &own);
        let verdict = Worker::new(&own.run).run_case(&file, 0).verdict;
        let is_timeout = matches!(verdict, Verdict::Timeout(_));
        let keeps = |case: &Case| self.causes.follows(common, &case.program);
        let how = MinimizeOptions {
            keep: KeptFailure::Cause,
            max_tries: if is_timeout { MAX_TIMEOUTS } else { self.options.max_tries },
            max_bytes: usize::MAX,
            deadline: self.options.deadline,
            keeps: Some(&keeps),
        };
        let small = minimize::minimize((&file, 0), &source, &own, reference.as_ref(), how).ok();
        let (text, verdict) = small.map_or((text, verdict), |small| (small.text, small.report.verdict));
        let is_failure = matches!(verdict, Verdict::Fail(_) | Verdict::Crash(_) | Verdict::Timeout(_));
        is_failure.then_some((text, verdict))
    }

    /// What each machine did with a vector, and the vector with that. Fails when the machine that is compared with
    /// does not pass the vector each time, or the other one does not fail it in this way.
    fn machines(
        &self,
        vector: String,
        (reference, machine): (Option<usize>, usize),
        verdict: &Verdict,
    ) -> Result<(Vec<(String, String)>, String), NoFinding> {
        let source = source();
        let run = |machine: usize| {
            let options = &self.runs.machines[machine].options;
            let file = open_text(&source, vector.clone(), options);
            Worker::new(&options.run).run_case(&file, 0).verdict
        };
        for _ in 0..repeats(verdict) {
            let is_passed = reference.is_none_or(|reference| run(reference) == Verdict::Pass);
            if !is_passed || !is_alike(&run(machine), verdict) {
                return Err(NotRepeated);
            }
        }
        let what = |index: usize| match index {
            _ if Some(index) == reference => verdict_text(&Verdict::Pass),
            _ if index == machine => verdict_text(verdict),
            _ => verdict_text(&run(index)),
        };
        let machines: Vec<_> =
            self.all().into_iter().map(|index| (self.name(index).to_owned(), what(index))).collect();
        let file = open_text(&source, vector.clone(), &self.runs.machines[0].options);
        let said = with_machines(&file, &machines);
        Ok((machines, said.unwrap_or(vector)))
    }
}

impl FuzzTarget for StateTarget<'_> {
    type Ran = RanState;

    const BATCH: u64 = 64;

    fn resume(&mut self) -> Option<bool> {
        let state = self.corpus.next()?;
        let program = self.generator.program(&state);
        let ends = self.runs.run(std::slice::from_ref(&program), &self.all()).remove(0);
        let groups = EndGroups::of(&ends);
        let ran = RanState { number: 0, state, program, ends, groups };
        let is_new = self.covers(&ran);
        if is_new {
            self.generator.keep(ran.state);
        }
        Some(is_new)
    }

    fn run(&mut self, numbers: Range<u64>) -> Result<Vec<RanOrRefused<RanState>>, NotFuzzed> {
        let state = |number| self.generator.next(&mut Numbers::of_case(self.options.seed, number));
        let states: Vec<_> = numbers.clone().map(state).collect();
        let programs: Vec<_> = states.iter().map(|state| self.generator.program(state)).collect();
        let ends = self.runs.run(&programs, &self.all());
        if !std::mem::replace(&mut self.is_checked, true) {
            self.runs.check(&ends)?;
        }
        let ran = numbers.zip(states).zip(programs).zip(ends).map(|(((number, state), program), ends)| {
            let groups = EndGroups::of(&ends);
            let is_compared = ends.len() - groups.refused.len() >= 2;
            if is_compared {
                Ok(RanState { number, state, program, ends, groups })
            } else {
                Err(self.refusals(&ends))
            }
        });
        Ok(ran.collect())
    }

    fn new_coverage(&mut self, ran: &mut RanState) -> Option<String> {
        if !self.covers(ran) {
            return None;
        }
        self.generator.keep(ran.state.clone());
        let reference = ran.groups.reference()?;
        if !self.ends_again(&ran.program, reference, &ran.ends[reference]) {
            return None;
        }
        let name = format!("{}-{}", self.options.seed, ran.number);
        self.vector(name, &ran.state, Some(&ran.ends[reference]), &|_| false)
    }

    /// Before the first state, each machine is asked what it runs.
    fn check(&self) -> Result<(), NotFuzzed> {
        Ok(())
    }

    fn judge(&mut self, ran: RanState, known: &BTreeSet<FuzzCause>) -> CaseFindings {
        let mut judged = CaseFindings { refusals: self.refusals(&ran.ends), ..CaseFindings::default() };
        let reference = ran.groups.reference();
        let numbers = self.causes.numbers(&ran.program);
        for machine in self.all() {
            let demanded = reference.map(|index| &ran.ends[index]);
            let end = &ran.ends[machine];
            judged.is_different |= demanded != Some(end) && !matches!(end, StateEnd::Refused(_));
            let Some(what) = self.difference((machine, known), demanded, end) else { continue };
            if !self.causes.is_known(known, (self.name(machine), &what), &numbers) {
                let pair = (reference, machine);
                let of = match ran.ends[machine] {
                    StateEnd::Broke(_) => DifferenceOf::Breakdown,
                    StateEnd::State(_) | StateEnd::Refused(_) => DifferenceOf::Values,
                };
                judged.add(of, self.finding(&ran, pair, &what, &numbers, known));
            }
        }
        judged
    }
}

/// How a field changes, in a word: of flags, which of them; `None` if it does not.
fn change(field: &DeclaredField, before: Option<&Value>, after: &Value) -> Option<String> {
    if before == Some(after) {
        return None;
    }
    let name = &field.name;
    Some(match (before, after) {
        (Some(Value::Int(before)), Value::Int(after)) if !field.options.flags.is_empty() => {
            format!("{name} {:x}", before ^ after)
        }
        _ => name.to_string(),
    })
}
