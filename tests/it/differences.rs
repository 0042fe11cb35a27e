//! `vmconf fuzz`: planted faults are found from nothing, each finding is a vector that shows it, and a seed finds the
//! same each time.

#![allow(clippy::print_stdout, reason = "how many are found is worth to know")]

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::random::Random;
#[cfg(unix)]
use crate::support::{command, ran};
use vmconf::hunt::fuzz::{FuzzFinding, FuzzOptions, FuzzSubject, FuzzSummary, fuzz};
use vmconf::machines::{by_name, of_this_crate};
use vmconf::model::verdict::Verdict;
use vmconf::prove::mutants::fault::{RowFault, row_faults_of};
use vmconf::prove::mutants::faulty::Faulty;
use vmconf::run::sources::{SourceOrigin, VectorSource};
use vmconf::run::{self, LoadOptions, RunOptions, Worker};
use vmconf::testees::MakeTestee;

const SEED: u64 = 7919;

/// Faults of each machine; `VMCONF_FAULTS` chooses another number.
const FAULTS: usize = 2;

/// Programs for each fault.
const PROGRAMS: u64 = 6_000;

/// The share of the faults that must be found, in percent. Of 93 faults, two in three are found; of ten, it may be fewer.
const FOUND: usize = 50;

fn faulty(fault: RowFault) -> FuzzSubject {
    let testee = move |_: &_, limits: &_| Box::new(Faulty::new(fault, limits, Arc::default())) as Box<_>;
    FuzzSubject { name: "faulty".to_owned(), testee: MakeTestee::new(format!("{fault:?}"), testee) }
}

/// What is found about a machine with the fault, until the first finding.
fn found(fault: RowFault, seed: u64, programs: u64) -> (FuzzSummary, Vec<FuzzFinding>) {
    let mut findings = Vec::new();
    let options = FuzzOptions { seed, programs, deadline: None, max_tries: 2_000 };
    let subjects = [faulty(fault)];
    let mut known = BTreeSet::new();
    let summary =
        fuzz(fault.machine, &subjects, &options, &mut known, &mut |finding| findings.push(finding)).unwrap();
    (summary, findings)
}

/// A vector that is written passes on a machine without the fault, and not with it.
fn check(fault: RowFault, finding: &FuzzFinding) {
    let source = VectorSource::new("found.json".into(), "found.json".into(), SourceOrigin::Stream);
    let options = LoadOptions::default();
    let file = run::open_text(&source, finding.vector.clone(), &options);
    assert_eq!((file.cases(), file.errors()), (1, &[][..]), "{fault}: {}", finding.vector);
    let healthy = Worker::new(&options.run).run_case(&file, 0).verdict;
    assert_eq!(healthy, Verdict::Pass, "{fault}: {}", finding.vector);
    let run = RunOptions { testee: faulty(fault).testee, ..RunOptions::default() };
    let failing = Worker::new(&run).run_case(&file, 0).verdict;
    assert!(failing.failure().is_some(), "{fault}: {failing:?} {}", finding.vector);
}

#[test]
fn planted_faults_are_found() {
    let seed = std::env::var("VMCONF_SEED").map_or(SEED, |seed| seed.parse().expect("a number"));
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let faults_of_each =
        std::env::var("VMCONF_FAULTS").map_or(FAULTS, |count| count.parse().expect("a number"));
    let (mut count, mut missed) = (0, Vec::new());
    for machine in of_this_crate() {
        let mut faults = row_faults_of(machine);
        for _ in 0..faults_of_each {
            let fault = faults.swap_remove(random.below(faults.len()));
            let start = std::time::Instant::now();
            let (summary, findings) = found(fault, seed, PROGRAMS);
            for finding in &findings {
                check(fault, finding);
            }
            let causes: Vec<_> = findings.iter().map(|finding| finding.cause.what.clone()).collect();
            println!("{fault}: {summary:?} {causes:?} {:?}", start.elapsed());
            if findings.is_empty() { missed.push(fault.to_string()) } else { count += 1 }
        }
    }
    println!("{count} found; missed: {missed:?}");
    assert!(100 * count >= FOUND * (count + missed.len()), "{count} found; missed: {missed:?}");
}

/// Programs and findings depend on the seed and on nothing else.
#[test]
fn a_seed_finds_the_same() {
    let fault = row_faults_of(by_name("neo3").unwrap())
        .into_iter()
        .find(|fault| fault.to_string() == "neo3/SUB/swapped")
        .unwrap();
    let vectors = |seed| {
        let (summary, findings) = found(fault, seed, 2_000);
        (summary, findings.into_iter().map(|finding| finding.vector).collect::<Vec<_>>())
    };
    let once = vectors(5);
    assert!(!once.1.is_empty(), "{once:?}");
    assert_eq!(once, vectors(5));
    assert_ne!(once, vectors(6));
}

/// A machine that executes MOD as DIV, from nothing to a list of what is known.
#[cfg(unix)]
#[test]
fn known_causes_are_not_reported_again() {
    let folder = tempfile::TempDir::new().unwrap();
    let vm =
        format!("mine=sh -c 'sed -u s/a2\\\"/a1\\\"/g | \"{}\" serve neo3'", env!("CARGO_BIN_EXE_vmconf"));
    let fuzz = || {
        let args =
            ["fuzz", "neo3", "--vm", &vm, "--cases", "9000", "--known", "known.txt", "--output", "json"];
        ran(command(&args).current_dir(folder.path()).output().unwrap())
    };
    let first = fuzz();
    assert_eq!(first.exit, 1, "{first:?}");
    let line: serde_json::Value = serde_json::from_str(first.stdout.lines().next().unwrap()).unwrap();
    assert_eq!((&line["vm"], &line["cause"]), (&"mine".into(), &"MOD".into()), "{line}");
    let known = std::fs::read_to_string(folder.path().join("known.txt")).unwrap();
    assert!(known.ends_with("\nmine MOD\n"), "{known}");
    let second = fuzz();
    assert_eq!((second.exit, second.stdout.lines().count()), (0, 1), "{second:?}");
    std::fs::write(folder.path().join("known.txt"), "mine\n").unwrap();
    let broken = fuzz();
    assert_eq!(broken.exit, 2);
    assert!(broken.stderr.contains("known.txt:1:1: \"mine\" is no known difference"), "{}", broken.stderr);
}
