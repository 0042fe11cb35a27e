//! Finds programs on which a machine in another process differs from the embedded one.
//!
//! Each program becomes a vector that demands what the embedded machine does, so that it is compared like any other
//! vector. A difference is minimized and reported once, by the machine and the instruction that made the first wrong value
//! or, if none is known, by what differs. Programs that do something with an instruction that none before did are kept
//! and changed further; those of a [`FuzzCorpus`] are there from the start.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::time::Instant;

use serde_json::Map;

use super::corpus::FuzzCorpus;
use super::generate::{GeneratedProgram, ProgramGenerator};
use super::minimize::{KeptFailure, MinimizeOptions, minimize, named_instruction, options_of};
use crate::explain::explain;
use crate::explain::observed_run::{Detail, ObservedRun};
use crate::formats::{Inputs, MakeVector, NewVector, StateOf, made_for};
use crate::isa::OpInfo;
use crate::machines::{Engine, MachineInfo};
use crate::model::brief::brief;
use crate::model::case_report::CaseReport;
use crate::model::interrupt::Interrupt;
use crate::model::limits::Limits;
use crate::model::signature::signature;
use crate::model::value::Value;
use crate::model::verdict::{CaseDifference, DifferenceKind, Verdict};
use crate::prove::numbers::Numbers;
use crate::run::sources::{SourceOrigin, VectorSource};
use crate::run::{FileOptions, LoadOptions, LoadedFile, RunOptions, Worker, catch_panic, open_text};
use crate::testees::MakeTestee;
use crate::testees::embedded::Embedded;
use crate::text::edit::apply;
use crate::text::json::JsonNode;

/// The maximum number of instructions that a program executes; longer ones are skipped.
const MAX_STEPS: u64 = 2_000;

/// What one program in this number does with its instructions is observed.
const OBSERVED: u64 = 4;

/// How many differences are made small that seem to be about one instruction and turn out to be known.
const MAX_REPEATED: u32 = 20;

/// The name of the embedded machine in what each machine did.
const EMBEDDED: &str = "embedded";

/// How many differences are named in what a machine did.
const MAX_DIFFERENCES: usize = 3;

/// The maximum number of characters of a value in what a machine did.
const MAX_VALUE: usize = 80;

/// A machine that is compared with the embedded one.
pub struct FuzzSubject {
    /// Its name in findings.
    pub name: String,
    /// What runs the programs.
    pub testee: MakeTestee,
}

/// How long to look for differences.
#[derive(Debug, Clone)]
pub struct FuzzOptions {
    /// Decides the programs.
    pub seed: u64,
    /// How many programs to run.
    pub programs: u64,
    /// When to end earlier; `None` for never. Only the vector of the last finding may be less small for it.
    pub deadline: Option<Instant>,
    /// How many changes are tried to make a program small.
    pub max_tries: usize,
}

/// What distinguishes a difference from others. Each cause is reported once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FuzzCause {
    /// The name of the machine that differs.
    pub vm: String,
    /// The instruction that made the first wrong value, or the signature of the failure if none is known.
    pub what: String,
}

impl fmt::Display for FuzzCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.vm, self.what)
    }
}

/// What happens during a search.
#[derive(Debug)]
pub enum FuzzEvent {
    /// A program reached new coverage: as a vector that the embedded machine passes.
    NewCoverage(String),
    /// A machine differs.
    Found(FuzzFinding),
}

/// A program on which a machine differs from the embedded one.
#[derive(Debug)]
pub struct FuzzFinding {
    /// What it is about.
    pub cause: FuzzCause,
    /// The number of the program, from 0.
    pub program: u64,
    /// A vector with a small program, which the embedded machine passes. It says what each machine did if its format has
    /// a place for that.
    pub vector: String,
    /// How the case fails, without what varies from case to case.
    pub signature: String,
    /// What each machine did with the vector, the embedded one first, by its name.
    pub machines: Vec<(String, String)>,
}

/// The end of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FuzzSummary {
    /// How many programs ran.
    pub programs: u64,
    /// How many of them the format cannot hold, or ran into a limit.
    pub skipped: u64,
    /// How many differed on some machine.
    pub differing: u64,
    /// How many causes were found that were not known.
    pub found: u64,
    /// How many programs of the corpus were kept at the start, because they reached coverage that those before did not.
    pub resumed: u64,
    /// How many programs reached new coverage.
    pub added: u64,
}

/// Why there can be no search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("programs of {0} cannot be generated: it is executed by a library or described by data")]
pub struct NotGenerated(pub &'static str);

/// Runs programs until their number or the deadline is reached. Causes in `known` are not reported; those found are added
/// to it. Programs of the corpus are not compared: its vectors can be run.
///
/// # Errors
///
/// When no programs can be generated for the machine.
pub fn fuzz(
    machine: &'static MachineInfo,
    subjects: &[FuzzSubject],
    corpus: FuzzCorpus,
    options: &FuzzOptions,
    known: &mut BTreeSet<FuzzCause>,
    sink: &mut dyn FnMut(FuzzEvent),
) -> Result<FuzzSummary, NotGenerated> {
    let is_generated = machine.engine == Engine::Own;
    let (format, make) = made_for(machine.name).filter(|_| is_generated).ok_or(NotGenerated(machine.name))?;
    let load = |testee: &MakeTestee| {
        let limits = Limits { steps: MAX_STEPS, ..Limits::default() };
        let file = FileOptions { format: Some(format), limits, ..FileOptions::default() };
        let run = RunOptions { testee: testee.clone(), ..RunOptions::default() };
        LoadOptions { run, file, ..LoadOptions::default() }
    };
    let reference = load(&MakeTestee::default());
    let loads: Vec<_> = subjects.iter().map(|subject| load(&subject.testee)).collect();
    let mut fuzzer = Fuzzer {
        machine,
        make,
        options,
        generator: ProgramGenerator::new(machine),
        embedded: Embedded::of((machine.new)(&reference.file.limits), &Interrupt::default()),
        observing: Worker::new(&reference.run),
        subjects: subjects.iter().zip(&loads).map(|(it, load)| Subject::new(&it.name, load)).collect(),
        reference: &reference,
        seen: BTreeSet::new(),
        known,
        summary: FuzzSummary::default(),
    };
    let is_over = || options.deadline.is_some_and(|deadline| Instant::now() >= deadline);
    for program in corpus.programs {
        if is_over() {
            break;
        }
        fuzzer.resume(program);
    }
    for number in 0..options.programs {
        if is_over() {
            break;
        }
        fuzzer.program(number, sink);
    }
    Ok(fuzzer.summary)
}

struct Subject<'o> {
    name: &'o str,
    options: &'o LoadOptions,
    worker: Worker<'o>,
    /// How many programs with an instruction, by its code, had no difference, and how many had one.
    counts: HashMap<u16, ProgramCounts>,
    /// How many differences were made small without a cause that is new, by the instruction that seemed to be wrong.
    repeated: HashMap<String, u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct ProgramCounts {
    passing: u32,
    failing: u32,
}

impl ProgramCounts {
    /// The share of programs that differ, in thousandths.
    fn share(self) -> u32 {
        1_000 * self.failing / (self.passing + self.failing).max(1)
    }
}

impl<'o> Subject<'o> {
    fn new(name: &'o str, options: &'o LoadOptions) -> Subject<'o> {
        let (counts, repeated) = (HashMap::new(), HashMap::new());
        Subject { name, options, worker: Worker::new(&options.run), counts, repeated }
    }

    fn count(&mut self, codes: &BTreeSet<u16>, differs: bool) {
        for code in codes {
            let counts = self.counts.entry(*code).or_default();
            if differs {
                counts.failing += 1;
            } else {
                counts.passing += 1;
            }
        }
    }

    fn share(&self, op: &OpInfo) -> u32 {
        self.counts.get(&op.code).copied().unwrap_or_default().share()
    }

    fn knows(&self, known: &BTreeSet<FuzzCause>, what: &str) -> bool {
        known.contains(&FuzzCause { vm: self.name.to_owned(), what: what.to_owned() })
    }
}

struct Fuzzer<'o> {
    machine: &'static MachineInfo,
    make: &'static MakeVector,
    options: &'o FuzzOptions,
    generator: ProgramGenerator,
    embedded: Embedded,
    observing: Worker<'o>,
    subjects: Vec<Subject<'o>>,
    reference: &'o LoadOptions,
    /// What some program did with an instruction.
    seen: BTreeSet<(&'static str, String)>,
    known: &'o mut BTreeSet<FuzzCause>,
    summary: FuzzSummary,
}

impl Fuzzer<'_> {
    /// Keeps a program of the corpus if it reaches new coverage.
    fn resume(&mut self, program: GeneratedProgram) {
        let document = self.generator.document(&program);
        if let Some(vector) = self.vector("corpus", &document, &program) {
            self.summary.resumed += u64::from(self.observe(&vector, program));
        }
    }

    /// Makes and runs the program with this number.
    fn program(&mut self, number: u64, sink: &mut dyn FnMut(FuzzEvent)) {
        self.summary.programs += 1;
        let mut numbers = Numbers::new(self.options.seed ^ number.wrapping_mul(0xd134_2543_de82_ef95));
        let program = self.generator.next(&mut numbers);
        let document = self.generator.document(&program);
        let name = format!("{}-{number}", self.options.seed);
        let Some(vector) = self.vector(&name, &document, &program) else {
            self.summary.skipped += 1;
            return;
        };
        let codes = program.codes();
        if number.is_multiple_of(OBSERVED) && self.observe(&vector, program) {
            self.summary.added += 1;
            sink(FuzzEvent::NewCoverage(vector.clone()));
        }
        let mut is_different = false;
        for index in 0..self.subjects.len() {
            let differs = self.differs(index, &vector);
            self.subjects[index].count(&codes, differs);
            is_different |= differs;
            if differs && let Some(finding) = self.finding(index, number, &vector, &codes) {
                self.summary.found += 1;
                self.known.insert(finding.cause.clone());
                sink(FuzzEvent::Found(finding));
            }
        }
        self.summary.differing += u64::from(is_different);
    }

    /// The program as a vector that demands what the embedded machine does. `None` if it ran into a limit, or if the
    /// format cannot hold it.
    fn vector(
        &mut self,
        name: &str,
        document: &serde_json::Value,
        program: &GeneratedProgram,
    ) -> Option<String> {
        let inputs = Inputs::default();
        let text = |state: Option<&StateOf<'_>>| {
            let new = NewVector { name, program: document, inputs: &inputs, state };
            (self.make.make)(&new).ok().map(|document| format!("{document:#}\n"))
        };
        let file = open_text(&source(), text(None)?, self.reference);
        let case = file.case(0)?.read().ok()?.case?;
        let mut left: Vec<(&str, Value)> = Vec::new();
        let ran = catch_panic(|| {
            self.embedded.watch(&case.program, &case.steps, None, &mut |_, state| {
                let fields = self.machine.fields.iter();
                left = fields.filter_map(|it| Some((it.name, state.observe(it.name)?))).collect();
            })
        });
        match ran {
            Ok(Ok(())) => {}
            Ok(Err(_)) => return None,
            // A machine that panicked is not used again.
            Err(_) => {
                let limits = &self.reference.file.limits;
                self.embedded = Embedded::of((self.machine.new)(limits), &Interrupt::default());
                return None;
            }
        }
        let is_failed = self.embedded.state().failure().is_some();
        if !is_failed {
            self.generator.reward(program);
        }
        // What an N3 machine leaves on its stacks when it faults is of no use to programs, and implementations drop it.
        // A vector of Neo 2 without frames demands that there are none.
        let is_dropped = |name: &str| is_failed && self.machine.name == "neo3" && name == "invocationStack";
        let field = |name: &str| left.iter().find(|it| it.0 == name).map(|it| it.1.clone());
        text(Some(&|name: &str| field(name).filter(|_| !is_dropped(name))))
    }

    /// Keeps the program if it does something with an instruction that none before did, and returns whether it does.
    fn observe(&mut self, vector: &str, program: GeneratedProgram) -> bool {
        let file = open_text(&source(), vector.to_owned(), self.reference);
        let (judged, observed) = ObservedRun::of(&mut self.observing, &file, 0, Detail::Points);
        // A format may be unable to demand what the machine does.
        if judged.report.verdict != Verdict::Pass {
            return false;
        }
        let before = self.seen.len();
        self.seen.extend(observed.conditions());
        let is_new = self.seen.len() > before;
        if is_new {
            self.generator.keep(program);
        }
        is_new
    }

    /// Whether a machine fails a vector that the embedded machine passes.
    fn differs(&mut self, index: usize, vector: &str) -> bool {
        let subject = &mut self.subjects[index];
        let file = open_text(&source(), vector.to_owned(), subject.options);
        let kind = subject.worker.run_case(&file, 0).verdict.kind();
        // The format may not be able to hold what the machine did.
        matches!(kind, DifferenceKind::Fail | DifferenceKind::Crash | DifferenceKind::Timeout)
            && self.observing.run_case(&file, 0).verdict == Verdict::Pass
    }

    /// What is found with a vector that a machine fails; `None` if its cause is known.
    fn finding(
        &mut self,
        index: usize,
        number: u64,
        vector: &str,
        codes: &BTreeSet<u16>,
    ) -> Option<FuzzFinding> {
        let subject = &mut self.subjects[index];
        let ops = self.machine.isa.ops.iter().filter(|op| codes.contains(&op.code));
        if explains(subject, self.known, ops) {
            return None;
        }
        let file = open_text(&source(), vector.to_owned(), subject.options);
        let first = cause(subject, &file, None);
        let repeated = subject.repeated.entry(first).or_insert(0);
        if *repeated == MAX_REPEATED {
            return None;
        }
        *repeated += 1;
        let (text, report) = small(subject, self.reference, &file, self.options)?;
        let file = open_text(&source(), text.clone(), subject.options);
        let program = file.case(0)?.read().ok()?.case?.program;
        let ops = (self.machine.contains)(&program);
        let what = cause(subject, &file, Some(&ops));
        if subject.knows(self.known, &what) || explains(subject, self.known, ops.into_iter()) {
            return None;
        }
        let signature = signature(report.machine.as_deref(), &report.verdict).unwrap_or_default();
        let cause = FuzzCause { vm: subject.name.to_owned(), what };
        let machines = self.machines(&text);
        let vector = with_machines(&file, &machines).unwrap_or(text);
        Some(FuzzFinding { cause, program: number, vector, signature, machines })
    }

    /// What each machine does with a vector, the embedded one first.
    fn machines(&mut self, vector: &str) -> Vec<(String, String)> {
        let source = source();
        let file = open_text(&source, vector.to_owned(), self.reference);
        let embedded = said(&self.observing.run_case(&file, 0).verdict);
        let others = self.subjects.iter_mut().map(|subject| {
            let file = open_text(&source, vector.to_owned(), subject.options);
            (subject.name.to_owned(), said(&subject.worker.run_case(&file, 0).verdict))
        });
        [(EMBEDDED.to_owned(), embedded)].into_iter().chain(others).collect()
    }
}

/// What a machine did with a vector, in one line.
fn said(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Pass => "as the vector demands".to_owned(),
        Verdict::Fail(failure) => {
            let one = |difference: &CaseDifference| {
                let CaseDifference { at, expected, actual, .. } = difference;
                let actual =
                    actual.as_ref().map_or_else(|| "nothing".to_owned(), |value| brief(value, MAX_VALUE));
                format!("{}: {actual} instead of {}", brief(at, MAX_VALUE), brief(expected, MAX_VALUE))
            };
            let all = failure.differences.len();
            let shown: Vec<_> = failure.differences.iter().take(MAX_DIFFERENCES).map(one).collect();
            let more = (all > shown.len()).then(|| format!("; {} more", all - shown.len()));
            shown.join("; ") + &more.unwrap_or_default()
        }
        Verdict::Unsupported(why) => format!("unsupported: {why}"),
        other => match other.breakdown() {
            Some(breakdown) => format!("{}: {}", other.name(), breakdown.what),
            None => other.name().to_owned(),
        },
    }
}

/// The vector with what each machine did; `None` if its format has no place for that.
fn with_machines(file: &LoadedFile<'_>, machines: &[(String, String)]) -> Option<String> {
    let case = file.case(0)?;
    let said: Map<_, _> = machines.iter().map(|(name, said)| (name.clone(), said.clone().into())).collect();
    let change =
        case.format.info_change(JsonNode::at_index(case.document, case.node), "machines", said.into())?;
    Some(apply(case.document, &[change]))
}

/// Whether one of these instructions is a known cause that explains a difference: most programs with it differ.
fn explains(
    subject: &Subject<'_>,
    known: &BTreeSet<FuzzCause>,
    mut ops: impl Iterator<Item = &'static OpInfo>,
) -> bool {
    ops.any(|op| subject.knows(known, op.name) && subject.share(op) >= 500)
}

/// A small vector that fails for the same cause, and its report.
fn small(
    subject: &mut Subject<'_>,
    reference: &LoadOptions,
    file: &LoadedFile<'_>,
    options: &FuzzOptions,
) -> Option<(String, CaseReport)> {
    let source = source();
    let own = options_of(subject.options, &source, subject.options.run.testee.clone());
    let reference = options_of(reference, &source, MakeTestee::default());
    let FuzzOptions { max_tries, deadline, .. } = *options;
    let how = MinimizeOptions { keep: KeptFailure::Cause, max_tries, deadline };
    let small = minimize((file, 0), &source, &own, Some(&reference), how).ok()?;
    Some((small.text, small.report))
}

/// What the failure of a case is about: of the instructions of its small program, the one of whose programs the largest
/// share differs; without them, the one that made the first wrong value.
fn cause(subject: &mut Subject<'_>, file: &LoadedFile<'_>, ops: Option<&[&'static OpInfo]>) -> String {
    let report = subject.worker.run_case(file, 0);
    let signature = || signature(report.machine.as_deref(), &report.verdict).unwrap_or_default();
    if report.verdict.kind() != DifferenceKind::Fail {
        return signature();
    }
    let named = named_instruction(&explain(&mut subject.worker, file, 0, 0));
    let suspicious = ops.into_iter().flatten().max_by_key(|op| (subject.share(op), Some(op.name) == named));
    suspicious.map(|op| op.name).or(named).map_or_else(signature, str::to_owned)
}

/// The source that stands for a generated vector.
fn source() -> VectorSource {
    VectorSource::new("program.json".into(), "program.json".into(), SourceOrigin::Stream)
}
