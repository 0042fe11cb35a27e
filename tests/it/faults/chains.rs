//! What is reported of a long chain of instructions, of a value that is one too many, and of a wrong report of a
//! driver.

use serde_json::{Value, json};
use vmconf::explain::explain;
use vmconf::model::{BlameAnswer, Explanation};
use vmconf::run::sources::{SourceOrigin, VectorSource};
use vmconf::run::{self, LoadOptions, Worker};

use super::{LAST, SCREEN, text};
use crate::support::golden;

/// The explanation of a script of N3 that has to leave these numbers.
fn explained(script: &str, stack: &[u64]) -> Explanation {
    let stack: Vec<_> = stack.iter().map(|value| json!({ "type": "Integer", "value": value })).collect();
    let step = json!({ "actions": ["Execute"], "result": { "state": "HALT", "resultStack": stack } });
    let test = json!({ "name": "case", "script": script, "steps": [step] });
    explained_vector(&json!({ "category": "chains", "name": "chains", "tests": [test] }))
}

/// The explanation of the only case of a vector.
fn explained_vector(vector: &Value) -> Explanation {
    let source = VectorSource::new("chains.json".into(), "chains.json".into(), SourceOrigin::Stream);
    let options = LoadOptions::default();
    let file = run::open_text(&source, vector.to_string(), &options);
    explain(&mut Worker::new(&options.run), &file, 0, LAST)
}

/// PUSH0, then this number of INC.
fn counted(times: usize) -> String {
    format!("0x10{}40", "9c".repeat(times))
}

#[test]
fn a_chain_is_followed_to_its_beginning() {
    for times in [5, 300, 20_000] {
        let explained = explained(&counted(times), &[1]);
        let Some(BlameAnswer::By(blame)) = explained.blames.first() else { panic!("{:?}", explained.blames) };
        let oldest: Vec<_> =
            blame.further.iter().flat_map(|it| &it.oldest).map(|by| by.text.as_str()).collect();
        let left_out = blame.further.as_ref().map(|it| it.left_out);
        let text = text(&explained);
        assert!(
            text.contains("by step 1, 0x00 PUSH0") || text.contains("      begins with step 1, 0x00 PUSH0"),
            "{text}"
        );
        if times > 5 {
            // All instructions are in the chain: the first seven are shown, then the two oldest.
            assert_eq!((left_out, &oldest[..]), (Some(times + 1 - 9), &["PUSH0", "INC"][..]), "{text}");
            assert!(text.contains("more lines"), "{text}");
        }
    }
}

/// PUSH2 PUSH1 PUSH3 DROP leaves two values where one is expected: DROP left the 1.
#[test]
fn a_surplus_value_names_its_writer_and_what_left_it() {
    let explained = explained("0x1211134540", &[2]);
    let Some(BlameAnswer::By(blame)) = explained.blames.first() else { panic!("{:?}", explained.blames) };
    assert_eq!(blame.by.text, "PUSH1");
    assert_eq!(blame.left_by.as_ref().map(|by| by.text.as_str()), Some("DROP"));
    assert!(text(&explained).contains("    left by  step 4, 0x03 DROP of Integer 3\n"));
}

/// What `vmconf diff` says of a driver in a case that expects the rating `pass`.
fn rated(driver: &[&str]) -> String {
    let expect = json!({ "outcome": "completed", "rating": "pass" });
    let test = json!({ "name": "case", "driver": driver, "expect": expect });
    let vector = json!({ "machine": "tinyvm", "tests": [test] });
    text(&explained_vector(&vector))
}

/// A driver whose report is wrong is explained by the word that makes it wrong.
#[test]
fn a_driver_error_names_the_word_that_decides_it() {
    let wrong_marker = [
        "lw r8, 0",
        "lw r9, 1",
        "sw r8, r9",
        "lw r8, 1",
        "lw r9, 0x650D",
        "sw r8, r9",
        "lw r8, 2",
        "lw r9, 0x4586",
        "sw r8, r9",
        "lw r1, 1",
        "lw r0, 2",
        "yield",
    ];
    let no_markers = ["lw r8, 0", "lw r9, 1", "sw r8, r9", "lw r1, 1", "lw r0, 2", "yield"];
    let wrong_code = [
        "lw r8, 0",
        "lw r9, 5",
        "sw r8, r9",
        "lw r8, 1",
        "lw r9, 0x650D",
        "sw r8, r9",
        "lw r8, 2",
        "lw r9, 0x4585",
        "sw r8, r9",
        "lw r1, 1",
        "lw r0, 2",
        "yield",
    ];
    let too_many = ["lw r1, 0xFFFF", "lw r0, 2", "yield"];
    let texts: [String; 4] = [&wrong_marker[..], &no_markers, &wrong_code, &too_many].map(rated);
    assert!(texts.iter().all(|text| text.lines().count() <= SCREEN));
    golden::file("explanations-of-driver-errors", &texts.join("\n"));
}
