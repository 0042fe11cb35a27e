//! Six tasks of debugging, with the keys that they take. The table in the book has the same numbers.

use std::fs;

use serde_json::{Value as Json, json};

use super::truth::{Vector, neo3_steps, vector};
use super::writes::{one_wrong_addition, wrong_step};
use super::{Explorer, explorer, press, screen_of};
use crate::support::at_root;

/// Presses the keys from where the explorer opens, and returns the screen and the instruction that is next.
fn solved(task: &str, id: &str, keys: &str) -> (Explorer, String, String) {
    let page = fs::read_to_string(at_root("docs/src/explore.md")).unwrap();
    let row = page.lines().find(|line| line.starts_with(&format!("| {task} |")));
    let row = row.unwrap_or_else(|| panic!("no row {task:?}"));
    let count = row.split('|').nth(2).unwrap().split(',').next().unwrap().trim();
    assert_eq!(count, keys.chars().count().to_string(), "{row}");
    let mut explorer = explorer(id);
    press(&mut explorer, keys);
    let instruction = explorer.recording().machine().instruction();
    let screen = screen_of(&mut explorer, 80, 24);
    (explorer, screen, instruction)
}

fn execute(script: &Json, result: &Json) -> Vector {
    neo3_steps(script, &json!([{ "actions": ["execute"], "result": result }]))
}

#[test]
fn a_wrong_register_under_the_driver() {
    // The driver lets the testee run, and writes that one test passes.
    let driver = [
        "lw r0, 1",
        "yield",
        "lw r8, 0",
        "lw r9, 1",
        "sw r8, r9",
        "incr r8",
        "lw r9, 0x650D",
        "sw r8, r9",
        "incr r8",
        "lw r9, 0x4585",
        "sw r8, r9",
        "lw r0, 2",
        "lw r1, 1",
        "yield",
    ];
    let expect = json!({ "outcome": "completed", "testee": { "registers": { "r3": 41 } } });
    let test = json!({ "name": "it", "driver": driver, "testee": ["lw r3, 42", "yield"], "expect": expect });
    let vector = vector(&json!({ "machine": "tinyvm", "tests": [test] }));
    let (_, screen, instruction) = solved("a wrong register under the driver", &vector.path, "p");
    assert!(instruction.ends_with("lw r3, 42"), "{instruction}: {screen}");
}

#[test]
fn one_wrong_addition_among_76_807_steps() {
    let vector = one_wrong_addition();
    let (explorer, _, _) = solved("one wrong addition among 76,807 steps", &vector.path, "0c1\n");
    assert_eq!(explorer.recording().steps(), 76_807);
    assert_eq!(explorer.recording().now().step(), wrong_step(&explorer));
}

/// The instruction, and its operands as it counts them: the index, and the compound that has no such item.
#[test]
fn an_n3_compound_that_faults() {
    let vector =
        execute(&json!(["PUSH2", "NEWARRAY", "PUSH2", "PICKITEM", "RET"]), &json!({ "state": "HALT" }));
    let (_, screen, instruction) = solved("an N3 compound that faults", &vector.path, "p");
    assert_eq!(instruction, "PICKITEM", "{screen}");
    assert!(screen.contains("[0]: Integer 2") && screen.contains("[1]: Array #0 (2)"), "{screen}");
}

/// The write went through another reference to the same array, and the screen says so.
#[test]
fn aliases_and_a_cycle() {
    let array = |item: u64| json!({ "type": "Array", "value": [{ "type": "Integer", "value": item }] });
    let vector = execute(
        &json!(["PUSH1", "NEWARRAY", "DUP", "DUP", "PUSH0", "PUSH5", "SETITEM", "RET"]),
        &json!({ "state": "HALT", "resultStack": [array(5), array(4)] }),
    );
    let (_, screen, instruction) = solved("aliases and a cycle", &vector.path, "p");
    assert_eq!(instruction, "SETITEM", "{screen}");
    assert_eq!(screen.matches("Array #0 (1), same as").count(), 2, "{screen}");
    // The array is appended to itself.
    let inner = json!({ "type": "Array", "value": [{ "type": "Array", "value": [] }] });
    let vector = execute(
        &json!(["NEWARRAY0", "DUP", "DUP", "APPEND", "RET"]),
        &json!({ "state": "HALT", "resultStack": [inner] }),
    );
    let (_, screen, instruction) = solved("aliases and a cycle", &vector.path, "p");
    assert_eq!(instruction, "APPEND", "{screen}");
    assert_eq!(screen.matches("Array #0 (0)").count(), 3, "{screen}");
}

/// f(n) divides 100 by n before it calls itself with n - 1.
#[test]
fn a_minic89_trap_under_recursion() {
    let code = |lines: &str| -> Vec<Json> {
        let line = |line: &str| {
            let (op, argument) = line.split_once(' ').unwrap_or((line, ""));
            json!({ "op": op, "args": argument.parse::<i64>().into_iter().collect::<Vec<_>>() })
        };
        lines.split("; ").map(line).collect()
    };
    let f = "PUSH_I16 100; LOAD_LOCAL 0; DIV; LOAD_LOCAL 0; PUSH_I16 1; SUB; CALL_DIRECT 1; ADD; RET";
    let program = json!({ "schema_version": "MiniC89.VM.Metadata.v0.2", "isa_version": "MiniC89.ISA.v0.1", "functions": [
        { "fid": 1, "name": "f", "param_count": 1, "local_count": 1, "code": code(f),
          "locals": [{ "slot": 0, "name": "n", "kind": "param" }] },
        { "fid": 2, "name": "main", "param_count": 0, "local_count": 0,
          "code": code("PUSH_I16 3; CALL_DIRECT 1; RET") },
    ] });
    let test = json!({ "name": "it", "expect": { "halt": { "result": 1 } } });
    let vector = vector(&json!({ "machine": "minic89", "program": program, "tests": [test] }));
    let (_, screen, instruction) = solved("a MiniC89 trap under recursion", &vector.path, "p");
    assert_eq!(instruction, "DIV", "{screen}");
    // main, and f with 3, 2, 1 and 0.
    assert!(screen.contains("4 f: returns to f+7") && screen.contains("n: 0"), "{screen}");
}

/// The word that is wrong is selected, and the tree of calls says which one failed and why.
#[test]
fn a_state_test_with_a_failing_inner_call() {
    let id = "tests/samples/statetest/wrong/storage-after-failed-call.json";
    let opened = screen_of(&mut explorer(id), 80, 40);
    assert!(opened.contains("2 CALL: reverted, \"no funds\""), "{opened}");
    let (_, screen, instruction) = solved("a state test with a failing inner call", id, "p");
    assert_eq!(instruction, "SSTORE", "{screen}");
}
