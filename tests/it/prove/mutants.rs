//! `vmconf mutants`: faults of each kind and machine, and which the own vectors notice.

use std::collections::BTreeMap;
use std::fmt::Write;

use vmconf::explain::observed_run::RecordedDetail;
use vmconf::machines::{by_name, of_this_crate};
use vmconf::model::Interrupt;
use vmconf::prove::mutants::fault::{FaultKind, PlantedFault, RowFault, faults_of};
use vmconf::prove::mutants::{MutantsOptions, evenly, wrong_entries};
use vmconf::prove::suite::VectorSuite;
use vmconf::run::LoadOptions;
use vmconf::wire::mutants::{FaultOutcome, Mutants};

use crate::support::validator::Validator;
use crate::support::{golden, sources_of, vmconf};

fn judged(faults: &[PlantedFault], suite: &VectorSuite, programs: u32) -> Mutants {
    let how = MutantsOptions { jobs: 2, work: 2_000_000, programs, interrupt: Interrupt::default() };
    super::judged(faults, suite, &how)
}

fn suite(path: &str) -> VectorSuite {
    VectorSuite::read(&sources_of(path), &LoadOptions::default(), RecordedDetail::Codes, &|_| true)
}

fn named(name: &str) -> PlantedFault {
    let mut all = faults_of(by_name(name.split('/').next().unwrap()).unwrap()).into_iter();
    all.find(|fault| fault.to_string() == name).unwrap_or_else(|| panic!("no fault {name}"))
}

/// The counts of each kind, in the order of outcomes.
fn table(mutants: &Mutants) -> String {
    let mut counts: BTreeMap<&str, BTreeMap<FaultOutcome, u64>> = BTreeMap::new();
    for fault in &mutants.faults {
        *counts.entry(&fault.kind).or_default().entry(fault.outcome).or_default() += 1;
    }
    let mut text = String::new();
    for (kind, outcomes) in counts {
        let outcomes: Vec<_> =
            outcomes.iter().map(|(outcome, count)| format!("{count} {outcome:?}")).collect();
        writeln!(text, "  {kind:<16} {}", outcomes.join(", ")).unwrap();
    }
    text
}

/// Of the faults of each machine some, at even distances: every kind is among them.
#[test]
fn some_faults_of_each_machine() {
    let mut text = String::new();
    let mut count = 0;
    for machine in of_this_crate() {
        let all = faults_of(machine);
        count += all.len();
        let most = if machine.name == "tinyvm" { 45 } else { 110 };
        let suite = suite(&format!("vectors/{}", machine.name));
        let mutants = judged(&evenly(&all, most), &suite, 4);
        let wrong = wrong_entries(&mutants, &all);
        assert!(wrong.is_empty(), "known equivalents: {wrong:?}");
        writeln!(text, "{}\n{}", machine.name, table(&mutants)).unwrap();
    }
    assert!(count > 2_500, "{count} faults");
    golden::file("mutants", &text);
}

/// The names of faults, and what a suite of a few cases says of them.
#[test]
fn a_fault_is_killed_by_the_case_that_differs() {
    let suite = suite("vectors/evm/arithmetic/add.json");
    let faults = ["evm/ADD/one-more", "evm/ADD/price-more", "evm/ADD/swapped", "evm/MUL/zero"].map(named);
    let mutants = judged(&faults, &suite, 0);
    let outcomes: Vec<_> = mutants.faults.iter().map(|fault| fault.outcome).collect();
    let expected =
        [FaultOutcome::Killed, FaultOutcome::Killed, FaultOutcome::Equivalent, FaultOutcome::NotExecuted];
    assert_eq!(outcomes, expected);
    assert!(mutants.faults[0].case.as_ref().unwrap().starts_with("vectors/evm/arithmetic/add.json::"));
    assert!((mutants.score().unwrap() - 200.0 / 3.0).abs() < 0.01, "{:?}", mutants.score());
}

/// A pattern that matches no fault is an error, whichever part is misspelled, and a share of no fault is not
/// given.
#[test]
fn a_misspelled_fault_is_reported() {
    let add = "vectors/evm/arithmetic/add.json";
    for (pattern, near) in [
        ("evm/ADDD", "evm/ADD"),
        ("evn/ADD", "evm/ADD"),
        ("SSTROE", "SSTORE"),
        ("evm/ADD/swaped", "evm/ADD/swapped"),
    ] {
        let ran = vmconf(&["mutants", add, "--only", pattern, "--only", "evm/ADD/zero"]);
        let expected = format!(
            "error: --only {pattern}: no fault of these machines has this name; did you mean {near}?\n"
        );
        assert_eq!((ran.exit, ran.stdout.as_str(), ran.stderr), (2, "", expected));
    }
    for args in [&["--only", "evm/ADD/swapped"][..], &["--most", "0"]] {
        let ran = vmconf(&[&["mutants", add], args].concat());
        let told = ran.stdout.contains("\n0 of 0 faults noticed by ") && !ran.stdout.contains('%');
        assert!(ran.exit == 4 && told, "{ran:?}");
    }
}

/// A fault that is never switched on does not look like one that is noticed.
#[test]
fn a_fault_that_changes_nothing_is_not_killed() {
    let machine = by_name("evm").unwrap();
    let op = machine.isa.by_name("ADD").unwrap();
    let faults = [PlantedFault::OfRow(RowFault { machine, op, kind: FaultKind::Copied })];
    let suite = suite("vectors/evm/arithmetic/add.json");
    for programs in [0, 3] {
        let mutants = judged(&faults, &suite, programs);
        assert_eq!((mutants.faults[0].outcome, mutants.score()), (FaultOutcome::NeverOn, Some(0.0)));
    }
}

/// Compounds that are shared and copied, counts of references, and failures: one fault of each kind.
#[test]
fn faults_of_compounds_counts_and_failures_are_noticed() {
    const FAULTS: [(&str, &str); 9] = [
        ("neo3/APPEND/shared", "neo3/tables/sharing.json"),
        ("neo2/SETITEM/shared", "neo2/tables/compounds.json"),
        ("neo3/STLOC0/a-copied", "neo3/tables/variables.json"),
        ("neo3/LDLOC0/copied", "neo3/tables/variables.json"),
        ("neo3/DROP/not-released", "neo3/refs"),
        ("neo3/DIV/not-raised", "neo3/tables/triples.json"),
        ("evm/JUMP/not-raised", "evm/tables/others.json"),
        ("neo3/PICKITEM/other-failure", "neo3/tables/failures.json"),
        ("minic89/DIV/other-failure", "minic89/tables/numbers.json"),
    ];
    for (name, path) in FAULTS {
        let mutants = judged(&[named(name)], &suite(&format!("vectors/{path}")), 0);
        assert_eq!(mutants.faults[0].outcome, FaultOutcome::Killed, "{name}");
    }
}

/// What no case can notice is not planted.
#[test]
fn faults_that_the_rows_rule_out_are_not_planted() {
    let all: Vec<_> = of_this_crate().flat_map(faults_of).map(|fault| fault.to_string()).collect();
    let has = |name: &str| all.iter().any(|known| known == name);
    // A push has no more bits than its operand, bytes have no sign, and nothing stands where it pushes.
    for (planted, ruled_out) in [
        ("evm/PUSH9/low-limb", "evm/PUSH8/low-limb"),
        ("evm/PUSH32/sign-lost", "evm/PUSH31/sign-lost"),
        ("neo2/PUSHBYTES9/low-limb", "neo2/PUSHBYTES8/low-limb"),
        ("neo3/PUSHINT8/sign-lost", "neo3/PUSHDATA1/sign-lost"),
        ("evm/SSTORE/one-less", "evm/MSTORE/one-less"),
        ("evm/SWAP1/forgotten", "evm/PC/forgotten"),
        ("neo3/ADD/not-raised", "tinyvm/ADD/not-raised"),
    ] {
        assert!(has(planted) && !has(ruled_out), "{planted}, {ruled_out}");
    }
}

/// The message of a fault is compared, and a trap of MiniC89 leaves its operands: what looks equivalent is noticed
/// there.
#[test]
fn faults_that_only_show_in_a_failure_are_noticed() {
    let folder = tempfile::TempDir::new().unwrap();
    let machine = by_name("neo3").unwrap();
    let path = folder.path().join("one.json");
    let file = path.to_str().unwrap();
    let check = |fault: PlantedFault| {
        let mutants = judged(&[fault], &suite(file), 0);
        assert_eq!(mutants.faults[0].outcome, FaultOutcome::Killed, "{fault}");
    };
    // Two strings that are too long for a number, by different lengths.
    let strings = format!("0c21{}0c22{}", "01".repeat(33), "01".repeat(34));
    let names = [
        "JMPEQ",
        "JMPEQ_L",
        "JMPNE",
        "JMPNE_L",
        "AND",
        "OR",
        "XOR",
        "ADD",
        "MUL",
        "NUMEQUAL",
        "NUMNOTEQUAL",
        "MIN",
        "MAX",
    ];
    for name in names {
        let op = machine.isa.by_name(name).unwrap();
        let script =
            format!("0x{strings}{:02x}{}", op.code, "04000000".get(..2 * operand_length(op)).unwrap());
        assert_eq!(vmconf(&["exec", "neo3", &script, "--vector", file, "--force"]).exit, 0, "{name}");
        check(PlantedFault::OfRow(RowFault { machine, op, kind: FaultKind::Swapped }));
    }
    let names = [
        "CALLA",
        "ASSERT",
        "DIV",
        "MOD",
        "MODMUL",
        "MODPOW",
        "UNPACK",
        "KEYS",
        "VALUES",
        "REVERSEITEMS",
        "CLEARITEMS",
        "POPITEM",
        "ABORTMSG",
    ];
    for name in names {
        let op = machine.isa.by_name(name).unwrap();
        let script = format!("0x{:02x}", op.code);
        assert_eq!(vmconf(&["exec", "neo3", &script, "--vector", file, "--force"]).exit, 0, "{name}");
        check(PlantedFault::OfRow(RowFault { machine, op, kind: FaultKind::TooFew }));
    }
    for (operand, op, code, details, fault) in [
        (
            "4660",
            r#""CALL_IND", "args": [0]"#,
            "TRAP_TYPE",
            r#""expected": "fun""#,
            "minic89/CALL_IND/a-low-byte",
        ),
        (
            "-2",
            r#""CALL_IND", "args": [0]"#,
            "TRAP_TYPE",
            r#""expected": "fun""#,
            "minic89/CALL_IND/a-sign-lost",
        ),
        (
            "-2",
            r#""JNZ", "args": [9]"#,
            "TRAP_BAD_JUMP",
            r#""target": 9, "code_len": 4"#,
            "minic89/JNZ/a-sign-lost",
        ),
    ] {
        let vector = format!(
            r#"{{"machine": "minic89", "program": {{"schema_version": "MiniC89.VM.Metadata.v0.2",
              "isa_version": "MiniC89.ISA.v0.1", "functions": [{{"fid": 1, "name": "one", "param_count": 0,
              "local_count": 0, "code": [{{"op": "PUSH_I16", "args": [{operand}]}}, {{"op": {op}}},
              {{"op": "PUSH_I16", "args": [0]}}, {{"op": "RET", "args": []}}]}}]}},
              "tests": [{{"name": "one", "expect": {{"status": "TRAPPED",
              "operand_stack": [{operand}], "trap": {{"code": "{code}", "details": {{{details}}}}}}}}}]}}"#
        );
        std::fs::write(&path, vector).unwrap();
        let ran = vmconf(&["run", file]);
        assert_eq!(ran.exit, 0, "{}", ran.stdout);
        check(named(fault));
    }
}

fn operand_length(op: &vmconf::isa::OpInfo) -> usize {
    op.operands.iter().map(|operand| operand.fixed_len()).sum()
}

/// A wrong entry of the list of faults that cannot be noticed is reported, and is no error of the user's vectors.
#[test]
fn wrong_entries_of_the_list_are_reported() {
    let all = faults_of(by_name("evm").unwrap());
    let mut mutants =
        judged(&[named("evm/ADD/swapped"), named("evm/LT/low-limb")], &suite("vectors/evm/arithmetic"), 0);
    let outcomes: Vec<_> = mutants.faults.iter().map(|fault| fault.outcome).collect();
    assert_eq!(outcomes, [FaultOutcome::Equivalent, FaultOutcome::NotPlanted]);
    assert_eq!((mutants.noticeable(), wrong_entries(&mutants, &all)), (0, Vec::new()));
    mutants.faults[0].outcome = FaultOutcome::Killed;
    mutants.faults[1].outcome = FaultOutcome::Survived;
    let wrong = wrong_entries(&mutants, &all);
    assert!(wrong.len() == 2 && wrong[0].contains("evm/ADD/swapped, which a case notices"), "{wrong:?}");
    assert!(wrong[1].contains("evm/LT/low-limb, which changes something"), "{wrong:?}");
}

/// A program that notices a fault passes without it and is a vector.
#[test]
fn a_survivor_gets_a_vector() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().to_str().unwrap();
    // No case of this file adds wide numbers to wide numbers.
    let args = ["mutants", "vectors/evm/arithmetic/mod.json", "--only", "evm/SUB", "--write", path];
    let ran = vmconf(&args);
    assert_eq!((ran.exit, &*ran.stderr), (0, ""));
    let ran = vmconf(&["run", path, "--no-config"]);
    assert_eq!((ran.exit, &*ran.stderr), (0, ""), "{}", ran.stdout);
    let killed = vmconf(&["mutants", path, "--only", "evm/SUB", "--min-score", "90"]);
    assert_eq!(killed.exit, 0, "{}", killed.stdout);
}

/// In each of these cases, a driver runs a testee.
#[test]
fn faults_under_a_driver_are_noticed() {
    let faults = ["tinyvm/LW/one-more", "tinyvm/LW/forgotten", "tinyvm/YIELD/a-one-more"];
    let suite = suite("vectors/tinyvm/driver/execute.json");
    let mutants = judged(&faults.map(named), &suite, 0);
    let outcomes: Vec<_> = mutants.faults.iter().map(|fault| fault.outcome).collect();
    assert_eq!(outcomes, [FaultOutcome::Killed; 3], "{}", table(&mutants));
}

/// Two loops of 210,000 instructions, and between them the only `ADD`, where a long run is not observed whole.
#[test]
fn what_only_the_middle_of_a_long_run_executes_is_seen() {
    const LOOP: &str = "62007530 5b 6001 9003 80 60xx 57 50";
    let at = |start: usize| LOOP.replace("xx", &format!("{:02x}", start + 4)).replace(' ', "");
    let first = at(0);
    let code = format!("0x{first}6001600201600055{}00", at(first.len() / 2 + 8));
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("long.json");
    let path = path.to_str().unwrap();
    let ran = vmconf(&["exec", "evm", &code, "--gas", "10000000", "--vector", path]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    let mutants = |arguments: &[&str]| {
        let only = ["--only", "evm/ADD/one-more", "--search", "0", "--output", "all"];
        vmconf(&[&["mutants", path], &only[..], arguments].concat()).stdout
    };
    let killed = mutants(&[]);
    assert!(killed.starts_with("killed "), "{killed}");
    let unknown = mutants(&["--max-work", "1000"]);
    assert!(unknown.contains("1 case not run, since --max-work allows too few instructions"), "{unknown}");
}

/// Only the gas tells that an instruction has another price.
#[test]
fn faults_in_ignored_fields_are_not_noticed() {
    let survivors = |arguments: &[&str]| {
        let price = ["--only", "evm/ADD/price-*", "--search", "0", "--output", "all"];
        let ran = vmconf(&[&["mutants", "vectors/evm/arithmetic/add.json"], &price[..], arguments].concat());
        ran.stdout.lines().filter(|line| line.starts_with("survived")).count()
    };
    assert_eq!(survivors(&[]), 0);
    assert_eq!(survivors(&["--ignore", "gas"]), 2);
}

#[test]
fn the_score_is_demanded_and_json_has_its_schema() {
    let args = ["mutants", "vectors/evm/arithmetic/add.json", "--only", "evm/ADD/", "--search", "0"];
    let ran = vmconf(&[&args[..], &["--min-score", "99.9"]].concat());
    assert_eq!((ran.exit, &*ran.stderr), (1, ""), "{}", ran.stdout);
    let json = vmconf(&[&args[..], &["--output", "json"]].concat()).stdout;
    Validator::named("mutants").assert_accepts(&serde_json::from_str(&json).unwrap(), "the faults");
}
