//! Faults in a machine of another process: a test that answers requests with a faulty machine is the testee.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::time::Duration;

use vmconf::explain::spectrum::{SpectrumCache, analyse};
use vmconf::machines::{MachineInfo, by_name, of_this_crate};
use vmconf::model::limits::Limits;
use vmconf::model::{Event, Interrupt, VerdictKind};
use vmconf::prove::mutants::fault::{RowFault, row_faults_of};
use vmconf::prove::mutants::faulty::Faulty;
use vmconf::run::cache::ProgramKey;
use vmconf::run::sources::Sources;
use vmconf::run::{self, CaseSample, CaseVerdicts, FileOptions, LoadOptions, RunOptions};
use vmconf::testees::MakeTestee;
use vmconf::testees::process::{ProcessGroups, ProcessVm, TesteeCommand};
use vmconf::testees::server::Server;

use super::{MAX_STEPS, SEED, ranking};
use crate::random::Random;
use crate::support::skip::suites;
use crate::support::sources_of;

/// The variable with the name of the fault; without it, the testee is a test that has nothing to do.
const FAULT: &str = "VMCONF_TEST_FAULT";

/// Faults of each machine.
const FAULTS: usize = 2;

/// How many of the faults must be among the first three instructions: one may be missed.
const NAMED: usize = 5 * FAULTS - 1;

/// The most cases of each file: a process takes long to answer all. Fewer cases tell less.
const SAMPLE: usize = 10;

/// Faults of each machine on a published suite, and how many of all must be among the first three.
const FAULTS_ON_SUITES: usize = 2;
const NAMED_ON_SUITES: usize = 3 * FAULTS_ON_SUITES - 1;

/// The testee: answers requests on standard input with a machine with the fault. The harness writes lines, too.
#[test]
#[ignore = "not a test: the machine that other tests start"]
fn serves_a_machine_with_a_fault() {
    let Ok(name) = std::env::var(FAULT) else { return };
    let mut faults = of_this_crate().flat_map(row_faults_of);
    let fault = faults.find(|fault| fault.to_string() == name).expect("the name of a fault");
    let make = move |limits: &Limits| Box::new(Faulty::new(fault, limits, Arc::default())) as Box<_>;
    let mut server = Server::with(fault.machine, make);
    let mut out = std::io::stdout();
    writeln!(out).unwrap();
    for line in std::io::stdin().lock().split(b'\n') {
        let answer = server.answer(&line.unwrap()).unwrap();
        writeln!(out, "{}", serde_json::to_string(&answer).unwrap()).unwrap();
        out.flush().unwrap();
    }
}

/// The testee in a process of its own, without what the harness writes.
fn served(fault: RowFault) -> MakeTestee {
    let command = r#""$0" --exact suspects::served::serves_a_machine_with_a_fault --ignored --nocapture --test-threads 1 | grep --line-buffered '^{'"#;
    let test = std::env::current_exe().unwrap().to_str().unwrap().to_owned();
    let command = TesteeCommand {
        name: "faulty".to_owned(),
        words: ["sh", "-c", command, &test].map(str::to_owned).into(),
        env: vec![(FAULT.to_owned(), fault.to_string())],
        folder: None,
        timeout: Duration::from_mins(1),
        start: Duration::from_mins(1),
        memory: None,
    };
    let vm = ProcessVm::start(command, ProcessGroups::default(), &Interrupt::default()).unwrap();
    MakeTestee::in_processes(Arc::new(vm))
}

/// The instructions that explain the failures of a machine with the fault, the best first; none if nothing fails. What
/// cases execute is the same with each fault.
fn named(fault: RowFault, vectors: &Sources, kept: &mut SpectrumCache) -> Vec<String> {
    let limits = Limits { steps: 20 * MAX_STEPS, ..Limits::default() };
    let file = FileOptions { limits, ..FileOptions::default() };
    let sample = Some(CaseSample { count: SAMPLE, seed: SEED });
    let run = RunOptions { testee: served(fault), jobs: 2, sample, ..RunOptions::default() };
    let options = LoadOptions { run, file, ..LoadOptions::default() };
    let mut verdicts: HashMap<String, VerdictKind> = HashMap::new();
    run::run(vectors, &options, &mut |event| {
        if let Event::Finished(report) = event {
            verdicts.insert(report.id.to_string(), report.verdict.kind());
        }
    });
    if verdicts.values().all(|verdict| *verdict == VerdictKind::Pass) {
        return Vec::new();
    }
    let analysis = analyse(vectors, &options, Some(kept), &CaseVerdicts::new(verdicts, None));
    if let Some(text) = kept.text() {
        kept.read(&text).unwrap();
    }
    ranking(&analysis).map(|name| name.op.clone()).collect()
}

/// How many of these numbers of faults of a machine that its vectors notice are among the first three suspects.
fn count_named(
    machine: &'static MachineInfo,
    vectors: &Sources,
    faults: usize,
    numbers: &mut Random,
) -> usize {
    let mut all = row_faults_of(machine);
    let mut kept = SpectrumCache::new(ProgramKey::of(&b"this program"[..]).unwrap());
    let (mut noticed, mut count) = (0, 0);
    while noticed < faults {
        let fault = all.swap_remove(numbers.below(all.len()));
        let named = named(fault, vectors, &mut kept);
        noticed += usize::from(!named.is_empty());
        count += usize::from(named.iter().take(3).any(|op| op == fault.op.name));
        println!("{fault}: {}", named.iter().take(3).cloned().collect::<Vec<_>>().join(", "));
    }
    count
}

#[test]
fn faults_of_another_process_are_named() {
    let mut numbers = Random::new(SEED);
    let of_machine = |machine: &'static MachineInfo| {
        count_named(machine, &sources_of(format!("vectors/{}", machine.name)), FAULTS, &mut numbers)
    };
    let count: usize = of_this_crate().map(of_machine).sum();
    assert!(count >= NAMED, "{count} of {}", 5 * FAULTS);
}

/// Of a machine that reports its whole state after each step, the instruction is known after which it first differs, also
/// if that reads what is inside a compound.
#[test]
fn whole_states_leave_one_suspect() {
    let mut all = row_faults_of(by_name("neo3").unwrap()).into_iter();
    let fault = all.find(|fault| fault.to_string() == "neo3/UNPACK/pop-omitted").unwrap();
    let mut kept = SpectrumCache::new(ProgramKey::of(&b"this program"[..]).unwrap());
    assert_eq!(named(fault, &sources_of("vectors/neo3"), &mut kept), ["UNPACK"]);
}

/// The same on published suites, without their long loops.
#[test]
fn faults_are_named_by_published_suites() {
    let Some(suites) = suites() else { return };
    let mut numbers = Random::new(SEED);
    let mut count = 0;
    for (machine, folder) in [("evm", "evm/vmtests-2017"), ("neo3", "neo3"), ("neo2", "neo2")] {
        let vectors = sources_of(suites.join(folder));
        count += count_named(by_name(machine).unwrap(), &vectors, FAULTS_ON_SUITES, &mut numbers);
    }
    assert!(count >= NAMED_ON_SUITES, "{count} of {}", 3 * FAULTS_ON_SUITES);
}
