//! `vmconf exec`: programs without a vector.

use std::fs;

use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::validator::Validator;
use crate::support::{Ran, at_root, golden, vmconf};

/// A machine, its program and its inputs, and the line that says how it ends.
const PROGRAMS: &[(&str, &[&str], &str)] = &[
    ("evm", &["0x6003600401600055"], "success"),
    ("evm", &["60003560005500", "--gas", "100000", "--input", "0x2a"], "success"),
    ("evm", &["0x01"], "halt"),
    ("neo3", &["0x9e", "--stack", "40,2"], "HALT"),
    ("neo3", &["0x9e", "--stack", "-1,0x7fffffffffffffffff"], "HALT"),
    ("neo3", &["0x38"], "FAULT"),
    ("neo2", &["0x93", "--stack", "40,2"], "Halt"),
    ("neo2", &["0xf0"], "Fault"),
    ("ethereum", &["0x6003600401600055"], "executed"),
    ("ethereum", &["0xfe", "--fork", "Frontier", "--gas", "50000"], "executed"),
    ("ethereum", &["0x5f35ff", "--fork", "Shanghai", "--input", "0x0102"], "executed"),
    ("tinyvm", &["docs/examples/formats/sum.asm", "--input", "3,-4"], "yield"),
    ("minic89", &["docs/examples/exec/twice.json", "--input", "21"], "HALTED"),
    ("minic89", &["docs/examples/exec/twice.json", "--input", "20000"], "TRAPPED"),
];

/// The member of the state that says how the run ended.
fn end(state: &Json) -> &str {
    let ends = ["outcome", "state", "stop", "status"].map(|name| state[name]["text"].as_str());
    ends.into_iter().flatten().next().unwrap()
}

/// What `--vector` writes is a vector of the machine, which passes, also by the strict rules of its format.
#[test]
fn a_written_vector_passes() {
    let folder = TempDir::new().unwrap();
    for (number, (machine, args, ended)) in PROGRAMS.iter().enumerate() {
        let path = folder.path().join(format!("{number}.json"));
        let file = path.to_str().unwrap();
        let args = [&["exec", machine], *args, &["--output", "json", "--vector", file]].concat();
        let Ran { exit, stdout, stderr } = vmconf(&args);
        assert_eq!((exit, &*stderr), (0, ""), "{args:?}");
        let shown: Json = serde_json::from_str(&stdout).unwrap();
        Validator::named("exec").assert_accepts(&shown, machine);
        assert_eq!((shown["machine"].as_str(), end(&shown["state"])), (Some(*machine), *ended), "{args:?}");
        let run = vmconf(&["run", "--strict", file]);
        assert_eq!(run.exit, 0, "{args:?}\n{}\n{run:?}", fs::read_to_string(&path).unwrap());
        assert!(run.stdout.contains("1 passed"), "{run:?}");
    }
}

/// The expectation is that of the program: another program fails it.
#[test]
fn a_written_vector_expects_the_state() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("sum.json");
    let file = path.to_str().unwrap();
    assert_eq!(vmconf(&["exec", "neo3", "0x13149e", "--vector", file]).exit, 0);
    let text = fs::read_to_string(&path).unwrap();
    let vector: Json = serde_json::from_str(&text).unwrap();
    let result = &vector["tests"][0]["steps"][0]["result"];
    assert_eq!(result["resultStack"], serde_json::json!([{"type": "Integer", "value": 7}]));
    fs::write(&path, text.replace("0x13149e", "0x13159e")).unwrap();
    assert_eq!(vmconf(&["run", file]).exit, 1);
}

/// A byte order mark at the start of a file is no part of the program.
#[test]
fn a_byte_order_mark_is_passed_over() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("program");
    let file = path.to_str().unwrap();
    let twice = fs::read_to_string(at_root("docs/examples/exec/twice.json")).unwrap();
    let programs = [("evm", "PUSH1 3\n"), ("evm", "0x6003"), ("tinyvm", "yield\n"), ("minic89", &twice)];
    for (machine, text) in programs {
        let input = if machine == "minic89" { &["--input", "21"][..] } else { &[] };
        let shown = |text: &str| {
            fs::write(&path, text).unwrap();
            vmconf(&[&["exec", machine, file], input].concat())
        };
        let (plain, marked) = (shown(text), shown(&format!("\u{feff}{text}")));
        assert_eq!(
            (marked.exit, marked.stderr, marked.stdout),
            (0, String::new(), plain.stdout),
            "{machine}"
        );
    }
    fs::write(&path, "\u{feff}PUSHH\n").unwrap();
    let ran = vmconf(&["asm", "evm", file]);
    assert!(ran.exit == 3 && ran.stderr.contains("program:1:1: "), "{ran:?}");
    fs::write(&path, "\u{feff}{x").unwrap();
    let ran = vmconf(&["exec", "minic89", file]);
    assert!(ran.exit == 3 && ran.stderr.contains("program:1:2: "), "{ran:?}");
}

#[test]
fn what_a_machine_does_not_have_is_refused_by_name() {
    let check = |args: &str, exit: i32, says: &str| {
        let ran = vmconf(&args.split(' ').collect::<Vec<_>>());
        assert_eq!(ran.exit, exit, "{args}: {ran:?}");
        assert!(ran.stderr.contains(says), "{args}: {}", ran.stderr);
    };
    check("exec evm 0x00 --stack 1", 2, "--stack: evm takes --gas and --input");
    check("exec evm 0x00 --fork London", 2, "--fork: evm takes --gas and --input");
    check("exec ethereum 0x00 --fork Lodnon", 2, "\"Lodnon\" is not a fork that runs; did you mean London?");
    check("exec ethereum 0x00 --fork Verkle", 2, "\"Verkle\" is not a fork that runs");
    check("exec neo3 0x40 --gas 1", 2, "--gas: neo3 takes --stack");
    check("exec tinyvm 0x102A --gas 1", 2, "--gas: tinyvm takes --input");
    check(
        "exec evm 0x00 --gas 9223372036854775808",
        2,
        "--gas: gas is 9223372036854775808; expected at most 2^63-1",
    );
    check("exec evm 0x00 --input 0x12g", 2, "--input: \"0x12g\"");
    check("exec neo2 0x93 --input zz", 2, "--input: \"zz\"");
    check("exec tinyvm 0x102A --input 1,x", 2, "--input: register \"x\"");
    check("exec minic89 docs/examples/exec/twice.json", 2, "--input: 0 arguments for function 1; expected 1");
    check("exec minic89 docs/examples/exec/twice.json --input 1,2", 2, "--input: 2 arguments");
    check("exec neo3 0x40 --stack 1,x", 2, "\"x\" is not an integer");
    check("exec neo3 0x40 --stack 0x-2a", 2, "\"0x-2a\" is not an integer");
    check("exec neo3 0x40 --stack 1_000", 2, "\"1_000\" is not an integer");
    check("exec evm nowhere.asm", 2, "nowhere.asm");
    check("exec evm 0x5b600056 --max-steps 100 --gas 1000000000", 3, "100");
    check("exec evm docs/examples/transfer.json", 3, "transfer.json:1:1: ");
}

#[test]
fn a_number_on_the_stack_may_be_negative_in_hex() {
    let stack = |number: &str| vmconf(&["exec", "neo3", "0x40", "--stack", number]);
    let (hex, decimal) = (stack("-0x2a"), stack("-42"));
    assert!(hex.exit == 0 && hex.stdout.contains("-42"), "{hex:?}");
    assert_eq!(hex.stdout, decimal.stdout);
}

/// What is neither bytes nor a file: the place of the first character that is wrong, and what bytes look like.
#[test]
fn what_is_neither_bytes_nor_a_file_is_explained() {
    let mut told = String::new();
    for args in [
        ["evm", "0x600"],
        ["evm", "6003zz"],
        ["neo3", "PUSH1"],
        ["tinyvm", "0x10 2A é"],
        ["evm", "program.asm"],
        ["evm", "@6003"],
        ["minic89", "600"],
    ] {
        let ran = vmconf(&["exec", args[0], args[1]]);
        assert_eq!((ran.exit, ran.stdout.as_str()), (2, ""), "{args:?}");
        told += &ran.stderr;
    }
    golden::file("exec-misspelled", &told);
}

/// The gas of a transaction: 21000, and by EIP-2929 22100 for a word of storage that is cold and was zero, besides
/// three gas for each of four instructions; in Frontier 20000 for the word.
#[test]
fn a_transaction_pays_by_its_fork() {
    for (fork, gas) in [("Berlin", 43_112), ("Osaka", 43_112), ("Frontier", 41_012)] {
        let ran = vmconf(&["exec", "ethereum", "0x6003600401600055", "--fork", fork]);
        assert!(ran.stdout.starts_with(&format!("success, {gas} gas used\n")), "{fork}: {ran:?}");
        assert!(ran.stdout.contains(&format!("\n  fork: \"{fork}\"\n")), "{fork}: {ran:?}");
    }
}

/// All that is wrong with a program that is a document, each with its place in the file.
#[test]
fn a_wrong_document_is_explained() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("wrong.json");
    let text = fs::read_to_string(at_root("docs/examples/exec/twice.json")).unwrap();
    let wrong = text.replace("\"DUP\"", "5").replace("\"param_count\": 1", "\"param_count\": -1");
    fs::write(&path, &wrong).unwrap();
    let ran = vmconf(&["exec", "minic89", path.to_str().unwrap(), "--input", "1"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (3, ""), "{ran:?}");
    for part in ["\"op\": 5", "-1"] {
        let line = 1 + wrong.lines().position(|line| line.contains(part)).unwrap();
        let place = format!("wrong.json:{line}:");
        assert!(ran.stderr.lines().any(|it| it.contains(&place)), "{part}: {}", ran.stderr);
    }
}
