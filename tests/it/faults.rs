//! Machines with a fault, as the proof that a failure is explained: for each opcode and each kind of
//! fault that one of the own vectors catches, the explanation of that failure names the opcode, and
//! fits a screen.
//!
//! | file | content |
//! |---|---|
//! | `vectors.rs` | the cases of the own vectors, and which of them execute an opcode |

#![allow(clippy::print_stdout, reason = "how many faults there are is worth to know")]

mod vectors;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::support::golden;
use crate::support::validator::Validator;
use vectors::{CaseRef, Vectors};
use vmconf::explain::explain;
use vmconf::machines::of_this_crate;
use vmconf::model::explanation::{Answer, Blame, Executed, Explanation};
use vmconf::model::limits::Limits;
use vmconf::model::verdict::Verdict;
use vmconf::prove::mutants::fault::{Fault, Kind, Wrong, faults_of};
use vmconf::prove::mutants::faulty::Faulty;
use vmconf::report::explanation::{self, Length};
use vmconf::report::json;
use vmconf::run::sources::Source;
use vmconf::run::{FileOptions, Options, RunOptions, Worker};
use vmconf::testees::MakeTestee;

/// So many cases that execute an opcode are tried, those with the fewest instructions.
const TRIED: usize = 25;

/// So many instructions are executed of a case.
const MOST_STEPS: u64 = 20_000;

/// Lines of a screen.
const SCREEN: usize = 24;

/// How many instructions before the end are shown, as in the command.
const LAST: usize = 10;

/// Files with few instructions a case: a loop may have no end any more.
fn options() -> Options {
    let limits = Limits { steps: MOST_STEPS, ..Limits::default() };
    Options { file: FileOptions { limits, ..FileOptions::default() }, ..Options::default() }
}

/// Cases on a machine with this fault.
fn faulty(fault: Fault) -> RunOptions {
    let testee = move |_: &_, limits: &_| Box::new(Faulty::new(fault, limits, Arc::default())) as Box<_>;
    RunOptions { testee: MakeTestee::new(format!("{fault:?}"), testee), ..RunOptions::default() }
}

/// The kinds of faults whose failures are explained here.
const KINDS: [Kind; 5] = [
    Kind::Result(Wrong::OneMore),
    Kind::Operand(0, Wrong::OneMore),
    Kind::Swapped,
    Kind::Forgotten,
    Kind::PriceMore,
];

/// Faults whose explanations are kept to be read.
const REVIEWED: [&str; 15] = [
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

fn faults() -> impl Iterator<Item = Fault> {
    of_this_crate().flat_map(faults_of).filter(|fault| KINDS.contains(&fault.kind))
}

/// The first case that fails with the fault.
fn caught<'v>(vectors: &'v Vectors<'_>, fault: Fault, options: &RunOptions) -> Option<CaseRef<'v>> {
    let mut bench = Worker::new(options);
    let mut candidates = vectors.that_execute(fault.machine, fault.op).take(TRIED);
    candidates.find(|case| matches!(bench.run_case(case.file, case.index).verdict, Verdict::Fail(_)))
}

/// Where an explanation names an opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    /// Among the instructions that made what differs.
    Made,
    /// Among those that ran before what differs, or decided that it was reached.
    Near,
    /// As an instruction whose cost is not that of its row.
    Spent,
    /// Among the last instructions.
    Last,
    Nowhere,
}

fn text(explained: &Explanation) -> String {
    let mut text = Vec::new();
    explanation::write(&mut text, explained, Length::Screen).unwrap();
    anstream::adapter::strip_str(std::str::from_utf8(&text).unwrap()).to_string()
}

fn named(explained: &Explanation, text: &str, fault: Fault) -> Named {
    let op = fault.op;
    let is_told = |it: &Executed| {
        it.op == Some(op.name) && text.contains(&format!("step {}, 0x{:02x} ", it.number(), it.pc))
    };
    let told = |blame: Option<&Blame>| blame.is_some_and(|blame| all(blame).iter().copied().any(is_told));
    let blames = || explained.blames.iter();
    let made = blames().filter(|answer| matches!(answer, Answer::By(_)));
    let last = |it: &Executed| {
        it.op == Some(op.name) && text.contains(&format!("{:>8}  0x{:04x}  ", it.number(), it.pc))
    };
    let unlike_row = |part: &str| part.contains(&format!(" {} ", op.name)) && part.contains("dynamic price");
    if made.clone().any(|answer| told(answer.blame())) {
        Named::Made
    } else if blames()
        .any(|answer| told(answer.blame()) || told(answer.blame().and_then(|it| it.reached_by.as_deref())))
    {
        Named::Near
    } else if text.split(',').any(unlike_row) {
        Named::Spent
    } else if explained.last.iter().any(last) {
        Named::Last
    } else {
        Named::Nowhere
    }
}

fn all(blame: &Blame) -> Vec<&Executed> {
    let further = blame.inputs.iter().flatten().flat_map(all);
    [&blame.by].into_iter().chain(&blame.moved_by).chain(further).collect()
}

/// Every fault that a vector catches, with the explanation of that failure.
fn explanations() -> impl Iterator<Item = (Fault, Explanation)> {
    static SOURCES: OnceLock<Vec<Source>> = OnceLock::new();
    static OPTIONS: OnceLock<Options> = OnceLock::new();
    let sources = SOURCES.get_or_init(|| crate::support::sources_of(crate::support::VECTORS));
    let vectors = Vectors::read(sources, OPTIONS.get_or_init(options));
    faults().filter_map(move |fault| {
        let options = faulty(fault);
        let case = caught(&vectors, fault, &options)?;
        Some((fault, explain(case.file, case.index, &options, LAST)))
    })
}

#[test]
fn the_faulty_opcode_is_named_on_one_screen() {
    let mut counts: BTreeMap<(&str, Named), usize> = BTreeMap::new();
    for (fault, explained) in explanations() {
        let text = text(&explained);
        let named = named(&explained, &text, fault);
        assert_ne!(named, Named::Nowhere, "{fault} is not named:\n{text}");
        assert!(text.lines().count() <= SCREEN, "{fault} does not fit:\n{text}");
        // The fault wrote the datum, or is among the instructions that led to it.
        if matches!(explained.blames.first(), Some(Answer::By(_))) {
            assert!(matches!(named, Named::Made | Named::Near), "{fault} is not to blame:\n{text}");
        }
        *counts.entry((fault.machine.name, named)).or_default() += 1;
    }
    println!("{counts:?}");
    for machine in of_this_crate() {
        let made = counts.get(&(machine.name, Named::Made)).copied().unwrap_or_default();
        assert!(made >= 50, "only {made} faults of {} are to blame", machine.name);
    }
}

/// Each line that `--json` prints is what the schema says.
#[test]
fn json_has_its_schema() {
    let validator = Validator::named("diff");
    for (fault, explained) in explanations() {
        let mut line = Vec::new();
        json::explained(&mut line, &explained).unwrap();
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
fn texts() {
    let mut texts: BTreeMap<_, _> = REVIEWED.iter().map(|fault| ((*fault).to_owned(), None)).collect();
    for (fault, explained) in explanations() {
        if let Some(text) = texts.get_mut(&fault.to_string()) {
            *text = Some(self::text(&explained));
        }
    }
    let texts = texts.into_iter().map(|(fault, text)| match text {
        Some(text) => format!("== {fault}\n{text}"),
        None => panic!("not caught: {fault}"),
    });
    golden::file("explanations-of-faults", &texts.collect::<Vec<_>>().join("\n"));
}
