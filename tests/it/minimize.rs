//! `vmconf minimize`: what is left of a failing case is small, valid, and fails for the same reason.

#![allow(clippy::print_stdout, reason = "sizes are worth to know")]

#[cfg(unix)]
use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use tempfile::TempDir;

use crate::random::{self, Random};
use crate::support::{at_root, golden, sources_of, vmconf};
use vmconf::explain::explain;
use vmconf::formats::{FormatOptions, Strictness};
use vmconf::hunt::minimize::{KeptFailure, MinimizeOptions, MinimizedCase, SearchEnd, minimize, options_of};
use vmconf::machines::of_this_crate;
use vmconf::model::limits::Limits;
use vmconf::model::{Verdict, VerdictKind};
use vmconf::prove::mutants::fault::{RowFault, row_faults_of};
use vmconf::prove::mutants::faulty::Faulty;
use vmconf::run::sources::{SourceOrigin, VectorSource};
use vmconf::run::{self, FileOptions, LoadOptions, Worker};
use vmconf::testees::MakeTestee;

const SEED: u64 = 7919;

/// Faults of each machine.
const FAULTS: usize = 3;

/// The number of instructions that are executed of a case.
const MAX_STEPS: u64 = 20_000;

const HOW: MinimizeOptions = MinimizeOptions {
    keep: KeptFailure::Cause,
    max_tries: 20_000,
    max_bytes: usize::MAX,
    deadline: None,
    keeps: None,
};

fn options() -> LoadOptions {
    let limits = Limits { steps: MAX_STEPS, ..Limits::default() };
    LoadOptions { file: FileOptions { limits, ..FileOptions::default() }, ..LoadOptions::default() }
}

fn faulty(fault: RowFault) -> MakeTestee {
    let testee = move |_: &_, limits: &_| Box::new(Faulty::new(fault, limits, Arc::default())) as Box<_>;
    MakeTestee::new(format!("{fault:?}"), testee)
}

/// The fixed size of a case that was made small.
struct Small {
    fault: String,
    instructions: usize,
    lines: usize,
    tries: usize,
}

/// A case of the own vectors that fails with the fault, made small and checked; `None` if no case notices it.
fn minimized(fault: RowFault, sources: &[VectorSource], random: &mut Random) -> Option<Small> {
    let options = options();
    let start = random.below(sources.len());
    for source in sources[start..].iter().chain(&sources[..start]) {
        let subject = options_of(&options, source, faulty(fault));
        let reference = options_of(&options, source, MakeTestee::default());
        let loaded = run::open(source, &options);
        let mut worker = Worker::new(&subject.run);
        let mut fails = |case: &usize| matches!(worker.run_case(&loaded, *case).verdict, Verdict::Fail(_));
        let Some(case) = (0..loaded.cases()).find(|case| fails(case)) else { continue };
        // A case that the limit on instructions ends on the healthy machine is no case to shorten.
        let healthy = Worker::new(&reference.run).run_case(&loaded, case).verdict;
        if matches!(&healthy, Verdict::Error(_)) {
            continue;
        }
        assert_eq!(healthy, Verdict::Pass, "{fault}");
        let small = minimize((&loaded, case), source, &subject, Some(&reference), HOW);
        let small =
            small.unwrap_or_else(|error| panic!("{fault}: {}: {error}", loaded.case(case).unwrap().id));
        let what = format!("{fault}\n{}", small.text);
        assert!(small.text.len() <= loaded.text().len(), "{what}");
        let one =
            run::open_text(&VectorSource { only: None, ..source.clone() }, small.text.clone(), &options);
        assert_eq!((one.cases(), one.errors()), (1, &[][..]), "{what}");
        // The own vectors break no rule of their formats, and neither does what is left of one.
        let read = FormatOptions { strictness: Strictness::Strict, ..options.file.read };
        let strict = LoadOptions { file: FileOptions { read, ..options.file.clone() }, ..options.clone() };
        let one_strictly = run::open_text(source, small.text.clone(), &strict);
        assert_eq!(one_strictly.errors(), [], "{what}");
        for file in [&one, &one_strictly] {
            let healthy = Worker::new(&reference.run).run_case(file, 0);
            assert_eq!(healthy.verdict, Verdict::Pass, "{what}");
        }
        assert_eq!(cause(&subject, &one, 0), cause(&subject, &loaded, case), "{what}");
        return Some(Small {
            fault: fault.to_string(),
            instructions: executed(&one, &reference),
            lines: small.after.lines,
            tries: small.tries,
        });
    }
    None
}

/// What differs in a case that fails, and the instruction that is named: one that did not do what its row says, or one
/// that made a wrong value.
fn cause(options: &LoadOptions, file: &run::LoadedFile<'_>, case: usize) -> (String, Option<&'static str>) {
    let explained = explain(&mut Worker::new(&options.run), file, case, 0);
    assert_eq!(explained.report.verdict.kind(), VerdictKind::Fail, "{}", explained.report.id);
    let deviating = explained.row_deviation.and_then(|it| it.by.op);
    let blamed = || explained.blames.iter().find_map(|answer| answer.blame()?.by.op);
    (explained.report.signature().unwrap(), deviating.or_else(blamed))
}

/// How many instructions the only case of a file executes.
fn executed(file: &run::LoadedFile<'_>, options: &LoadOptions) -> usize {
    let mut counter = vmconf::explain::blame::Counter::default();
    Worker::new(&options.run).watch_case(file, 0, &mut counter);
    usize::try_from(*counter.ends.last().expect("a step")).unwrap()
}

/// A case that notices a fault of an instruction becomes one of a few instructions that notices it, and nothing else
/// is wrong with it.
#[test]
fn failing_cases_become_small() {
    let mut random = Random::new(random::number("VMCONF_SEED", SEED));
    let mut all = Vec::new();
    for machine in of_this_crate() {
        let sources: Vec<_> = sources_of(format!("vectors/{}", machine.name)).iter().collect();
        let mut faults = row_faults_of(machine);
        let mut found = 0;
        while found < FAULTS {
            let fault = faults.swap_remove(random.below(faults.len()));
            if let Some(small) = minimized(fault, &sources, &mut random) {
                println!(
                    "{}: {} executed, {} lines, {} tried",
                    small.fault, small.instructions, small.lines, small.tries
                );
                all.push(small);
                found += 1;
            }
        }
    }
    all.sort_by_key(|small| small.instructions);
    let median = all[all.len() / 2].instructions;
    println!("median {median} instructions");
    assert!(median <= 10, "median {median} instructions");
}

/// The only case of a vector made small, on a machine with this fault.
fn small(fault: &str, vector: &str, how: MinimizeOptions<'_>) -> MinimizedCase {
    let source = VectorSource::new("large.json".into(), "large.json".into(), SourceOrigin::Stream);
    let mut faults = of_this_crate().flat_map(row_faults_of);
    let fault = faults.find(|it| it.to_string() == fault).unwrap();
    let options = options();
    let subject = options_of(&options, &source, faulty(fault));
    let reference = options_of(&options, &source, MakeTestee::default());
    let file = run::open_text(&source, vector.to_owned(), &options);
    minimize((&file, 0), &source, &subject, Some(&reference), how).unwrap()
}

/// A value is wrong on Neo 2.x after two arrays that fill the stack, and one value too many ends the program: the
/// vector demands all of them, and the smaller one needs none.
#[test]
fn an_irrelevant_full_stack_is_removed() {
    let falses = |count| vec![serde_json::json!({"type": "Boolean", "value": false}); count];
    let array = |count| serde_json::json!({"type": "Array", "value": falses(count)});
    let one = serde_json::json!({"type": "Integer", "value": 1});
    let bytes = serde_json::json!({"type": "ByteArray", "value": "0x"});
    let frame = serde_json::json!({
        "instructionPointer": 15, "altStack": [array(1_020), array(1_024)], "evaluationStack": [one, one, bytes],
    });
    let result = serde_json::json!({"state": "Fault", "invocationStack": [frame]});
    let step = serde_json::json!({"actions": ["Execute"], "result": result});
    // PUSHBYTES2 1024 NEWARRAY TOALTSTACK, the same with 1020, PUSH0, PUSH1, NOT, CAT, PUSH1, PUSH1.
    let script = "0x020004c56b02fc03c56b0051917e5151";
    let vector =
        serde_json::json!({"tests": [{"name": "full", "script": script, "steps": [step]}]}).to_string();
    let fault = "neo2/CAT/a-zero-as-one";
    let how = MinimizeOptions { keep: KeptFailure::Instruction, ..HOW };
    let whole = small(fault, &vector, how);
    assert!(whole.end == SearchEnd::Minimal && whole.tries < 500 && whole.text.len() < 500, "{whole:?}");
    let limited = MinimizeOptions { max_bytes: 1, ..how };
    let left = small(fault, &vector, limited);
    assert_eq!((left.end, left.tries), (SearchEnd::Bytes, 1));
}

/// Every text of hex digits may be a program. To list them all for each of them, before anything is tried, takes
/// minutes.
#[test]
fn many_short_programs_are_listed_once() {
    let texts: Vec<_> = (0..100_000).map(|number| format!("0x{number:08x}")).collect();
    let bytes = serde_json::json!({"type": "ByteArray", "value": "0x"});
    let result = serde_json::json!({"state": "Halt", "resultStack": [bytes]});
    let step = serde_json::json!({"actions": ["Execute"], "result": result});
    // PUSH0, PUSH1, NOT, CAT.
    let test = serde_json::json!({"name": "a", "script": "0x0051917e", "note": texts, "steps": [step]});
    let vector = serde_json::json!({"tests": [test]}).to_string();
    let left = small("neo2/CAT/a-zero-as-one", &vector, MinimizeOptions { max_tries: 1, ..HOW });
    assert_eq!((left.end, left.tries), (SearchEnd::Tries, 1));
}

/// Registers of TinyVM get numbers, and some instructions use them, of which only the last one matters: `SW` stores
/// one.
#[test]
fn irrelevant_words_are_removed() {
    let words = "3c01 4c40 3e01 4e40 80ce 3f08 4f00 3aff 4a7f 20fa 3ed6 4e73 be13 102a";
    let test =
        serde_json::json!({"name": "a", "instructions": words, "expect": {"data": {"0x0008": 32_767}}});
    let vector = serde_json::json!({"machine": "tinyvm", "tests": [test]}).to_string();
    let small = small("tinyvm/SW/a-one-more", &vector, HOW);
    let document: serde_json::Value = serde_json::from_str(&small.text).unwrap();
    let left = document["tests"][0]["instructions"].as_str().unwrap();
    // A number for the register, the instruction, and the word that ends the program.
    assert!(small.end == SearchEnd::Minimal && left.split(' ').count() <= 3, "{}", small.text);
}

/// What is left of cases that demand something wrong: the wrong datum, as it was demanded.
#[test]
fn cases_with_wrong_demands_become_small() {
    let small = |path: &str| {
        let ran = vmconf(&["minimize", path]);
        assert_eq!(ran.exit, 0, "{path}: {}", ran.stderr);
        format!("$ vmconf minimize {path}\n{}{}", ran.stdout, ran.stderr)
    };
    let paths = ["vmtests/wrong/storage-value.json", "neovm-n3/wrong", "minic89/wrong", "tinyvm/wrong"];
    let texts: Vec<_> = paths.iter().map(|path| small(&format!("tests/samples/{path}"))).collect();
    golden::file("minimize-wrong", &texts.join("\n"));
}

/// With `--keep verdict`, what differs may change, so that less of the case is left.
#[test]
fn a_case_that_keeps_its_verdict_becomes_smaller() {
    let small = |more: &[&str]| {
        let ran = vmconf(&[&["minimize", "tests/samples/vmtests/wrong/halt-expected.json"], more].concat());
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        ran.stdout
    };
    let (cause, verdict) = (small(&[]), small(&["--keep", "verdict"]));
    assert!(verdict.len() < cause.len(), "{cause}{verdict}");
    assert_eq!(small(&["--keep", "cause"]), cause);
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("small.json");
    fs::write(&path, verdict).unwrap();
    let ran = vmconf(&["run", "--quiet", path.to_str().unwrap()]);
    assert!(ran.exit == 1 && ran.stdout.starts_with("0 passed, 1 failed, 0 errors"), "{ran:?}");
}

/// The instruction writes what its register had before. Without the instruction, the register has the same wrong value
/// from the start, which is another cause.
#[test]
fn an_instruction_that_changes_nothing_stays_the_cause() {
    let folder = TempDir::new().unwrap();
    let [large, out] = ["large.json", "small.json"].map(|name| folder.path().join(name));
    let vector = serde_json::json!({"machine": "tinyvm", "tests": [{
        "name": "and",
        "instructions": "6800 6811 6822 102A",
        "registers": [1, 2, 3],
        "expect": {"stop": "yield", "registers": {"r0": 1, "r1": 7, "r2": 3}},
    }]});
    fs::write(&large, vector.to_string()).unwrap();
    let [large, out] = [&large, &out].map(|path| path.to_str().unwrap());
    let ran = vmconf(&["minimize", large, "--out", out]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let explained = vmconf(&["diff", out]).stdout;
    let first = explained.lines().find(|line| line.contains("made by")).unwrap_or_default();
    assert!(first.contains("and r1 r1"), "{explained}");
}

/// A pair of TinyVM has no place for a demand, and demands that its driver passes: the other pairs go.
#[test]
fn one_pair_of_many_is_left() {
    const PAIRS: &str =
        r#"[["double", "check-double"], ["same", "check-double"], ["double", "check-double"]]"#;
    let folder = TempDir::new().unwrap();
    let example = at_root("docs/examples/formats/testcases");
    fs::create_dir(folder.path().join("tests")).unwrap();
    for name in ["double.asm", "tests/check-double.asm"] {
        fs::copy(example.join(name), folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("same.asm"), "yield\n").unwrap();
    let list = folder.path().join("tests/testcases.json");
    fs::write(&list, PAIRS).unwrap();
    let ran = vmconf(&["minimize", list.to_str().unwrap()]);
    assert_eq!((ran.exit, ran.stdout.trim_end()), (0, r#"[["same", "check-double"]]"#), "{}", ran.stderr);
}

/// Of a case on which the only machine crashes, what does not matter for the crash goes.
#[test]
fn crashes_of_a_family_become_small() {
    const HELLO: &str = r#"{"type":"hello","version":1,"name":"dies","release":"1","machines":[{"machine":"pvm","actions":["execute"],"fields":["status","pc","regs","gas","memory","page-fault-address"]}]}"#;
    let folder = TempDir::new().unwrap();
    let script = folder.path().join("dies.sh");
    fs::write(&script, format!("read -r line; printf '%s\\n' '{HELLO}'; read -r line; exit 1\n")).unwrap();
    let vm = format!("dies=sh {}", script.display());
    let out = folder.path().join("small.json");
    let family = at_root("families/vectors/pvm");
    let [family, out] = [family.to_str().unwrap(), out.to_str().unwrap()];
    let ran = vmconf(&["minimize", family, "--vm", &vm, "--out", out]);
    assert!(ran.exit == 0 && ran.stderr.contains("no other machine says what is right"), "{ran:?}");
    let small = vmconf(&["run", out, "--family", "pvm", "--vm", &vm]);
    assert!(small.stdout.contains("0 passed, 0 failed, 1 crashed"), "{small:?}");
    assert!(fs::read_to_string(out).unwrap().len() < 400, "{}", fs::read_to_string(out).unwrap());
}

/// A limit ends the case on the embedded machine, so that nothing is known about what the vector should demand.
#[test]
fn a_limit_of_the_embedded_machine_is_said() {
    const HELLO: &str = r#"{"type":"hello","version":1,"name":"dies","release":"1","machines":[{"machine":"evm","actions":["execute"],"fields":["outcome"]}]}"#;
    let folder = TempDir::new().unwrap();
    let script = folder.path().join("dies.sh");
    fs::write(&script, format!("read -r line; printf '%s\\n' '{HELLO}'; read -r line; exit 1\n")).unwrap();
    let vm = format!("dies=sh {}", script.display());
    let endless = "tests/samples/vmtests/limits/endless.json";
    let ran = vmconf(&["minimize", endless, "--vm", &vm, "--max-steps", "1000"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (2, ""), "{ran:?}");
    let why = "the embedded machine does not say what to demand of the case: ";
    assert!(ran.stderr.contains(why) && ran.stderr.contains("--max-steps 1000"), "{}", ran.stderr);
}

#[test]
fn cases_that_cannot_become_small_are_left_alone() {
    let passes = vmconf(&["minimize", "vectors/evm/arithmetic/add.json"]);
    assert_eq!((passes.exit, passes.stdout.as_str()), (4, ""));
    assert!(passes.stderr.contains("no selected case fails"), "{}", passes.stderr);
    let few = vmconf(&["minimize", "tests/samples/vmtests/wrong/gas.json", "--tries", "3"]);
    assert!(few.exit == 0 && few.stderr.contains("3 changes tried; --tries allows more"), "{}", few.stderr);
}

/// Of a machine that gives a wrong result for the program of the vector, and no answer in time for another one.
#[cfg(unix)]
#[test]
fn a_search_ends_after_20_time_outs() {
    // PUSH1 3, PUSH1 4, ADD, PUSH1 0, SSTORE; 30 times PUSH1 1, POP.
    let code = format!("6003600401600055{}", "600150".repeat(30));
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [vector, out, hung] = ["large.json", "small.json", "hung"].map(path);
    assert_eq!(vmconf(&["exec", "evm", &format!("0x{code}"), "--vector", &vector]).exit, 0);
    let script = format!(
        "while read -r line; do case $line in *{code}*|*'\"hello\"'*) printf '%s\\n' \"$line\" ;;\n\
         *) printf '%s\\n' \"${{line#*machine}}\" >> '{hung}'; exec sleep 1000 ;; esac; done | '{}' serve evm | sed -u 's/\"0x7\"/\"0x8\"/'\n",
        env!("CARGO_BIN_EXE_vmconf")
    );
    fs::write(path("hangs.sh"), script).unwrap();
    let vm = format!("hangs=sh {}", path("hangs.sh"));
    let ran = vmconf(&["minimize", &vector, "--vm", &vm, "--timeout", "100ms", "--out", &out]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    // A program may be asked for again, to see whether a fresh process answers in time.
    let hung = fs::read_to_string(hung).unwrap();
    assert_eq!(hung.lines().collect::<BTreeSet<_>>().len(), 20, "{ran:?}");
    assert!(ran.stderr.contains("tried; stopped after 20 time-outs\n"), "{}", ran.stderr);
    assert!(fs::read_to_string(out).unwrap().contains(&code));
}

/// Steps before the one that fails go, although its number changes.
#[test]
fn steps_that_are_not_needed_are_removed() {
    let stop = |at: u8, next: &str| {
        format!(
            r#"{{"actions": ["StepInto"], "result": {{"state": "BREAK", "invocationStack": [{{"instructionPointer": {at}, "nextInstruction": "{next}"}}]}}}}"#
        )
    };
    let steps = [stop(1, "PUSH4"), stop(2, "ADD")].join(", ");
    let end = r#"{"actions": ["Execute"], "result": {"state": "HALT", "resultStack": [{"type": "Integer", "value": 8}]}}"#;
    let test = format!(r#"{{"name": "t", "script": ["PUSH3", "PUSH4", "ADD"], "steps": [{steps}, {end}]}}"#);
    let text = format!(r#"{{"category": "c", "name": "n", "machine": "neo3", "tests": [{test}]}}"#);
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("three.json");
    fs::write(&path, text).unwrap();
    let small = vmconf(&["minimize", path.to_str().unwrap()]);
    assert!(small.exit == 0 && !small.stdout.contains("StepInto"), "{small:?}");
    assert!(small.stdout.contains("\"value\": 8"), "{small:?}");
}

/// Another fault of the same instruction is another cause: a smaller program fails for the same reason.
#[test]
fn the_reason_of_a_fault_is_kept() {
    const FAULTY: &str = r#"{"category": "x", "name": "x", "tests": [{"name": "x", "script": [SCRIPT], "steps": [
        {"actions": ["Execute"], "result": {"state": "HALT", "resultStack": [{"type": "Integer", "value": 8}]}}]}]}"#;
    let cases = [
        (r#""PUSH5", "PUSH3", "ADD", "PUSH0", "DIV""#, "Attempted to divide by zero."),
        (r#""PUSH5", "PUSH4", "PUSH2", "PACK", "PUSH9", "PICKITEM""#, "The index of VMArray is out of range"),
    ];
    for (script, reason) in cases {
        let folder = TempDir::new().unwrap();
        let (large, small) = (folder.path().join("x.json"), folder.path().join("small.json"));
        fs::write(&large, FAULTY.replace("SCRIPT", script)).unwrap();
        let paths = [&large, &small].map(|path| path.to_str().unwrap().to_owned());
        let minimized = vmconf(&["minimize", &paths[0], "--out", &paths[1]]);
        assert_eq!(minimized.exit, 0, "{minimized:?}");
        let ran = vmconf(&["run", &paths[1]]);
        assert!(ran.exit == 1 && ran.stdout.contains(reason), "{ran:?}");
        assert!(fs::read_to_string(&small).unwrap().len() < FAULTY.len() + script.len());
    }
}
