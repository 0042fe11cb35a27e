//! Machines with a fault, as the proof that a failure is explained: for each opcode and each kind of
//! fault that one of the own vectors catches, the explanation of that failure names the opcode, and
//! fits a screen.
//!
//! | file | content |
//! |---|---|
//! | `bisected.rs` | what `vmconf bisect` finds |
//! | `chains.rs` | long chains of instructions, and values that are one too many |
//! | `explored.rs` | where `vmconf explore` opens beside such a machine |
//! | `vectors.rs` | the cases of the own vectors, and which of them execute an opcode |

#![allow(clippy::print_stdout, reason = "how many faults there are is worth to know")]

mod bisected;
mod chains;
mod explored;
mod vectors;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use crate::support::validator::Validator;
use crate::support::{VECTORS, files_of, golden};
use vectors::{CaseRef, Vectors};
use vmconf::explain::blame::{Recorder, WatchedInstructions};
use vmconf::explain::explain;
use vmconf::machines::{MachineInfo, by_name, of_this_crate};
use vmconf::model::limits::Limits;
use vmconf::model::{Blame, BlameAnswer, ExecutedInstruction, Explanation, InputPart, RowDeviation, Verdict};
use vmconf::prove::mutants::fault::{FaultKind, RowFault, row_faults_of};
use vmconf::prove::mutants::faulty::Faulty;
use vmconf::report::explanation::{self, ExplanationLength};
use vmconf::report::json;
use vmconf::run::sources::VectorSource;
use vmconf::run::{FileOptions, LoadOptions, RunOptions, Worker};
use vmconf::testees::MakeTestee;
use vmconf::testees::server::Server;

/// The number of cases that are tried for an opcode, those with the fewest instructions.
const TRIED: usize = 25;

/// The number of instructions that are executed of a case.
const MAX_STEPS: u64 = 20_000;

/// Lines of a screen.
const SCREEN: usize = 24;

/// How many instructions before the end are shown, as in the command.
const LAST: usize = 10;

/// Files with few instructions a case: a loop may have no end any more.
fn options() -> LoadOptions {
    let limits = Limits { steps: MAX_STEPS, ..Limits::default() };
    LoadOptions { file: FileOptions { limits, ..FileOptions::default() }, ..LoadOptions::default() }
}

/// Lets a machine report its states alone, without its instructions.
fn only_states(server: &mut Server) {
    server.offer.requests.clear();
}

/// Cases on a machine with this fault.
fn faulty(fault: RowFault) -> RunOptions {
    let testee = move |_: &_, limits: &_| Box::new(Faulty::new(fault, limits, Arc::default())) as Box<_>;
    RunOptions { testee: MakeTestee::new(format!("{fault:?}"), testee), ..RunOptions::default() }
}

/// One of this number of explanations is compared with the schema.
const ONE_OF: usize = 12;

/// Faults whose explanations are kept to be read.
const REVIEWED: [&str; 20] = [
    "neo3/CLEAR/pop-omitted",
    "evm/GASLIMIT/push-omitted",
    "neo3/ENDTRY/not-taken",
    "tinyvm/YIELD/a-one-more",
    "evm/POP/price-more",
    "evm/SUB/swapped",
    "evm/SSTORE/forgotten",
    "evm/SHA3/price-more",
    "evm/JUMPI/swapped",
    "evm/SWAP2/forgotten",
    "neo3/SUB/swapped",
    "neo3/STLOC0/forgotten",
    "neo3/JMPGE/a-one-more",
    "neo2/CAT/swapped",
    "neo2/THROWIFNOT/a-one-more",
    "tinyvm/DIVU/swapped",
    "tinyvm/SW/forgotten",
    "minic89/SUB/swapped",
    "minic89/STORE_LOCAL/forgotten",
    "minic89/JZ/a-one-more",
];

fn faults() -> Vec<RowFault> {
    // No fault is made of the row of CLEAR: the items that it takes are not counted there.
    let neo3 = by_name("neo3").unwrap();
    let clear =
        neo3.isa.by_name("CLEAR").map(|op| RowFault { machine: neo3, op, kind: FaultKind::PopOmitted });
    of_this_crate().flat_map(row_faults_of).chain(clear).collect()
}

/// Our own vectors, read once for all tests: it takes seconds.
fn own_vectors() -> &'static Vectors<'static> {
    static READ: OnceLock<Vectors<'_>> = OnceLock::new();
    static SOURCES: OnceLock<(Vec<VectorSource>, LoadOptions)> = OnceLock::new();
    let (sources, options) = SOURCES.get_or_init(|| (files_of(VECTORS), options()));
    READ.get_or_init(|| Vectors::read(sources, options))
}

/// Faults of a machine that show in the step that has them: whether two values share a compound shows only where it is
/// changed later.
fn visible_faults(machine: &'static MachineInfo) -> Vec<RowFault> {
    let hidden = [FaultKind::Copied, FaultKind::OperandCopied, FaultKind::Shared];
    row_faults_of(machine).into_iter().filter(|it| !hidden.contains(&it.kind)).collect()
}

/// The first case that fails with the fault.
fn caught(fault: RowFault, options: &RunOptions) -> Option<CaseRef<'static>> {
    let mut bench = Worker::new(options);
    let mut candidates = own_vectors().that_execute(fault.machine, fault.op).take(TRIED);
    candidates.find(|case| matches!(bench.run_case(case.file, case.index).verdict, Verdict::Fail(_)))
}

/// Where an explanation names an opcode, the best place first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    /// Before all others.
    First,
    /// Among the instructions that are said to have to do with what differs.
    Blamed,
    /// Among the last instructions, or those that cost something.
    Screen,
    Nowhere,
}

fn text(explained: &Explanation) -> String {
    let mut text = Vec::new();
    explanation::write(&mut text, explained, ExplanationLength::Screen).unwrap();
    anstream::adapter::strip_str(std::str::from_utf8(&text).unwrap()).to_string()
}

/// The opcodes that a text names, in order, and whether each is more than one of the last instructions.
fn opcodes(explained: &Explanation, text: &str) -> Vec<(String, bool)> {
    let mut executed: Vec<&ExecutedInstruction> =
        explained.blames.iter().filter_map(BlameAnswer::blame).flat_map(all).collect();
    executed.extend(explained.row_deviation.iter().map(|row_deviation| &row_deviation.by));
    executed.extend(&explained.last);
    let by_number: HashMap<u64, &str> =
        executed.into_iter().filter_map(|it| Some((it.number(), it.op?))).collect();
    let mut found = Vec::new();
    let op = |number: &str, is_named| {
        let op = by_number.get(&number.parse::<u64>().ok()?)?;
        Some(((*op).to_owned(), is_named))
    };
    // `0x0004`, or `main+4` where functions have program counters of their own.
    let is_place = |text: &str| {
        let place = text.split(' ').next().unwrap_or_default();
        place.starts_with("0x") || place.contains('+')
    };
    for line in text.lines() {
        for part in line.split("step ").skip(1) {
            let number = part.split_once(", ").filter(|(_, rest)| is_place(rest));
            found.extend(number.and_then(|(number, _)| op(number, true)));
        }
        let listed = line.trim_start().split_once("  ").filter(|(_, rest)| is_place(rest));
        found.extend(listed.and_then(|(number, _)| op(number, false)));
        for part in line.split_once("spent on ").into_iter().flat_map(|(_, spent)| spent.split(", ")) {
            let op = part.split(' ').next().unwrap_or_default().to_owned();
            found.push((op, part.contains(" + ") || part.contains(" - ")));
        }
    }
    found
}

fn named(explained: &Explanation, text: &str, fault: RowFault) -> Named {
    let opcodes = opcodes(explained, text);
    let is_it = |(op, _): &&(String, bool)| *op == fault.op.name;
    if opcodes.first().as_ref().is_some_and(is_it) {
        Named::First
    } else if opcodes.iter().any(|it| is_it(&it) && it.1) {
        Named::Blamed
    } else if opcodes.iter().any(|it| is_it(&it)) {
        Named::Screen
    } else {
        Named::Nowhere
    }
}

fn all(blame: &Blame) -> Vec<&ExecutedInstruction> {
    let further = blame.inputs.iter().flatten().filter_map(InputPart::blame).flat_map(all);
    let jump = blame.reached_by.iter().flat_map(|jump| all(jump));
    let oldest = blame.further.iter().flat_map(|further| &further.oldest);
    [&blame.by]
        .into_iter()
        .chain(&blame.moved_by)
        .chain(&blame.left_by)
        .chain(&blame.ended_by)
        .chain(further)
        .chain(jump)
        .chain(oldest)
        .collect()
}

/// The planted faults that a vector catches, each with the explanation of that failure.
fn explanations() -> &'static [(RowFault, Explanation)] {
    static EXPLANATIONS: OnceLock<Vec<(RowFault, Explanation)>> = OnceLock::new();
    EXPLANATIONS.get_or_init(|| {
        let explained = |fault: RowFault| {
            let options = faulty(fault);
            let case = caught(fault, &options)?;
            Some((fault, explain(&mut Worker::new(&options), case.file, case.index, LAST)))
        };
        faults().into_iter().filter_map(explained).collect()
    })
}

/// The figures are what a person sees: whether the wrong opcode is the first that the text of an ordinary screen
/// names, whether it is named as having to do with the failure, and whether it is there at all.
#[test]
fn the_faulty_opcode_is_named_on_one_screen() {
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let mut too_long = Vec::new();
    let mut bad: BTreeMap<(Named, String), Vec<String>> = BTreeMap::new();
    for (fault, explained) in explanations() {
        let text = text(explained);
        if text.lines().count() > SCREEN {
            println!("== {fault} does not fit\n{text}");
            too_long.push(fault.to_string());
        }
        let named = named(explained, &text, *fault);
        for machine in [fault.machine.name, "all"] {
            let figures = counts.entry(machine).or_default();
            figures[0] += 1;
            (named as usize..3).for_each(|place| figures[place + 1] += 1);
        }
        if named > Named::Blamed {
            println!("== {fault}\n{text}");
        }
        if named > Named::First {
            bad.entry((named, fault.kind.to_string())).or_default().push(fault.to_string());
        }
    }
    println!("{bad:?}");
    let row = |(machine, [killed, first, named, screen]): (&&str, &[usize; 4])| {
        let percent = |count: usize| {
            let tenths = (count * 1_000 + killed / 2) / killed;
            format!("{count} ({}.{} %)", tenths / 10, tenths % 10)
        };
        let [first, named, screen] = [*first, *named, *screen].map(percent);
        format!(
            "{machine:<8} {killed:>5} killed, named first {first}, named {named}, on the screen {screen}\n"
        )
    };
    let figures: String = counts.iter().map(row).collect();
    println!("{figures}");
    assert!(too_long.is_empty(), "do not fit on a screen: {too_long:?}");
    golden::file("blame-of-faults", &figures);
    let [killed, first, named, screen] = counts["all"];
    assert!(first * 100 >= killed * 70, "named first: {first} of {killed}");
    assert!(named * 100 >= killed * 95, "named: {named} of {killed}");
    assert!(screen == killed, "on the screen: {screen} of {killed}");
}

/// A machine without a fault departs from no row, whatever a vector demands: a wrong vector is not blamed on an
/// instruction. One of three cases of each file, since those of a table are alike.
#[test]
fn no_deviation_is_reported_without_a_fault() {
    let sources = crate::support::sources_of(VECTORS);
    // Each instruction is compared with its row: what loops executes the same ones again.
    let limits = Limits { steps: MAX_STEPS / 10, ..Limits::default() };
    let options =
        LoadOptions { file: FileOptions { limits, ..FileOptions::default() }, ..LoadOptions::default() };
    let (mut checked, mut wrong) = (0, Vec::new());
    for source in &sources {
        let file = vmconf::run::open(&source, &options);
        for case in (0..file.cases()).step_by(3) {
            let mut recorder = Recorder::new(Vec::new(), 0..u64::MAX, WatchedInstructions::All, 0);
            let watched = Worker::new(&options.run).watch_case(&file, case, &mut recorder);
            if watched.report.verdict != Verdict::Pass {
                continue;
            }
            checked += 1;
            let told =
                |it: RowDeviation| format!("{} {case}: {}: {}", source.path.display(), it.by.text, it.what);
            wrong.extend(recorder.found.row_deviation.map(told));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked > 5_000, "{checked} cases");
}

/// Each line that `--json` prints is what the schema says.
#[test]
fn json_has_its_schema() {
    let validator = Validator::named("diff");
    for (fault, explained) in explanations().iter().step_by(ONE_OF) {
        let mut line = Vec::new();
        json::explained(&mut line, explained).unwrap();
        let line = serde_json::from_slice(&line).unwrap();
        validator.assert_accepts(&line, &fault.to_string());
        // What is said of an instruction is not true of anything.
        let mut odd = line;
        odd["last"][0]["odd"] = true.into();
        assert!(!validator.accepts(&odd), "the schema accepts any member");
    }
}

/// How explanations read.
#[test]
fn explanations_of_planted_faults() {
    let mut texts: BTreeMap<_, _> = REVIEWED.iter().map(|fault| ((*fault).to_owned(), None)).collect();
    for (fault, explained) in explanations() {
        if let Some(text) = texts.get_mut(&fault.to_string()) {
            *text = Some(self::text(explained));
        }
    }
    let texts = texts.into_iter().map(|(fault, text)| match text {
        Some(text) => format!("== {fault}\n{text}"),
        None => panic!("not caught: {fault}"),
    });
    golden::file("explanations-of-faults", &texts.collect::<Vec<_>>().join("\n"));
}
