//! Machines with a fault, as the proof that a failure is explained: for each opcode and each kind of
//! fault that one of the own vectors catches, the explanation of that failure names the opcode, and
//! fits a screen.
//!
//! | file | content |
//! |---|---|
//! | `faulty.rs` | a machine that gets one opcode wrong |
//! | `place.rs` | what of a machine a fault can get wrong |
//! | `vectors.rs` | the cases of the own vectors, and which of them execute an opcode |

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod faulty;
mod place;
#[path = "../support/mod.rs"]
mod support;
mod vectors;

use std::collections::BTreeMap;
use std::sync::Arc;

use faulty::{Fault, Faulty, Kind};
use vectors::{CaseRef, Vectors};
use vmconf::blame::{Answer, Blame, Executed};
use vmconf::explain::{Explained, explain};
use vmconf::limits::Limits;
use vmconf::machines::MACHINES;
use vmconf::report::explained::{self, Length};
use vmconf::runner::{Bench, Options};
use vmconf::testee::embedded::Embedded;
use vmconf::verdict::Verdict;

/// So many cases that execute an opcode are tried, those with the fewest instructions.
const TRIED: usize = 25;

/// So many instructions are executed of a case.
const MOST_STEPS: u64 = 20_000;

/// So many instructions before the end are asked for, as the command does.
const LAST: usize = 10;

/// Cases on a machine with this fault.
fn options(fault: Fault) -> Options {
    let testee = move |_: &_, limits: &_| {
        Box::new(Embedded::of(Box::new(Faulty::new(fault, limits)), limits)) as Box<_>
    };
    // A loop may have no end any more.
    let limits = Limits { steps: MOST_STEPS, ..Limits::default() };
    Options { testee: Arc::new(testee), limits, ..Options::default() }
}

fn faults() -> impl Iterator<Item = Fault> {
    MACHINES.iter().flat_map(|machine| {
        let ops = machine.isa.ops.iter();
        ops.flat_map(move |op| Kind::ALL.map(|kind| Fault { machine, op, kind }))
    })
}

/// The first case that fails with the fault.
fn caught<'v>(vectors: &'v Vectors<'_>, fault: Fault, options: &Options) -> Option<CaseRef<'v>> {
    let mut bench = Bench::new(options);
    let mut candidates = vectors.that_execute(fault.machine, fault.op).take(TRIED);
    candidates.find(|case| matches!(bench.run_case(case.file, case.index).verdict, Verdict::Fail(_)))
}

/// Where an explanation names an opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    /// Among the instructions that made what differs.
    Made,
    /// Among those that came before what differs, or decided that it was reached.
    Near,
    /// As what cost other than its row says.
    Spent,
    /// Among the last instructions.
    Last,
    Nowhere,
}

fn text(explained: &Explained) -> String {
    let mut text = Vec::new();
    explained::write(&mut text, explained, Length::Screen).unwrap();
    anstream::adapter::strip_str(std::str::from_utf8(&text).unwrap()).to_string()
}

fn named(explained: &Explained, text: &str, fault: Fault) -> Named {
    let op = fault.op;
    let is_told = |it: &Executed| it.op == Some(op) && text.contains(&format!("step {}, 0x{:02x} ", it.step, it.pc));
    let told = |blame: Option<&Blame>| blame.is_some_and(|blame| all(blame).iter().copied().any(is_told));
    let blames = || explained.blames.iter();
    let made = blames().filter(|answer| matches!(answer, Answer::By(_)));
    let last = |it: &Executed| it.op == Some(op) && text.contains(&format!("{:>8}  0x{:04x}  ", it.step, it.pc));
    let unlike_row = |part: &str| part.contains(&format!(" {} ", op.name)) && part.contains("not as in its row");
    if made.clone().any(|answer| told(answer.blame())) {
        Named::Made
    } else if blames().any(|answer| told(answer.blame()) || told(answer.blame().and_then(|it| it.reached_by.as_deref()))) {
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

#[test]
fn explanations_name_the_faulty_opcode() {
    let sources = support::sources_of(support::VECTORS);
    let vectors = Vectors::read(&sources);
    let mut counts: BTreeMap<(&str, Named), usize> = BTreeMap::new();
    let mut strict: BTreeMap<Named, usize> = BTreeMap::new();
    let mut wrong = String::new();
    for fault in faults() {
        let options = options(fault);
        let Some(case) = caught(&vectors, fault, &options) else { continue };
        let explained = explain(case.file, case.index, &options, LAST);
        let text = text(&explained);
        let named = named(&explained, &text, fault);
        let lines = text.lines().count();
        *counts.entry((fault.machine.name, named)).or_default() += 1;
        if matches!(explained.blames.first(), Some(Answer::By(_))) {
            *strict.entry(named).or_default() += 1;
            if std::env::var_os("ALL").is_some() && named != Named::Made {
                wrong += &format!("{fault}: strict {named:?}\n{text}\n");
            }
        }
        if std::env::var_os("SHOW").is_some_and(|it| fault.to_string().contains(it.to_str().unwrap())) {
            println!("{fault} {named:?}\n{text}");
        }
        if lines > 24 || named == Named::Nowhere || std::env::var_os("ALL").is_some() && named == Named::Last {
            wrong += &format!("{fault}: {lines} lines, {named:?}\n{text}\n");
        }
    }
    println!("{counts:?} {:?}", strict);
    assert!(wrong.is_empty(), "{wrong}");
}
