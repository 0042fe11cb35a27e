//! NeoVM: which compounds are the same one, cycles, the try stack, and how the stack is numbered.

use serde_json::json;

use super::truth::{neo3, panes, vector};
use super::{Explorer, explorer, press};

/// The rows of the state, without marks, from one that starts with `from` on.
fn rows(explorer: &mut Explorer, from: &str) -> Vec<String> {
    let rows = panes(explorer).1.into_iter().map(|row| row.trim_matches(['▏', '*', '~', ' ']).to_owned());
    rows.skip_while(|row| !row.starts_with(from)).take_while(|row| !row.is_empty()).collect()
}

fn at(explorer: &mut Explorer, step: u64) -> Vec<String> {
    explorer.go_to_step(step);
    rows(explorer, "stack")
}

#[test]
fn aliases_and_cycles_are_named() {
    // The same array three times; then it is appended to itself; then there is another one.
    let vector = neo3(&json!(["NEWARRAY0", "DUP", "DUP", "DUP", "APPEND", "NEWARRAY0", "ABORT"]));
    let mut explorer = explorer(&vector.path);
    let same = "same as stack [2] from the bottom";
    assert_eq!(
        at(&mut explorer, 3)[..4],
        [
            "stack, top first".to_owned(),
            "[0]: Array #0 (0)".to_owned(),
            format!("[1]: Array #0 (0), {same}"),
            format!("[2]: Array #0 (0), {same}"),
        ]
    );
    assert_eq!(
        at(&mut explorer, 6)[..6],
        [
            "stack, top first",
            "[0]: Array #1 (0)",
            "[1]: Array #0 (1)",
            "[0]: Array #0 contains itself",
            "[2]: Array #0 (1), same as stack [1] from the bottom",
            "[0]: Array #0 contains itself",
        ]
    );
    // PUSH0, NEWARRAY, DUP of the other NeoVM
    let test = json!({ "name": "it", "script": "0x00c576", "steps": [
        { "actions": ["Execute"], "result": { "state": "Fault" } }] });
    let vector = super::truth::vector(&json!({ "category": "it", "name": "it", "tests": [test] }));
    let mut explorer = super::explorer(&vector.path);
    assert_eq!(
        at(&mut explorer, 3)[1..3],
        ["[0]: Array #0 (0)", "[1]: Array #0 (0), same as stack [1] from the bottom"]
    );
}

/// As ROLL and PICK count, and on request from the bottom.
#[test]
fn the_stack_is_numbered_from_the_top() {
    let vector = neo3(&json!(["PUSH1", "PUSH2", "ABORT"]));
    let mut explorer = explorer(&vector.path);
    assert_eq!(at(&mut explorer, 2)[..3], ["stack, top first", "[0]: Integer 2", "[1]: Integer 1"]);
    press(&mut explorer, "i");
    let expected = ["stack, top first; [0] is the bottom one", "[1]: Integer 2", "[0]: Integer 1"];
    assert_eq!(rows(&mut explorer, "stack")[..3], expected);
    press(&mut explorer, "i");
    assert_eq!(rows(&mut explorer, "stack")[1], "[0]: Integer 2");
}

/// TRY without a catch block and with a finally block at 5, PUSH7, THROW, PUSH1, ENDFINALLY.
#[test]
fn the_try_stack_and_the_pending_exception_are_shown() {
    let vector = neo3(&json!(["TRY", "0x0005", "PUSH7", "THROW", "PUSH1", "ENDFINALLY"]));
    let mut explorer = explorer(&vector.path);
    let mut shown = |step: u64| {
        explorer.go_to_step(step);
        let rows = panes(&mut explorer).1.into_iter();
        let rows = rows.filter(|row| row.contains("try 0 of") || row.contains("pending"));
        rows.map(|row| row.trim_start_matches(['▏', ' ']).trim().to_owned()).collect::<Vec<_>>()
    };
    let entered = "try 0 of frame 0: in the try block; finally 0005";
    let finally = "try 0 of frame 0: in the finally block; finally 0005";
    assert_eq!(shown(0), [""; 0]);
    assert_eq!(shown(1), [format!("* {entered}")]);
    assert_eq!(shown(2), [entered]);
    assert_eq!(shown(3), ["* pending exception: Integer 7".to_owned(), format!("* {finally}")]);
    assert_eq!(shown(4), ["pending exception: Integer 7", finally]);
    // Nothing catches it: the record is taken, and no try statement is left.
    assert!(shown(5).iter().all(|row| !row.contains("try 0")));
}

/// What a vector demands is beside what there is: also where it holds, and also before the end.
#[test]
fn demands_are_beside_the_values() {
    let result = json!({ "state": "HALT", "resultStack": [
        { "type": "Integer", "value": 2 }, { "type": "Integer", "value": 9 }] });
    let test = json!({ "name": "it", "script": ["PUSH1", "PUSH2"], "steps": [{ "actions": ["execute"], "result": result }] });
    let vector = vector(&json!({ "category": "it", "name": "it", "tests": [test] }));
    let mut explorer = explorer(&vector.path);
    let end = explorer.recording().steps();
    for (step, expected) in [
        (end, &["[0]: Integer 2, as demanded", "[1]: Integer 1, demanded Integer 9"][..]),
        (1, &["[0]: Integer 1, demanded Integer 9"]),
    ] {
        assert_eq!(at(&mut explorer, step)[1..=expected.len()], *expected, "step {step}");
    }
}
