//! What the screens show, from sources that share nothing with the recording: the programs of the vectors and the
//! rules of their machines, read by hand, and `vmconf trace`, which watches a run in place of recording it.

use num_bigint::BigInt;
use serde_json::Value as Json;

use super::{FAILING, explorer, screen_of};
use crate::support::{Ran, vmconf};

/// Lines of the state at the failure: what the last write or the end must have made of it.
const AT_THE_FAILURE: [(&str, &[&str]); 6] = [
    // CALL pushes 1 for success, which SSTORE puts at 0.
    ("evm", &["storage", "0x00: 1"]),
    // PUSH3, PUSH2, PUSH1, PUSH3, PACK: the top item is the first one; the key is PUSH10.
    ("neo3", &["0x0a: Array #1 (3)", "[0]: Integer 1", "[1]: Integer 2", "[2]: Integer 3"]),
    // PUSH1, TOALTSTACK, both of one byte, and nothing is executed after them.
    ("neo2", &["frame 0: at 0002", "alt stack, top first", "[0]: Integer 1"]),
    // The testee does `lw r3, 42` and yields; the driver rates three tests.
    ("tinyvm", &["test 1: pass", "test 3: fail", "r3: 0x2a (42)"]),
    // PUSH_I16 1, PUSH_I16 0, DIV: the operands stay where they are.
    ("minic89", &["status: TRAPPED", "step: 3", "trap: TRAP_DIV_ZERO", "a: 1", "[1]: 0", "[0]: 1"]),
    // A transfer with 100,000 gas costs 21,000.
    ("ethereum", &["gas: 79000", "frames: 0"]),
];

#[test]
fn values_at_the_failure_are_those_of_the_program() {
    for ((machine, expected), (of, id)) in AT_THE_FAILURE.into_iter().zip(FAILING) {
        assert_eq!(machine, of);
        let state = panes(&screen_of(&mut explorer(id), 200, 60)).1;
        let mut lines = state.iter();
        for text in expected {
            assert!(lines.any(|line| line.starts_with(text)), "{machine}: no {text:?} in {state:#?}");
        }
    }
}

/// The lines of the code and of the state, without marks.
fn panes(screen: &str) -> (Vec<String>, Vec<String>) {
    let half =
        |line: &str, from: usize, count: usize| line.chars().skip(from).take(count).collect::<String>();
    let lines = screen.lines().map(|line| line.trim_matches('"'));
    let state = |line: &str| half(line, 90, 110).trim_start_matches(['▏', '*', ' ']).trim_end().to_owned();
    let code = |line: &str| half(line, 0, 90).trim_end().to_owned();
    lines.map(|line| (code(line), state(line))).unzip()
}

/// The instruction after the mark and the top of the stack, in front of each instruction of the trace.
#[test]
fn each_state_is_that_of_the_trace() {
    for (machine, id) in FAILING {
        let Ran { exit, stdout, stderr } = vmconf(&["trace", "--no-config", "-o", "json", id]);
        assert!(exit <= 1, "{machine}: {stderr}");
        let lines = stdout.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
        let steps: Vec<_> = lines.filter(|line| line["type"] == "step").collect();
        let mut explorer = explorer(id);
        assert_eq!(steps.len() as u64, explorer.recording().steps(), "{machine}");
        let mut compared = 0;
        for step in &steps {
            explorer.go_to_step(step["step"].as_u64().unwrap() - 1);
            let (code, state) = panes(&screen_of(&mut explorer, 200, 60));
            let text = step["text"].as_str().unwrap();
            let text = text.split_once(": ").map_or(text, |(_, text)| text);
            let marked = code.iter().find(|line| line.chars().nth(1) == Some('>'));
            let marked = marked.unwrap_or_else(|| panic!("{machine}, {step}: no mark in {code:#?}"));
            // After the last instruction, a NeoVM executes a RET that no script has.
            let is_implicit = text == "RET" && marked.ends_with("(no instruction: the end of the code)");
            assert!(is_implicit || marked.contains(text), "{machine}, {step}: {marked}");
            let Some(top) = step["stack"].as_array().unwrap().last().and_then(integer) else { continue };
            let heading = state.iter().position(|line| line.ends_with("stack, top first")).unwrap();
            let shown = &state[heading + 1];
            let hex = format!("{:#x}", top.parse::<BigInt>().unwrap());
            let is_it = |word: &str| word.trim_matches(['(', ')']) == top || word == hex;
            assert!(shown.split_once(": ").unwrap().1.split(' ').any(is_it), "{machine}, {step}: {shown}");
            compared += 1;
        }
        assert!(compared > 0 || ["tinyvm", "ethereum"].contains(&machine), "{machine}");
    }
}

/// The number that a value of a trace is, in decimal digits.
fn integer(value: &Json) -> Option<&str> {
    let value = if value["type"] == "Integer" { &value["value"] } else { value };
    value["int"].as_str()
}
