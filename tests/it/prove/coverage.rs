//! `vmconf coverage` and `vmconf minset`.

use std::collections::BTreeSet;

use serde_json::json;
use vmconf::explain::observed_run::RecordedDetail;
use vmconf::model::Interrupt;
use vmconf::prove::coverage::coverage;
use vmconf::prove::minset::minset;
use vmconf::prove::mutants::fault::faults_of;
use vmconf::prove::mutants::{MutantsOptions, WORK, judge};
use vmconf::prove::suite::VectorSuite;
use vmconf::run::LoadOptions;
use vmconf::wire::coverage::{CoverageReport, CoveredInstruction};
use vmconf::wire::mutants::FaultOutcome;

use crate::support::validator::Validator;
use crate::support::{sources_of, vmconf};

fn covered(path: &str) -> CoverageReport {
    coverage(&VectorSuite::read(&sources_of(path), &LoadOptions::default(), RecordedDetail::Points, &|_| {
        true
    }))
}

fn aspects<'c>(coverage: &'c CoverageReport, name: &str) -> BTreeSet<&'c str> {
    let mut instructions = coverage.machines.iter().flat_map(|machine| &machine.instructions);
    let found: &CoveredInstruction = instructions.find(|instruction| instruction.name == name).unwrap();
    found.aspects.iter().map(|aspect| aspect.what.as_str()).collect()
}

/// Operands have the letters that `vmconf isa` gives them: NeoVM shifts the lower item, by less than 2^9.
#[test]
fn operands_have_the_letters_of_their_rows() {
    let shifts = covered("vectors/neo3/bitwise-arithmetic");
    let shr = aspects(&shifts, "SHR");
    assert!(shr.contains("a: -2^255") && !shr.contains("b: -2^255"), "{shr:?}");
}

#[test]
fn coverage_says_heights_and_jumps() {
    let stack = covered("vectors/evm/stack");
    assert_eq!(stack.machines[0].machine, "evm");
    let push = aspects(&stack, "PUSH1");
    assert!(["height: limit", "height: over the limit"].iter().all(|it| push.contains(it)), "{push:?}");
    let flow = covered("vectors/evm/flow");
    let jumpi = aspects(&flow, "JUMPI");
    assert!(["taken", "not taken"].iter().all(|it| jumpi.contains(it)), "{jumpi:?}");
    let halts = covered("vectors/evm/halts");
    let jumpi = aspects(&halts, "JUMPI");
    assert!(jumpi.contains("fails: too few items on the stack"), "{jumpi:?}");
    let arithmetic = covered("vectors/evm/arithmetic");
    let add = aspects(&arithmetic, "ADD");
    let expected = ["executed", "height: exact", "a: (2^256 - 1)", "b: 1"];
    assert!(expected.iter().all(|it| add.contains(it)), "{add:?}");
    assert!(aspects(&halts, "ADD").contains("height: too few"));
    assert!(aspects(&arithmetic, "EXP").contains("b: between 1 and (2^7 - 1)"));
    let tinyvm = covered("vectors/tinyvm/machine");
    assert!(aspects(&tinyvm, "ADD").iter().any(|it| it.starts_with("b: ")));
}

/// A debugger that pauses after each instruction sees the same jumps.
#[test]
fn jumps_are_covered_in_single_steps() {
    // PUSH1 JMPIF +3; NOP; PUSH0 JMPIF +2; RET
    let mut steps: Vec<_> = [(1, "JMPIF"), (4, "PUSH0"), (5, "JMPIF"), (7, "RET")]
        .map(|(pc, next)| json!([{ "instructionPointer": pc, "nextInstruction": next }]))
        .map(|frames| json!({ "state": "BREAK", "invocationStack": frames }))
        .map(|result| json!({ "actions": ["StepInto"], "result": result }))
        .to_vec();
    steps.push(json!({ "actions": ["Execute"], "result": { "state": "HALT" } }));
    let test = json!({ "name": "jumps", "script": "0x1124032110240240", "steps": steps });
    let vector = json!({ "category": "prove", "name": "steps", "tests": [test] });
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(folder.path().join("steps.json"), vector.to_string()).unwrap();
    let coverage = covered(folder.path().to_str().unwrap());
    let jumps = aspects(&coverage, "JMPIF");
    assert!(["taken", "not taken"].iter().all(|it| jumps.contains(it)), "{jumps:?}");
}

/// Of a run of 300,005 instructions, the end is observed although most of the loop before it is not.
#[test]
fn the_end_of_a_long_run_is_observed() {
    // PUSHINT32 100000; DEC DUP JMPIF -2; DROP PUSH1 PUSH0 DIV
    let script = "0x02a08601009d4a24fe451110a1";
    let step = json!({ "actions": ["Execute"], "result": { "state": "FAULT" } });
    let test = json!({ "name": "a long loop", "script": script, "steps": [step] });
    let vector = json!({ "category": "prove", "name": "long", "tests": [test] });
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(folder.path().join("long.json"), vector.to_string()).unwrap();
    let options = LoadOptions::default();
    for detail in [RecordedDetail::Codes, RecordedDetail::Points] {
        let suite = VectorSuite::read(&sources_of(folder.path()), &options, detail, &|_| true);
        let [case] = &suite.cases[..] else { panic!("{} cases", suite.cases.len()) };
        assert_eq!((&case.failing, case.codes.len()), (&BTreeSet::from([0xa1]), 8));
        assert!((200_000..=300_005).contains(&case.steps), "{}", case.steps);
        let coverage = coverage(&suite);
        let aspects = |name| aspects(&coverage, name);
        if detail == RecordedDetail::Points {
            assert!(aspects("DIV").iter().any(|aspect| aspect.starts_with("fails: ")));
            assert!(["taken", "not taken"].iter().all(|it| aspects("JMPIF").contains(it)));
        }
    }
}

#[test]
fn every_form_names_what_is_never_executed() {
    let path = "vectors/evm/arithmetic/add.json";
    for form in ["text", "html", "json"] {
        let ran = vmconf(&["coverage", path, "--output", form]);
        assert_eq!((ran.exit, &*ran.stderr), (0, ""));
        assert!(ran.stdout.contains("ADDMOD"), "{form}");
        match form {
            "json" => {
                let json = serde_json::from_str(&ran.stdout).unwrap();
                Validator::named("coverage").assert_accepts(&json, "the coverage");
            }
            "html" => {
                assert!(ran.stdout.contains("<tr class=\"bad\"><th scope=\"row\"><span title=\"(a + b) % c"));
            }
            _ => assert!(ran.stdout.contains("never executed: "), "{}", ran.stdout),
        }
    }
}

/// The chosen cases do with the instructions what all do.
#[test]
fn the_smallest_set_covers_the_same() {
    let ran = vmconf(&["minset", "vectors/evm/arithmetic", "--output", "json"]);
    assert_eq!((ran.exit, &*ran.stderr), (0, ""));
    let minset: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    Validator::named("minset").assert_accepts(&minset, "the smallest set");
    let ids: BTreeSet<_> = minset["kept"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    let all = VectorSuite::read(
        &sources_of("vectors/evm/arithmetic"),
        &LoadOptions::default(),
        RecordedDetail::Points,
        &|_| true,
    );
    assert!(ids.len() < all.cases.len(), "{} of {}", ids.len(), all.cases.len());
    let points = |takes: &dyn Fn(&str) -> bool| -> BTreeSet<_> {
        let cases = all.cases.iter().filter(|case| takes(&case.id));
        cases.flat_map(|case| case.points.iter().cloned()).collect()
    };
    assert_eq!(points(&|id| ids.contains(id)), points(&|_| true));
}

#[test]
fn faults_need_more_cases() {
    let kept = |more: &[&str]| {
        let ran = vmconf(&[&["minset", "vectors/minic89/partial.json"], more].concat());
        assert_eq!(ran.exit, 0);
        ran.stdout.lines().map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let (few, more) = (kept(&[]), kept(&["--faults"]));
    assert!(few.is_subset(&more) && !few.is_empty() && few.len() < more.len(), "{few:?} {more:?}");
}

/// The kept cases notice what all cases notice, and most faults need no case besides those that coverage keeps.
#[test]
fn the_kept_cases_notice_the_same_faults() {
    let suite = || {
        let sources = sources_of("vectors/minic89/contradictions.json");
        VectorSuite::read(&sources, &LoadOptions::default(), RecordedDetail::Points, &|_| true)
    };
    let faults = faults_of(suite().cases[0].machine);
    let how = MutantsOptions { jobs: 2, work: WORK, programs: 0, interrupt: Interrupt::default() };
    let killed_by = |ids: &[String]| -> BTreeSet<String> {
        let mut suite = suite();
        suite.cases.retain(|case| ids.contains(&case.id));
        let judged = judge(&faults, &suite, &how).into_iter();
        judged.filter(|judged| judged.outcome == FaultOutcome::Killed).map(|judged| judged.fault).collect()
    };
    let all: Vec<_> = suite().cases.into_iter().map(|case| case.id).collect();
    let [few, kept] = [&[], faults.as_slice()].map(|faults| minset(suite(), faults, &how).kept);
    let killed = killed_by(&all);
    assert_eq!(killed_by(&kept), killed);
    assert!(kept.len() < all.len());
    // One case for a fault, if no kept one notices it.
    let missed = killed.len() - killed_by(&few).len();
    assert!(kept.len() - few.len() <= missed, "{} cases for {missed} faults", kept.len() - few.len());
}

#[test]
fn cases_by_how_an_instruction_fails() {
    let selected = |expression: &str| {
        let ran = vmconf(&["list", "vectors/evm/gas", "vectors/evm/flow", "-E", expression]);
        ran.stdout.lines().map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let out_of_gas = selected("fails(SSTORE, out of gas)");
    assert!(!out_of_gas.is_empty());
    assert!(out_of_gas.is_subset(&selected("op(SSTORE)")));
    assert!(out_of_gas.is_subset(&selected("fails(SSTORE, *)")));
    assert!(out_of_gas.is_subset(&selected("fails(~out of gas)")));
    let bad_jumps = selected("fails(~not a JUMPDEST)");
    assert!(!bad_jumps.is_empty());
    assert!(out_of_gas.is_disjoint(&bad_jumps));
}

/// A case that does not pass is left out, which is not silent.
#[test]
fn cases_that_do_not_pass_are_named_as_left_out() {
    for command in ["coverage", "minset", "audit"] {
        let ran = vmconf(&[command, "docs/examples/transfer.json"]);
        assert!(ran.exit == 4 && ran.stderr.contains("note: 1 case left out: only passing cases"), "{ran:?}");
    }
}
