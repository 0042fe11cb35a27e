//! Machines with planted faults: the instructions that explain which cases fail are the faulty ones.
//!
//! A fault is planted in the embedded machine, and the cases that execute the instruction run on it. With several
//! faults at once, a case fails if it fails with any one of them.

#![allow(clippy::cast_precision_loss, reason = "numbers of cases are far below 2^53")]
#![allow(clippy::print_stdout, reason = "the measured shares are worth knowing")]

mod reported;
mod served;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use vmconf::explain::blame::{AskedDatum, Recorder, WatchedInstructions, WrongPart};
use vmconf::explain::spectrum::{SpectrumRun, made_by};
use vmconf::explain::suspects::{
    CountedPasses, FailureEvidence, SpectrumCase, SpectrumOutcome, SpectrumPoints, locate,
};
use vmconf::isa::Isa;
use vmconf::machines::{MachineInfo, by_name, of_this_crate};
use vmconf::model::limits::Limits;
use vmconf::model::{Case, Interrupt, Path, Program, SuspectAnalysis, SuspectName, Value, Verdict};
use vmconf::prove::mutants::fault::{RowFault, row_faults_of};
use vmconf::prove::mutants::faulty::Faulty;
use vmconf::run::compare::diff;
use vmconf::run::sources::Sources;
use vmconf::run::{self, LoadOptions, Worker};
use vmconf::testees::Testee;
use vmconf::testees::embedded::Embedded;

use crate::random::{self, Random};
use crate::support::skip::suites;
use crate::support::validator::Validator;
use crate::support::{sources_of, vmconf};

/// The seed of all choices, which `VMCONF_SEED` replaces in tests with many of them: shares of few depend on it. The
/// ranking was chosen with others.
const SEED: u64 = 7_919;

/// Faults of each machine, one at a time.
const SINGLE: usize = 40;

/// Sets of two to five faults of each machine.
const SETS: usize = 12;

/// The shares of faults that must be first, and among the first three, and of sets whose faults must all be among the
/// first ones, one more than there are faults. What is left are mostly hidden faults, faults that one case notices, in
/// which a rarer instruction takes the wrong value, and values that are stored and loaded.
const FIRST: f64 = 0.97;
const AMONG_THREE: f64 = 0.99;
const SETS_NAMED: f64 = 0.93;

/// The same for published suites, many of whose instructions only one case executes.
const FIRST_ON_SUITES: f64 = 0.9;
const AMONG_THREE_ON_SUITES: f64 = 0.96;
const SETS_NAMED_ON_SUITES: f64 = 0.72;

/// At most this share of the sets may have a hidden fault.
const SETS_WITH_HIDDEN: f64 = 0.1;

/// The longest case, in instructions, whose failure is explained: to record it takes long.
const MAX_EXPLAINED_STEPS: u64 = 300;

/// The longest case, in instructions: a fault may make a loop endless.
const MAX_STEPS: u64 = 20_000;

/// The short passing cases of a machine, with what they execute.
struct Planted {
    machine: &'static MachineInfo,
    cases: Vec<Case>,
    points: SpectrumPoints<'static>,
    spectrum: Vec<SpectrumCase>,
}

impl Planted {
    /// With our own vectors, read once for all tests: it takes seconds.
    fn of(machine: &'static MachineInfo) -> &'static Planted {
        static READ: [OnceLock<Planted>; 5] = [const { OnceLock::new() }; 5];
        let index = of_this_crate().position(|it| it.name == machine.name).unwrap();
        READ[index].get_or_init(|| Planted::read(machine, &sources_of(format!("vectors/{}", machine.name))))
    }

    fn read(machine: &'static MachineInfo, vectors: &Sources) -> Planted {
        let options = LoadOptions::default();
        let mut worker = Worker::new(&options.run);
        let points = SpectrumPoints::default();
        let mut planted = Planted { machine, cases: Vec::new(), points, spectrum: Vec::new() };
        for source in vectors {
            let file = run::open(&source, &options);
            for index in 0..file.cases() {
                let mut observed = SpectrumRun::whole(machine.isa);
                let watched = worker.watch_case(&file, index, &mut observed);
                let Some(case) = watched.case.filter(|_| watched.report.verdict == Verdict::Pass) else {
                    continue;
                };
                let steps = worker.watched_machine().and_then(Testee::instructions).unwrap();
                if steps <= MAX_STEPS {
                    let executes = planted.points.numbers(observed.conditions());
                    planted.cases.push(case);
                    planted.spectrum.push(SpectrumCase {
                        id: watched.report.id.to_string(),
                        outcome: SpectrumOutcome::Passes,
                        length: steps,
                        executes,
                        evidence: FailureEvidence::default(),
                    });
                }
            }
        }
        planted
    }

    /// The cases that fail with a fault.
    fn failing(&self, fault: RowFault) -> FailingCases {
        let limits = Limits { steps: 20 * MAX_STEPS, ..Limits::default() };
        let mut right = Embedded::of((self.machine.new)(&limits), &Interrupt::default());
        let mut testee = None;
        let executed = self.points.number(fault.op.name, "executed");
        let executing = (0..self.cases.len())
            .filter(|index| executed.is_some_and(|it| self.spectrum[*index].executes.contains(&it)));
        let mut evidence = |index: usize| {
            let make =
                || Embedded::of(Box::new(Faulty::new(fault, &limits, Arc::default())), &Interrupt::default());
            let mut machine = testee.take().unwrap_or_else(make);
            let case = &self.cases[index];
            // A machine with a fault may panic, and is not used again then.
            let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                (failure(&mut machine, case, &case.program), machine)
            }));
            let Ok((failure, machine)) = ran else { return Some(FailureEvidence::default()) };
            testee = Some(machine);
            let differing = failure?;
            let is_explained = self.spectrum[index].length <= MAX_EXPLAINED_STEPS;
            let made_by =
                if is_explained { differing.made_by(&mut right, case, self.machine.isa) } else { None };
            Some(FailureEvidence { made_by, ..FailureEvidence::default() })
        };
        executing.filter_map(|index| Some((index, evidence(index)?))).collect()
    }

    /// The analysis if these cases fail.
    fn located(&self, failing: &FailingCases, fails: SpectrumOutcome) -> SuspectAnalysis {
        let mut spectrum = self.spectrum.clone();
        for (index, evidence) in failing {
            spectrum[*index].outcome = fails;
            spectrum[*index].evidence.clone_from(evidence);
        }
        locate(self.machine.name, &self.points, &spectrum, &CountedPasses::default())
    }

    /// Faults that some case notices, each with the cases that fail.
    fn faults(&self, numbers: &mut Random) -> Vec<NoticedFault> {
        let mut all = row_faults_of(self.machine);
        let mut found = Vec::new();
        while found.len() < SINGLE && !all.is_empty() {
            let fault = all.swap_remove(numbers.below(all.len()));
            let failing = self.failing(fault);
            if !failing.is_empty() {
                found.push((fault, failing));
            }
        }
        found
    }
}

/// Failing cases by their indices, with what explaining them says.
type FailingCases = BTreeMap<usize, FailureEvidence>;

/// The data in which a machine first differs from what a case demands, and the number of the step after which it does.
struct DifferingData {
    step: usize,
    at: Vec<Path>,
}

impl DifferingData {
    /// The instructions that made them on a machine without a fault.
    fn made_by(
        &self,
        right: &mut Embedded,
        case: &Case,
        isa: &'static Isa,
    ) -> Option<BTreeSet<&'static str>> {
        let asked = |at: &Path| AskedDatum { at: at.clone(), wrong: WrongPart::Whole };
        let questions = vec![(self.step, self.at.iter().map(asked).collect())];
        let mut recorder = Recorder::new(questions, 0..u64::MAX, WatchedInstructions::All, 0);
        right.watch(&case.program, &case.steps, Some(&mut recorder), &mut |_, _| {}).ok()?;
        made_by(&recorder.found.answers, isa)
    }
}

/// How a machine fails a case with this program in place of its own; `None` if it passes. No data differ if it only
/// ends otherwise.
fn failure(machine: &mut Embedded, case: &Case, program: &Program) -> Option<DifferingData> {
    let first = RefCell::new(None);
    let ended = machine.watch(program, &case.steps, None, &mut |index, state| {
        let step = &case.steps[index];
        let mismatches = [step.end.as_slice(), &step.assertions].map(|assertions| diff(assertions, state));
        if mismatches.iter().any(|found| found.as_ref().map_or(true, |it| !it.is_empty())) {
            let at = mismatches.into_iter().flatten().flatten().map(|mismatch| mismatch.at).collect();
            first.borrow_mut().get_or_insert(DifferingData { step: index + 1, at });
        }
    });
    let ended_otherwise = ended.is_err().then(|| DifferingData { step: 1, at: Vec::new() });
    first.into_inner().or(ended_otherwise)
}

/// The instructions in the order in which they explain the failures best.
fn ranking(analysis: &SuspectAnalysis) -> impl Iterator<Item = &SuspectName> {
    analysis.suspects.iter().map(|suspect| &suspect.name).chain(&analysis.others)
}

/// How many of these instructions are among the first ones that explain the failures.
fn among_first(analysis: &SuspectAnalysis, ops: &[&str], count: usize) -> usize {
    let first: Vec<_> = ranking(analysis).take(count).map(|name| &*name.op).collect();
    ops.iter().filter(|op| first.contains(op)).count()
}

/// A fault with the cases that fail with it.
type NoticedFault = (RowFault, FailingCases);

/// Chooses so many faults of different instructions.
fn chosen<'f>(faults: &'f [NoticedFault], count: usize, numbers: &mut Random) -> Vec<&'f NoticedFault> {
    let mut chosen: Vec<&NoticedFault> = Vec::new();
    while chosen.len() < count {
        let fault = &faults[numbers.below(faults.len())];
        if chosen.iter().all(|other| other.0.op.name != fault.0.op.name) {
            chosen.push(fault);
        }
    }
    chosen
}

/// Whether each case that fails with a fault fails with another one of the set, too: the same cases fail without it, so
/// that nothing says that it is there.
fn is_hidden(fault: &NoticedFault, set: &[&NoticedFault]) -> bool {
    let others = || set.iter().filter(|other| other.0.op.name != fault.0.op.name);
    fault.1.keys().all(|case| others().any(|other| other.1.contains_key(case)))
}

/// The cases that fail with any of these faults. What made the data of a case that fails with several is not known.
fn together(faults: &[&NoticedFault]) -> FailingCases {
    let mut all = FailingCases::new();
    for (case, evidence) in faults.iter().flat_map(|(_, failing)| failing) {
        let evidence = if all.contains_key(case) { FailureEvidence::default() } else { evidence.clone() };
        all.insert(*case, evidence);
    }
    all
}

/// How many planted faults are named.
#[derive(Default)]
struct NamedFaults {
    faults: usize,
    first: usize,
    among_three: usize,
    sets: usize,
    sets_named: usize,
    sets_with_hidden: usize,
    /// What was missed, in words.
    missed: Vec<String>,
}

impl NamedFaults {
    /// Plants single faults, then two to five at once.
    fn plant(&mut self, planted: &Planted, numbers: &mut Random) {
        let faults = planted.faults(numbers);
        for fault in &faults {
            self.plant_one(planted, fault);
        }
        for set in 0..SETS {
            self.plant_set(planted, &chosen(&faults, 2 + set % 4, numbers));
        }
    }

    fn plant_one(&mut self, planted: &Planted, (fault, failing): &NoticedFault) {
        let analysis = planted.located(failing, SpectrumOutcome::FailsOnlyElsewhere);
        let is_among = |count| among_first(&analysis, &[fault.op.name], count);
        self.faults += 1;
        self.first += is_among(1);
        self.among_three += is_among(3);
        if is_among(1) == 0 {
            let named: Vec<_> = ranking(&analysis).take(3).map(|name| name.op.clone()).collect();
            self.missed.push(format!("{fault}, {} failing: {}", failing.len(), named.join(", ")));
        }
    }

    fn plant_set(&mut self, planted: &Planted, set: &[&NoticedFault]) {
        let ops: Vec<_> = set.iter().map(|(fault, _)| fault.op.name).collect();
        let analysis = planted.located(&together(set), SpectrumOutcome::FailsOnlyElsewhere);
        let is_named = among_first(&analysis, &ops, ops.len() + 1) == ops.len();
        let hidden: Vec<_> = set.iter().filter(|it| is_hidden(it, set)).map(|it| it.0.to_string()).collect();
        self.sets += 1;
        self.sets_named += usize::from(is_named);
        self.sets_with_hidden += usize::from(!hidden.is_empty());
        if !is_named {
            let named: Vec<_> = ranking(&analysis).take(ops.len() + 1).map(|name| &*name.op).collect();
            self.missed.push(format!(
                "{}: {}; hidden: {}",
                ops.join(" "),
                named.join(", "),
                hidden.join(", ")
            ));
        }
    }

    /// Fails if fewer are named: the shares of faults that are first and among the first three, and of sets.
    fn assert_at_least(&self, first: f64, among_three: f64, sets: f64) {
        let share = |part: usize, whole: usize| part as f64 / whole as f64;
        println!("{} faults: {} first, {} among the first three", self.faults, self.first, self.among_three);
        println!(
            "{} sets: {} named; {} have a hidden fault",
            self.sets, self.sets_named, self.sets_with_hidden
        );
        println!("{}", self.missed.join("\n"));
        assert!(share(self.first, self.faults) >= first, "{} of {} first", self.first, self.faults);
        assert!(
            share(self.among_three, self.faults) >= among_three,
            "{} of {} among three",
            self.among_three,
            self.faults
        );
        assert!(share(self.sets_named, self.sets) >= sets, "{} of {} sets", self.sets_named, self.sets);
    }
}

/// The numbers for the tests with many choices.
fn replaceable_numbers() -> Random {
    Random::new(random::number("VMCONF_SEED", SEED))
}

/// One fault of each of 200 machines, then two to five faults at once.
#[test]
fn planted_faults_are_named() {
    let mut numbers = replaceable_numbers();
    let mut named = NamedFaults::default();
    for machine in of_this_crate() {
        named.plant(Planted::of(machine), &mut numbers);
    }
    assert_eq!((named.faults, named.sets), (5 * SINGLE, 5 * SETS));
    assert!(named.sets_with_hidden as f64 <= SETS_WITH_HIDDEN * named.sets as f64, "hidden faults");
    named.assert_at_least(FIRST, AMONG_THREE, SETS_NAMED);
}

/// The same by published suites.
#[test]
fn planted_faults_are_named_by_published_suites() {
    let Some(suites) = suites() else { return };
    let mut numbers = replaceable_numbers();
    let mut named = NamedFaults::default();
    for (machine, folder) in [("evm", "evm/vmtests-2017"), ("neo3", "neo3"), ("neo2", "neo2")] {
        let vectors = sources_of(suites.join(folder));
        named.plant(&Planted::read(by_name(machine).unwrap(), &vectors), &mut numbers);
    }
    assert_eq!((named.faults, named.sets), (3 * SINGLE, 3 * SETS));
    named.assert_at_least(FIRST_ON_SUITES, AMONG_THREE_ON_SUITES, SETS_NAMED_ON_SUITES);
}

/// Instructions that are executed as others, and as which.
const SWAPPED: [(&str, u8, u8); 5] = [
    ("SDIV", 0x05, 0x04),
    ("SMOD", 0x07, 0x06),
    ("SLT", 0x12, 0x10),
    ("SGT", 0x13, 0x11),
    ("BYTE", 0x1a, 0x1b),
];

/// The code with these instructions in place of others.
fn swapped(code: &[u8], swaps: &[(&str, u8, u8)]) -> Vec<u8> {
    let mut code = code.to_vec();
    let mut at = 0;
    while at < code.len() {
        if let Some((.., other)) = swaps.iter().find(|swap| swap.1 == code[at]) {
            code[at] = *other;
        }
        at += if (0x60..0x80).contains(&code[at]) { usize::from(code[at]) - 0x5e } else { 1 };
    }
    code
}

/// The program with all its code swapped.
fn with_swaps(value: &Value, swaps: &[(&str, u8, u8)]) -> Value {
    match value {
        Value::Record(members) => Value::Record(
            members
                .iter()
                .map(|(key, value)| match value {
                    Value::Bytes(code) if *key == "code" => (key.clone(), Value::Bytes(swapped(code, swaps))),
                    _ => (key.clone(), with_swaps(value, swaps)),
                })
                .collect(),
        ),
        other => other.clone(),
    }
}

/// Five instructions of the EVM that are executed as others: each has a group of its own.
#[test]
fn five_swapped_instructions_are_five_suspects() {
    let planted = Planted::of(by_name("evm").unwrap());
    let limits = Limits { steps: 20 * MAX_STEPS, ..Limits::default() };
    let mut machine = Embedded::of((planted.machine.new)(&limits), &Interrupt::default());
    let mut failing_with = |swaps: &[(&str, u8, u8)]| -> FailingCases {
        let fails = |index: &usize| {
            let case = &planted.cases[*index];
            let program = Program::from(with_swaps(&case.program.0, swaps));
            failure(&mut machine, case, &program).is_some()
        };
        let failing = (0..planted.cases.len()).filter(fails);
        failing.map(|index| (index, FailureEvidence::default())).collect()
    };
    let failing = failing_with(&SWAPPED);
    let failing_alone = SWAPPED.map(|swap| failing_with(&[swap]));
    for fails in [SpectrumOutcome::Fails, SpectrumOutcome::FailsOnlyElsewhere] {
        let analysis = planted.located(&failing, fails);
        let suspects: BTreeSet<_> = analysis.suspects.iter().map(|suspect| &*suspect.name.op).collect();
        let counts: Vec<_> = analysis.suspects.iter().map(|it| (&it.name.op, it.cases.len())).collect();
        println!("{} failures: {counts:?}", failing.len());
        assert_eq!(suspects, SWAPPED.map(|(op, ..)| op).into_iter().collect(), "{fails:?}");
        // A case of a group fails with only that instruction swapped, too.
        for (swap, alone) in SWAPPED.iter().zip(&failing_alone) {
            let alone: BTreeSet<_> = alone.keys().map(|index| &*planted.spectrum[*index].id).collect();
            let group = &analysis.suspects.iter().find(|it| it.name.op == swap.0).unwrap().cases;
            let mixed = group.iter().filter(|id| !alone.contains(&***id)).count();
            assert!(20 * mixed <= group.len(), "{}: {mixed} of {} are others", swap.0, group.len());
        }
    }
}

/// 300 vectors with a wrong expectation, on a machine without a fault.
#[test]
fn wrong_vectors_are_named() {
    const EDITED: usize = 300;
    let mut numbers = replaceable_numbers();
    for machine in of_this_crate() {
        let planted = Planted::of(machine);
        let mut edited = FailingCases::new();
        while edited.len() < EDITED {
            edited.insert(numbers.below(planted.cases.len()), FailureEvidence::default());
        }
        let analysis = planted.located(&edited, SpectrumOutcome::Fails);
        let doubtful = analysis.doubtful.len();
        println!("{}: {doubtful} of {EDITED} of {}", machine.name, planted.cases.len());
        assert!(10 * doubtful >= 9 * EDITED, "{}: {doubtful} of {EDITED}", machine.name);
    }
}

/// The conditions of all cases in these files.
fn conditions_of(machine: &str, path: &str) -> BTreeSet<(&'static str, String)> {
    let (options, isa) = (LoadOptions::default(), by_name(machine).unwrap().isa);
    let mut worker = Worker::new(&options.run);
    let mut all = BTreeSet::new();
    for source in &sources_of(path) {
        let file = run::open(&source, &options);
        for index in 0..file.cases() {
            let mut observed = SpectrumRun::whole(isa);
            worker.watch_case(&file, index, &mut observed);
            all.extend(observed.conditions());
        }
    }
    all
}

/// Bytes and truth values are no compounds, and neither is Null.
#[test]
fn conditions_on_items_say_what_they_hold() {
    let has = |machine, path, op: &'static str, what: &[&str]| {
        let conditions = conditions_of(machine, path);
        let is_one = |what: &&&str| conditions.contains(&(op, format!("any operand: {what}")));
        what.iter().filter(is_one).copied().collect::<Vec<_>>().join(", ")
    };
    let kinds = ["a number", "bytes", "a truth value", "a compound", "Null"];
    let left = "vectors/neo2/splice/substr-left-right.json";
    assert_eq!(has("neo2", left, "LEFT", &kinds), "a number, bytes");
    // The five bytes 0x1122334455 and the count 0x0000008000.
    let lengths = conditions_of("neo2", left);
    assert!(lengths.iter().any(|it| it.0 == "LEFT" && it.1.ends_with("between 1 and (2^7 - 1) bytes")));
    let types = "vectors/neo3/types/istype.json";
    assert_eq!(has("neo3", types, "ISTYPE", &kinds), "a number, bytes, a truth value, a compound, Null");
}

/// Executed bytes that are no instruction stand beside the instructions.
#[test]
fn undefined_opcodes_are_executed() {
    let conditions = conditions_of("neo2", "vectors/neo2/faults/unassigned-50-ab.json");
    for what in ["executed", "opcode 0x50", "opcode 0xab"] {
        assert!(conditions.contains(&("undefined opcode", what.to_owned())), "{what}");
    }
    let none = conditions_of("neo2", "vectors/neo2/splice/substr-left-right.json");
    assert!(!none.is_empty() && none.iter().all(|it| it.0 != "undefined opcode"));
}

/// A condition on large operands says their sign, or counts both: -2^15 is no `2^15 or more`.
#[test]
fn conditions_on_large_operands_say_their_sign() {
    let options = LoadOptions::default();
    let mut worker = Worker::new(&options.run);
    let [mut negative, mut magnitude] = [0, 0];
    for source in &sources_of("vectors/minic89/instructions/neg.json") {
        let file = run::open(&source, &options);
        for index in 0..file.cases() {
            let mut observed = SpectrumRun::whole(by_name("minic89").unwrap().isa);
            worker.watch_case(&file, index, &mut observed);
            let conditions = observed.conditions();
            let has = |what: &str| conditions.contains(&("NEG", format!("a: {what}")));
            let is_minus = has("-2^15");
            assert!(!is_minus || !has("2^15 or more"));
            assert_eq!(is_minus, has("-2^15 or less"));
            negative += usize::from(is_minus);
            magnitude += usize::from(has("magnitude 2^15 or more"));
        }
    }
    assert!(negative > 0 && negative == magnitude, "{negative} {magnitude}");
}

/// What `vmconf suspects` prints is described by its schema.
#[test]
fn the_command_names_what_fails() {
    let schema = Validator::named("suspects");
    for path in ["tests/samples/tinyvm/wrong", "tests/samples/neovm-n3/wrong", "vectors/tinyvm/machine"] {
        let json = vmconf(&["suspects", path, "--output", "json"]).stdout;
        let json = serde_json::from_str(&json).unwrap();
        schema.assert_accepts(&json, path);
        let listed = ["suspects", "unexplained"].map(|name| json[name].as_array().unwrap().len());
        let is_any = json["failures"] != 0 && listed != [0, 0];
        assert_eq!(is_any, path.ends_with("wrong"), "{path}: {json}");
        let threads = |count| vmconf(&["suspects", path, "--jobs", count]).stdout;
        assert_eq!(threads("1"), threads("4"), "{path}");
    }
    let passing = vmconf(&["suspects", "vectors/tinyvm/machine"]);
    assert_eq!(passing.exit, 0);
    assert!(passing.stdout.ends_with("passed, nothing to explain\n"), "{}", passing.stdout);
}
