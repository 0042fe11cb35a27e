//! The programs of an embedded machine: what it does is demanded of the machines that are compared with it.

mod refused;
mod subject;
mod template;

use std::collections::BTreeSet;
use std::ops::Range;
use std::{iter, vec};

use self::refused::RefusedInstructions;
use self::subject::{CauseCertainty, CauseInWords, FuzzedMachine, cause, explains};
use self::template::{ProgramTemplate, read_back};
use super::finding::NoFinding::NotRepeated;
use super::finding::{CaseFindings, DifferenceOf, FuzzFinding, FuzzRefusal, NoFinding};
use super::finding_vectors::{program_of, source, verdict_text, with_machines};
use super::fuzz_cause::FuzzCause;
use super::target::{FuzzOptions, FuzzSubject, FuzzTarget, MAX_REPEATED, NotFuzzed, RanOrRefused};
use crate::explain::observed_run::{ObservedRun, RecordedDetail};
use crate::explain::observer::SeenOutcomes;
use crate::formats::{MakeVector, NewVector, made_for};
use crate::hunt::corpus::FuzzCorpus;
use crate::hunt::generate::{GeneratedProgram, ProgramGenerator, StackPeak};
use crate::hunt::minimize::{KeptFailure, MinimizeOptions, minimize, options_of};
use crate::machines::MachineInfo;
use crate::machines::inspect::Inspect;
use crate::machines::machine::{At, Watch};
use crate::machines::program_parts::ProgramParts;
use crate::model::limits::Limits;
use crate::model::{CaseReport, Interrupt, MemberShape, Value, Verdict, VerdictKind};
use crate::prove::numbers::Numbers;
use crate::run::{FileOptions, Flaky, LoadOptions, LoadedFile, RunOptions, Worker, catch_panic, open_text};
use crate::testees::embedded::Embedded;
use crate::testees::{EMBEDDED, MakeTestee, StateObserver};

/// One out of this number of programs is observed, to see what it does with its instructions.
const OBSERVED: u64 = 4;

/// The maximum size of the end of a program that is kept, in bytes of memory; the end of a program that fills a stack
/// may exceed it.
const MAX_KEPT: usize = 1 << 15;

/// The maximum number of bytes of all texts that are tried to make one vector small: a few hundred vectors with a full
/// stack.
const MAX_TRIED_BYTES: usize = 1 << 26;

/// Why no machine runs a program.
const NO_VECTOR: &str = "it ran into a limit, or the format cannot hold it";

/// How the machines run programs.
pub(super) struct ProgramLoads<'s> {
    make: &'static MakeVector,
    parts: &'static ProgramParts,
    /// The embedded machine.
    reference: LoadOptions,
    subjects: Vec<(&'s str, LoadOptions)>,
}

/// How the machines run programs of this one. Fails when no programs can be generated for it.
pub(super) fn loads<'s>(
    machine: &MachineInfo,
    subjects: &'s [FuzzSubject],
    options: &FuzzOptions,
) -> Result<ProgramLoads<'s>, NotFuzzed> {
    let (Some(parts), Some((format, make))) = (machine.parts, made_for(machine.name)) else {
        return Err(NotFuzzed::NotGenerated(machine.name));
    };
    let load = |testee: &MakeTestee| {
        let limits = Limits { steps: parts.units, ..Limits::default() };
        let ignored = options.ignored.clone();
        let file = FileOptions { format: Some(format), limits, ignored, ..FileOptions::default() };
        // A breakdown that does not repeat is no verdict on a program; the machine counts it.
        let run = RunOptions { testee: testee.clone(), flaky: Flaky::Pass, ..RunOptions::default() };
        LoadOptions { run, file, ..LoadOptions::default() }
    };
    let subjects = subjects.iter().map(|subject| (&*subject.name, load(&subject.testee))).collect();
    Ok(ProgramLoads { make, parts, reference: load(&MakeTestee::default()), subjects })
}

/// The fields that a machine need not report, and some machine that is compared does not.
pub(super) fn not_reported(machine: &MachineInfo, subjects: &[FuzzSubject]) -> Vec<&'static str> {
    let offers = || subjects.iter().filter_map(|subject| subject.testee.vm()?.offer(machine.name));
    let is_missing = |name: &&str| offers().any(|offer| !offer.reports(name));
    machine.optional.iter().copied().filter(is_missing).collect()
}

/// The fields of the state after a program.
type ProgramEnd = Vec<(&'static str, Value)>;

/// A program that ran on the embedded machine.
pub(super) struct RanProgram {
    number: u64,
    /// Demands what the embedded machine does; `None` if no machine is compared.
    vector: Option<String>,
    codes: BTreeSet<u16>,
    /// The program, until it is kept.
    program: Option<GeneratedProgram>,
}

/// How a machine differs on a program that it ran, if it does.
struct ComparedProgram(Option<DifferenceOf>);

/// Sees when a stack is largest.
#[derive(Default)]
struct WatchedPeak {
    peak: StackPeak,
    /// The program counter of the instruction before.
    last: usize,
}

impl WatchedPeak {
    fn see(&mut self, state: &dyn Inspect) {
        let values = state.references().map_or_else(|| state.height(), |references| references.count);
        if values > self.peak.values {
            self.peak = StackPeak { values, after: self.last };
        }
    }
}

impl Watch for WatchedPeak {
    fn before(&mut self, at: &At<'_>) {
        self.see(at.state);
        self.last = at.pc;
    }
}

/// Makes programs and runs them.
pub(super) struct ProgramTarget<'o> {
    machine: &'static MachineInfo,
    make: &'static MakeVector,
    options: &'o FuzzOptions,
    generator: ProgramGenerator,
    embedded: Embedded,
    observing: Worker<'o>,
    subjects: Vec<FuzzedMachine<'o>>,
    reference: &'o LoadOptions,
    /// How programs run without a vector; `None` if the format does not allow it.
    template: Option<ProgramTemplate>,
    /// What some program did with an instruction.
    seen: SeenOutcomes,
    /// What machines that are compared do not run.
    refused: RefusedInstructions,
    /// The programs of the corpus that did not run yet.
    corpus: vec::IntoIter<GeneratedProgram>,
}

impl<'o> ProgramTarget<'o> {
    pub(super) fn new(
        machine: &'static MachineInfo,
        loads: &'o ProgramLoads<'_>,
        corpus: FuzzCorpus,
        options: &'o FuzzOptions,
    ) -> ProgramTarget<'o> {
        let ProgramLoads { make, parts, reference, subjects } = loads;
        let generator = ProgramGenerator::new(machine, parts);
        let template = ProgramTemplate::new(make, &generator, parts, reference);
        ProgramTarget {
            machine,
            make,
            options,
            generator,
            embedded: Embedded::of((machine.new)(&reference.file.limits), &Interrupt::default()),
            observing: Worker::new(&reference.run),
            subjects: subjects.iter().map(|(name, load)| FuzzedMachine::new(name, load)).collect(),
            reference,
            template,
            seen: SeenOutcomes::default(),
            refused: RefusedInstructions::default(),
            corpus: corpus.programs.into_iter(),
        }
    }
}

impl FuzzTarget for ProgramTarget<'_> {
    type Ran = RanProgram;

    /// Each program may learn from the one before it.
    const BATCH: u64 = 1;

    fn resume(&mut self) -> Option<bool> {
        let program = self.corpus.next()?;
        let end = self.end_of(&program, self.machine.fields);
        let vector = end.and_then(|end| self.vector("corpus", &program, &end));
        Some(vector.is_some_and(|vector| self.observe(&vector, program)))
    }

    fn run(&mut self, numbers: Range<u64>) -> Result<Vec<RanOrRefused<RanProgram>>, NotFuzzed> {
        let refusals = || vec![FuzzRefusal { vm: EMBEDDED.to_owned(), why: NO_VECTOR.to_owned() }];
        Ok(numbers.map(|number| self.program(number).ok_or_else(refusals)).collect())
    }

    fn new_coverage(&mut self, ran: &mut RanProgram) -> Option<String> {
        let program = ran.program.take().filter(|_| ran.number.is_multiple_of(OBSERVED))?;
        if !self.may_be_new(&program) {
            return None;
        }
        // Without a machine to compare, few programs need a vector.
        let end = self.left_by(&program, self.machine.fields)?;
        let is_large = end.iter().map(|(_, value)| value.weight(MAX_KEPT)).sum::<usize>() >= MAX_KEPT;
        if is_large {
            return None;
        }
        let made = || self.vector(&self.name(ran.number), &program, &end);
        let vector = ran.vector.clone().or_else(made)?;
        self.observe(&vector, program).then_some(vector)
    }

    fn judge(&mut self, ran: RanProgram, known: &BTreeSet<FuzzCause>) -> CaseFindings {
        let RanProgram { number, vector, codes, .. } = ran;
        let vector = vector.unwrap_or_default();
        let mut judged = CaseFindings { is_skipped: true, ..CaseFindings::default() };
        for index in 0..self.subjects.len() {
            let difference = match self.difference(index, &vector) {
                Ok(ComparedProgram(difference)) => difference,
                Err(refusal) => {
                    judged.refusals.push(refusal);
                    continue;
                }
            };
            judged.is_skipped = false;
            self.subjects[index].count(&codes, difference);
            judged.is_different |= difference.is_some();
            if let Some(difference) = difference {
                let ran = (number, &*vector, &codes);
                judged.add(difference, self.finding(index, difference, ran, known));
            }
        }
        if !self.subjects.is_empty() {
            self.refused.count(&codes, judged.is_skipped);
        }
        judged
    }

    fn check(&self) -> Result<(), NotFuzzed> {
        let mut none = self.subjects.iter().filter(|subject| !subject.has_run);
        match none.find_map(|subject| subject.not_run.as_ref().map(|why| (subject.name, why))) {
            Some((vm, why)) => Err(NotFuzzed::RunsNone { vm: vm.to_owned(), why: why.clone() }),
            None => Ok(()),
        }
    }
}

impl ProgramTarget<'_> {
    /// Makes the program with this number, and runs it on the embedded machine.
    fn program(&mut self, number: u64) -> Option<RanProgram> {
        let mut numbers = Numbers::of_case(self.options.seed, number);
        let is_compared = !self.subjects.is_empty();
        let wanted = if is_compared { self.machine.fields } else { &[] };
        let (program, end) = self.next_program(&mut numbers, wanted)?;
        let vector = if is_compared { Some(self.vector(&self.name(number), &program, &end)?) } else { None };
        let codes = if is_compared { self.generator.codes(&program) } else { BTreeSet::new() };
        Some(RanProgram { number, vector, codes, program: Some(program) })
    }

    /// The next program, and these fields of its end.
    fn next_program(
        &mut self,
        numbers: &mut Numbers,
        fields: &[MemberShape],
    ) -> Option<(GeneratedProgram, ProgramEnd)> {
        let program = self.useful_program(numbers);
        let program = if program.fill.is_some() { self.filled(program)? } else { program };
        let end = self.end_of(&program, fields)?;
        Some((program, end))
    }

    /// A program without instructions that machines refuse, if a few tries make one. Some have them: with other
    /// operands, a machine may run them.
    fn useful_program(&self, numbers: &mut Numbers) -> GeneratedProgram {
        const MAX_TRIES: usize = 8;
        let program = self.generator.next(numbers);
        if self.refused.is_empty() || numbers.one_in(32) {
            return program;
        }
        let tries = (0..MAX_TRIES).map(|_| self.generator.next(numbers));
        let is_useful = |program: &GeneratedProgram| !self.refused.has_any(&self.generator.codes(program));
        iter::once(program).chain(tries).find(is_useful).unwrap_or_else(|| self.generator.next(numbers))
    }

    fn name(&self, number: u64) -> String {
        format!("{}-{number}", self.options.seed)
    }

    /// The program with as many values on its stack as it wants; `None` if it ran into a limit without them.
    fn filled(&mut self, program: GeneratedProgram) -> Option<GeneratedProgram> {
        let mut peak = WatchedPeak::default();
        self.watch(&program, Some(&mut peak), &mut |_, _| ())?;
        peak.see(self.embedded.state());
        Some(self.generator.filled(program, peak.peak))
    }

    /// Like [`ProgramTarget::left_by`], and learns from the program.
    fn end_of(&mut self, program: &GeneratedProgram, fields: &[MemberShape]) -> Option<ProgramEnd> {
        let left = self.left_by(program, fields)?;
        if self.embedded.state().failure().is_none() {
            self.generator.reward(program);
        }
        Some(left)
    }

    /// Runs the program on the embedded machine: those of the fields of its end that vectors can demand. `None` if it
    /// ran into a limit, or if the format cannot hold it.
    fn left_by(&mut self, program: &GeneratedProgram, fields: &[MemberShape]) -> Option<ProgramEnd> {
        let mut left: ProgramEnd = Vec::new();
        self.watch(program, None, &mut |_, state| {
            left = fields.iter().filter_map(|it| Some((it.name, state.observe(it.name)?))).collect();
        })?;
        if self.embedded.state().failure().is_some() {
            let dropped = self.machine.parts.map_or(&[][..], |parts| parts.dropped_by_failures);
            left.retain(|(name, _)| !dropped.contains(name));
        }
        Some(left)
    }

    /// Runs the program on the embedded machine; `None` if it ran into a limit, or if the format cannot hold it.
    fn watch(
        &mut self,
        program: &GeneratedProgram,
        watch: Option<&mut dyn Watch>,
        see: StateObserver<'_>,
    ) -> Option<()> {
        let read;
        let (loaded, steps) = if let Some(template) = &mut self.template {
            template.with(self.generator.loaded(program), program)
        } else {
            let new = NewVector {
                name: "case",
                program: &self.generator.document(program),
                inputs: &self.generator.inputs(program),
                state: None,
            };
            read = read_back(&(self.make.make)(&new).ok()?, self.reference)?;
            (&read.program, &read.steps[..])
        };
        let ran = catch_panic(|| self.embedded.watch(loaded, steps, watch, see));
        if ran.is_err() {
            self.renew();
        }
        ran.ok()?.ok()
    }

    /// The program as a vector that demands this end; `None` if the format cannot hold it.
    fn vector(&self, name: &str, program: &GeneratedProgram, end: &ProgramEnd) -> Option<String> {
        let state = |name: &str| end.iter().find(|it| it.0 == name).map(|it| it.1.clone());
        let new = NewVector {
            name,
            program: &self.generator.document(program),
            inputs: &self.generator.inputs(program),
            state: Some(&state),
        };
        (self.make.make)(&new).ok().map(|document| format!("{document:#}\n"))
    }

    /// A machine that panicked is not used again.
    fn renew(&mut self) {
        self.embedded = Embedded::of((self.machine.new)(&self.reference.file.limits), &Interrupt::default());
    }

    /// Whether the program may do something with an instruction that none before did: known without its
    /// vector if it can run so.
    fn may_be_new(&mut self, program: &GeneratedProgram) -> bool {
        let Some(template) = &mut self.template else { return true };
        let (loaded, steps) = template.with(self.generator.loaded(program), program);
        let mut observed = ObservedRun::beyond(&self.seen);
        let ran = catch_panic(|| self.embedded.watch(loaded, steps, Some(&mut observed), &mut |_, _| ()));
        let is_new = observed.is_new_to(&self.seen);
        if ran.is_err() {
            self.renew();
        }
        is_new || !matches!(ran, Ok(Ok(())))
    }

    /// Keeps the program if it does something with an instruction that none before did, and returns whether it does.
    fn observe(&mut self, vector: &str, program: GeneratedProgram) -> bool {
        let file = open_text(&source(), vector.to_owned(), self.reference);
        let (judged, observed) = ObservedRun::of(&mut self.observing, &file, 0, RecordedDetail::Points);
        // A format may be unable to demand what the machine does.
        if judged.report.verdict != Verdict::Pass {
            return false;
        }
        let is_new = observed.is_new_to(&self.seen);
        if is_new {
            observed.add_to(&mut self.seen);
            self.generator.keep(program);
        }
        is_new
    }

    /// How a machine fails a vector that the embedded machine passes. Fails when the machine does not run it.
    fn difference(&mut self, index: usize, vector: &str) -> Result<ComparedProgram, FuzzRefusal> {
        let subject = &mut self.subjects[index];
        let file = open_text(&source(), vector.to_owned(), subject.options);
        let verdict = subject.worker.run_case(&file, 0).verdict;
        let difference = match verdict.kind() {
            VerdictKind::Unsupported | VerdictKind::Skip | VerdictKind::Error => {
                let why = match &verdict {
                    Verdict::Unsupported(why) => why.clone(),
                    other => verdict_text(other),
                };
                subject.not_run.get_or_insert_with(|| why.clone());
                return Err(FuzzRefusal { vm: subject.name.to_owned(), why });
            }
            VerdictKind::Fail => Some(DifferenceOf::Values),
            VerdictKind::Crash | VerdictKind::Timeout => Some(DifferenceOf::Breakdown),
            _ => None,
        };
        subject.has_run = true;
        // The format may not be able to hold what the machine did.
        let is_held = difference.is_some() && self.observing.run_case(&file, 0).verdict == Verdict::Pass;
        Ok(ComparedProgram(difference.filter(|_| is_held)))
    }

    /// What is found with a vector that a machine fails; `None` if its cause is known. Fails when the machine does
    /// not fail the small vector again.
    fn finding(
        &mut self,
        index: usize,
        difference: DifferenceOf,
        (number, vector, codes): (u64, &str, &BTreeSet<u16>),
        known: &BTreeSet<FuzzCause>,
    ) -> Result<Option<FuzzFinding>, NoFinding> {
        let subject = &mut self.subjects[index];
        let ops = self.machine.isa.ops.iter().filter(|op| codes.contains(&op.code));
        if explains(subject, known, ops) {
            return Ok(None);
        }
        let file = open_text(&source(), vector.to_owned(), subject.options);
        let first = cause(subject, &file, None);
        if first.certainty == CauseCertainty::Reported && subject.knows(known, &first.what) {
            return Ok(None);
        }
        let repeated = subject.repeated.entry(first.what).or_insert(0);
        if *repeated == MAX_REPEATED {
            return Err(subject.untried(&file, difference));
        }
        *repeated += 1;
        let Some((text, report)) = small(subject, self.reference, &file, self.options) else {
            return Err(NotRepeated);
        };
        let file = open_text(&source(), text.clone(), subject.options);
        let Some(program) = program_of(&file).filter(|_| report.verdict != Verdict::Pass) else {
            return Err(NotRepeated);
        };
        if !subject.repeats_alike(&file, &report.verdict) {
            return Err(NotRepeated);
        }
        let ops = (self.machine.contains)(&program);
        let CauseInWords { what, .. } = cause(subject, &file, Some(&ops));
        if subject.knows(known, &what) || explains(subject, known, ops.into_iter()) {
            return Ok(None);
        }
        let signature = report.signature().unwrap_or_default();
        let cause = FuzzCause { vm: subject.name.to_owned(), what };
        let machines = self.machines(&text);
        let vector = with_machines(&file, &machines).unwrap_or(text);
        Ok(Some(FuzzFinding { cause, number, vector, signature, condition: None, machines }))
    }

    /// What each machine does with a vector, the embedded one first.
    fn machines(&mut self, vector: &str) -> Vec<(String, String)> {
        let source = source();
        let file = open_text(&source, vector.to_owned(), self.reference);
        let embedded = verdict_text(&self.observing.run_case(&file, 0).verdict);
        let others = self.subjects.iter_mut().map(|subject| {
            let file = open_text(&source, vector.to_owned(), subject.options);
            (subject.name.to_owned(), verdict_text(&subject.worker.run_case(&file, 0).verdict))
        });
        [(EMBEDDED.to_owned(), embedded)].into_iter().chain(others).collect()
    }
}

/// A small vector that fails for the same cause, and its report. Its format is detected if that of the large one is.
fn small(
    subject: &mut FuzzedMachine<'_>,
    reference: &LoadOptions,
    file: &LoadedFile<'_>,
    options: &FuzzOptions,
) -> Option<(String, CaseReport)> {
    let source = source();
    let own = options_of(subject.options, &source, subject.options.run.testee.clone());
    let reference = options_of(reference, &source, MakeTestee::default());
    let FuzzOptions { max_tries, deadline, .. } = *options;
    let how = MinimizeOptions {
        keep: KeptFailure::Instruction,
        max_tries,
        max_bytes: MAX_TRIED_BYTES,
        deadline,
        keeps: None,
    };
    let detected = [&own, &reference].map(|options| {
        let file = FileOptions { format: None, ..options.file.clone() };
        LoadOptions { file, ..options.clone() }
    });
    let [detected_own, detected_reference] = &detected;
    let small = minimize((file, 0), &source, detected_own, Some(detected_reference), how)
        .or_else(|_| minimize((file, 0), &source, &own, Some(&reference), how))
        .ok()?;
    Some((small.text, small.report))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
